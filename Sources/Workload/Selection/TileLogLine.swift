import TileModel

/// A line of an OpenStreetMap tile log: `z/x/y N`, the tile and how often it was asked for.
enum TileLogLine {
    case tile(TileID, count: UInt64)
    /// Blank, or a comment that begins with `#`.
    case blank
    /// Not of this form, or a count of 0.
    case bad
    /// Of this form, but there is no such tile.
    case noTile

    init(_ line: Bytes) {
        let line = line.trimmed
        guard let first = line.first, first != UInt8(ascii: "#") else {
            self = .blank
            return
        }
        let slash = UInt8(ascii: "/")
        guard let second = line.place(of: slash),
            let third = line.place(of: slash, from: second + 1),
            let blank = line.place(of: UInt8(ascii: " ")) ?? line.place(of: UInt8(ascii: "\t")),
            blank > third,
            let z = line.part(0..<second).decimal,
            let x = line.part(second + 1..<third).decimal,
            let y = line.part(third + 1..<blank).decimal,
            let count = line.from(blank + 1).trimmed.decimal, count > 0
        else {
            self = .bad
            return
        }
        guard let tile = TileID(checking: z, x, y) else {
            self = .noTile
            return
        }
        self = .tile(tile, count: count)
    }
}

extension TileID {
    /// The tile of three numbers; nil when there is none.
    init?(checking z: UInt64, _ x: UInt64, _ y: UInt64) {
        guard z <= UInt64(TileID.zoomMax), x < 1 << z, y < 1 << z else { return nil }
        self.init(
            z: UInt8(z), x: UInt32(truncatingIfNeeded: x), y: UInt32(truncatingIfNeeded: y))
    }
}
