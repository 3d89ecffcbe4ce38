import TileModel

/// The rectangle of tiles that a view shows, and with it those kept around it. Columns go on
/// across the antimeridian; a world that is smaller than the viewport is there once.
struct ViewFrame: Sendable, Hashable {
    /// The share of a tile that a viewport's edge may reach into it without showing it.
    private static let edge = 1e-9

    let z: UInt8
    /// Westernmost column and northernmost row, and how many there are, margin included.
    let west: UInt32
    let north: UInt32
    let columns: UInt32
    let rows: UInt32
    /// The same of what is shown.
    private let shownWest: UInt32
    private let shownNorth: UInt32
    private let shownColumns: UInt32
    private let shownRows: UInt32
    /// The centre of the view, in tiles.
    private let centreX: Double
    private let centreY: Double

    /// - Parameters:
    ///   - z: the zoom of the tiles, not deeper than the view's own.
    ///   - width: of the viewport in shares of the world's, as the height.
    init(
        _ view: ViewerPath.View, z: UInt8, width: Double, height: Double, margin: Int
    ) {
        self.z = z
        let side = Int64(1) << Int64(z)
        centreX = view.x * Double(side)
        centreY = view.y * Double(side)
        let halfWidth = width / 2 * Double(side)
        let halfHeight = height / 2 * Double(side)
        let first = Int64((centreX - halfWidth + ViewFrame.edge).rounded(.down))
        let last = Int64((centreX + halfWidth - ViewFrame.edge).rounded(.up)) - 1
        let top = Int64((centreY - halfHeight + ViewFrame.edge).rounded(.down))
        let bottom = Int64((centreY + halfHeight - ViewFrame.edge).rounded(.up)) - 1
        let margin = Int64(margin)
        (shownWest, shownColumns) = ViewFrame.around(first, max(first, last), side)
        (west, columns) = ViewFrame.around(first - margin, max(first, last) + margin, side)
        (shownNorth, shownRows) = ViewFrame.between(top, max(top, bottom), side)
        (north, rows) = ViewFrame.between(top - margin, max(top, bottom) + margin, side)
    }

    private static func around(_ first: Int64, _ last: Int64, _ side: Int64) -> (UInt32, UInt32) {
        let count = last - first + 1
        return count >= side ? (0, UInt32(side)) : (UInt32(first & (side - 1)), UInt32(count))
    }

    private static func between(_ first: Int64, _ last: Int64, _ side: Int64) -> (UInt32, UInt32) {
        let first = min(max(first, 0), side - 1)
        let last = min(max(last, first), side - 1)
        return (UInt32(first), UInt32(last - first + 1))
    }

    var cells: Int { Int(columns) * Int(rows) }

    /// Row by row from the north-west.
    func tile(at cell: Int) -> TileID {
        let (row, column) = UInt32(truncatingIfNeeded: cell).quotientAndRemainder(
            dividingBy: columns)
        let mask = (UInt32(1) << UInt32(z)) - 1
        return TileID(z: z, x: (west &+ column) & mask, y: north + row)
    }

    /// The tile's cell; nil: it is not in the frame.
    func cell(of tile: TileID) -> Int? {
        let mask = (UInt32(1) << UInt32(z)) - 1
        let column = (tile.x &- west) & mask
        guard tile.z == z, column < columns, tile.y >= north, tile.y - north < rows else {
            return nil
        }
        return Int(tile.y - north) * Int(columns) + Int(column)
    }

    /// Whether a tile of the frame's zoom is shown, not only kept.
    func shows(_ tile: TileID) -> Bool {
        let mask = (UInt32(1) << UInt32(z)) - 1
        return (tile.x &- shownWest) & mask < shownColumns
            && tile.y >= shownNorth && tile.y - shownNorth < shownRows
    }

    /// The square of the distance from the view's centre to the tile's, in tiles, the short way
    /// around the globe.
    func distance(_ tile: TileID) -> Float {
        let side = Double(tile.side)
        var across = Double(tile.x) + 0.5 - centreX
        across -= side * (across / side).rounded()
        let down = Double(tile.y) + 0.5 - centreY
        return Float(across * across + down * down)
    }
}
