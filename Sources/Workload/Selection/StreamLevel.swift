import TileModel

/// One zoom of a pyramid or of popular tiles.
struct StreamLevel: Sendable {
    let z: UInt8
    /// Of its tiles (pyramid).
    let source: UInt16
    let count: UInt64
    /// Index of the zoom's first tile in a pass (pyramid).
    let first: UInt64
    /// The tiles, unless `landFirst` says that they are the land's.
    let block: TileBlock
    /// Where the zoom's part of the land's table begins, or -1.
    let landFirst: Int
    /// The order of `random`; for `popular`, which tile has which rank. Popular tiles so lie all
    /// over the region, and their neighbours and parents need not be popular.
    let places: Permutation
    /// The shares of the zooms up to this one, added up (popular).
    var shareSum = 0.0
    var ranks = ZipfRanks(count: 1, exponent: 0)

    init(block: TileBlock, source: UInt16 = 0, first: UInt64, places: SeededRandom) {
        z = block.z
        self.source = source
        count = block.count
        self.first = first
        self.block = block
        landFirst = -1
        self.places = Permutation(count: block.count, random: places.part(UInt64(block.z)))
    }

    init(land: LandTiles, z: UInt8, places: SeededRandom) {
        self.z = z
        source = 0
        count = land.count(z: z)
        first = 0
        block = TileBlock(bounds: .world, z: z)
        landFirst = land.first(z: z)
        self.places = Permutation(count: count, random: places.part(UInt64(z)))
    }
}
