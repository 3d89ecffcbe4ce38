import Testing
import TileModel

@testable import Workload

private func readWeights(
    _ text: String, zooms: ClosedRange<Int> = 0...30, regions: [GeoBounds] = [],
    tilesMax: Int = TileWeights.tilesMax
) throws -> TileWeights {
    let file = try LogFile(text)
    return try TileWeights(
        path: file.path, file: "tiles.txt", zooms: zooms, regions: regions, tilesMax: tilesMax)
}

private func logged(
    _ weights: TileWeights, bounds: GeoBounds? = nil, places: [PlacePlan] = [], seed: UInt64 = 1
) throws -> RequestStream {
    var workload = WorkloadPlan(kind: .popular(exponent: 1, weights: .osm))
    workload.tileWeights = weights
    workload.zooms = 0...30
    workload.bounds = bounds
    workload.places = places
    return try RequestStream(workload: workload, seed: seed)
}

struct TileLogLineTests {
    @Test(arguments: [
        ("0/0/0 588590", "0/0/0 588590"), ("1/0/1 116224\r", "1/0/1 116224"),
        ("  19/3/4\t10", "19/3/4 10"), ("3/7/7   5  ", "3/7/7 5"), ("", "blank"), ("  ", "blank"),
        ("# 1/0/0 5", "blank"), ("3/8/0 5", "noTile"), ("31/0/0 5", "noTile"),
        ("3/0/9999999999999 5", "noTile"), ("3/0/0", "bad"), ("3/0/0 0", "bad"),
        ("3/0/0 x", "bad"), ("3/0/0 -1", "bad"), ("3/0 5", "bad"), ("3/0/0/0 5", "bad"),
        ("a/0/0 5", "bad"), ("3 /0/0 5", "bad"), ("3/0/0 5 6", "bad"), ("/// 5", "bad"),
        ("3/0/0 1.5", "bad"), ("\u{0}\u{0}", "bad"),
    ])
    func lines(text: String, expected: String) {
        // The reader takes the line's end off.
        let text = text.hasSuffix("\r") ? String(text.dropLast()) : text
        let found =
            switch withBytes(text, TileLogLine.init) {
            case .tile(let tile, let count): "\(tile) \(count)"
            case .blank: "blank"
            case .bad: "bad"
            case .noTile: "noTile"
            }
        #expect(found == expected)
    }
}

struct TileWeightsTests {
    @Test func linesAreCounted() throws {
        let alps = try GeoBounds(west: 5.9, south: 45.8, east: 10.5, north: 47.8)
        let text = """
            # a comment
            0/0/0 100
            6/33/22 50

            6/0/0 7
            9/267/178 5
            3/9/9 1
            nonsense
            \(String(repeating: "x", count: 70_000))
            6/33/22 3
            """
        let weights = try readWeights(text, zooms: 1...8, regions: [alps])
        var counts = TileWeights.Counts()
        (counts.lines, counts.tiles, counts.requests) = (10, 2, 53)
        (counts.blank, counts.outside, counts.bad) = (2, 3, 1)
        (counts.noTile, counts.tooLong) = (1, 1)
        #expect(weights.counts == counts)
        #expect(!weights.isSampled)
        #expect(weights.weights == [3, 50])
        let error = #expect(throws: LogError.self) { try readWeights(text, zooms: 20...21) }
        #expect(error?.description.contains("`tiles.txt` holds no tile") == true)
    }

    @Test func compressedLogsAreTheSame() throws {
        let text = Array("0/0/0 5\n1/0/0 7\n1/1/1 9\n".utf8)
        let all = try [text, gzip(text), xz(text, preset: 9)].map { bytes in
            let file = try LogFile(bytes)
            return try TileWeights(
                path: file.path, file: "a", zooms: 0...3, regions: []
            ).fingerprint
        }
        #expect(Set(all).count == 1)
    }

    @Test func tilesComeByTheirWeights() throws {
        let stream = try logged(readWeights("5/1/1 600\n5/2/2 300\n5/3/3 90\n5/4/4 9\n5/1/1 1\n"))
        var seen: [TileID: Double] = [:]
        let count = 50_000.0
        for index in 0..<UInt64(count) { seen[stream.tile(at: index), default: 0] += 1 }
        for (tile, weight) in [(1, 601.0), (2, 300), (3, 90), (4, 9)] {
            let expected = weight / 1000 * count
            let found = seen[TileID(z: 5, x: UInt32(tile), y: UInt32(tile))] ?? 0
            #expect(abs(found - expected) < 5 * expected.squareRoot(), "\(tile)")
        }
        #expect(seen.count == 4)
    }

    @Test func placesHaveTheirOwnTiles() throws {
        let east = PlacePlan(
            name: "east", bounds: try GeoBounds(west: 10, south: -80, east: 170, north: 80),
            weight: 1)
        let west = PlacePlan(
            name: "west", bounds: try GeoBounds(west: -170, south: -80, east: -10, north: 80),
            weight: 3)
        let weights = try readWeights("1/0/0 5\n1/1/0 1000\n2/0/1 15\n2/3/1 1\n")
        let stream = try logged(weights, places: [east, west])
        var seen: [TileChoice: Double] = [:]
        for index in 0..<40_000 as Range<UInt64> { seen[stream.choice(at: index), default: 0] += 1 }
        #expect(Set(seen.keys.map(\.place)) == [0, 1])
        let deep = seen[TileChoice(tile: TileID(z: 2, x: 0, y: 1), place: 1)] ?? 0
        #expect(abs(deep - 22_500) < 500)
        #expect(seen.keys.allSatisfy { ($0.tile.x >= 1 << ($0.tile.z - 1)) == ($0.place == 0) })
        let sea = PlacePlan(
            name: "sea", bounds: try GeoBounds(west: -100, south: 70, east: -99, north: 71))
        let error = #expect(throws: SelectionError.self) {
            try logged(readWeights("9/0/0 5\n"), places: [sea])
        }
        #expect(error?.description == "`tiles.txt` holds no tile of place \"sea\"")
    }

    /// A heavy-tailed log of many tiles, and the true weights by zoom.
    private func tailed(_ tiles: Int) -> (text: String, byZoom: [Double], top: [(TileID, Double)]) {
        var random = TestRandom(seed: 21)
        var text = ""
        var byZoom = [Double](repeating: 0, count: 31)
        var all: [(TileID, Double)] = []
        for number in 0..<tiles {
            let z = UInt8.random(in: 8...16, using: &random)
            let side = UInt32(1) << UInt32(z)
            let tile = TileID(
                z: z, x: .random(in: 0..<side, using: &random),
                y: .random(in: 0..<side, using: &random))
            let weight = Double(10 + 3_000_000 / (number + 1))
            byZoom[Int(z)] += weight
            all.append((tile, weight))
        }
        for (tile, weight) in all.shuffled(using: &random) {
            text += "\(tile) \(Int(weight))\n"
        }
        return (text, byZoom, Array(all.prefix(50)))
    }

    @Test func manyTilesBecomeASample() throws {
        let (text, byZoom, top) = tailed(30_000)
        let sample = try readWeights(text, tilesMax: 2000)
        #expect(sample.isSampled)
        #expect(sample.tiles.count == 2000)
        #expect(sample.counts.tiles == 30_000)
        // The popular tiles are there with their own weights.
        let kept = Dictionary(
            zip(sample.tiles, sample.weights), uniquingKeysWith: { first, _ in first })
        for (tile, weight) in top { #expect(kept[tile.packed] == weight, "\(tile)") }
        // All together, and each zoom, weigh what they did, but for chance.
        let sum = sample.weights.reduce(0, +)
        let whole = byZoom.reduce(0, +)
        #expect(abs(sum / whole - 1) < 0.02)
        for z in 8...16 {
            let found = zip(sample.tiles, sample.weights)
                .filter { TileID(packed: $0.0).z == UInt8(z) }.reduce(0) { $0 + $1.1 }
            #expect(abs(found / byZoom[z] - 1) < 0.1, "zoom \(z)")
        }
        // The sample depends on the tiles alone, not on their order.
        var lines = text.split(separator: "\n")
        var random = TestRandom(seed: 22)
        lines.shuffle(using: &random)
        let other = try readWeights(lines.joined(separator: "\n"), tilesMax: 2000)
        #expect(other.fingerprint == sample.fingerprint)
    }

    @Test func exactlyAsManyAsAreKept() throws {
        let (text, _, _) = tailed(1000)
        let whole = try readWeights(text)
        let same = try readWeights(text, tilesMax: 1000)
        let less = try readWeights(text, tilesMax: 999)
        #expect(!same.isSampled && same.fingerprint == whole.fingerprint)
        #expect(less.isSampled && less.tiles.count == 999)
    }

    @Test(arguments: [1, 2, 5, 100, 3000])
    func theTableOfDrawsAddsUp(count: Int) {
        var random = TestRandom(seed: UInt64(count))
        var weights = (0..<count).map { _ in Double.random(in: 0...1, using: &random) }
        for place in weights.indices where place % 3 == 1 { weights[place] *= 1e-12 }
        for place in weights.indices where place % 7 == 2 { weights[place] = 0 }
        weights[0] += 1e-3
        let table = AliasTable(members: (0..<UInt32(count)).map { $0 }, weights: weights)
        var sums = [Double](repeating: 0, count: count)
        for place in table.places {
            let share = min(max(place.share, 0), 1)
            sums[Int(place.member)] += share / Double(count)
            sums[Int(place.other)] += (1 - share) / Double(count)
        }
        let whole = weights.reduce(0, +)
        for (sum, weight) in zip(sums, weights) { #expect(abs(sum - weight / whole) < 1e-9) }
    }
}
