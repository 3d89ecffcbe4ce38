import JSONText
import Metrics
import Reporting
import Workload

/// A run's result, judged.
struct RunReport {
    let node: JSONNode
    /// With its validity.
    let result: RunResult
    let verdict: Verdict

    /// - Parameter judgesGates: False for one pass of several: see `PassLog`.
    init(_ measured: RunResult, plan: Plan, judgesGates: Bool = true) {
        var result = measured
        (result.run.validity, result.run.reasons) = Validity.judge(
            result, isOpen: plan.load.isOpen)
        // Gates read the report's own numbers, so it is made once without them.
        let verdict = Verdict.judge(
            gates: judgesGates ? plan.gates : [],
            report: ReportJSON.node(result: result, verdict: Verdict()))
        node = ReportJSON.node(result: result, verdict: verdict)
        self.result = result
        self.verdict = verdict
    }

    var validity: RunFacts.Validity { result.run.validity }

    /// Whether anything was asked for, the warm-up included.
    var hasAsks: Bool { result.ledger.started + result.run.warmupAsks > 0 }

    /// What validity and gates say.
    func codes(_ plan: Plan) -> [ExitCode] {
        var codes: [ExitCode] = []
        if result.run.validity == .invalid, plan.failsWhenInvalid { codes.append(.invalid) }
        if verdict.overall == .fail || result.run.aborted != nil { codes.append(.gateFailed) }
        return codes
    }
}
