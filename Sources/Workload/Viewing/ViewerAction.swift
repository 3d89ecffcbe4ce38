package import TileModel

/// What a session wants of its owner.
package enum ViewerAction: Sendable, Hashable {
    /// Ask for the tile now. Its end is told by `tileEnded`, at once when a cache of the client's
    /// has it. A tile `isAhead` is fetched before it is shown and no view waits for it.
    case ask(TileID, source: UInt16, isAhead: Bool)
    /// Give up an ask. No end of it may be told any more.
    case cancel(TileID, source: UInt16)
    /// A view is full, or the viewer has moved on before it was. Each view ends once.
    case viewEnded(ViewEnd)
    /// Nothing to do before that time, or before a tile ends; `.max`: before a tile ends.
    case wait(untilNS: UInt64)
    /// The session is over and has nothing under way.
    case over
}

/// How a view went.
package struct ViewEnd: Sendable, Hashable {
    package var session: UInt64
    /// Counts from 0 within the session.
    package var number: UInt32
    package var z: UInt8
    package var place: UInt16
    /// Tiles in the view.
    package var tiles = 0
    /// Those of them that were there from the view before.
    package var held = 0
    /// Ended without a tile.
    package var failed = 0
    /// Still not there when the viewer moved on; 0: the view was full.
    package var missing = 0
    /// When the view was requested, by the session's own time table, never later for a late owner.
    package var startNS: UInt64
    /// When its last tile ended, or the viewer moved on.
    package var endNS: UInt64

    package var isAbandoned: Bool { missing > 0 }
    /// Time to a full view, when it was not abandoned and no tile failed.
    package var timeNS: UInt64 { endNS - startNS }
}
