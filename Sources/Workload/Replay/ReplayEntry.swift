package import TileModel

/// An ask of a log.
package struct ReplayEntry: Sendable, Hashable {
    /// Its number in the order of time, over all passes and shards.
    package var index: UInt64
    /// From the log's first ask, at the replay's speed; 0 when the log has no times.
    package var intendedNS: UInt64
    /// Who asked: equal for equal clients or sessions of the log; 0 when it does not say.
    package var session: UInt64
    package var tile: TileID
    /// Which of the target's sources it is asked from.
    package var source: UInt16 = 0
}

/// What the lines of a log were, all passes together. `lines` is the sum of all but the last three.
package struct ReplayCounts: Sendable, Hashable {
    package var lines: UInt64 = 0
    /// Asks for tiles, by what they were known by.
    package var byTemplate: UInt64 = 0
    package var byPath: UInt64 = 0
    package var byQuery: UInt64 = 0
    /// The columns of a CSV file.
    package var byColumns: UInt64 = 0
    /// Blank lines, comments, headers.
    package var blank: UInt64 = 0
    /// A line of the format, but no tile's.
    package var noTile: UInt64 = 0
    /// Not of the format.
    package var badLine: UInt64 = 0
    package var tooLong: UInt64 = 0
    /// A request by another method than GET.
    package var method: UInt64 = 0
    /// Its time cannot be read.
    package var time: UInt64 = 0
    /// CSV: an ask was given up here, none was made.
    package var cancelled: UInt64 = 0
    /// Asks whose line came after one with a later time, and were put in their place.
    package var reordered: UInt64 = 0
    /// So far behind that their place was past: they come as soon as can be.
    package var late: UInt64 = 0
    package var passes: UInt64 = 0

    package init() {}

    package var asks: UInt64 { byTemplate + byPath + byQuery + byColumns }
}
