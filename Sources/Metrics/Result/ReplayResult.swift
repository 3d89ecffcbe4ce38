/// What the lines of a replayed log were, all passes together.
package struct ReplayResult: Sendable {
    /// Why a line is no ask: it is blank, a comment or a header; a request for something else; not
    /// of the format; longer than any line of it; another method than GET; without a time that can
    /// be read; one at which an ask was given up.
    package static let reasons = [
        "blank", "no_tile", "bad_line", "too_long", "method", "time", "cancelled",
    ]

    /// `combined`, `cloudfront`, `csv` or `urls`.
    package var format = ""
    package var lines: UInt64 = 0
    package var passes: UInt64 = 0
    /// Lines that ask for a tile.
    package var tiles: UInt64 = 0
    /// Lines that ask for none, in the order of `reasons`.
    package var skipped = [UInt64](repeating: 0, count: ReplayResult.reasons.count)
    /// Asks put in the order of time, and those too far behind for that.
    package var reordered: UInt64 = 0
    package var late: UInt64 = 0
    /// Why the log could not be read to its end.
    package var failure: String?

    package init() {}
}
