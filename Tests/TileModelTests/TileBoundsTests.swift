import Testing

@testable import TileModel

@Suite struct TileBoundsTests {
    /// A tile's own edges hold that tile alone, to the depth where a border's tolerance is smaller
    /// than a tile.
    @Test func edgesDoNotTakeInTheNextTile() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let tile = generator.tile(z: 0...24)
            #expect(
                tile.geoBounds.tileRanges(z: tile.z)
                    == [TileRange(z: tile.z, x: tile.x...tile.x, y: tile.y...tile.y)],
                "\(tile) seed \(seed)")
        }
    }

    /// A point inside random bounds, crossing or not, is in exactly one of the ranges.
    @Test func rangesHoldTheirPoints() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<3000 {
            let south = Double.random(in: -90...90, using: &generator)
            let bounds = try GeoBounds(
                west: .random(in: -180...180, using: &generator), south: south,
                east: .random(in: -180...180, using: &generator),
                north: .random(in: south...90, using: &generator))
            let width = bounds.east - bounds.west + (bounds.crossesAntimeridian ? 360 : 0)
            var longitude = bounds.west + width * .random(in: 0..<0.999, using: &generator)
            if longitude > 180 { longitude -= 360 }
            let latitude =
                bounds.south
                + (bounds.north - bounds.south) * .random(in: 0.001...1, using: &generator)
            let z = UInt8.random(in: 0...22, using: &generator)
            let ranges = bounds.tileRanges(z: z)
            let tile = WebMercator.tile(longitude: longitude, latitude: latitude, z: z)
            #expect(ranges.count { $0.contains(tile) } == 1, "\(bounds) \(tile) seed \(seed)")
            let range = try #require(ranges.randomElement(using: &generator))
            let index = UInt64.random(in: 0..<range.count, using: &generator)
            #expect(range.contains(range.tile(at: index)), "seed \(seed)")
        }
    }

    @Test func antimeridian() throws {
        func ranges(_ west: Double, _ east: Double, z: UInt8) throws -> [ClosedRange<UInt32>] {
            try GeoBounds(west: west, south: -20, east: east, north: -10).tileRanges(z: z).map(\.x)
        }
        #expect(try ranges(170, -170, z: 5) == [0...0, 31...31])
        #expect(try ranges(170, -170, z: 0) == [0...0])
        #expect(try ranges(170, -170, z: 1) == [0...1])
        #expect(try ranges(10, 5, z: 3) == [0...7])
        #expect(try ranges(170, -180, z: 5) == [31...31])
        #expect(try ranges(180, -170, z: 5) == [0...0])
        #expect(try ranges(180, -180, z: 2) == [0...3])
    }

    @Test func rowsInRowMajorOrder() {
        let range = TileRange(z: 4, x: 2...4, y: 7...8)
        let tiles = (0..<range.count).map { range.tile(at: $0).description }
        #expect(tiles == ["4/2/7", "4/3/7", "4/4/7", "4/2/8", "4/3/8", "4/4/8"])
        let world = GeoBounds.world.tileRanges(z: 30)
        #expect(world.map(\.count) == [1 << 60])
    }

    @Test(arguments: [
        (-181.0, 0.0, 0.0, 1.0, "west"), (0, -91, 1, 0, "south"), (0, 0, 180.5, 1, "east"),
        (0, 0, 1, 90.1, "north"), (0, 2, 1, 1, "is north of"), (.nan, 0, 1, 1, "west"),
        (0, 0, .infinity, 1, "east"),
    ])
    func refusals(
        west: Double, south: Double, east: Double, north: Double, word: String
    ) throws {
        let error = #expect(throws: GeoBoundsError.self) {
            _ = try GeoBounds(west: west, south: south, east: east, north: north)
        }
        #expect(error?.description.contains(word) == true)
    }

    @Test func latitudesAreCut() throws {
        let bounds = try GeoBounds(west: -180, south: -90, east: 180, north: 90)
        #expect(bounds == .world)
    }

    @Test(
        arguments: [
            ("0/0/0", nil), ("30/1073741823/1073741823", nil),
            ("3/8/0", "column 8 is not within 0...7"),
            ("3/0/8", "row 8 is not within 0...7"), ("31/0/0", "zoom 31"), ("3/1", "whole numbers"),
            ("3/1/2/3", "whole numbers"), ("a/1/2", "whole numbers"), ("3/-1/2", "whole numbers"),
            ("3/+1/2", "whole numbers"), ("3//2", "whole numbers"), (" 3/1/2", "whole numbers"),
            ("", "whole numbers"), ("3/99999999999999999999/1", "whole numbers"),
            ("3/1/2.png", "whole numbers"),
        ] as [(String, String?)])
    func tileText(text: String, problem: String?) {
        let found = TileID.problem(text: text)
        #expect((found == nil) == (problem == nil))
        #expect((TileID(text: text) != nil) == (problem == nil))
        if let problem { #expect(found?.contains(problem) == true, "\(found ?? "")") }
    }
}
