package import TileModel

/// What all sessions of a run have in common. Made once, changed never.
package final class ViewerRules: Sendable {
    /// What is known of the target.
    package struct Target: Sendable {
        /// At least one, all of Web Mercator; of each all visible tiles are asked for. What is
        /// looked at is counted in zooms of the first.
        package var sources: [TileSource]
        /// Of each source the number of the host of a tile at (x + y) mod the list's length; those
        /// past the last list are as the last. Nil: hosts are not known.
        package var hostsBySum: [[Int]]? = [[0]]
        /// Connections per host.
        package var perHostMax = ConnectionPlan.perUserDefault

        package init(sources: [TileSource] = [RequestStream.everything]) {
            self.sources = sources
        }
    }

    /// Cells of a view at most, those kept around it among them.
    package static let cellsMax = 4096
    /// Hosts that asks are counted by.
    static let hostsMax = 8
    /// How long a move is taken to last: between the animations of a click and of a fling. While
    /// it lasts `ViewerClient.parallelMovingMax` holds.
    static let movingNS: UInt64 = 300_000_000

    private static let dwellMinNS: UInt64 = 1_000_000

    let moves: ViewerPlan.Moves
    let dwellNS: UInt64
    let viewsMean: Int
    let cancels: Bool
    let random: SeededRandom
    /// Session -> the tile in which it begins.
    let starts: RequestStream
    let zoomFirst: UInt8
    let zoomLast: UInt8
    let sources: [ViewSource]
    let margin: Int
    let prefetchZooms: Int
    /// The asks of a session are counted by host and kept below `perHostMax`. Where they are not,
    /// since hosts are too many or not known, it is for the owner to see to that.
    package let countsHosts: Bool
    let hosts: Int
    let parallelMax: Int
    let parallelMovingMax: Int
    package let perHostMax: Int
    private let hostsBySum: [[Int]]
    private let widthTiles: Double
    private let heightTiles: Double
    private let regions: [ViewRegion]

    package init(
        viewers: ViewerPlan, workload: WorkloadPlan, target: Target, seed: UInt64
    ) throws(SelectionError) {
        try ViewerRules.check(viewers, target)
        starts = try RequestStream(
            workload: workload, sources: [ViewerRules.startSource(target.sources)], seed: seed)
        random = SeededRandom(seed: seed, stream: .viewers)
        (moves, dwellNS, viewsMean, cancels) =
            (viewers.moves, viewers.dwellNS, viewers.viewsMean, viewers.cancels)
        let zooms = try workload.tileZooms()
        (zoomFirst, zoomLast) = (zooms[0], zooms[zooms.count - 1])
        let client = viewers.client
        (margin, prefetchZooms) = (client.keptMargin, client.prefetchZooms)
        let hostCount = (target.hostsBySum?.joined().max() ?? ViewerRules.hostsMax) + 1
        countsHosts = hostCount <= ViewerRules.hostsMax
        hosts = countsHosts ? hostCount : 1
        hostsBySum = target.hostsBySum ?? []
        parallelMax = client.parallelMax ?? .max
        parallelMovingMax = client.parallelMovingMax ?? .max
        perHostMax = countsHosts ? target.perHostMax : .max
        let scale = target.sources[0].tileSize
        let tile = Double(scale)
        widthTiles = Double(viewers.viewportWidthPixels) / tile
        heightTiles = Double(viewers.viewportHeightPixels) / tile
        regions =
            workload.places.isEmpty
            ? [workload.bounds.map { ViewRegion($0) } ?? .world]
            : workload.places.map { ViewRegion($0.bounds) }
        sources = target.sources.map {
            ViewSource($0, scale: scale, bounds: workload.bounds, viewers: viewers)
        }
        let cells = sources.map(\.cells).max() ?? 0
        guard cells <= ViewerRules.cellsMax else {
            throw SelectionError(
                description: "a viewport of \(viewers.viewportWidthPixels) x"
                    + " \(viewers.viewportHeightPixels) pixels has \(cells) tiles of"
                    + " \(scale) pixels, more than \(ViewerRules.cellsMax)")
        }
    }

    private static func check(
        _ viewers: ViewerPlan, _ target: Target
    ) throws(SelectionError) {
        guard !target.sources.isEmpty else {
            throw SelectionError(description: "viewers need a source of tiles")
        }
        let pixels = 1...100_000
        guard pixels.contains(viewers.viewportWidthPixels),
            pixels.contains(viewers.viewportHeightPixels),
            target.sources.allSatisfy({ pixels.contains($0.tileSize) })
        else {
            throw SelectionError(
                description: "viewport and tile are measured in 1 to \(pixels.upperBound) pixels")
        }
        let shares = [viewers.moves.pan, viewers.moves.zoomIn, viewers.moves.zoomOut]
        let sum = shares.reduce(0, +)
        guard shares.allSatisfy({ $0 >= 0 }), sum > 0, sum.isFinite else {
            throw SelectionError(
                description: "the shares of moves are numbers of 0 or more, not all 0")
        }
        guard viewers.dwellNS >= ViewerRules.dwellMinNS else {
            throw SelectionError(
                description: "a view is looked at for 1 ms or more on average: its tiles are asked"
                    + " for until the next view begins")
        }
        guard (1...1_000_000).contains(viewers.viewsMean) else {
            throw SelectionError(
                description: "a session has 1 to 1000000 views, not \(viewers.viewsMean)")
        }
        guard target.perHostMax >= 1, target.hostsBySum?.contains(where: \.isEmpty) != true,
            target.hostsBySum?.isEmpty != true
        else {
            throw SelectionError(description: "viewers need a host and a connection to it")
        }
        guard target.sources.allSatisfy(\.followsWebMercator) else {
            throw SelectionError(description: "views are those of the Web Mercator pyramid")
        }
    }

    /// Bytes a session takes: a fixed part and ten per tile of a view, of all sources.
    package var sessionBytes: Int {
        MemoryLayout<ViewerSession>.size + ViewerSession.bufferBytes(self)
    }

    func region(place: UInt16) -> ViewRegion {
        regions[min(Int(place), regions.count - 1)]
    }

    /// The viewport's width at a zoom in shares of the world's.
    func viewWidth(z: UInt8) -> Double { widthTiles / Double(UInt64(1) << UInt64(z)) }

    func viewHeight(z: UInt8) -> Double { heightTiles / Double(UInt64(1) << UInt64(z)) }

    func host(_ tile: TileID, source: Int) -> Int {
        if hosts == 1 { return 0 }
        let list = min(source, hostsBySum.count - 1)
        let sum = (UInt64(tile.x) + UInt64(tile.y)) % UInt64(hostsBySum[list].count)
        return hostsBySum[list][Int(sum)]
    }

    /// Sessions begin where the first source has tiles, and at any zoom: a client enlarges the
    /// deepest tiles.
    private static func startSource(_ sources: [TileSource]) -> TileSource {
        var source = sources[0]
        guard source.matrices.isEmpty else { return source }
        source.minZoom = sources.map(\.minZoom).min() ?? 0
        source.maxZoom = TileID.zoomMax
        return source
    }
}
