import Metrics
package import JSONText
package import Workload

/// How one gate came out.
package struct GateResult: Sendable, Hashable {
    package enum Outcome: String, Sendable {
        case pass, fail
        /// Not met, and told only to warn.
        case warn
        /// Nothing to compare: fails unless told otherwise.
        case noData = "no data"
    }

    /// As written in the scenario.
    package var expression: String
    /// In the unit of the report; nil without data.
    package var observed: Double?
    /// In the same unit.
    package var limit: Double
    package var verdict: Outcome
    package var level: GatePlan.Level
    /// Why there is no data, in words.
    package var reason: String?
    /// Whether it makes the run's verdict `fail`.
    package var fails: Bool
}

extension GateResult {
    /// Judges one gate. Used after a run for `gates`, and during it for `abort_when`, whose
    /// conditions are met when this says `pass`.
    package init(judging plan: GatePlan, report: JSONNode) {
        let lookup = ReportLookup(report)
        let expression = plan.expression
        self.expression = expression.text
        limit = expression.value
        level = plan.level
        let observation = Self.observe(plan, lookup)
        observed = observation.value
        reason = observation.reason
        if let observed {
            let isMet = expression.holds(observed)
            verdict = isMet ? .pass : plan.level == .warn ? .warn : .fail
            fails = verdict == .fail
        } else {
            verdict = .noData
            fails = plan.level == .fail && !plan.allowsEmpty
        }
    }

    private static func observe(
        _ plan: GatePlan, _ lookup: ReportLookup
    ) -> (value: Double?, reason: String?) {
        let expression = plan.expression
        let allowed = plan.allowsEmpty ? ", which allow_empty permits" : ""
        guard let numerator = lookup.value(expression.numerator) else {
            return (nil, "the report has no \(expression.numerator.text)\(allowed)")
        }
        var value = numerator
        if let path = expression.denominator {
            guard let denominator = lookup.value(path) else {
                return (nil, "the report has no \(path.text)\(allowed)")
            }
            guard denominator != 0 else { return (nil, "\(path.text) is 0\(allowed)") }
            value /= denominator
        }
        guard let wanted = plan.samplesMin else { return (value, nil) }
        let samples = samples(plan, lookup)
        guard samples >= wanted else {
            let words = TextNumbers.count(samples, "sample")
            return (nil, "\(words) of at least \(TextNumbers.grouped(wanted))\(allowed)")
        }
        return (value, nil)
    }

    /// A share is of what it is divided by, if that is a count.
    private static func samples(_ plan: GatePlan, _ lookup: ReportLookup) -> UInt64 {
        if let path = plan.expression.denominator, path.unit.isCount, let value = lookup.value(path)
        {
            return UInt64(value)
        }
        return lookup.samples(plan.expression.numerator)
    }
}
