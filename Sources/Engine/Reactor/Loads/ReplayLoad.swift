import Metrics
import Workload

/// The asks of a log as one reactor takes them: it has the next one in hand until that is due.
///
/// In an open load an ask's time depends on its number alone, whichever reactor takes it: it is the
/// log's own, or the pacer's. In a closed load a user that is ready takes the next one.
final class ReplayLoad {
    enum Hand {
        case held
        /// The reader is behind.
        case empty
        /// The log is at its end, or as many asks have been made as there are to be.
        case usedUp
    }

    private static let retryNS: UInt64 = 1_000_000

    /// Asks come at their times, whatever the answers do.
    let isTimed: Bool
    private let queue: ReplayQueue
    private let isLogged: Bool
    /// Times by the load; nil: by the log, or a closed load.
    private var warmup: PacerCursor?
    private var measured: PacerCursor?
    /// Asks of the warm-up, where the load says when.
    private let warmupAsks: UInt64
    private let warmupNS: UInt64
    private let indexLimit: UInt64
    private let endNS: Int64
    private let t0NS: UInt64
    private var hand: ReplayEntry?
    private var handIntendedNS: Int64 = 0
    private(set) var isUsedUp = false
    /// When to look again after the reader was behind; `.max`: it was not.
    private var retryAtNS: UInt64 = .max

    init(_ queue: ReplayQueue, context: RunContext) {
        self.queue = queue
        let load = context.plan.load
        isLogged = load.shape == .logged
        isTimed = load.isOpen
        warmupNS = load.warmupNS
        warmup = context.warmupPacer?.cursor(first: 0, stride: 1)
        measured = context.pacer?.cursor(first: 0, stride: 1)
        warmupAsks = context.warmupPacer?.count(before: load.warmupNS) ?? 0
        indexLimit = context.indexLimit ?? .max
        endNS = load.durationNS.map { Int64(clamping: $0) } ?? .max
        t0NS = context.t0NS
    }

    /// Takes the next ask in hand, unless there is one.
    func fill(nowNS: UInt64) -> Hand {
        if hand != nil { return .held }
        if isUsedUp { return .usedUp }
        switch queue.take() {
        case .entry(let entry):
            retryAtNS = .max
            hand = entry
            if isTimed { setTime(entry) }
            return isUsedUp ? .usedUp : .held
        case .empty:
            retryAtNS = nowNS &+ Self.retryNS
            return .empty
        case .ended:
            useUp()
            return .usedUp
        }
    }

    private func useUp() {
        isUsedUp = true
        hand = nil
        retryAtNS = .max
    }

    private func setTime(_ entry: ReplayEntry) {
        if isLogged {
            handIntendedNS = Int64(clamping: entry.intendedNS) - Int64(clamping: warmupNS)
            if entry.index >= indexLimit { useUp() }
        } else if entry.index < warmupAsks {
            while let index = warmup?.index, index < entry.index { warmup?.advance() }
            handIntendedNS =
                Int64(clamping: warmup?.intendedNS ?? 0) - Int64(clamping: warmupNS)
        } else {
            let number = entry.index - warmupAsks
            while let index = measured?.index, index < number { measured?.advance() }
            handIntendedNS = Int64(clamping: measured?.intendedNS ?? .max)
            if number >= indexLimit { useUp() }
        }
        if handIntendedNS >= endNS { useUp() }
    }

    /// The next ask that is due by a time; nil: none is.
    func nextDue(nowNS: UInt64) -> (choice: TileChoice, index: UInt64, intendedNS: Int64)? {
        guard isTimed, case .held = fill(nowNS: nowNS), let entry = hand,
            handIntendedNS <= Int64(bitPattern: nowNS &- t0NS)
        else { return nil }
        hand = nil
        return (TileChoice(tile: entry.tile, source: entry.source), entry.index, handIntendedNS)
    }

    /// The ask in hand, for a user that is ready.
    func takeHand() -> TileChoice? {
        defer { hand = nil }
        return hand.map { TileChoice(tile: $0.tile, source: $0.source) }
    }

    /// Monotonic ns of the next thing to do; `.max`: nothing.
    var nextWakeNS: UInt64 {
        guard isTimed, hand != nil else { return retryAtNS }
        return UInt64(bitPattern: handIntendedNS &+ Int64(bitPattern: t0NS))
    }
}

extension Reactor {
    /// Starts the due asks of a log; false when there will be no more.
    func startTimed(_ nowNS: UInt64, untilNS: UInt64? = nil) -> Bool {
        guard let replay else { return false }
        for _ in 0..<Reactor.startsPerTurnMax {
            guard canTakeSlot, let due = replay.nextDue(nowNS: untilNS ?? nowNS) else { break }
            begin(
                due.choice, index: due.index, intendedNS: due.intendedNS, user: -1, nowNS: nowNS)
        }
        // A load that has a duration lasts that long, even if its last ask is due before.
        return startEndNS == .max ? !replay.isUsedUp : nowNS < startEndNS
    }
}
