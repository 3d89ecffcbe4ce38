import Workload

/// When the faults on purpose are due, in time from T0. Those due after the last start are not
/// done: nobody would notice them.
struct InjectionSchedule {
    private var due: [(plan: InjectionPlan, nextNS: UInt64?)]
    private(set) var count: UInt64 = 0
    /// Those that found no fresh token.
    private(set) var missed: UInt64 = 0

    init(_ plans: [InjectionPlan]) {
        due = plans.map { ($0, $0.atNS) }
    }

    /// Does what is due; `inject` says whether there was a fresh token to spoil.
    mutating func run(
        _ nowNS: UInt64, t0NS: UInt64, endNS: UInt64, _ inject: (InjectionPlan) -> Bool
    ) {
        guard nowNS >= t0NS, nowNS < endNS else { return }
        for index in due.indices {
            guard let next = due[index].nextNS, t0NS + next <= nowNS else { continue }
            count += 1
            if !inject(due[index].plan) { missed += 1 }
            let every = due[index].plan.everyNS
            due[index].nextNS = every.map { next + max(1_000_000, $0) }
        }
    }

    /// Time until the next one; `.max` when there is none before the end.
    func waitNS(_ nowNS: UInt64, t0NS: UInt64, endNS: UInt64) -> UInt64 {
        let next = due.compactMap { $0.nextNS }.min() ?? .max
        guard next < .max, t0NS + next < endNS, nowNS < endNS else { return .max }
        return t0NS + next > nowNS ? t0NS + next - nowNS : 0
    }
}

extension InjectionPlan.Poison {
    /// The text put in place of the token.
    func text(previous: String) -> String {
        switch self {
        case .garbage: "tilebench-poison-" + String(UInt64.random(in: .min ... .max), radix: 16)
        case .empty: ""
        // Before the first renewal there is no older token.
        case .old: previous.isEmpty ? "tilebench-poison-old" : previous
        }
    }
}
