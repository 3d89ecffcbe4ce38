/// A rectangle of tiles of one zoom.
public struct TileRange: Sendable, Hashable {
    /// The zoom of every tile of the range.
    public let z: UInt8
    /// The columns.
    public let x: ClosedRange<UInt32>
    /// The rows, from the north.
    public let y: ClosedRange<UInt32>

    /// A rectangle whose numbers the caller knows to be in range of the zoom.
    public init(z: UInt8, x: ClosedRange<UInt32>, y: ClosedRange<UInt32>) {
        self.z = z
        self.x = x
        self.y = y
    }

    /// The number of tiles.
    public var count: UInt64 {
        UInt64(x.upperBound - x.lowerBound + 1) * UInt64(y.upperBound - y.lowerBound + 1)
    }

    /// The tile at a place in row-major order from the north-west, 0 ..< `count`.
    public func tile(at index: UInt64) -> TileID {
        let width = UInt64(x.upperBound - x.lowerBound + 1)
        return TileID(
            z: z,
            x: x.lowerBound + UInt32(index % width),
            y: y.lowerBound + UInt32(index / width))
    }

    /// Whether a tile is one of the range's.
    public func contains(_ tile: TileID) -> Bool {
        tile.z == z && x.contains(tile.x) && y.contains(tile.y)
    }
}
