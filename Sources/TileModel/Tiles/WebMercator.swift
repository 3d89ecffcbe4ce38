import Glibc

/// The projection of the tile pyramid (EPSG:3857): a sphere's Mercator cut to a square.
package enum WebMercator {
    /// Equatorial radius of WGS 84 in metres, which EPSG:3857 takes for a sphere.
    package static let radiusMetres = 6_378_137.0

    /// How far left of a border, in shares of the world's width, a point still counts as beyond
    /// it, so that a tile's own corner leads back to the tile (mercantile's `EPSILON`).
    private static let cornerShare = 1e-14

    /// Where a coordinate lies on the square: both 0 at the north-west corner, 1 at the south-east.
    /// Latitudes beyond the projection are cut to its edge.
    package static func position(
        longitude: Double, latitude: Double
    ) -> (x: Double, y: Double) {
        let cut = min(max(latitude, -GeoBounds.latitudeMax), GeoBounds.latitudeMax)
        let sine = sin(cut * (.pi / 180))
        return (longitude / 360 + 0.5, 0.5 - 0.25 * log((1 + sine) / (1 - sine)) / .pi)
    }

    /// The coordinate of a place on the square, in degrees.
    package static func coordinate(
        x: Double, y: Double
    ) -> (longitude: Double, latitude: Double) {
        (x * 360 - 180, atan(sinh(.pi * (1 - 2 * y))) * (180 / .pi))
    }

    /// The tile of a zoom in which a coordinate lies. What is outside the square goes to the tile
    /// at its edge. Formula and tie-breaking of mercantile 1.2.
    package static func tile(longitude: Double, latitude: Double, z: UInt8) -> TileID {
        let (x, y) = position(longitude: longitude, latitude: latitude)
        return TileID(z: z, x: column(x, z), y: column(y, z))
    }

    /// The column, or row, of a share 0...1 of the square's side.
    private static func column(_ share: Double, _ z: UInt8) -> UInt32 {
        let side = UInt32(1) << UInt32(z)
        if share <= 0 { return 0 }
        if share >= 1 { return side - 1 }
        return min(UInt32((share + cornerShare) * Double(side)), side - 1)
    }
}

/// A rectangle in the metres of EPSG:3857.
package struct MetreBounds: Sendable, Hashable {
    package let west: Double
    package let south: Double
    package let east: Double
    package let north: Double
}

extension TileID {
    /// The tile's edges in metres, computed step by step as MapLibre Native and whoots-js do, so
    /// that the numbers come out the same to the last bit: pixels of the 256-pixel pyramid times
    /// the zoom's resolution, less half the circumference, rows counted from the south.
    package var metreBounds: MetreBounds {
        let circumference = 2 * Double.pi * WebMercator.radiusMetres
        let resolution = (circumference / 256) / Double(side)
        func metres(_ tiles: Double) -> Double { tiles * 256 * resolution - circumference / 2 }
        let column = Double(x)
        let row = Double(flippedY)
        return MetreBounds(
            west: metres(column), south: metres(row),
            east: metres(column + 1), north: metres(row + 1))
    }

    /// The tile's edges in degrees.
    package var geoBounds: GeoBounds {
        let side = Double(side)
        let (west, north) = WebMercator.coordinate(x: Double(x) / side, y: Double(y) / side)
        let (east, south) = WebMercator.coordinate(
            x: (Double(x) + 1) / side, y: (Double(y) + 1) / side)
        return GeoBounds(unchecked: west, south, east, north)
    }
}
