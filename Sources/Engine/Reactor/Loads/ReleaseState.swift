import Workload

/// When this reactor lets the next waiting asks of a cell go. A crowd that is let go at once is a
/// storm of its own; see R16 of the renewal machine. Every reactor that uses the cell releases its
/// own share, so that together they keep the wanted pace.
struct ReleaseState {
    private static let stepNS: UInt64 = 5_000_000
    private let policy: AuthPlan.Release
    private let reactor: Int
    private let reactors: Int
    private var perStep = Int.max
    private var steps = 0
    /// Monotonic ns of the next step; counts while something is to be let go.
    private(set) var nextNS: UInt64 = 0

    init(_ policy: AuthPlan.Release, reactor: Int, reactors: Int) {
        self.policy = policy
        self.reactor = reactor
        self.reactors = reactors
    }

    /// `count` asks of this reactor are to be let go from now on. More that come while others are
    /// still being let go keep their pace.
    mutating func begin(count: Int, nowNS: UInt64) {
        switch policy {
        case .all, .canary:
            perStep = Int.max
            nextNS = nowNS
        case .parts(let parts):
            perStep = max(1, (count + parts - 1) / parts)
            nextNS = max(nextNS, nowNS)
        case .per5ms:
            perStep = 0
            nextNS = max(nextNS, nowNS)
        }
        if nextNS == nowNS { steps = 0 }
    }

    /// How many may go now.
    mutating func step(nowNS: UInt64) -> Int {
        guard nextNS <= nowNS else { return 0 }
        // A thread that was kept from its work does not make up for it in one burst.
        nextNS = max(nextNS + Self.stepNS, nowNS)
        defer { steps += 1 }
        guard case .per5ms(let asks) = policy else { return perStep }
        // The whole number of asks of each step, dealt to the reactors without a remainder.
        return ((steps + 1) * asks + reactor) / reactors - (steps * asks + reactor) / reactors
    }
}
