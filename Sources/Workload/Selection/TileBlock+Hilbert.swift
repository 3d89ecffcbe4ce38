import TileModel

extension TileBlock {
    /// The tile at a place in the order of the zoom's Hilbert curve (that of PMTiles), tiles
    /// outside the block left out.
    ///
    /// The way down from the whole zoom: in each quadrant, in the order of the curve, as many
    /// tiles come as it has in common with the block. Needs no table; two dozen operations per
    /// zoom, and fewer below a quadrant that is wholly inside.
    func hilbertTile(at place: UInt64) -> TileID {
        var (x, y): (UInt64, UInt64) = (0, 0)
        var rest = place
        var isWhole = count == UInt64(1) << (2 * UInt64(bits))
        // How the curve of the present quadrant is turned against that of the whole zoom.
        var isSwapped = false
        var isFlipped = false
        for bit in (0..<UInt64(bits)).reversed() {
            let side = UInt64(1) << bit
            var digit: UInt64 = 0
            if isWhole {
                digit = rest >> (2 * bit) & 3
            }
            while true {
                let (right, lower) = TileBlock.quadrant(digit, isSwapped, isFlipped)
                let (left, top) = (x + right * side, y + lower * side)
                let common = isWhole ? .max : overlap(x: left, y: top, side: side)
                if isWhole || rest < common {
                    (x, y) = (left, top)
                    if !isWhole { isWhole = common == side * side }
                    break
                }
                rest -= common
                digit += 1
            }
            // The first quadrant's curve is mirrored at one diagonal, the last one's at the other.
            if digit == 0 || digit == 3 { isSwapped.toggle() }
            if digit == 3 { isFlipped.toggle() }
        }
        return TileID(
            z: z, x: UInt32(truncatingIfNeeded: x), y: UInt32(truncatingIfNeeded: y))
    }

    /// Where the curve's quadrant of a number 0...3 lies, 0 or 1 each way.
    private static func quadrant(
        _ digit: UInt64, _ isSwapped: Bool, _ isFlipped: Bool
    ) -> (right: UInt64, lower: UInt64) {
        let flip: UInt64 = isFlipped ? 1 : 0
        let right = digit >> 1
        let lower = (digit ^ right) & 1
        return isSwapped ? (lower ^ flip, right ^ flip) : (right ^ flip, lower ^ flip)
    }
}
