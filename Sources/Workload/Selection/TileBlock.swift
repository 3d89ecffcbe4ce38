import TileModel

/// The tiles of one zoom within bounds: a rectangle that may go on across the antimeridian.
struct TileBlock: Sendable, Hashable {
    let z: UInt8
    /// Columns and rows are numbers of so many bits: the zoom, or more on a grid of its own.
    let bits: UInt8
    /// The westernmost column; the block goes east from there, from the last column on to 0.
    let west: UInt64
    let width: UInt64
    let north: UInt64
    let height: UInt64

    init(bounds: GeoBounds, z: UInt8) {
        self.z = z
        bits = z
        let ranges = bounds.tileRanges(z: z)
        // Two ranges are the parts east and west of the antimeridian, in this order.
        let western = ranges[ranges.count - 1]
        west = UInt64(western.x.lowerBound)
        width = ranges.reduce(0) { $0 + UInt64($1.x.upperBound - $1.x.lowerBound) + 1 }
        north = UInt64(western.y.lowerBound)
        height = UInt64(western.y.upperBound - western.y.lowerBound) + 1
    }

    /// A rectangle of any grid.
    init(_ range: TileRange) {
        z = range.z
        west = UInt64(range.x.lowerBound)
        width = UInt64(range.x.upperBound) - west + 1
        north = UInt64(range.y.lowerBound)
        height = UInt64(range.y.upperBound) - north + 1
        let last = max(range.x.upperBound, range.y.upperBound)
        bits = max(z, UInt8(UInt32.bitWidth - last.leadingZeroBitCount))
    }

    /// Rectangles of one zoom, of which no two have a tile in common.
    static func blocks(of ranges: [TileRange]) -> [TileBlock] { ranges.map { TileBlock($0) } }

    /// 2^62 at most.
    var count: UInt64 { width * height }

    /// The tile at a place in the order of rows, each from west to east, from the north.
    func tile(at place: UInt64) -> TileID {
        let (row, column) = place.quotientAndRemainder(dividingBy: width)
        let mask = (UInt64(1) << UInt64(bits)) - 1
        return TileID(
            z: z,
            x: UInt32(truncatingIfNeeded: (west + column) & mask),
            y: UInt32(truncatingIfNeeded: north + row))
    }

    /// How many of the block's tiles are in a square of the zoom.
    func overlap(x: UInt64, y: UInt64, side: UInt64) -> UInt64 {
        let rows = TileBlock.common(y, side, north, height)
        guard rows > 0 else { return 0 }
        let world = UInt64(1) << UInt64(bits)
        let end = west + width
        guard end > world else { return rows * TileBlock.common(x, side, west, width) }
        return rows
            * (TileBlock.common(x, side, west, world - west)
                + TileBlock.common(x, side, 0, end - world))
    }

    /// The length that two stretches have in common.
    private static func common(
        _ start: UInt64, _ length: UInt64, _ otherStart: UInt64, _ otherLength: UInt64
    ) -> UInt64 {
        let first = max(start, otherStart)
        let end = min(start + length, otherStart + otherLength)
        return end > first ? end - first : 0
    }
}
