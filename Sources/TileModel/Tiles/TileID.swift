/// One tile of the Web Mercator pyramid, in XYZ numbering: row 0 is the northernmost.
@frozen
public struct TileID: Sendable, Hashable {
    /// The zoom, 0...30.
    public var z: UInt8
    /// The column, from the west: less than 2^z.
    public var x: UInt32
    /// The row, from the north: less than 2^z.
    public var y: UInt32

    /// The deepest zoom TileJSON 3.0 allows, and the deepest whose numbers fit 32 bits with room
    /// for sums.
    @inlinable public static var zoomMax: UInt8 { 30 }

    /// A tile whose numbers the caller knows to be in range.
    @inlinable
    public init(z: UInt8, x: UInt32, y: UInt32) {
        self.z = z
        self.x = x
        self.y = y
    }

    /// The number of columns, and of rows, at the tile's zoom.
    @inlinable public var side: UInt32 { 1 << UInt32(z) }

    /// The row counted from the south, as TMS does.
    @inlinable public var flippedY: UInt32 { side &- 1 &- y }

    /// The same tile with its row counted from the other end.
    @inlinable public var flipped: TileID { TileID(z: z, x: x, y: flippedY) }

    /// The tile one zoom up that covers this one; nil for 0/0/0.
    @inlinable public var parent: TileID? {
        z == 0 ? nil : TileID(z: z - 1, x: x >> 1, y: y >> 1)
    }

    /// The tile of a lower zoom that covers this one; itself when `zoom` is not lower.
    @inlinable
    public func ancestor(zoom: UInt8) -> TileID {
        guard zoom < z else { return self }
        let up = UInt32(z - zoom)
        return TileID(z: zoom, x: x >> up, y: y >> up)
    }

    /// A key for hash tables: one leading 1, then z bits of x and z bits of y. It never is 0, so
    /// that 0 can mark an empty slot, and orders by zoom, column, row.
    ///
    /// (Three fixed fields would need 65 bits at zoom 30.)
    @inlinable public var packed: UInt64 {
        (1 << (2 * UInt64(z))) | (UInt64(x) << UInt64(z)) | UInt64(y)
    }

    /// The tile of a key made by `packed`; 0 is not one.
    @inlinable
    public init(packed: UInt64) {
        let bits = UInt64(63 &- packed.leadingZeroBitCount) / 2
        let mask = (UInt64(1) << bits) &- 1
        self.init(
            z: UInt8(truncatingIfNeeded: bits),
            x: UInt32(truncatingIfNeeded: (packed >> bits) & mask),
            y: UInt32(truncatingIfNeeded: packed & mask))
    }
}
