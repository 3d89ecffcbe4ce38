import Workload

/// When this reactor lets the next waiting asks go. A crowd that is let go at once is a storm of
/// its own; see R16 of the renewal machine. Every reactor releases its own share, so that together
/// they keep the wanted pace.
struct ReleaseState {
    private static let stepNS: UInt64 = 5_000_000
    private let policy: AuthPlan.Release
    private let reactors: Int
    private var perStep = Int.max
    /// Monotonic ns of the next step; nil: no release under way.
    private(set) var nextNS: UInt64?
    /// Asks let go in the current 10 ms after a renewal, and the most so far.
    private var peakWindowNS: UInt64 = 0
    private var peakCount: UInt64 = 0
    private var watchUntilNS: UInt64 = 0
    private(set) var peakPer10ms: UInt64 = 0

    init(_ policy: AuthPlan.Release, reactors: Int) {
        self.policy = policy
        self.reactors = reactors
    }

    /// `count` asks of this reactor are to be let go from now on.
    mutating func begin(count: Int, nowNS: UInt64) {
        switch policy {
        case .all: perStep = Int.max
        case .parts(let parts): perStep = max(1, (count + parts - 1) / parts)
        case .per5ms(let asks): perStep = max(1, asks / reactors)
        }
        nextNS = nowNS
        watchUntilNS = nowNS + 100_000_000
    }

    /// How many may go now.
    mutating func step(nowNS: UInt64) -> Int {
        guard let due = nextNS, due <= nowNS else { return 0 }
        nextNS = due + Self.stepNS
        return perStep
    }

    mutating func end() { nextNS = nil }

    /// A request started; counts towards the peak within 100 ms of a renewal.
    @inline(__always)
    mutating func noteStart(nowNS: UInt64) {
        if nowNS >= watchUntilNS { return }
        if nowNS &- peakWindowNS >= 10_000_000 {
            peakWindowNS = nowNS
            peakCount = 0
        }
        peakCount &+= 1
        if peakCount > peakPer10ms { peakPer10ms = peakCount }
    }
}
