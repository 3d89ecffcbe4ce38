import Testing
import TileModel

@testable import Workload

/// A stream and the bounds of its places.
private func placed(
    _ weights: [Double], zooms: ClosedRange<Int> = 6...12, seed: UInt64 = 1
) throws -> (RequestStream, [GeoBounds]) {
    let bounds = [
        try GeoBounds(west: 5.9, south: 45.8, east: 10.5, north: 47.8),
        try GeoBounds(west: 170, south: -50, east: -160, north: 20),
        try GeoBounds(west: -74.1, south: 40.6, east: -73.8, north: 40.9),
        try GeoBounds(west: 8.54, south: 47.37, east: 8.54, north: 47.37),
    ]
    var workload = WorkloadPlan(kind: .popular(exponent: 1, weights: .osm))
    workload.zooms = zooms
    workload.places = zip(weights, bounds).enumerated().map { number, place in
        PlacePlan(name: "\(number)", bounds: place.1, weight: place.0)
    }
    return (try RequestStream(workload: workload, seed: seed), bounds)
}

struct PlacesTests {
    @Test(arguments: [[1.0, 2, 3, 4], [0, 1, 0, 0], [5, 0, 0, 5], [1e-300, 1e300, 1, 0]])
    func asksComeInTheWeightsOfTheirPlaces(weights: [Double]) throws {
        let (stream, bounds) = try placed(weights)
        let count = 40_000
        var seen = [Double](repeating: 0, count: weights.count)
        for index in 0..<UInt64(count) {
            let choice = stream.choice(at: index)
            seen[Int(choice.place)] += 1
            let inside = bounds[Int(choice.place)].tileRanges(z: choice.tile.z).contains {
                $0.contains(choice.tile)
            }
            try #require(inside, "\(choice)")
        }
        let sum = weights.reduce(0, +)
        for (place, weight) in weights.enumerated() {
            let expected = weight / sum * Double(count)
            #expect(abs(seen[place] - expected) <= 5 * expected.squareRoot() + 1e-9, "\(place)")
        }
    }

    @Test func zoomsComeInTheirSharesInEachPlace() throws {
        let (stream, _) = try placed([1, 1, 1, 1], zooms: 10...13)
        var seen = [[Double]](repeating: [Double](repeating: 0, count: 14), count: 4)
        for index in 0..<80_000 as Range<UInt64> {
            let choice = stream.choice(at: index)
            seen[Int(choice.place)][Int(choice.tile.z)] += 1
        }
        let sum = ZoomShares.osm[10...13].reduce(0, +)
        for place in 0..<4 {
            let asks = seen[place].reduce(0, +)
            for z in 10...13 {
                let expected = ZoomShares.osm[z] / sum * asks
                #expect(abs(seen[place][z] - expected) <= 5 * expected.squareRoot())
            }
        }
    }

    @Test func onePlaceIsAsItsBounds() throws {
        let box = try GeoBounds(west: 5.9, south: 45.8, east: 10.5, north: 47.8)
        let bounded = try stream(.popular(exponent: 1, weights: .osm), bounds: box, zooms: 6...12)
        let (placed, _) = try placed([1])
        for index in 0..<2000 as Range<UInt64> {
            #expect(placed.choice(at: index) == bounded.choice(at: index))
        }
    }

    @Test(arguments: [1, 2, 3, 7] as [UInt64])
    func anyNumberOfShardsAsksTheSame(shards: UInt64) throws {
        let whole = try placed([1, 2, 3, 4]).0
        var dealt = [TileChoice?](repeating: nil, count: 700)
        for shard in 0..<shards {
            let own = try placed([1, 2, 3, 4]).0
            for index in stride(from: shard, to: 700, by: Int(shards)) {
                dealt[Int(index)] = own.choice(at: index)
            }
        }
        #expect(dealt == (0..<700).map { whole.choice(at: $0) })
    }

    @Test func placesThatAreNone() throws {
        #expect(throws: SelectionError.self) { try placed([0, 0]) }
        #expect(throws: SelectionError.self) { try placed([-1, 2]) }
        #expect(throws: SelectionError.self) { try placed([.nan]) }
        #expect(throws: SelectionError.self) { try placed([.infinity, 1]) }
        #expect(throws: SelectionError.self) { try placed([1.7e308, 1.7e308]) }
        var workload = WorkloadPlan(kind: .pyramid(order: .rows))
        workload.places = [PlacePlan(name: "a", bounds: .world)]
        #expect(throws: SelectionError.self) { try RequestStream(workload: workload, seed: 1) }
        workload.kind = .popular(exponent: 1, weights: .osm)
        workload.places = [PlacePlan](repeating: workload.places[0], count: 1001)
        #expect(throws: SelectionError.self) { try RequestStream(workload: workload, seed: 1) }
    }
}
