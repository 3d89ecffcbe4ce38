package import Metrics
package import Workload

/// Whether a server stood one rate of a search for its capacity, and if not, why. The gates are
/// asked, and two things that no gate of one run can see: whether it was the server that failed,
/// and whether it kept up or only put off what it owed.
package struct StepJudgement: Sendable, Hashable {
    package var end: CapacitySearch.StepEnd
    /// In words; nil when it held.
    package var reason: String?

    /// What a server may fall behind in a step. It falls behind by the share of the rate that is
    /// too much, so that a step of 10 s tells 5 %, and one of 20 s half of that.
    static let backlogMaxS = 0.5
    /// Reactors have their parts of `max_in_flight`, and not all are full at the same moment.
    private static let fullShare = 0.9

    /// Of a step that could not be measured.
    package init(unmeasurable: String) {
        end = .unanswered
        reason = unmeasurable
    }

    /// - Parameter result: With its validity.
    package init(_ result: RunResult, gates: Verdict, plan: Plan) {
        let inFlightMax = plan.load.inFlightMax
        let isFull = Self.isFull(result, inFlightMax: inFlightMax)
        let generatorLimit = Validity.generatorLimit(result)
        let isLate = result.run.validity == .invalid && Validity.isSound(result)
        if isLate, isFull, generatorLimit == nil {
            let all = TextNumbers.grouped(UInt64(inFlightMax))
            (end, reason) = (.failed, "all \(all) asks that may be in flight waited for the server")
        } else if result.run.validity == .invalid,
            plan.failsWhenInvalid || Validity.isShort(result.ledger)
        {
            (end, reason) = (.invalid, result.run.reasons.first)
        } else if let failure = Self.failure(result, gates: gates) {
            // What holds although the generator is short of time holds all the more; what does not
            // may be the generator's own doing.
            let strain = plan.failsWhenInvalid ? generatorLimit : nil
            (end, reason) = (strain == nil ? .failed : .invalid, strain ?? failure)
        } else {
            (end, reason) = (.held, nil)
        }
    }

    /// Why the server did not stand it.
    private static func failure(_ result: RunResult, gates: Verdict) -> String? {
        if let condition = result.run.aborted { return "abort_when: \(condition)" }
        if let gate = gates.gates.first(where: \.fails) {
            let observed = gate.observed.map { GateWords.observed($0, in: gate.expression) }
            return "\(gate.expression): \(observed ?? gate.reason ?? "no data")"
        }
        guard let grown = backlogGrowth(result), result.run.measuredNS > 0 else { return nil }
        let perSecond = Double(result.ledger.planned) / (Double(result.run.measuredNS) / 1e9)
        guard Double(grown) > backlogMaxS * perSecond else { return nil }
        let asks = TextNumbers.count(UInt64(grown), "ask")
        let seconds = TextNumbers.duration(s: Double(grown) / perSecond)
        return "the server does not keep up: it fell behind by \(asks), those of \(seconds)"
    }

    /// How many more asks were open at the end of the measured part than at the end of its first
    /// interval; nil when it has one interval only.
    package static func backlogGrowth(_ result: RunResult) -> Int? {
        let rows = result.timeline.filter { $0.startNS < result.run.measuredNS }
        guard rows.count > 1, let first = rows.first, let last = rows.last else { return nil }
        return open(last) - open(first)
    }

    private static func isFull(_ result: RunResult, inFlightMax: Int) -> Bool {
        let most = result.timeline.map(open).max() ?? 0
        return Double(most) >= fullShare * Double(inFlightMax)
    }

    private static func open(_ row: TimelineRow) -> Int { Int(row.inFlight + row.parked) }
}
