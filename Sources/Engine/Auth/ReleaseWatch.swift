import Synchronization

/// The most requests that started within 10 ms in the 100 ms after a renewal, over all reactors: a
/// crowd let go at once is a storm of its own. Atomics, relaxed; touched only in that tenth of a
/// second.
final class ReleaseWatch: Sendable {
    private static let windowNS: UInt64 = 10_000_000
    private static let watchNS: UInt64 = 100_000_000
    private let untilNS = Atomic<UInt64>(0)
    /// The window's number in the upper half, its count in the lower.
    private let current = Atomic<UInt64>(0)
    private let peak = Atomic<UInt64>(0)

    /// Threads may come out of the order of their times.
    func begin(nowNS: UInt64) { untilNS.max(nowNS + Self.watchNS, ordering: .relaxed) }

    /// A request starts.
    @inline(__always)
    func noteStart(nowNS: UInt64) {
        if nowNS >= untilNS.load(ordering: .relaxed) { return }
        count(nowNS)
    }

    private func count(_ nowNS: UInt64) {
        let window = (nowNS / Self.windowNS) & 0xFFFF_FFFF
        var before = current.load(ordering: .relaxed)
        while true {
            // The window of one who comes too late is over, and a newer one is being counted.
            guard window >= before >> 32 else { return }
            let after = before >> 32 == window ? before + 1 : window << 32 | 1
            let (done, found) = current.compareExchange(
                expected: before, desired: after, ordering: .relaxed)
            if done {
                peak.max(after & 0xFFFF_FFFF, ordering: .relaxed)
                return
            }
            before = found
        }
    }

    var peakPer10ms: UInt64 { peak.load(ordering: .relaxed) }
}
