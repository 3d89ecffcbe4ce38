import Metrics
import Workload

/// The open load of one reactor: the pacer says when ask number s is due, this one takes every
/// n-th. A due ask that finds no place is no entry in any list: it is the distance between `cursor`
/// and now.
struct OpenLoad {
    private var warmup: PacerCursor?
    private var measured: PacerCursor
    private let t0NS: UInt64
    private let startNS: UInt64
    private let warmupNS: UInt64
    private let indexLimit: UInt64
    private let durationNS: UInt64

    /// The asks first, first + stride, first + 2 * stride, ...
    init?(context: RunContext, first: Int, stride: Int) {
        guard let pacer = context.pacer else { return nil }
        let (first, stride) = (UInt64(first), UInt64(stride))
        measured = pacer.cursor(first: first, stride: stride)
        warmup = context.warmupPacer?.cursor(first: first, stride: stride)
        t0NS = context.t0NS
        startNS = context.startNS
        warmupNS = context.plan.load.warmupNS
        indexLimit = context.indexLimit ?? .max
        durationNS = context.plan.load.durationNS ?? .max
    }

    /// The next due ask: its index and its intended start from T0. Nil: none is due yet.
    mutating func next(nowNS: UInt64) -> (index: UInt64, intendedNS: Int64)? {
        if let due = warmup?.intendedNS {
            // What the warm-up could not start by T0 is no part of anything and is let go.
            guard due < warmupNS, nowNS < t0NS else {
                warmup = nil
                return next(nowNS: nowNS)
            }
            guard startNS &+ due <= nowNS, let index = warmup?.index else { return nil }
            warmup?.advance()
            return (RequestStream.warmupFirst | index, Int64(due) - Int64(warmupNS))
        }
        guard hasMore, nowNS >= t0NS, measured.intendedNS <= nowNS - t0NS else { return nil }
        defer { measured.advance() }
        return (measured.index, Int64(measured.intendedNS))
    }

    private var hasMore: Bool {
        measured.index < indexLimit && measured.intendedNS < durationNS
    }

    /// True when nothing will be due any more: all asks have started, or the time is over. A load
    /// whose last ask is due before its end still lasts until then.
    func isExhausted(nowNS: UInt64) -> Bool {
        guard warmup == nil else { return false }
        if measured.index >= indexLimit { return true }
        return durationNS == .max ? !hasMore : nowNS >= t0NS &+ durationNS && !hasMore
    }

    /// Monotonic ns of the next start; `.max` when there is none or no place for one.
    func nextStartNS(_ nowNS: UInt64) -> UInt64 {
        if let warmup, warmup.intendedNS < warmupNS { return startNS &+ warmup.intendedNS }
        if hasMore { return t0NS &+ measured.intendedNS }
        let endNS = durationNS == .max ? .max : t0NS &+ durationNS
        return nowNS < endNS ? endNS : .max
    }
}
