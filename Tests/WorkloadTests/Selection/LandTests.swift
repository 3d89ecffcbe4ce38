import Testing
import TileModel

@testable import Workload

struct LandTests {
    private func isLand(_ tile: TileID) -> Bool {
        let land = LandTiles.shared
        return (0..<land.count(z: tile.z)).contains {
            LandTiles.tile(
                z: tile.z, place: $0, tiles: land.tiles, first: land.first(z: tile.z)) == tile
        }
    }

    @Test(arguments: [
        ("Kansas", -98.5, 38.5, true), ("Zurich", 8.54, 47.37, true),
        ("Alice Springs", 133.9, -23.7, true), ("Nairobi", 36.8, -1.3, true),
        ("Manaus", -60, -3.1, true), ("Novosibirsk", 82.9, 55, true),
        ("Chukotka, beyond the antimeridian", -176, 67, true),
        ("mid-Pacific", -150, 0, false), ("North Atlantic", -35, 45, false),
        ("Indian Ocean", 80, -30, false), ("Bay of Biscay", -5, 45.5, false),
        ("Antarctica is left out", 90, -80, false), ("Arctic Ocean", 0, 84.5, false),
    ])
    func knownPlaces(name: String, longitude: Double, latitude: Double, expected: Bool) {
        let tile = WebMercator.tile(longitude: longitude, latitude: latitude, z: 8)
        #expect(isLand(tile) == expected, "\(name)")
    }

    @Test func higherZoomsAreLandWhenAnythingBelowIs() {
        let land = LandTiles.shared
        #expect(land.count(z: 0) == 1)
        #expect(land.count(z: 1) == 4)
        let deepest = tiles(8)
        #expect(deepest.count == Set(deepest).count)
        for z in 0..<8 as Range<UInt8> {
            #expect(Set(tiles(z)) == Set(deepest.map { $0.ancestor(zoom: z) }), "zoom \(z)")
        }
        // A third of the square without Antarctica is neither a tenth nor a half of it.
        #expect((8000...20_000).contains(deepest.count))
    }

    @Test func deeperZoomsAreWhollyLand() {
        let deepest = Set(tiles(8))
        let below = tiles(10)
        #expect(below.count == deepest.count * 16)
        #expect(Set(below).count == below.count)
        #expect(Set(below.map { $0.ancestor(zoom: 8) }) == deepest)
        let land = LandTiles.shared
        let last = LandTiles.tile(
            z: 30, place: land.count(z: 30) - 1, tiles: land.tiles, first: land.first(z: 30))
        #expect(deepest.contains(last.ancestor(zoom: 8)))
    }

    @Test func popularTilesWithoutBoundsAreLand() throws {
        let stream = try stream(.popular(exponent: 1, weights: .osm), zooms: 0...19)
        let deepest = Set(tiles(8))
        let byZoom = (0...8).map { Set(tiles(UInt8($0))) }
        for index in 0..<20_000 as Range<UInt64> {
            let tile = stream.tile(at: index)
            let isLand =
                tile.z >= 8
                ? deepest.contains(tile.ancestor(zoom: 8)) : byZoom[Int(tile.z)].contains(tile)
            try #require(isLand, "\(tile)")
        }
    }

    private func tiles(_ z: UInt8) -> [TileID] {
        let land = LandTiles.shared
        return (0..<land.count(z: z)).map {
            LandTiles.tile(z: z, place: $0, tiles: land.tiles, first: land.first(z: z))
        }
    }
}
