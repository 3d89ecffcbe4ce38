import Testing
import TileModel

@testable import Workload

func stream(
    _ kind: WorkloadPlan.Kind, bounds: GeoBounds? = nil, zooms: ClosedRange<Int> = 0...14,
    seed: UInt64 = 1
) throws -> RequestStream {
    var workload = WorkloadPlan(kind: kind)
    workload.bounds = bounds
    workload.zooms = zooms
    return try RequestStream(workload: workload, seed: seed)
}

/// Reproducible numbers for property tests.
struct TestRandom: RandomNumberGenerator {
    var draws: SeededRandom.Draws

    init(seed: UInt64) {
        draws = SeededRandom(seed: seed, stream: .tile).draws(at: 0)
    }

    mutating func next() -> UInt64 { draws.bits() }
}

/// Bounds of all kinds: the world, a point, small ones, strips, across the antimeridian.
func boundsToTry() throws -> [GeoBounds] {
    var bounds = [
        GeoBounds.world,
        try GeoBounds(west: 5.9, south: 45.8, east: 10.5, north: 47.8),
        try GeoBounds(west: 8.54, south: 47.37, east: 8.54, north: 47.37),
        try GeoBounds(west: 170, south: -50, east: -160, north: 20),
        try GeoBounds(west: 1, south: -80, east: -1, north: 80),
        try GeoBounds(west: -180, south: 60, east: 180, north: 61),
        try GeoBounds(west: -71, south: -85, east: -70, north: 85),
    ]
    var random = TestRandom(seed: 4)
    for _ in 0..<12 {
        let south = Double.random(in: -88...80, using: &random)
        bounds.append(
            try GeoBounds(
                west: .random(in: -180...180, using: &random), south: south,
                east: .random(in: -180...180, using: &random),
                north: .random(in: south...90, using: &random)))
    }
    return bounds
}

/// Every tile of the bounds, zoom by zoom, as the tile model lists them.
func allTiles(_ bounds: GeoBounds, _ zooms: ClosedRange<Int>) -> [[TileID]] {
    zooms.map { z in
        bounds.tileRanges(z: UInt8(z)).flatMap { range in
            range.y.flatMap { y in range.x.map { TileID(z: range.z, x: $0, y: y) } }
        }
    }
}

struct PyramidTests {
    @Test(arguments: [.rows, .hilbert, .random] as [WorkloadPlan.Order])
    func visitsEachTileOncePerPass(order: WorkloadPlan.Order) throws {
        for bounds in try boundsToTry() {
            for zooms in [0...0, 0...5, 6...6, 3...6] {
                let stream = try stream(.pyramid(order: order), bounds: bounds, zooms: zooms)
                let zoomTiles = allTiles(bounds, zooms)
                let passCount = UInt64(zoomTiles.reduce(0) { $0 + $1.count })
                try #require(stream.passCount == passCount)
                var index: UInt64 = 0
                for tiles in zoomTiles {
                    let visited = tiles.indices.map { stream.tile(at: index + UInt64($0)) }
                    #expect(Set(visited) == Set(tiles), "\(bounds) \(zooms)")
                    index += UInt64(tiles.count)
                }
                for offset in 0..<min(passCount, 9) {
                    #expect(stream.tile(at: passCount + offset) == stream.tile(at: offset))
                    #expect(
                        stream.tile(at: RequestStream.warmupFirst + offset)
                            == stream.tile(at: offset))
                }
            }
        }
    }

    @Test func rowsGoEastAndSouth() throws {
        let bounds = try GeoBounds(west: 170, south: -50, east: -160, north: 20)
        let stream = try stream(.pyramid(order: .rows), bounds: bounds, zooms: 5...5)
        let tiles = (0..<(stream.passCount ?? 0)).map { stream.tile(at: $0) }
        // Column 31 ends at the antimeridian, where column 0 begins.
        #expect(tiles.prefix(4).map(\.x) == [31, 0, 1, 31])
        #expect(tiles.map(\.y) == tiles.map(\.y).sorted())
    }

    @Test func hilbertFollowsTheCurve() throws {
        for bounds in try boundsToTry() {
            let stream = try stream(.pyramid(order: .hilbert), bounds: bounds, zooms: 7...7)
            let order = (0..<(stream.passCount ?? 0)).map { stream.tile(at: $0).hilbertIndex }
            #expect(order == order.sorted(), "\(bounds)")
        }
    }

    @Test func hilbertNeighboursAreMostlyAdjacent() throws {
        for (bounds, share) in [
            (GeoBounds.world, 1.0),
            (try GeoBounds(west: 5.9, south: 45.8, east: 10.5, north: 47.8), 0.9),
        ] {
            let stream = try stream(.pyramid(order: .hilbert), bounds: bounds, zooms: 9...9)
            let tiles = (0..<(stream.passCount ?? 0)).map { stream.tile(at: $0) }
            let adjacent = zip(tiles, tiles.dropFirst()).count { one, other in
                abs(Int(one.x) - Int(other.x)) + abs(Int(one.y) - Int(other.y)) == 1
            }
            #expect(Double(adjacent) >= share * Double(tiles.count - 1), "\(bounds)")
        }
    }

    @Test(arguments: [.rows, .hilbert, .random] as [WorkloadPlan.Order])
    func hugePyramidsCostNothing(order: WorkloadPlan.Order) throws {
        let stream = try stream(.pyramid(order: order), zooms: 0...30)
        let passCount = try #require(stream.passCount)
        #expect(passCount == ((1 << 62) - 1) / 3)
        #expect(stream.tile(at: 0) == TileID(z: 0, x: 0, y: 0))
        #expect(stream.tile(at: passCount - 1).z == 30)
        var seen: Set<TileID> = []
        var random = TestRandom(seed: 6)
        for _ in 0..<2000 {
            seen.insert(stream.tile(at: .random(in: 0..<passCount, using: &random)))
        }
        #expect(seen.count > 1990)
        #expect(seen.allSatisfy { $0.x < $0.side && $0.y < $0.side })
        if order == .hilbert {
            let firstOfZoom30 = ((UInt64(1) << 60) - 1) / 3
            let index: UInt64 = 123_456_789_012_345_678
            #expect(stream.tile(at: firstOfZoom30 + index).hilbertIndex == index)
        }
    }

    @Test func randomIsAnotherOrderForEachSeed() throws {
        func first(_ seed: UInt64) throws -> [TileID] {
            let stream = try stream(.pyramid(order: .random), zooms: 8...8, seed: seed)
            return (0..<100).map { stream.tile(at: $0) }
        }
        #expect(try first(1) == first(1))
        #expect(try first(1) != first(2))
        // Not the order of rows either.
        #expect(try Set(first(1).map(\.y)).count > 50)
    }

    @Test func listsGoInOrder() throws {
        let tiles = [
            TileID(z: 3, x: 1, y: 2), TileID(z: 0, x: 0, y: 0), TileID(z: 3, x: 1, y: 2),
        ]
        let stream = try stream(.list(tiles))
        #expect(stream.passCount == 3)
        #expect((0..<7).map { stream.tile(at: $0) } == tiles + tiles + tiles.prefix(1))
        #expect(stream.tile(at: RequestStream.warmupFirst + 1) == tiles[1])
    }

    @Test func impossibleWorkloadsAreErrors() {
        for (kind, zooms) in [
            (.list([]), 0...1), (.pyramid(order: .rows), 0...31), (.pyramid(order: .rows), -1...3),
            (.popular(exponent: -0.1, weights: .osm), 0...3),
            (.popular(exponent: .nan, weights: .osm), 0...3),
            (.popular(exponent: .infinity, weights: .osm), 0...3),
            (.popular(exponent: 1, weights: .osm), 20...22),
            (.popular(exponent: 1, weights: .weights([1, 2])), 0...3),
            (.popular(exponent: 1, weights: .weights([1, -2])), 0...1),
            (.popular(exponent: 1, weights: .weights([0, 0])), 0...1),
            (.popular(exponent: 1, weights: .weights([.infinity, 0])), 0...1),
        ] as [(WorkloadPlan.Kind, ClosedRange<Int>)] {
            #expect(throws: SelectionError.self, "\(kind) \(zooms)") {
                try stream(kind, zooms: zooms)
            }
        }
    }
}
