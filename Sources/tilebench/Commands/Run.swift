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
        let written = try input.plan(fetcher: documents)
        if arguments.has("print-scenario") {
            let text = JSONWriter.encodeText(try input.document(fetcher: documents), pretty: true)
            try console.print(written.secrets.masking(text) + "\n")
            return .success
        }
        let setup = try LoadSetup(written, documents: documents, arguments, console)
        let (plan, files) = (setup.plan, setup.files)
        defer { setup.origin?.stop() }
        let progress = setup.progress()
        var hooks = setup.hooks(progress)
        hooks.onCheckpoint = { soFar in
            guard let problem = files.writeCheckpoint(RunReport(soFar, plan: plan).node)
            else { return }
            progress.clear()
            console.note(problem)
        }

        var passes = PassLog(plan: plan, files: files, console: console)
        let memory = RunMemory(seed: plan.seed)
        while true {
            let load: LoadRun
            do {
                load = try LoadRun(
                    plan: plan, tool: ToolVersion.facts(), signals: setup.signals, hooks: hooks,
                    memory: memory)
            } catch {
                throw Failure(.usage, error.description)
            }
            let end = load.run()
            progress.clear()
            if let last = passes.take(end) {
                return try conclude(last, plan, passes, setup.origin?.ledger, arguments, console)
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
}
