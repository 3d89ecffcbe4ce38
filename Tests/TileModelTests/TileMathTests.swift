import Testing

@testable import TileModel

/// Numbers of mercantile, morecantile and pmtiles. The scale denominators of the same file belong
/// to WMTS capabilities, not to the pyramid.
@Suite struct TileMathTests {
    struct Vectors: Decodable {
        struct Point: Decodable {
            var name: String
            var lon: Double
            var lat: Double
            var z: UInt8
            var x: UInt32
            var y: UInt32
            var quadkey: String
            var tms_y: UInt32
        }
        struct Tile: Decodable {
            var z: UInt8
            var x: UInt32
            var y: UInt32
            var lonlat: [Double]
            var epsg3857: [Double]
        }
        struct Range: Decodable {
            var name: String
            var bounds: [Double]
            var z: UInt8
            var min_col: UInt32
            var max_col: UInt32
            var min_row: UInt32
            var max_row: UInt32
            var count: UInt64
        }
        struct PMTile: Decodable {
            var z: UInt8
            var x: UInt32
            var y: UInt32
            var tile_id: UInt64
        }
        var lonlat_to_tile: [Point]
        var tile_to_bounds: [Tile]
        var bounds_to_range: [Range]
        var pmtiles_tileid: [PMTile]
    }

    let vectors: Vectors

    init() throws {
        vectors = try TileModelTests.vectors("tile-math-vectors", as: Vectors.self)
    }

    @Test func tileOfAPoint() {
        #expect(vectors.lonlat_to_tile.count > 10)
        for point in vectors.lonlat_to_tile {
            let tile = WebMercator.tile(longitude: point.lon, latitude: point.lat, z: point.z)
            #expect(tile == TileID(z: point.z, x: point.x, y: point.y), "\(point.name)")
            #expect(tile.quadkey == point.quadkey)
            #expect(tile.flippedY == point.tms_y)
        }
    }

    @Test func edgesOfATile() {
        #expect(!vectors.tile_to_bounds.isEmpty)
        for vector in vectors.tile_to_bounds {
            let tile = TileID(z: vector.z, x: vector.x, y: vector.y)
            let degrees = tile.geoBounds
            for (value, expected) in zip(
                [degrees.west, degrees.south, degrees.east, degrees.north], vector.lonlat)
            {
                #expect(abs(value - expected) < 1e-12, "\(tile)")
            }
            let metres = tile.metreBounds
            for (value, expected) in zip(
                [metres.west, metres.south, metres.east, metres.north], vector.epsg3857)
            {
                #expect(abs(value - expected) < 1e-6, "\(tile)")
            }
        }
    }

    @Test func tilesOfBounds() throws {
        #expect(!vectors.bounds_to_range.isEmpty)
        for vector in vectors.bounds_to_range {
            let bounds = try GeoBounds(
                west: vector.bounds[0], south: vector.bounds[1], east: vector.bounds[2],
                north: vector.bounds[3])
            let expected = TileRange(
                z: vector.z, x: vector.min_col...vector.max_col, y: vector.min_row...vector.max_row)
            #expect(bounds.tileRanges(z: vector.z) == [expected], "\(vector.name)")
            #expect(expected.count == vector.count)
        }
    }

    @Test func placeOnTheCurve() {
        #expect(!vectors.pmtiles_tileid.isEmpty)
        for vector in vectors.pmtiles_tileid {
            let tile = TileID(z: vector.z, x: vector.x, y: vector.y)
            let lower = ((UInt64(1) << (2 * UInt64(vector.z))) - 1) / 3
            #expect(lower + tile.hilbertIndex == vector.tile_id, "\(tile)")
        }
    }

    @Test func curveVisitsEveryTileOnceByNeighbours() {
        for z in UInt8(0)...6 {
            let tiles = (0..<UInt64(1) << (2 * UInt64(z))).map { TileID(z: z, hilbertIndex: $0) }
            #expect(Set(tiles).count == tiles.count)
            for (index, tile) in tiles.enumerated() { #expect(tile.hilbertIndex == UInt64(index)) }
            for (one, next) in zip(tiles, tiles.dropFirst()) {
                let step =
                    abs(Int(one.x) - Int(next.x)) + abs(Int(one.y) - Int(next.y))
                #expect(step == 1, "\(one) \(next)")
            }
        }
    }

    @Test func roundTrips() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<5000 {
            let tile = generator.tile()
            #expect(TileID(quadkey: tile.quadkey) == tile, "seed \(seed)")
            #expect(TileID(packed: tile.packed) == tile, "seed \(seed)")
            #expect(TileID(z: tile.z, hilbertIndex: tile.hilbertIndex) == tile, "seed \(seed)")
            #expect(TileID(text: tile.description) == tile, "seed \(seed)")
            #expect(tile.flipped.flipped == tile, "seed \(seed)")
            #expect(tile.parent?.quadkey ?? "" == String(tile.quadkey.dropLast()), "seed \(seed)")
            let bounds = tile.geoBounds
            let centre = WebMercator.tile(
                longitude: (bounds.west + bounds.east) / 2,
                latitude: (bounds.south + bounds.north) / 2, z: tile.z)
            #expect(centre == tile, "seed \(seed)")
        }
        #expect(TileID(quadkey: "04") == nil)
        #expect(TileID(quadkey: String(repeating: "0", count: 31)) == nil)
    }

    /// Keys of different zooms do not meet, nor does any with the mark of an empty slot.
    @Test func packedIsUnique() {
        var keys: Set<UInt64> = [0]
        var tiles = 0
        for z in UInt8(0)...5 {
            for x in 0..<UInt32(1) << UInt32(z) {
                for y in 0..<UInt32(1) << UInt32(z) {
                    keys.insert(TileID(z: z, x: x, y: y).packed)
                    tiles += 1
                }
            }
        }
        #expect(keys.count == tiles + 1)
    }
}
