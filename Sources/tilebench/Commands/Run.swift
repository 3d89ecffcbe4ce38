import Engine
import Glibc
import JSONText
import Metrics
import Reporting
import Workload

/// `tilebench run`: load, report, verdict.
enum RunCommand {
    static func run(
        _ arguments: Arguments, console: Console
    ) throws(Failure) -> ExitCode {
        let input = try ScenarioInput(arguments)
        let documents = DocumentFetcher()
        var written = try input.plan(fetcher: documents)
        if arguments.has("print-scenario") {
            let text = JSONWriter.encodeText(try input.document(fetcher: documents), pretty: true)
            try console.print(written.secrets.masking(text) + "\n")
            return .success
        }
        // The token that the document was fetched with is the run's first.
        if documents.tokenAnswer != nil, written.auth?.start == .stored {
            written.auth?.start = .renew
        }
        let isQuiet = arguments.has("quiet")
        // Before any other thread: it blocks the signals that the others must not get.
        let signals = SignalWatch()
        if !isQuiet { for note in written.notes { console.note(note) } }
        let origin = try EmbeddedOrigin(written)
        defer { origin?.stop() }
        let plan = origin?.plan ?? written
        let progress = ProgressDisplay(
            kind: progressKind(arguments, console), terminal: console.err,
            hasWarmup: plan.load.warmupNS > 0)

        try check(plan)
        let files = try RunFiles(arguments, plan: plan)
        var hooks = RunHooks()
        hooks.onCheckpoint = { soFar in
            guard let problem = files.writeCheckpoint(RunReport(soFar, plan: plan).node)
            else { return }
            progress.clear()
            console.note(problem)
        }
        hooks.revokeOrigin = origin.map { origin in { origin.revoke(share: $0) } }
        hooks.setRenewalFault = origin.map { origin in { origin.set(renewalFault: $0) } }
        hooks.setTileFault = origin.map { origin in { origin.set(tileFault: $0) } }
        if written.auth?.start == .renew { hooks.tokenAnswer = documents.tokenAnswer }
        hooks.originThreads = origin?.threads ?? 0
        hooks.onProgress = { progress.show($0) }
        hooks.onNotice =
            isQuiet
            ? nil
            : {
                progress.clear(); console.note($0)
            }
        if !plan.abortWhen.isEmpty { hooks.abortReason = { abortReason($0, plan: plan) } }

        var passes = PassLog(plan: plan, files: files, console: console)
        let memory = RunMemory(seed: plan.seed)
        while true {
            let load: LoadRun
            do {
                load = try LoadRun(
                    plan: plan, tool: ToolVersion.facts(), signals: signals, hooks: hooks,
                    memory: memory)
            } catch {
                throw Failure(.usage, error.description)
            }
            let end = load.run()
            progress.clear()
            if let last = passes.take(end) {
                return try conclude(last, plan, passes, origin?.ledger, arguments, console)
            }
        }
    }

    /// Files, summary and exit code, in this order; nothing that fails keeps the rest from coming.
    private static func conclude(
        _ end: RunEnd, _ plan: Plan, _ passes: PassLog, _ ledger: JSONNode?,
        _ arguments: Arguments, _ console: Console
    ) throws(Failure) -> ExitCode {
        let files = passes.files
        let report = RunReport(end.result, plan: plan)
        let problem = files.write(report.node, ledger: ledger)
        var codes = passes.codes + report.codes(plan)
        if let unmeasurable = end.unmeasurable {
            codes.append(.unmeasurable)
            // What a signal broke off did not fail by itself.
            let cause = end.signal == nil ? plan.secrets.masking(unmeasurable) : "interrupted"
            console.note("could not measure: \(cause)")
        }
        if let signal = end.signal { codes.append(signal == SIGTERM ? .terminated : .interrupted) }
        if arguments.has("json") {
            try console.print(String(decoding: ReportJSON.encode(report.node), as: UTF8.self))
        } else if report.hasAsks || end.unmeasurable == nil {
            // A page of zeros would hide the one sentence that says why.
            try console.print(console.summary(of: report.node))
        }
        if let problem {
            codes.append(.usage)
            console.note(problem)
        } else if let problem = files.linkLatest() {
            console.note(problem)
        }
        if problem == nil, !arguments.has("quiet") {
            console.note("files in \(files.folder.path)")
        }
        return ExitCode.first(of: codes)
    }

    /// What only the parts of a run can see, before any folder is made for it.
    private static func check(_ plan: Plan) throws(Failure) {
        do {
            _ = try RunParts(plan: plan)
        } catch {
            throw Failure(.usage, error.description)
        }
    }

    private static func progressKind(
        _ arguments: Arguments, _ console: Console
    ) -> ProgressKind {
        if arguments.has("quiet") { return .none }
        let asked = arguments.value("progress").flatMap(ProgressKind.init) ?? .bar
        // Nothing moves where nobody can see it move.
        return asked == .bar && !console.err.isTerminal ? .plain : asked
    }

    /// The first condition of `abort_when` that is met.
    private static func abortReason(_ soFar: RunResult, plan: Plan) -> String? {
        let due = plan.abortWhen.filter { soFar.run.measuredNS >= $0.afterNS }
        guard !due.isEmpty else { return nil }
        let report = ReportJSON.node(result: soFar, verdict: Verdict())
        return due.first { GateResult(judging: $0, report: report).verdict == .pass }?
            .expression.text
    }
}
