/// How a view of a viewer's went.
public struct ViewOutcome: Sendable {
    /// Number of the place its session began in; 0 without places.
    public var place: UInt16
    /// When it was requested, by the viewer's own time table, from T0.
    public var startNS: Int64
    /// From there to its last tile, or to where the viewer moved on or the run ended.
    public var timeNS: UInt64
    /// Tiles it shows.
    public var tiles: Int
    /// Of these, those that were there from the view before.
    public var held: Int
    /// Of these, those that ended without a tile.
    public var failed: Int
    /// Of these, those that were not there at its end.
    public var missing: Int
    /// It was open when the run ended.
    public var isAtEnd: Bool

    /// All parts, in their order.
    public init(
        place: UInt16, startNS: Int64, timeNS: UInt64, tiles: Int, held: Int, failed: Int,
        missing: Int, isAtEnd: Bool
    ) {
        self.place = place
        self.startNS = startNS
        self.timeNS = timeNS
        self.tiles = tiles
        self.held = held
        self.failed = failed
        self.missing = missing
        self.isAtEnd = isAtEnd
    }
}

/// What a recorder counts of views, in raw memory: one owner, the recorder.
struct ViewTables {
    private let counters = UnsafeMutablePointer<ViewsResult>.allocate(capacity: 1)
    private let full = RawHistogram.allocate()
    private let others = RawHistogram.allocate()

    init() { counters.initialize(to: ViewsResult()) }

    func deallocate() {
        counters.deinitialize(count: 1)
        counters.deallocate()
        full.deallocate()
        others.deallocate()
    }

    func sessionBegan() { counters.pointee.sessions &+= 1 }

    func count(_ end: ViewOutcome) {
        counters.pointee.requested &+= 1
        counters.pointee.tiles &+= UInt64(end.tiles)
        counters.pointee.tilesHeld &+= UInt64(end.held)
        counters.pointee.tilesFailed &+= UInt64(end.failed)
        counters.pointee.tilesMissing &+= UInt64(end.missing)
        if end.isAtEnd {
            counters.pointee.openAtEnd &+= 1
        } else if end.missing > 0 {
            counters.pointee.abandoned &+= 1
        } else if end.failed > 0 {
            counters.pointee.incomplete &+= 1
        } else {
            counters.pointee.full &+= 1
            full.record(end.timeNS)
            return
        }
        others.record(end.timeNS)
    }

    var result: ViewsResult {
        var result = counters.pointee
        result.fullTimes = PackedHistogram(full)
        result.allTimes = result.fullTimes
        result.allTimes.add(others)
        return result
    }
}

extension Recorder {
    /// A viewer opens the map.
    public func sessionBegan(atNS: Int64) {
        guard atNS >= 0 else { return }
        views?.sessionBegan()
    }

    /// A view is over, or the run is. Counts in the measured part only.
    public func viewEnded(_ end: ViewOutcome) {
        guard end.startNS >= 0 else { return }
        views?.count(end)
        places.count(end)
    }
}
