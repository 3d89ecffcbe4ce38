import TileModel

/// What all sessions of a run have in common. Made once, changed never.
package final class ViewerRules: Sendable {
    /// What the engine knows of the target.
    package struct Target: Sendable {
        /// Pixels of the viewport along a tile's edge.
        package var tileSizePixels = 256
        /// Deeper views ask for the tiles of this zoom that cover them.
        package var zoomMax = 22
        /// Hosts of the templates; a tile's is taken to be (x + y) mod n, as clients choose it.
        package var hosts = 1
        /// Asks under way per host at most: connections, or the streams of one connection. Nil: as
        /// the client has them over HTTP/1.1.
        package var perHostMax: Int?

        package init() {}
    }

    /// Cells of a view at most, those kept around it among them.
    package static let cellsMax = 4096
    /// Hosts that asks are counted by. More share the client's own limit alone.
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
    /// The deepest zoom of tiles.
    let tileZoomMax: UInt8
    let margin: Int
    let prefetchZooms: Int
    let hosts: Int
    let parallelMax: Int
    let parallelMovingMax: Int
    let perHostMax: Int
    /// Cells of the largest view with its margin, of the largest without, and of the tiles
    /// fetched ahead.
    let cells: Int
    let viewCells: Int
    let aheadCells: Int

    private let widthTiles: Double
    private let heightTiles: Double
    private let regions: [ViewRegion]
    /// Tiles that there are, by zoom: those of the bounds.
    private let blocks: [TileBlock]

    package init(
        viewers: ViewerPlan, workload: WorkloadPlan, target: Target, seed: UInt64
    ) throws(SelectionError) {
        try ViewerRules.check(viewers, target)
        starts = try RequestStream(workload: workload, seed: seed)
        random = SeededRandom(seed: seed, stream: .viewers)
        (moves, dwellNS, viewsMean, cancels) =
            (viewers.moves, viewers.dwellNS, viewers.viewsMean, viewers.cancels)
        let zooms = try workload.tileZooms()
        (zoomFirst, zoomLast) = (zooms[0], zooms[zooms.count - 1])
        tileZoomMax = UInt8(min(max(target.zoomMax, 0), Int(TileID.zoomMax)))
        let client = viewers.client
        (margin, prefetchZooms) = (client.keptMargin, client.prefetchZooms)
        hosts = target.hosts <= ViewerRules.hostsMax ? target.hosts : 1
        parallelMax = client.parallelMax ?? .max
        parallelMovingMax = client.parallelMovingMax ?? .max
        perHostMax =
            target.hosts > ViewerRules.hostsMax
            ? .max : target.perHostMax ?? client.connectionsPerHost ?? .max
        let tile = Double(target.tileSizePixels)
        widthTiles = Double(viewers.viewportWidthPixels) / tile
        heightTiles = Double(viewers.viewportHeightPixels) / tile
        regions =
            workload.places.isEmpty
            ? [workload.bounds.map { ViewRegion($0) } ?? .world]
            : workload.places.map { ViewRegion($0.bounds) }
        let bounds = workload.bounds ?? .world
        blocks = (0...TileID.zoomMax).map { TileBlock(bounds: bounds, z: $0) }
        let columns = ViewerRules.tilesMax(widthTiles)
        let rows = ViewerRules.tilesMax(heightTiles)
        viewCells = columns * rows
        cells = (columns + 2 * margin) * (rows + 2 * margin)
        // One zoom up a view has half as many tiles along its edges, further up fewer.
        aheadCells =
            prefetchZooms > 0
            ? ViewerRules.tilesMax(widthTiles / 2) * ViewerRules.tilesMax(heightTiles / 2) : 0
        guard cells <= ViewerRules.cellsMax else {
            throw SelectionError(
                description: "a viewport of \(viewers.viewportWidthPixels) x"
                    + " \(viewers.viewportHeightPixels) pixels has \(cells) tiles of"
                    + " \(target.tileSizePixels) pixels, more than \(ViewerRules.cellsMax)")
        }
    }

    private static func check(
        _ viewers: ViewerPlan, _ target: Target
    ) throws(SelectionError) {
        let pixels = 1...100_000
        guard pixels.contains(viewers.viewportWidthPixels),
            pixels.contains(viewers.viewportHeightPixels), pixels.contains(target.tileSizePixels)
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
        guard target.hosts >= 1, target.perHostMax ?? 1 >= 1 else {
            throw SelectionError(description: "viewers need a host and a connection to it")
        }
    }

    /// Tiles that a stretch of so many tile lengths can touch.
    private static func tilesMax(_ tiles: Double) -> Int {
        Int(tiles.rounded(.up)) + 1
    }

    /// Bytes a session takes: a fixed part and ten per tile of a view.
    package var sessionBytes: Int {
        MemoryLayout<ViewerSession>.size + ViewerSession.bufferBytes(self)
    }

    func region(place: UInt16) -> ViewRegion {
        regions[min(Int(place), regions.count - 1)]
    }

    /// The viewport's width at a zoom in shares of the world's.
    func viewWidth(z: UInt8) -> Double { widthTiles / Double(UInt64(1) << UInt64(z)) }

    func viewHeight(z: UInt8) -> Double { heightTiles / Double(UInt64(1) << UInt64(z)) }

    /// Whether the source has the tile.
    func has(_ tile: TileID) -> Bool { blocks[Int(tile.z)].contains(tile) }

    func host(_ tile: TileID) -> Int {
        hosts == 1 ? 0 : Int((UInt64(tile.x) + UInt64(tile.y)) % UInt64(hosts))
    }
}
