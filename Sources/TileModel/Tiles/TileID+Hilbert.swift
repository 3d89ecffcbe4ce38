/// The order in which PMTiles numbers the tiles of one zoom: along a Hilbert curve, so that
/// neighbours in number are neighbours on the map.
///
/// Source: PMTiles specification 3, "Tile ID" (the id there is this index plus the number of tiles
/// of all lower zooms); the curve is the usual one of J. Skilling's and Wikipedia's `xy2d`.
extension TileID {
    /// The tile's place on the curve, 0 ..< 4^z.
    public var hilbertIndex: UInt64 {
        var (column, row) = (x, y)
        var index: UInt64 = 0
        var bit = Int(z) - 1
        while bit >= 0 {
            let right = column >> UInt32(bit) & 1
            let lower = row >> UInt32(bit) & 1
            index = index << 2 | UInt64((3 * right) ^ lower)
            TileID.turn(&column, &row, right, lower, bit)
            bit -= 1
        }
        return index
    }

    /// The tile at a place on the curve of a zoom; bits above 4^z are not looked at.
    public init(z: UInt8, hilbertIndex: UInt64) {
        var (column, row): (UInt32, UInt32) = (0, 0)
        var bit = 0
        while bit < Int(z) {
            let digit = UInt32(truncatingIfNeeded: hilbertIndex >> UInt64(2 * bit) & 3)
            let right = digit >> 1
            let lower = (digit ^ right) & 1
            TileID.turn(&column, &row, right, lower, bit)
            column |= right << UInt32(bit)
            row |= lower << UInt32(bit)
            bit += 1
        }
        self.init(z: z, x: column, y: row)
    }

    /// Turns the quadrant's lower `bit` bits so that its curve starts and ends where the next
    /// quadrants join. It is its own inverse.
    private static func turn(
        _ column: inout UInt32, _ row: inout UInt32, _ right: UInt32, _ lower: UInt32, _ bit: Int
    ) {
        let mask = (UInt32(1) << UInt32(bit)) &- 1
        var (across, down) = (column & mask, row & mask)
        if lower == 0 {
            if right == 1 { (across, down) = (mask - across, mask - down) }
            (across, down) = (down, across)
        }
        (column, row) = (across, down)
    }
}
