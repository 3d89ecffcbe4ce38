package import JSONText
package import Workload

/// How all gates of a run came out.
package struct Verdict: Sendable, Hashable {
    package enum Overall: String, Sendable {
        case pass, fail
        /// No gates were set.
        case none
    }

    package var gates: [GateResult]

    package init(gates: [GateResult] = []) { self.gates = gates }

    package var overall: Overall {
        if gates.isEmpty { return .none }
        return gates.contains(where: \.fails) ? .fail : .pass
    }

    /// Judges gates by the numbers of a report, the ones that people see. The report's own `gates`
    /// and `verdict` do not matter: it can be made with an empty verdict first.
    package static func judge(gates: [GatePlan], report: JSONNode) -> Verdict {
        Verdict(gates: gates.map { GateResult(judging: $0, report: report) })
    }
}
