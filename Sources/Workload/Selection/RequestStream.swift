package import TileModel

/// Which tile each ask is for: index -> tile, a function of the workload, the seed and the index
/// alone, so that it is the same for any number of threads or shards.
package struct RequestStream: Sendable {
    private enum Kind { case list, rows, hilbert, random, popular }

    /// Where the indices of a warm-up begin. Its popular tiles are drawn from the same ranks by
    /// other numbers than those of the measured part; lists and pyramids start at their beginning.
    package static let warmupFirst: UInt64 = 1 << 63

    /// Asks of one pass; nil for `popular`, which has no end.
    package let passCount: UInt64?

    private let kind: Kind
    private let tiles: [TileID]
    private let levels: [StreamLevel]
    private let land: [UInt16]
    private let draws: SeededRandom

    package init(workload: WorkloadPlan, seed: UInt64) throws(SelectionError) {
        draws = SeededRandom(seed: seed, stream: .tile)
        let places = SeededRandom(seed: seed, stream: .permutation)
        switch workload.kind {
        case .list(let tiles):
            guard !tiles.isEmpty else {
                throw SelectionError(description: "the list of tiles is empty")
            }
            (kind, self.tiles, levels, land) = (.list, tiles, [], [])
            passCount = UInt64(tiles.count)
        case .pyramid(let order):
            kind =
                switch order {
                case .rows: .rows
                case .hilbert: .hilbert
                case .random: .random
                }
            (tiles, land) = ([], [])
            levels = try RequestStream.pyramid(workload, places)
            passCount = levels.reduce(0) { $0 + $1.count }
        case .popular(let exponent, let weights):
            (kind, tiles, passCount) = (.popular, [], nil)
            land = workload.bounds == nil ? LandTiles.shared.tiles : []
            levels = try RequestStream.popular(workload, exponent, weights, places)
        }
    }

    private static func zooms(_ workload: WorkloadPlan) throws(SelectionError) -> [UInt8] {
        let zooms = workload.zooms
        guard zooms.lowerBound >= 0, zooms.upperBound <= Int(TileID.zoomMax) else {
            throw SelectionError(
                description: "zooms \(zooms.lowerBound)-\(zooms.upperBound)"
                    + " are not within 0-\(TileID.zoomMax)")
        }
        return zooms.map { UInt8($0) }
    }

    private static func pyramid(
        _ workload: WorkloadPlan, _ places: SeededRandom
    ) throws(SelectionError) -> [StreamLevel] {
        let bounds = workload.bounds ?? .world
        var first: UInt64 = 0
        var levels: [StreamLevel] = []
        for z in try zooms(workload) {
            let level = StreamLevel(
                block: TileBlock(bounds: bounds, z: z), first: first, places: places)
            levels.append(level)
            first += level.count
        }
        return levels
    }

    private static func popular(
        _ workload: WorkloadPlan, _ exponent: Double, _ weights: WorkloadPlan.ZoomWeights,
        _ places: SeededRandom
    ) throws(SelectionError) -> [StreamLevel] {
        guard ZipfRanks.exponents.contains(exponent) else {
            throw SelectionError(
                description: "a Zipf exponent of \(exponent) is not within 0-"
                    + "\(ZipfRanks.exponents.upperBound)")
        }
        let zooms = try zooms(workload)
        var sum = 0.0
        var levels: [StreamLevel] = []
        for (z, share) in zip(zooms, try ZoomShares.shares(of: zooms, weights)) where share > 0 {
            sum += share
            var level =
                if let bounds = workload.bounds {
                    StreamLevel(block: TileBlock(bounds: bounds, z: z), first: 0, places: places)
                } else {
                    StreamLevel(land: LandTiles.shared, z: z, places: places)
                }
            level.shareSum = sum
            level.ranks = ZipfRanks(count: level.count, exponent: exponent)
            levels.append(level)
        }
        return levels
    }

    /// The tile of an ask. No allocation. Beyond `passCount` it starts again from the beginning.
    package func tile(at index: UInt64) -> TileID {
        guard let passCount else { return popularTile(at: index) }
        let place = (index & (RequestStream.warmupFirst - 1)) % passCount
        if kind == .list { return tiles[Int(place)] }
        var number = levels.count - 1
        while levels[number].first > place { number -= 1 }
        let offset = place - levels[number].first
        return switch kind {
        case .hilbert: levels[number].block.hilbertTile(at: offset)
        case .random: levels[number].block.tile(at: levels[number].places.place(of: offset))
        default: levels[number].block.tile(at: offset)
        }
    }

    private func popularTile(at index: UInt64) -> TileID {
        var draws = draws.draws(at: index)
        let share = draws.unit() * levels[levels.count - 1].shareSum
        var number = 0
        while share >= levels[number].shareSum { number += 1 }
        let rank = levels[number].ranks.rank(&draws)
        let place = levels[number].places.place(of: rank)
        guard levels[number].landFirst >= 0 else { return levels[number].block.tile(at: place) }
        return LandTiles.tile(
            z: levels[number].z, place: place, tiles: land, first: levels[number].landFirst)
    }
}
