import Glibc
import TileModel

/// One of the target's sources, as viewers see it.
struct ViewSource: Sendable {
    /// Zooms deeper (or, below 0, less deep) than the view's, which is counted in tiles of the
    /// first source: larger tiles are those of a zoom further up.
    let zoomShift: Int
    let zoomMin: Int
    /// Cells of the largest view with its margin, of the largest without, and of the tiles fetched
    /// ahead.
    let cells: Int
    let viewCells: Int
    let aheadCells: Int
    private let served: ServedTiles
    /// By zoom, the zoom whose tiles are asked for; nil: there are none.
    private let servedZooms: [UInt8?]
    /// By zoom, the tiles of the workload's bounds; empty: all.
    private let blocks: [TileBlock]

    /// - Parameter scale: pixels along the edge of a tile of the view's zoom.
    init(
        _ source: TileSource, scale: Int, bounds: GeoBounds?, viewers: ViewerPlan
    ) {
        zoomShift = Int(log2(Double(scale) / Double(source.tileSize)).rounded())
        zoomMin = Int(source.minZoom)
        served = ServedTiles(source)
        servedZooms = (0...TileID.zoomMax).map { source.servedZoom($0) }
        let pixels = Double(scale) / exp2(Double(zoomShift))
        let width = Double(viewers.viewportWidthPixels) / pixels
        let height = Double(viewers.viewportHeightPixels) / pixels
        let (columns, rows) = (ViewSource.tilesMax(width), ViewSource.tilesMax(height))
        let margin = viewers.client.keptMargin
        viewCells = columns * rows
        cells = (columns + 2 * margin) * (rows + 2 * margin)
        // One zoom up a view has half as many tiles along its edges, further up fewer.
        aheadCells =
            viewers.client.prefetchZooms > 0
            ? ViewSource.tilesMax(width / 2) * ViewSource.tilesMax(height / 2) : 0
        blocks =
            bounds.map { box in (0...TileID.zoomMax).map { TileBlock(bounds: box, z: $0) } } ?? []
    }

    /// Tiles that a stretch of so many tile lengths can touch.
    private static func tilesMax(_ tiles: Double) -> Int {
        Int(tiles.rounded(.up)) + 1
    }

    /// The zoom of the tiles of a view: that of the deepest there are for one that is deeper. Nil:
    /// the source has none for a view so far up.
    func tileZoom(of view: UInt8) -> UInt8? {
        let zoom = Int(view) + zoomShift
        return zoom < 0 ? nil : servedZooms[min(zoom, Int(TileID.zoomMax))]
    }

    /// Whether the source has the tile, and it lies in the workload's bounds.
    func has(_ tile: TileID) -> Bool {
        guard served.tile(for: tile) == tile else { return false }
        return blocks.isEmpty || blocks[Int(tile.z)].contains(tile)
    }
}
