/// One level of a WMTS: how its tiles are named and where they lie.
package struct TileMatrix: Sendable, Hashable {
    /// An opaque text; it need not be a number.
    package var identifier: String
    /// The zoom that stands for the matrix: the least whose 2^zoom columns are as narrow as the
    /// matrix's, and deeper than the zoom of the matrix before.
    package var zoom: UInt8
    package var scaleDenominator: Double
    /// The size of the matrix.
    package var columns: UInt32
    package var rows: UInt32
    package var tileWidth: Int
    package var tileHeight: Int
    /// The north-west corner as the document writes it: in the order of the system's axes.
    package var topLeftCorner: [Double]
    /// The same, to the east and to the north.
    package var left: Double
    package var top: Double
    /// The tile's size in units of the coordinate system.
    package var spanX: Double
    package var spanY: Double
    /// The tiles that exist: the whole matrix, or the layer's limits.
    package var limits: TileRange

    /// How far, in tiles, an edge may be off the border it means (07-057r7, annex H).
    private static let edgeTiles = 1e-6
}

extension TileMatrix {
    /// The tiles of the matrix, whether limits allow them or not, that the bounds touch: one
    /// rectangle or none, or two when the bounds cross the antimeridian.
    func ranges(_ bounds: GeoBounds, _ system: CoordinateSystem) -> [TileRange] {
        // Bounds are cut where Web Mercator ends; in degrees those mean the pole.
        let isCut = system.isGeographic
        let north = isCut && bounds.north >= GeoBounds.latitudeMax ? 90 : bounds.north
        let south = isCut && bounds.south <= -GeoBounds.latitudeMax ? -90 : bounds.south
        let sides: [(Double, Double)] =
            bounds.crossesAntimeridian
            ? [(-180, bounds.east), (bounds.west, 180)] : [(bounds.west, bounds.east)]
        var ranges = sides.compactMap { west, east -> TileRange? in
            let first = system.position(longitude: west, latitude: north)
            let last = system.position(longitude: east, latitude: south)
            guard
                let x = span((first.x - left) / spanX, (last.x - left) / spanX, count: columns),
                let y = span((top - first.y) / spanY, (top - last.y) / spanY, count: rows)
            else { return nil }
            return TileRange(z: zoom, x: x, y: y)
        }
        if ranges.count == 2, ranges[1].x.lowerBound <= ranges[0].x.upperBound {
            let x = ranges[0].x.lowerBound...max(ranges[0].x.upperBound, ranges[1].x.upperBound)
            ranges = [TileRange(z: zoom, x: x, y: ranges[0].y)]
        }
        return ranges
    }

    /// The tile of the matrix in which a coordinate lies; nil outside.
    func tile(longitude: Double, latitude: Double, _ system: CoordinateSystem) -> TileID? {
        let place = system.position(longitude: longitude, latitude: latitude)
        let column = ((place.x - left) / spanX + TileMatrix.edgeTiles).rounded(.down)
        let row = ((top - place.y) / spanY + TileMatrix.edgeTiles).rounded(.down)
        // The east and south edges of the matrix belong to its last tiles.
        let x = column == Double(columns) ? column - 1 : column
        let y = row == Double(rows) ? row - 1 : row
        guard x >= 0, x < Double(columns), y >= 0, y < Double(rows) else { return nil }
        return TileID(z: zoom, x: UInt32(x), y: UInt32(y))
    }

    /// The numbers from the tile an edge lies in to the one another lies in, within 0..<count; an
    /// edge on a border takes in no further tile.
    private func span(_ first: Double, _ last: Double, count: UInt32) -> ClosedRange<UInt32>? {
        guard first.isFinite, last.isFinite, count > 0 else { return nil }
        let low = (first + TileMatrix.edgeTiles).rounded(.down)
        let high = max(low, (last - TileMatrix.edgeTiles).rounded(.up) - 1)
        guard high >= 0, low < Double(count) else { return nil }
        return UInt32(max(low, 0))...UInt32(min(high, Double(count - 1)))
    }
}
