import Workload

/// When the faults on purpose begin and end, in time from T0. One that is due after the last start
/// does not begin: nobody would notice it. One that has begun ends in its time, whatever the run
/// does.
struct InjectionSchedule {
    enum Step {
        /// The number counts all that have begun, from 0.
        case begin(InjectionPlan, number: Int)
        case end(InjectionPlan, number: Int)
    }

    private struct Entry {
        var plan: InjectionPlan
        var nextNS: UInt64?
        /// Of the fault that lasts now.
        var end: (atNS: UInt64, number: Int)?
    }

    private var entries: [Entry]
    private(set) var begun = 0

    init(_ plans: [InjectionPlan]) {
        entries = plans.map { Entry(plan: $0, nextNS: $0.atNS) }
    }

    /// What is due: ends before beginnings, so that a fault may follow another at once.
    mutating func due(_ nowNS: UInt64, t0NS: UInt64, endNS: UInt64) -> [Step] {
        guard nowNS >= t0NS else { return [] }
        var steps: [Step] = []
        for index in entries.indices {
            guard let end = entries[index].end, t0NS + end.atNS <= nowNS else { continue }
            entries[index].end = nil
            steps.append(.end(entries[index].plan, number: end.number))
        }
        guard nowNS < endNS else { return steps }
        for index in entries.indices {
            guard let next = entries[index].nextNS, t0NS + next <= nowNS else { continue }
            let plan = entries[index].plan
            steps.append(.begin(plan, number: begun))
            entries[index].end = plan.durationNS.map { (next + $0, begun) }
            entries[index].nextNS = plan.everyNS.map { next + max(1_000_000, $0) }
            begun += 1
        }
        return steps
    }

    /// Time until the next one; `.max` when there is none.
    func waitNS(_ nowNS: UInt64, t0NS: UInt64, endNS: UInt64) -> UInt64 {
        let begin = entries.compactMap(\.nextNS).map { t0NS + $0 }.filter { $0 < endNS }.min()
        let end = entries.compactMap(\.end).map { t0NS + $0.atNS }.min()
        let next = min(nowNS < endNS ? begin ?? .max : .max, end ?? .max)
        return next == .max ? .max : next - min(next, nowNS)
    }
}
