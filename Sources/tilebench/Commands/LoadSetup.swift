import Engine
import Metrics
import Reporting
import Workload

/// What `run` and `capacity` have before their first request: the plan, the embedded server where a
/// scenario asks for one, a folder that can be written to, and what happens around a load.
struct LoadSetup {
    /// Knows the address of the embedded server.
    let plan: Plan
    let origin: EmbeddedOrigin?
    let signals: SignalWatch
    let files: RunFiles
    private let documents: DocumentFetcher
    private let progressKind: ProgressKind
    private let isQuiet: Bool
    private let console: Console

    /// - Parameter documents: That fetched the documents of the plan.
    /// - Throws: exit 2 when the plan cannot be carried out or the folder not be written to, 3 when
    ///   the embedded server cannot start.
    init(
        _ written: Plan, documents: DocumentFetcher, _ arguments: Arguments, _ console: Console
    ) throws(Failure) {
        var written = written
        // The token that the document was fetched with is the run's first.
        if documents.tokenAnswer != nil, written.auth?.start == .stored {
            written.auth?.start = .renew
        }
        self.documents = documents
        self.console = console
        isQuiet = arguments.has("quiet")
        progressKind = Self.progressKind(arguments, console)
        // Before any other thread: it blocks the signals that the others must not get.
        signals = SignalWatch()
        if !isQuiet { for note in written.notes { console.note(note) } }
        origin = try EmbeddedOrigin(written)
        plan = origin?.plan ?? written
        do throws(Failure) {
            try Self.check(plan)
            files = try RunFiles(arguments, plan: plan)
        } catch {
            origin?.stop()
            throw error
        }
    }

    /// A display for one load.
    func progress() -> ProgressDisplay {
        ProgressDisplay(
            kind: progressKind, terminal: console.err, hasWarmup: plan.load.warmupNS > 0)
    }

    /// What a load asks of the command around it.
    func hooks(_ progress: ProgressDisplay) -> RunHooks {
        let (console, origin, plan) = (console, origin, plan)
        var hooks = RunHooks()
        hooks.revokeOrigin = origin.map { origin in { origin.revoke(share: $0) } }
        hooks.setRenewalFault = origin.map { origin in { origin.set(renewalFault: $0) } }
        hooks.setTileFault = origin.map { origin in { origin.set(tileFault: $0) } }
        if plan.auth?.start == .renew { hooks.tokenAnswer = documents.tokenAnswer }
        hooks.originThreads = origin?.threads ?? 0
        hooks.onProgress = { progress.show($0) }
        if !isQuiet {
            hooks.onNotice = {
                progress.clear()
                console.note($0)
            }
        }
        if !plan.abortWhen.isEmpty { hooks.abortReason = { Self.abortReason($0, plan: plan) } }
        return hooks
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
