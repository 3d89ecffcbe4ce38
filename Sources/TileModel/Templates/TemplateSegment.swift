/// A step of writing a URL.
struct TemplateSegment: Sendable {
    enum Kind: UInt8, Sendable {
        case literal
        case zoom, column, row, rowFlipped
        case box, boxLongitudeFirst, boxLatitudeFirst, quadkey, prefix
        /// One of several texts by (x + y) mod n.
        case choice
        /// One of several texts by zoom.
        case matrix
        case token, tokenPart
        case run, random
    }

    var kind: Kind
    /// First byte of a literal, first entry of a choice or matrix, number of a token part.
    var start = 0
    /// Bytes of a literal, entries of a choice or matrix.
    var count = 0

    /// Whether the segment's text differs between tiles.
    var tellsTile: Bool {
        switch kind {
        case .zoom, .column, .row, .rowFlipped, .quadkey, .matrix: true
        case .box, .boxLongitudeFirst, .boxLatitudeFirst: true
        case .literal, .prefix, .choice, .token, .tokenPart, .run, .random: false
        }
    }

    /// The most bytes the segment writes, apart from literals, tables and the caller's texts.
    var widthMax: Int {
        switch kind {
        case .zoom: 2
        case .column, .row, .rowFlipped: 10
        case .box, .boxLongitudeFirst, .boxLatitudeFirst: 4 * ByteSink.shortestMax + 3
        case .quadkey: Int(TileID.zoomMax)
        case .prefix: 2
        case .random: 16
        case .literal, .choice, .matrix, .token, .tokenPart, .run: 0
        }
    }
}
