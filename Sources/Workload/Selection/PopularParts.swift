import TileModel

/// Where popular tiles are drawn from: a place of the scenario, or the one region.
struct StreamPlace: Sendable {
    /// Its number in the scenario.
    var number: UInt16
    /// The weights of the source's places up to this one, added up.
    var weightSum: Double
    /// Its zooms, or its entries of the log's table.
    var first: Int
    var count: Int
}

/// The places of one of the target's sources.
struct StreamSource: Sendable {
    var number: UInt16
    var first: Int
    var count: Int
    /// The deepest zoom that it has.
    var maxZoom: UInt8
}

/// The tables of popular tiles.
struct PopularParts {
    static let placesMax = 1000
    /// A tile in several places has an entry for each.
    static let entriesMax = 4 * TileWeights.tilesMax

    var levels: [StreamLevel] = []
    var land: [UInt16] = []
    var places: [StreamPlace] = []
    /// Those that have tiles to ask for.
    var sources: [StreamSource] = []
    var logged: [AliasTable.Place] = []
    var loggedTiles: [UInt64] = []

    init() {}

    init(
        _ workload: WorkloadPlan, _ exponent: Double, _ weights: WorkloadPlan.ZoomWeights,
        _ order: SeededRandom, sources list: [TileSource]
    ) throws(SelectionError) {
        try PopularParts.check(workload, exponent)
        let zooms = try workload.tileZooms()
        loggedTiles = workload.tileWeights?.tiles ?? []
        for (number, source) in list.enumerated() {
            let first = places.count
            if let tileWeights = workload.tileWeights {
                try addLogged(tileWeights, workload, zooms, source)
            } else {
                let shares = try ZoomShares.shares(of: zooms, weights)
                addLevels(workload, exponent, Array(zip(zooms, shares)), order, source)
            }
            guard let last = places.last, places.count > first, last.weightSum > 0 else { continue }
            sources.append(
                StreamSource(
                    number: UInt16(number), first: first, count: places.count - first,
                    maxZoom: source.maxZoom))
        }
        guard !sources.isEmpty else {
            throw SelectionError(
                description: workload.tileWeights.map { "the target has no tile of `\($0.file)`" }
                    ?? "there is no tile within the zooms and bounds of workload and target")
        }
    }

    private static func check(
        _ workload: WorkloadPlan, _ exponent: Double
    ) throws(SelectionError) {
        guard ZipfRanks.exponents.contains(exponent) else {
            throw SelectionError(
                description: "a Zipf exponent of \(exponent) is not within 0-"
                    + "\(ZipfRanks.exponents.upperBound)")
        }
        guard workload.places.count <= PopularParts.placesMax else {
            throw SelectionError(
                description: "\(workload.places.count) places, more than"
                    + " \(PopularParts.placesMax)")
        }
        let weightSum = workload.places.reduce(0) { $0 + $1.weight }
        guard workload.places.allSatisfy({ $0.weight >= 0 }), weightSum.isFinite,
            weightSum > 0 || workload.places.isEmpty
        else {
            throw SelectionError(
                description: "the weights of places are numbers of 0 or more, not all 0")
        }
    }

    // MARK: - Zipf

    private mutating func addLevels(
        _ workload: WorkloadPlan, _ exponent: Double, _ shares: [(z: UInt8, share: Double)],
        _ order: SeededRandom, _ source: TileSource
    ) {
        let sourceFirst = places.count
        guard !workload.places.isEmpty else {
            if workload.bounds == nil, source.coversWorld {
                land = LandTiles.shared.tiles
                addLevels(shares, exponent, source) { z in
                    [StreamLevel(land: LandTiles.shared, z: z, places: order)]
                }
            } else {
                addLevels(shares, exponent, source) { z in
                    PopularParts.levels(of: source.blocks(zoom: z, within: workload.bounds), order)
                }
            }
            endPlace(number: 0, weight: 1, end: levels.count, sourceFirst: sourceFirst)
            return
        }
        for (number, place) in workload.places.enumerated() {
            // Which tiles are popular in one place says nothing about the others.
            let order = number == 0 ? order : order.part(UInt64(number) << 8)
            addLevels(shares, exponent, source) { z in
                PopularParts.levels(of: source.blocks(zoom: z, within: place.bounds), order)
            }
            endPlace(
                number: number, weight: place.weight, end: levels.count, sourceFirst: sourceFirst)
        }
    }

    private static func levels(
        of blocks: [TileBlock], _ order: SeededRandom
    ) -> [StreamLevel] {
        blocks.enumerated().map { number, block in
            let order = number == 0 ? order : order.part(UInt64(number) << 32)
            return StreamLevel(block: block, first: 0, places: order)
        }
    }

    /// A zoom's share goes to the zoom that is asked in its stead; blocks of a zoom share by size.
    private mutating func addLevels(
        _ shares: [(z: UInt8, share: Double)], _ exponent: Double, _ source: TileSource,
        _ makeLevels: (UInt8) -> [StreamLevel]
    ) {
        var sum = 0.0
        var byZoom = [Double](repeating: 0, count: Int(TileID.zoomMax) + 1)
        for (z, share) in shares {
            if let zoom = source.servedZoom(z) { byZoom[Int(zoom)] += share }
        }
        for (z, share) in byZoom.enumerated() where share > 0 {
            let made = makeLevels(UInt8(z))
            let all = made.reduce(0) { $0 + Double($1.count) }
            for var level in made {
                sum += made.count == 1 ? share : share * Double(level.count) / all
                level.shareSum = sum
                level.ranks = ZipfRanks(count: level.count, exponent: exponent)
                levels.append(level)
            }
        }
    }

    /// A place without tiles is none.
    ///
    /// - Parameters:
    ///   - end: where the place's entries end in their table.
    ///   - sourceFirst: the first place of the source.
    private mutating func endPlace(number: Int, weight: Double, end: Int, sourceFirst: Int) {
        let first = places.last.map { $0.first + $0.count } ?? 0
        guard end > first else { return }
        let before = places.count > sourceFirst ? places[places.count - 1].weightSum : 0
        places.append(
            StreamPlace(
                number: UInt16(number), weightSum: before + weight, first: first,
                count: end - first))
    }

    // MARK: - Logs

    private mutating func addLogged(
        _ tileWeights: TileWeights, _ workload: WorkloadPlan, _ zooms: [UInt8],
        _ source: TileSource
    ) throws(SelectionError) {
        let served = ServedTiles(source)
        let sourceFirst = places.count
        let range = Int(zooms[0])...Int(zooms[zooms.count - 1])
        if workload.places.isEmpty {
            let regions = workload.bounds.map { [$0] } ?? []
            try addTable(
                tileWeights, TileFilter(zooms: range, regions: regions), served,
                "the zooms and bounds")
            endPlace(number: 0, weight: 1, end: logged.count, sourceFirst: sourceFirst)
        }
        for (number, place) in workload.places.enumerated() {
            try addTable(
                tileWeights, TileFilter(zooms: range, regions: [place.bounds]), served,
                "place \"\(place.name)\"")
            endPlace(
                number: number, weight: place.weight, end: logged.count, sourceFirst: sourceFirst)
        }
    }

    private mutating func addTable(
        _ tileWeights: TileWeights, _ filter: TileFilter, _ served: ServedTiles, _ what: String
    ) throws(SelectionError) {
        let members = tileWeights.tiles.indices.filter {
            filter.contains(TileID(packed: tileWeights.tiles[$0]))
        }
        guard !members.isEmpty else {
            throw SelectionError(
                description: "`\(tileWeights.file)` holds no tile of \(what)")
        }
        let kept = members.filter {
            served.tile(for: TileID(packed: tileWeights.tiles[$0])) != nil
        }
        guard !kept.isEmpty else { return }
        guard logged.count + kept.count <= PopularParts.entriesMax else {
            throw SelectionError(
                description: "the places have more than \(PopularParts.entriesMax) tiles of"
                    + " `\(tileWeights.file)` together")
        }
        logged +=
            AliasTable(
                members: kept.map { UInt32($0) }, weights: kept.map { tileWeights.weights[$0] }
            ).places
    }
}

extension WorkloadPlan {
    /// The zooms as tiles have them.
    func tileZooms() throws(SelectionError) -> [UInt8] {
        guard zooms.lowerBound >= 0, zooms.upperBound <= Int(TileID.zoomMax) else {
            throw SelectionError(
                description: "zooms \(zooms.lowerBound)-\(zooms.upperBound)"
                    + " are not within 0-\(TileID.zoomMax)")
        }
        return zooms.map { UInt8($0) }
    }
}
