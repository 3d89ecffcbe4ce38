package import TileModel

/// A tile to ask for.
package struct TileChoice: Sendable, Hashable {
    package var tile: TileID
    /// Which of the target's sources it is asked from.
    package var source: UInt16 = 0
    /// The number of the place it was drawn for; 0 without places.
    package var place: UInt16 = 0

    package init(tile: TileID, source: UInt16 = 0, place: UInt16 = 0) {
        self.tile = tile
        self.source = source
        self.place = place
    }
}

/// Which tile each ask is for: index -> tile, a function of the workload, the seed and the index
/// alone, so that it is the same for any number of threads or shards.
package struct RequestStream: Sendable {
    enum Kind { case list, rows, hilbert, random, popular, logged }

    /// Where the indices of a warm-up begin. Its popular tiles are drawn from the same ranks by
    /// other numbers than those of the measured part; lists and pyramids start at their beginning.
    package static let warmupFirst: UInt64 = 1 << 63

    /// A source that has every tile.
    package static let everything = TileSource(
        name: "tiles", templates: [], maxZoom: TileID.zoomMax, tileSize: 256)

    /// Asks of one pass, of all sources; nil for `popular` and `viewers`, which have no end.
    package let passCount: UInt64?

    private let kind: Kind
    private let tiles: [TileID]
    /// Of each of `tiles`; empty: all are the first source's.
    private let tileSources: [UInt16]
    private let levels: [StreamLevel]
    private let land: [UInt16]
    /// Where popular tiles are drawn from: the places, or the one region.
    private let places: [StreamPlace]
    /// Popular tiles are asked from one after the other, each tile drawn from all of them.
    private let sources: [StreamSource]
    private let logged: [AliasTable.Place]
    private let loggedTiles: [UInt64]
    private let draws: SeededRandom

    /// For `viewers` the stream of the tiles in which sessions begin, the index being the
    /// session's number.
    ///
    /// - Parameter sources: of the target; one that has every tile when it is left out.
    package init(
        workload: WorkloadPlan, sources list: [TileSource] = [RequestStream.everything],
        seed: UInt64
    ) throws(SelectionError) {
        draws = SeededRandom(seed: seed, stream: .tile)
        let order = SeededRandom(seed: seed, stream: .permutation)
        var tiles: [TileID] = []
        var tileSources: [UInt16] = []
        var parts = PopularParts()
        switch workload.kind {
        case .list(let wanted):
            kind = .list
            (tiles, tileSources) = try RequestStream.list(wanted, list)
            passCount = UInt64(tiles.count)
        case .pyramid(let pyramidOrder):
            kind =
                switch pyramidOrder {
                case .rows: .rows
                case .hilbert: .hilbert
                case .random: .random
                }
            parts.levels = try RequestStream.pyramid(workload, list, order)
            passCount = parts.levels.reduce(0) { $0 + $1.count }
        case .popular(let exponent, let weights):
            parts = try PopularParts(
                workload, exponent, weights, order, sources: list)
            (kind, passCount) = (workload.tileWeights == nil ? .popular : .logged, nil)
        case .viewers(let viewers):
            parts = try PopularParts(
                workload, viewers.zipf, viewers.zoomWeights, order, sources: list)
            (kind, passCount) = (workload.tileWeights == nil ? .popular : .logged, nil)
        case .replay:
            throw SelectionError(description: "the tiles of a replay stand in its log")
        }
        self.tiles = tiles
        self.tileSources = tileSources
        levels = parts.levels
        land = parts.land
        places = parts.places
        sources = parts.sources
        logged = parts.logged
        loggedTiles = parts.loggedTiles
    }

    /// Each tile from each source that has it, in the order of the list.
    private static func list(
        _ wanted: [TileID], _ list: [TileSource]
    ) throws(SelectionError) -> (tiles: [TileID], sources: [UInt16]) {
        guard !wanted.isEmpty else {
            throw SelectionError(description: "the list of tiles is empty")
        }
        let served = list.map { ServedTiles($0) }
        var (tiles, sources): ([TileID], [UInt16]) = ([], [])
        for tile in wanted {
            for (number, source) in served.enumerated() {
                guard let tile = source.tile(for: tile) else { continue }
                tiles.append(tile)
                if served.count > 1 { sources.append(UInt16(number)) }
            }
        }
        guard !tiles.isEmpty else {
            throw SelectionError(description: "the target has none of the list's tiles")
        }
        return (tiles, sources)
    }

    /// Zoom by zoom, and in each one source after the other.
    private static func pyramid(
        _ workload: WorkloadPlan, _ list: [TileSource], _ order: SeededRandom
    ) throws(SelectionError) -> [StreamLevel] {
        guard workload.places.isEmpty else {
            throw SelectionError(description: "a pyramid has bounds, not places")
        }
        var first: UInt64 = 0
        var levels: [StreamLevel] = []
        let wanted = try workload.tileZooms()
        let zooms = list.map { $0.servedZooms(wanted) }
        for z in UInt8(0)...TileID.zoomMax {
            for (number, source) in list.enumerated() where zooms[number].contains(z) {
                let blocks = source.blocks(zoom: z, within: workload.bounds)
                for (part, block) in blocks.enumerated() {
                    let order = part == 0 ? order : order.part(UInt64(part) << 32)
                    let level = StreamLevel(
                        block: block, source: UInt16(number), first: first, places: order)
                    levels.append(level)
                    let (sum, isOver) = first.addingReportingOverflow(level.count)
                    guard !isOver else {
                        throw SelectionError(description: "the pyramid has more than 2^64 tiles")
                    }
                    first = sum
                }
            }
        }
        guard !levels.isEmpty else {
            throw SelectionError(
                description: "there is no tile within the zooms and bounds of workload and target")
        }
        return levels
    }

    /// The tile of an ask, without its place.
    package func tile(at index: UInt64) -> TileID { choice(at: index).tile }

    /// The tile of an ask. No allocation. Beyond `passCount` it starts again from the beginning.
    package func choice(at index: UInt64) -> TileChoice {
        guard let passCount else { return popularChoice(at: index) }
        let place = (index & (RequestStream.warmupFirst - 1)) % passCount
        if kind == .list {
            let source = tileSources.isEmpty ? 0 : tileSources[Int(place)]
            return TileChoice(tile: tiles[Int(place)], source: source)
        }
        var number = levels.count - 1
        while levels[number].first > place { number -= 1 }
        let offset = place - levels[number].first
        let tile =
            switch kind {
            case .hilbert: levels[number].block.hilbertTile(at: offset)
            case .random: levels[number].block.tile(at: levels[number].places.place(of: offset))
            default: levels[number].block.tile(at: offset)
            }
        return TileChoice(tile: tile, source: levels[number].source)
    }

    private func popularChoice(at index: UInt64) -> TileChoice {
        // What all sources have of one draw is the same tile.
        let count = UInt64(sources.count)
        let (turn, rest) = (index & (RequestStream.warmupFirst - 1))
            .quotientAndRemainder(dividingBy: count)
        let source = sources[Int(rest)]
        var draws = draws.draws(at: turn | index & RequestStream.warmupFirst)
        let number = placeNumber(&draws, of: source)
        let tile =
            kind == .logged
            ? loggedTile(number, &draws).ancestor(zoom: source.maxZoom)
            : popularTile(number, &draws)
        return TileChoice(tile: tile, source: source.number, place: places[number].number)
    }

    /// The first place whose sum of weights is more than the number drawn.
    private func placeNumber(
        _ draws: inout SeededRandom.Draws, of source: StreamSource
    ) -> Int {
        guard source.count > 1 else { return source.first }
        let last = source.first + source.count - 1
        let share = draws.unit() * places[last].weightSum
        var (low, high) = (source.first, last)
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
