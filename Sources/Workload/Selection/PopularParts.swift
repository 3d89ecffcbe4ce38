import TileModel

/// Where popular tiles are drawn from: a place of the scenario, or the one region.
struct StreamPlace: Sendable {
    /// The weights of the places up to this one, added up.
    var weightSum: Double
    /// Its zooms, or its entries of the log's table.
    var first: Int
    var count: Int
}

/// The tables of popular tiles.
struct PopularParts {
    static let placesMax = 1000
    /// A tile in several places has an entry for each.
    static let entriesMax = 4 * TileWeights.tilesMax

    var levels: [StreamLevel] = []
    var land: [UInt16] = []
    var places: [StreamPlace] = []
    var logged: [AliasTable.Place] = []
    var loggedTiles: [UInt64] = []

    init() {}

    init(
        _ workload: WorkloadPlan, _ exponent: Double, _ weights: WorkloadPlan.ZoomWeights,
        _ order: SeededRandom
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
        let zooms = try workload.tileZooms()
        if let tileWeights = workload.tileWeights {
            try addLogged(tileWeights, workload, zooms)
        } else {
            let shares = try ZoomShares.shares(of: zooms, weights)
            addLevels(workload, exponent, Array(zip(zooms, shares)), order)
        }
    }

    // MARK: - Zipf

    private mutating func addLevels(
        _ workload: WorkloadPlan, _ exponent: Double, _ shares: [(z: UInt8, share: Double)],
        _ order: SeededRandom
    ) {
        if workload.places.isEmpty {
            land = workload.bounds == nil ? LandTiles.shared.tiles : []
            addLevels(shares, exponent) { z in
                if let bounds = workload.bounds {
                    return StreamLevel(
                        block: TileBlock(bounds: bounds, z: z), first: 0, places: order)
                }
                return StreamLevel(land: LandTiles.shared, z: z, places: order)
            }
            endPlace(weight: 1, end: levels.count)
        }
        for (number, place) in workload.places.enumerated() {
            // Which tiles are popular in one place says nothing about the others.
            let order = number == 0 ? order : order.part(UInt64(number) << 8)
            addLevels(shares, exponent) { z in
                StreamLevel(block: TileBlock(bounds: place.bounds, z: z), first: 0, places: order)
            }
            endPlace(weight: place.weight, end: levels.count)
        }
    }

    private mutating func addLevels(
        _ shares: [(z: UInt8, share: Double)], _ exponent: Double,
        _ makeLevel: (UInt8) -> StreamLevel
    ) {
        var sum = 0.0
        for (z, share) in shares where share > 0 {
            sum += share
            var level = makeLevel(z)
            level.shareSum = sum
            level.ranks = ZipfRanks(count: level.count, exponent: exponent)
            levels.append(level)
        }
    }

    /// - Parameter end: where the place's entries end in their table.
    private mutating func endPlace(weight: Double, end: Int) {
        let first = places.last.map { $0.first + $0.count } ?? 0
        places.append(
            StreamPlace(
                weightSum: (places.last?.weightSum ?? 0) + weight, first: first,
                count: end - first))
    }

    // MARK: - Logs

    private mutating func addLogged(
        _ tileWeights: TileWeights, _ workload: WorkloadPlan, _ zooms: [UInt8]
    ) throws(SelectionError) {
        loggedTiles = tileWeights.tiles
        let range = Int(zooms[0])...Int(zooms[zooms.count - 1])
        if workload.places.isEmpty {
            let regions = workload.bounds.map { [$0] } ?? []
            try addTable(
                tileWeights, TileFilter(zooms: range, regions: regions), "the zooms and bounds")
            endPlace(weight: 1, end: logged.count)
        }
        for place in workload.places {
            try addTable(
                tileWeights, TileFilter(zooms: range, regions: [place.bounds]),
                "place \"\(place.name)\"")
            endPlace(weight: place.weight, end: logged.count)
        }
    }

    private mutating func addTable(
        _ tileWeights: TileWeights, _ filter: TileFilter, _ what: String
    ) throws(SelectionError) {
        let members = tileWeights.tiles.indices.filter {
            filter.contains(TileID(packed: tileWeights.tiles[$0]))
        }
        guard !members.isEmpty else {
            throw SelectionError(
                description: "`\(tileWeights.file)` holds no tile of \(what)")
        }
        guard logged.count + members.count <= PopularParts.entriesMax else {
            throw SelectionError(
                description: "the places have more than \(PopularParts.entriesMax) tiles of"
                    + " `\(tileWeights.file)` together")
        }
        logged +=
            AliasTable(
                members: members.map { UInt32($0) },
                weights: members.map { tileWeights.weights[$0] }
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
