package import TileModel

/// A tile to ask for.
package struct TileChoice: Sendable, Hashable {
    package var tile: TileID
    /// Which of the target's sources it is asked from.
    package var source: UInt16 = 0
    /// The number of the place it was drawn for; 0 without places.
    package var place: UInt16 = 0
}

/// Which tile each ask is for: index -> tile, a function of the workload, the seed and the index
/// alone, so that it is the same for any number of threads or shards.
package struct RequestStream: Sendable {
    enum Kind { case list, rows, hilbert, random, popular, logged }

    /// Where the indices of a warm-up begin. Its popular tiles are drawn from the same ranks by
    /// other numbers than those of the measured part; lists and pyramids start at their beginning.
    package static let warmupFirst: UInt64 = 1 << 63

    /// Asks of one pass; nil for `popular` and `viewers`, which have no end.
    package let passCount: UInt64?

    private let kind: Kind
    private let tiles: [TileID]
    private let levels: [StreamLevel]
    private let land: [UInt16]
    /// Where popular tiles are drawn from: the places, or the one region.
    private let places: [StreamPlace]
    private let logged: [AliasTable.Place]
    private let loggedTiles: [UInt64]
    private let draws: SeededRandom

    /// For `viewers` the stream of the tiles in which sessions begin, the index being the
    /// session's number.
    package init(workload: WorkloadPlan, seed: UInt64) throws(SelectionError) {
        draws = SeededRandom(seed: seed, stream: .tile)
        let order = SeededRandom(seed: seed, stream: .permutation)
        var tiles: [TileID] = []
        var parts = PopularParts()
        switch workload.kind {
        case .list(let list):
            guard !list.isEmpty else {
                throw SelectionError(description: "the list of tiles is empty")
            }
            (kind, tiles) = (.list, list)
            passCount = UInt64(list.count)
        case .pyramid(let pyramidOrder):
            kind =
                switch pyramidOrder {
                case .rows: .rows
                case .hilbert: .hilbert
                case .random: .random
                }
            parts.levels = try RequestStream.pyramid(workload, order)
            passCount = parts.levels.reduce(0) { $0 + $1.count }
        case .popular(let exponent, let weights):
            parts = try PopularParts(workload, exponent, weights, order)
            (kind, passCount) = (workload.tileWeights == nil ? .popular : .logged, nil)
        case .viewers(let viewers):
            parts = try PopularParts(workload, viewers.zipf, viewers.zoomWeights, order)
            (kind, passCount) = (workload.tileWeights == nil ? .popular : .logged, nil)
        case .replay:
            throw SelectionError(description: "the tiles of a replay stand in its log")
        }
        self.tiles = tiles
        levels = parts.levels
        land = parts.land
        places = parts.places
        logged = parts.logged
        loggedTiles = parts.loggedTiles
    }

    private static func pyramid(
        _ workload: WorkloadPlan, _ order: SeededRandom
    ) throws(SelectionError) -> [StreamLevel] {
        guard workload.places.isEmpty else {
            throw SelectionError(description: "a pyramid has bounds, not places")
        }
        let bounds = workload.bounds ?? .world
        var first: UInt64 = 0
        var levels: [StreamLevel] = []
        for z in try workload.tileZooms() {
            let level = StreamLevel(
                block: TileBlock(bounds: bounds, z: z), first: first, places: order)
            levels.append(level)
            first += level.count
        }
        return levels
    }

    /// The tile of an ask, without its place.
    package func tile(at index: UInt64) -> TileID { choice(at: index).tile }

    /// The tile of an ask. No allocation. Beyond `passCount` it starts again from the beginning.
    package func choice(at index: UInt64) -> TileChoice {
        guard let passCount else { return popularChoice(at: index) }
        let place = (index & (RequestStream.warmupFirst - 1)) % passCount
        if kind == .list { return TileChoice(tile: tiles[Int(place)], place: 0) }
        var number = levels.count - 1
        while levels[number].first > place { number -= 1 }
        let offset = place - levels[number].first
        let tile =
            switch kind {
            case .hilbert: levels[number].block.hilbertTile(at: offset)
            case .random: levels[number].block.tile(at: levels[number].places.place(of: offset))
            default: levels[number].block.tile(at: offset)
            }
        return TileChoice(tile: tile, place: 0)
    }

    private func popularChoice(at index: UInt64) -> TileChoice {
        var draws = draws.draws(at: index)
        let number = placeNumber(&draws)
        let tile =
            kind == .logged ? loggedTile(number, &draws) : popularTile(number, &draws)
        return TileChoice(tile: tile, place: UInt16(truncatingIfNeeded: number))
    }

    /// The first place whose sum of weights is more than the number drawn.
    private func placeNumber(_ draws: inout SeededRandom.Draws) -> Int {
        guard places.count > 1 else { return 0 }
        let share = draws.unit() * places[places.count - 1].weightSum
        var (low, high) = (0, places.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if share < places[middle].weightSum { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private func popularTile(_ place: Int, _ draws: inout SeededRandom.Draws) -> TileID {
        let end = places[place].first + places[place].count
        let share = draws.unit() * levels[end - 1].shareSum
        var number = places[place].first
        while share >= levels[number].shareSum { number += 1 }
        let rank = levels[number].ranks.rank(&draws)
        let place = levels[number].places.place(of: rank)
        guard levels[number].landFirst >= 0 else { return levels[number].block.tile(at: place) }
        return LandTiles.tile(
            z: levels[number].z, place: place, tiles: land, first: levels[number].landFirst)
    }

    private func loggedTile(_ place: Int, _ draws: inout SeededRandom.Draws) -> TileID {
        let member = AliasTable.draw(
            &draws, logged, first: places[place].first, count: places[place].count)
        return TileID(packed: loggedTiles[Int(member)])
    }
}
