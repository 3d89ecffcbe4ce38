package import TileModel

/// The asks of a log as a run makes them: in the order of time, numbered, with the time at which
/// each is due. For one thread; `ReplayQueue` deals them out.
///
/// - Times count from the first ask. Logs are written when answers end, several files may have been
///   put one behind the other: within a window of 65,536 asks they are put in order; one that is
///   further behind comes as soon as can be and is counted.
/// - The asks of one second of a log that knows seconds only are spread over it evenly, in the
///   order of their lines.
/// - Ask number s is the same whatever reads it; shard i of n takes those with s mod n = i.
/// - Memory: 6 MB, however long the log is. No allocation per line.
package final class ReplayReader {
    static let windowMax = 1 << 16
    /// Between the last ask of a pass and the first of the next, where the log gives no measure.
    private static let gapNS: UInt64 = 1_000_000_000

    /// What the log turned out to be.
    package let format: ReplayPlan.Format
    package private(set) var counts = ReplayCounts()

    private let path: String
    private let shard: UInt64
    private let shards: UInt64
    private let repeats: Bool
    private let speed: Double
    private let resolutionNS: UInt64?
    private let recogniser: TileRecogniser
    private let served: [ServedTiles]
    private var asks: LogAsks?
    private var window: TimeOrder
    /// Asks of one second, waiting for their shares of it.
    private let group: UnsafeMutableBufferPointer<LoggedAsk>
    private var groupCount = 0
    private var groupNext = 0
    private var nextIndex: UInt64 = 0
    /// Time of the pass's first ask in the log, and from the run's first.
    private var firstNS: Int64?
    private var passNS: UInt64 = 0
    /// Time of the last ask taken from the window, in the log, and of the last one handed out.
    private var latestNS = Int64.min
    private var dueNS: UInt64 = 0
    private var passAsks: UInt64 = 0

    /// Opens the log and reads as far as it takes to know its format.
    ///
    /// - Parameters:
    ///   - path: where the log is; the plan's `file` is what it is called.
    ///   - templates: of the target; the tiles of their URLs are recognised first.
    ///   - sources: of the target, whose templates these are, one source's after the other's. Of a
    ///     deeper tile than a source has the one that covers it is asked for; what it has not is no
    ///     tile.
    ///   - repeats: at its end the log begins again. Not for standard input.
    package init(
        plan: ReplayPlan, path: String, templates: [TileTemplate],
        sources: [TileSource] = [RequestStream.everything], shard: UInt64 = 0, shards: UInt64 = 1,
        repeats: Bool = false, windowMax: Int = ReplayReader.windowMax
    ) throws(LogError) {
        precondition(shard < shards && windowMax > 0)
        guard !repeats || path != "-" else {
            throw LogError(description: "standard input cannot be replayed more than once")
        }
        guard plan.speed > 0, plan.speed.isFinite else {
            throw LogError(description: "a replay's speed is a number over 0, not \(plan.speed)")
        }
        (self.shard, self.shards, self.repeats) = (shard, shards, repeats)
        speed = plan.speed
        self.path = path
        recogniser = TileRecogniser(
            templates: templates,
            sources: sources.enumerated().flatMap { number, source in
                source.templates.map { _ in UInt16(number) }
            })
        served = sources.map { ServedTiles($0) }
        let opened = try LogAsks(
            path: path, format: plan.format, recogniser: recogniser, served: served,
            counts: &counts)
        format = opened.format
        resolutionNS = opened.resolutionNS
        asks = opened
        let isOrdered = resolutionNS != nil
        window = TimeOrder(capacity: isOrdered ? windowMax : 1)
        group = .allocate(capacity: isOrdered ? windowMax : 1)
        counts.passes = 1
    }

    deinit { group.deallocate() }

    /// Whether the log says when; otherwise every ask is due at 0.
    package var hasTimes: Bool { resolutionNS != nil }

    /// The next ask of the shard; nil: the end.
    package func next() throws(LogError) -> ReplayEntry? {
        while let entry = try nextOfAll() {
            if entry.index % shards == shard { return entry }
        }
        return nil
    }

    private func nextOfAll() throws(LogError) -> ReplayEntry? {
        while true {
            if groupNext < groupCount { return takeFromGroup() }
            try fillWindow()
            if let ask = window.popEarliest() {
                try fillGroup(ask)
                continue
            }
            guard repeats, passAsks > 0 else { return nil }
            try beginPass()
        }
    }

    private func fillWindow() throws(LogError) {
        while !window.isFull, let ask = try asks?.next(recogniser, &counts) {
            window.push(ask)
        }
    }

    /// All asks of one time, as far as there is room, when they share a second.
    private func fillGroup(_ first: LoggedAsk) throws(LogError) {
        group.initializeElement(at: 0, to: first)
        (groupNext, groupCount) = (0, 1)
        guard let resolutionNS, resolutionNS > 0 else { return }
        while groupCount < group.count {
            try fillWindow()
            guard window.earliestNS == first.timeNS, let ask = window.popEarliest() else { return }
            group.initializeElement(at: groupCount, to: ask)
            groupCount += 1
        }
    }

    private func takeFromGroup() -> ReplayEntry {
        let ask = group[groupNext]
        let (place, size) = (UInt64(groupNext), UInt64(groupCount))
        groupNext += 1
        if let resolutionNS {
            let first = firstNS ?? ask.timeNS
            firstNS = first
            if ask.timeNS < latestNS {
                counts.late += 1
            } else {
                latestNS = ask.timeNS
                let share = resolutionNS.multipliedFullWidth(by: place)
                let within = size.dividingFullWidth((share.high, share.low)).quotient
                let time = UInt64(bitPattern: ask.timeNS &- first)
                dueNS = max(dueNS, passNS &+ time &+ within)
            }
        }
        passAsks += 1
        defer { nextIndex += 1 }
        return ReplayEntry(
            index: nextIndex, intendedNS: scaled(dueNS), session: ask.session, tile: ask.tile,
            source: ask.source)
    }

    private func scaled(_ timeNS: UInt64) -> UInt64 {
        speed == 1 ? timeNS : UInt64(min(Double(timeNS) / speed, 0x1p63))
    }

    /// Opens the log once more. Its first ask is due as long after its last one as the log's times
    /// are exact, or else as its asks are apart on average.
    private func beginPass() throws(LogError) {
        if let resolutionNS {
            let lengthNS = UInt64(bitPattern: latestNS &- (firstNS ?? latestNS))
            var gapNS = resolutionNS
            if gapNS == 0 {
                gapNS = passAsks > 1 ? lengthNS / (passAsks - 1) : 0
                if gapNS == 0 { gapNS = ReplayReader.gapNS }
            }
            passNS &+= lengthNS &+ gapNS
        }
        (firstNS, latestNS, passAsks) = (nil, .min, 0)
        asks = nil
        asks = try LogAsks(
            path: path, format: format, recogniser: recogniser, served: served, counts: &counts)
        counts.passes += 1
    }
}
