import Testing
import TileModel

@testable import Workload

struct PopularTests {
    @Test func staysWithinZoomsAndBounds() throws {
        for bounds in try boundsToTry() {
            let stream = try stream(
                .popular(exponent: 0.9, weights: .osm), bounds: bounds, zooms: 3...17)
            #expect(stream.passCount == nil)
            for index in 0..<2000 as Range<UInt64> {
                let tile = stream.tile(at: index)
                try #require((3...17).contains(tile.z))
                try #require(
                    bounds.tileRanges(z: tile.z).contains { $0.contains(tile) },
                    "\(bounds): \(tile)")
            }
        }
    }

    @Test func dependsOnSeedAndIndexAlone() throws {
        let kind = WorkloadPlan.Kind.popular(exponent: 1, weights: .osm)
        let one = try stream(kind, seed: 7)
        let same = try stream(kind, seed: 7)
        let other = try stream(kind, seed: 8)
        let indices = (0..<1000).map { UInt64($0) }
        let tiles = indices.map { one.tile(at: $0) }
        #expect(indices.reversed().map { same.tile(at: $0) } == tiles.reversed())
        #expect(indices.count { other.tile(at: $0) == tiles[Int($0)] } < 100)
        // The warm-up's asks are others, but for the same popular tiles.
        let warmup = indices.map { one.tile(at: RequestStream.warmupFirst + $0) }
        #expect(warmup != tiles)
        #expect(Set(warmup).intersection(tiles).count > 100)
    }

    @Test(arguments: [0...14, 0...19, 12...15, 18...22, 6...6])
    func zoomsComeInOpenStreetMapsShares(zooms: ClosedRange<Int>) throws {
        let stream = try stream(.popular(exponent: 1, weights: .osm), zooms: zooms)
        let shares = zooms.map { $0 < 20 ? ZoomShares.osm[$0] : 0 }
        try expectShares(stream, zooms, shares)
    }

    @Test func zoomsComeInGivenShares() throws {
        for weights in [[1.0, 1, 1, 1], [0, 3, 0, 1], [5, 0, 0, 0]] {
            let stream = try stream(.popular(exponent: 1, weights: .weights(weights)), zooms: 4...7)
            try expectShares(stream, 4...7, weights)
        }
    }

    private func expectShares(
        _ stream: RequestStream, _ zooms: ClosedRange<Int>, _ shares: [Double]
    ) throws {
        let count = 40_000
        var seen = [Double](repeating: 0, count: 31)
        for index in 0..<UInt64(count) { seen[Int(stream.tile(at: index).z)] += 1 }
        let sum = shares.reduce(0, +)
        for (z, share) in zip(zooms, shares) {
            let expected = share / sum * Double(count)
            // Five standard deviations, and none where none belongs.
            #expect(abs(seen[z] - expected) <= 5 * expected.squareRoot(), "zoom \(z)")
            seen[z] = 0
        }
        #expect(seen.allSatisfy { $0 == 0 })
    }

    @Test func popularTilesAreSpread() throws {
        let bounds = try GeoBounds(west: 5.9, south: 45.8, east: 10.5, north: 47.8)
        let stream = try stream(
            .popular(exponent: 1, weights: .osm), bounds: bounds, zooms: 14...14)
        let tileCount = bounds.tileRanges(z: 14).reduce(0) { $0 + $1.count }
        var counts: [TileID: Double] = [:]
        let count = 60_000
        for index in 0..<UInt64(count) { counts[stream.tile(at: index), default: 0] += 1 }
        let top = counts.sorted { $0.value > $1.value }.prefix(20)
        let harmonic = (1...tileCount).reduce(0.0) { $0 + 1 / Double($1) }
        for (rank, entry) in top.prefix(3).enumerated() {
            let expected = Double(count) / harmonic / Double(rank + 1)
            #expect(abs(entry.value - expected) < 5 * expected.squareRoot(), "rank \(rank)")
        }
        let columns = top.map { Int($0.key.x) }
        let range = try #require(bounds.tileRanges(z: 14).first).x
        let spread = try #require(columns.max()) - (try #require(columns.min()))
        #expect(spread > range.count / 2)
    }
}
