/// Why four numbers are no bounds.
package struct GeoBoundsError: Error, Hashable, CustomStringConvertible {
    package let description: String
}

/// A rectangle on the globe in WGS 84 degrees, cut to the latitudes Web Mercator shows.
///
/// West greater than east means that the rectangle crosses the antimeridian.
package struct GeoBounds: Sendable, Hashable {
    package let west: Double
    package let south: Double
    package let east: Double
    package let north: Double

    /// The latitude at which Web Mercator's square ends: atan(sinh(pi)).
    package static let latitudeMax = 85.0511287798066

    package static let world = GeoBounds(
        unchecked: -180, -latitudeMax, 180, latitudeMax)

    /// Bounds in the order of TileJSON and GeoJSON. Latitudes beyond the projection are cut.
    package init(
        west: Double, south: Double, east: Double, north: Double
    ) throws(GeoBoundsError) {
        for (name, value, limit) in [
            ("west", west, 180.0), ("south", south, 90), ("east", east, 180), ("north", north, 90),
        ] {
            guard value.isFinite, value.magnitude <= limit else {
                throw GeoBoundsError(
                    description: "\(name) \(value) is not within -\(Int(limit))...\(Int(limit))"
                        + " degrees; bounds are west, south, east, north")
            }
        }
        guard south <= north else {
            throw GeoBoundsError(
                description: "south \(south) is north of north \(north);"
                    + " bounds are west, south, east, north")
        }
        self.init(unchecked: west, GeoBounds.cut(south), east, GeoBounds.cut(north))
    }

    /// Four numbers already known to be bounds.
    init(unchecked west: Double, _ south: Double, _ east: Double, _ north: Double) {
        self.west = west
        self.south = south
        self.east = east
        self.north = north
    }

    package var crossesAntimeridian: Bool { west > east }

    private static func cut(_ latitude: Double) -> Double {
        min(max(latitude, -latitudeMax), latitudeMax)
    }
}

extension GeoBounds {
    /// How far, in degrees, an east or south edge is drawn back before its tile is looked up, so
    /// that an edge on a border does not take in the next tile (mercantile's `LL_EPSILON`).
    private static let edgeDegrees = 1e-11

    /// The tiles of a zoom that the bounds touch: one rectangle, or two when the bounds cross the
    /// antimeridian and do not meet on the far side. No tile is in both. A point is one tile.
    package func tileRanges(z: UInt8) -> [TileRange] {
        let north = WebMercator.tile(longitude: 0, latitude: north, z: z).y
        let south = WebMercator.tile(
            longitude: 0, latitude: south + GeoBounds.edgeDegrees, z: z
        ).y
        let rows = north...max(north, south)
        func range(_ columns: ClosedRange<UInt32>) -> TileRange {
            TileRange(z: z, x: columns, y: rows)
        }
        guard crossesAntimeridian, east > -180, west < 180 else {
            // The antimeridian as the only edge beyond it is no crossing.
            return [
                range(
                    GeoBounds.columns(
                        crossesAntimeridian && west >= 180 ? -180 : west,
                        crossesAntimeridian && east <= -180 ? 180 : east, z))
            ]
        }
        let left = GeoBounds.columns(-180, east, z)
        let right = GeoBounds.columns(west, 180, z)
        guard UInt64(left.upperBound) + 1 < UInt64(right.lowerBound) else {
            return [range(left.lowerBound...right.upperBound)]
        }
        return [range(left), range(right)]
    }

    private static func columns(_ west: Double, _ east: Double, _ z: UInt8) -> ClosedRange<UInt32> {
        let first = WebMercator.tile(longitude: west, latitude: 0, z: z).x
        let last = WebMercator.tile(longitude: east - edgeDegrees, latitude: 0, z: z).x
        return first...max(first, last)
    }
}
