import CLandMask
import TileModel

/// The tiles that are land, as Natural Earth's 1:110m map has it.
///
/// A tile of zoom 8 is land when at least half of it is; a higher one when one of zoom 8 in it is,
/// a deeper one with its ancestor of zoom 8. South of 60° S nothing counts: Antarctica, which
/// hardly anybody looks at, would be half of the land in this projection.
struct LandTiles: Sendable {
    /// The zoom of the mask.
    static let maskZoom: UInt8 = 8
    /// The row of zoom 8 in which 60° S lies.
    private static let lastRow = 181

    static let shared = LandTiles()

    /// Zooms 0 to 8 one after the other, each in the order of rows: the row in the high byte, the
    /// column in the low one.
    let tiles: [UInt16]
    /// Where each zoom begins, and the end.
    private let firsts: [Int]

    private init() {
        let mask = tilebench_land_mask()
        var tiles: [UInt16] = []
        var firsts = [0]
        for z in 0...Int(LandTiles.maskZoom) {
            let up = Int(LandTiles.maskZoom) - z
            var isLand = [Bool](repeating: false, count: 1 << (2 * z))
            for row in 0...LandTiles.lastRow {
                for column in 0..<256 where mask[32 * row + column / 8] >> (column % 8) & 1 == 1 {
                    isLand[(row >> up) << z | column >> up] = true
                }
            }
            for place in isLand.indices where isLand[place] {
                tiles.append(UInt16((place >> z) << 8 | place & ((1 << z) - 1)))
            }
            firsts.append(tiles.count)
        }
        self.tiles = tiles
        self.firsts = firsts
    }

    /// Where the table of a zoom begins: its own, or that of its ancestors of zoom 8.
    func first(z: UInt8) -> Int {
        firsts[Int(min(z, LandTiles.maskZoom))]
    }

    /// The number of land tiles of a zoom.
    func count(z: UInt8) -> UInt64 {
        let zoom = min(z, LandTiles.maskZoom)
        return UInt64(firsts[Int(zoom) + 1] - firsts[Int(zoom)]) << (2 * UInt64(z - zoom))
    }

    /// The land tile at a place 0 ..< count of a zoom, the table handed in so that the hot path
    /// holds no reference but its own.
    static func tile(z: UInt8, place: UInt64, tiles: [UInt16], first: Int) -> TileID {
        let down = UInt64(z - min(z, maskZoom))
        let ancestor = tiles[first + Int(place >> (2 * down))]
        let within = place & ((1 << (2 * down)) - 1)
        let column = UInt64(ancestor & 0xFF) << down | within & ((1 << down) - 1)
        return TileID(
            z: z, x: UInt32(truncatingIfNeeded: column),
            y: UInt32(truncatingIfNeeded: UInt64(ancestor >> 8) << down | within >> down))
    }
}
