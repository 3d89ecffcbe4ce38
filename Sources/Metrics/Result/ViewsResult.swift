/// What the viewers saw, measured part: `requested = full + incomplete + abandoned + openAtEnd`.
package struct ViewsResult: Sendable {
    package var sessions: UInt64 = 0
    package var requested: UInt64 = 0
    /// All of its tiles were there before the viewer moved on.
    package var full: UInt64 = 0
    /// So were all that ended with a tile, but some did not.
    package var incomplete: UInt64 = 0
    /// The viewer moved on before that.
    package var abandoned: UInt64 = 0
    package var openAtEnd: UInt64 = 0
    /// Of all views, as shown.
    package var tiles: UInt64 = 0
    /// Of these: there from the view before, ended without a tile, not there at the view's end.
    package var tilesHeld: UInt64 = 0
    package var tilesFailed: UInt64 = 0
    package var tilesMissing: UInt64 = 0
    /// From the request of a view to its last tile, of the full ones.
    package var fullTimes = PackedHistogram()
    /// Of all of them, the others with the time they were looked at.
    package var allTimes = PackedHistogram()

    package init() {}

    package var addsUp: Bool { requested == full &+ incomplete &+ abandoned &+ openAtEnd }

    mutating func add(_ other: ViewsResult) {
        sessions += other.sessions
        requested += other.requested
        full += other.full
        incomplete += other.incomplete
        abandoned += other.abandoned
        openAtEnd += other.openAtEnd
        tiles += other.tiles
        tilesHeld += other.tilesHeld
        tilesFailed += other.tilesFailed
        tilesMissing += other.tilesMissing
        fullTimes.add(other.fullTimes)
        allTimes.add(other.allTimes)
    }
}

/// One place of the workload, measured part.
package struct PlaceRow: Sendable {
    /// As the scenario has it; recorders know numbers only.
    package var name = ""
    package var started: UInt64 = 0
    package var ok: UInt64 = 0
    package var failed: UInt64 = 0
    package var cancelled: UInt64 = 0
    package var inFlightAtEnd: UInt64 = 0
    package var bytes: UInt64 = 0
    /// Response time of all asks.
    package var response = PackedHistogram()
    /// Nil without viewers.
    package var views: ViewsResult?

    package init() {}

    mutating func add(_ other: PlaceRow) {
        started += other.started
        ok += other.ok
        failed += other.failed
        cancelled += other.cancelled
        inFlightAtEnd += other.inFlightAtEnd
        bytes += other.bytes
        response.add(other.response)
        if let theirs = other.views {
            views = views ?? ViewsResult()
            views?.add(theirs)
        }
    }
}
