package import TileModel

/// How often each tile was asked for, from an OpenStreetMap tile log.
///
/// The file is read line by line; of all its tiles within zooms and regions the first
/// `tilesMax` are kept as they are, and of more a sample (see `WeightSample`) whose popular tiles
/// have their own weights. While reading that takes 33 MB, afterwards 16 bytes per tile kept.
package struct TileWeights: Sendable {
    /// What the lines were.
    package struct Counts: Sendable, Hashable {
        package var lines: UInt64 = 0
        /// Tiles within zooms and regions. A tile on two lines is two, whose weights add up.
        package var tiles: UInt64 = 0
        /// What they were asked for together.
        package var requests: UInt64 = 0
        package var blank: UInt64 = 0
        /// Tiles of other zooms, or outside bounds and places.
        package var outside: UInt64 = 0
        /// Not of the form `z/x/y N`.
        package var bad: UInt64 = 0
        /// No such tile: a zoom over 30, or a column or row that the zoom has not.
        package var noTile: UInt64 = 0
        /// More than 65,536 bytes.
        package var tooLong: UInt64 = 0
    }

    /// Tiles kept at most.
    package static let tilesMax = 1 << 20

    /// As the scenario names it.
    package let file: String
    package let counts: Counts
    /// There were more than `tilesMax` tiles.
    package let isSampled: Bool
    /// `TileID.packed`, ascending.
    let tiles: [UInt64]
    let weights: [Double]

    /// Reads a log, which gzip or xz may have compressed; `-` is standard input.
    ///
    /// - Parameters:
    ///   - path: where the file is.
    ///   - file: what to call it.
    ///   - regions: a tile is wanted when it touches one of them; empty: everywhere.
    package init(
        path: String, file: String, zooms: ClosedRange<Int>, regions: [GeoBounds],
        tilesMax: Int = TileWeights.tilesMax
    ) throws(LogError) {
        let filter = TileFilter(zooms: zooms, regions: regions)
        let reader = try LineReader(path: path)
        var counts = Counts()
        var sample = WeightSample(limit: tilesMax)
        while let line = try reader.next() {
            counts.lines += 1
            guard case .text(let text) = line else {
                counts.tooLong += 1
                continue
            }
            switch TileLogLine(text) {
            case .blank: counts.blank += 1
            case .bad: counts.bad += 1
            case .noTile: counts.noTile += 1
            case .tile(let tile, let count):
                guard filter.contains(tile) else {
                    counts.outside += 1
                    continue
                }
                counts.tiles += 1
                counts.requests &+= count
                sample.add(tile, weight: Double(count))
            }
        }
        let kept = sample.finish()
        guard !kept.entries.isEmpty else {
            throw LogError(
                description: "`\(file)` holds no tile of the zooms and bounds: of"
                    + " \(counts.lines) lines \(counts.bad + counts.tooLong) are not `z/x/y N`,"
                    + " \(counts.noTile) are no tiles and \(counts.outside) lie outside")
        }
        self.file = file
        self.counts = counts
        isSampled = kept.isSampled
        tiles = kept.entries.map(\.packed)
        weights = kept.entries.map(\.weight)
    }

    /// A number for the tiles and weights kept.
    package var fingerprint: UInt64 {
        var hash = SeededRandom.mix(UInt64(tiles.count))
        for (tile, weight) in zip(tiles, weights) {
            hash = SeededRandom.mix(hash ^ tile)
            hash = SeededRandom.mix(hash ^ weight.bitPattern)
        }
        return hash
    }
}

/// Zooms and regions, asked of one tile after the other.
struct TileFilter: Sendable {
    private let zooms: ClosedRange<Int>
    /// The blocks of each zoom, zoom by zoom; empty: everywhere.
    private let blocks: [TileBlock]
    private let regions: Int

    init(zooms: ClosedRange<Int>, regions: [GeoBounds]) {
        self.zooms = zooms.clamped(to: 0...Int(TileID.zoomMax))
        self.regions = regions.count
        blocks = self.zooms.flatMap { z in regions.map { TileBlock(bounds: $0, z: UInt8(z)) } }
    }

    func contains(_ tile: TileID) -> Bool {
        guard zooms.contains(Int(tile.z)) else { return false }
        guard regions > 0 else { return true }
        let first = (Int(tile.z) - zooms.lowerBound) * regions
        for place in first..<first + regions where blocks[place].contains(tile) { return true }
        return false
    }
}

extension TileBlock {
    func contains(_ tile: TileID) -> Bool {
        let mask = (UInt64(1) << UInt64(bits)) - 1
        return tile.z == z && (UInt64(tile.x) &- west) & mask < width
            && UInt64(tile.y) >= north && UInt64(tile.y) < north + height
    }
}
