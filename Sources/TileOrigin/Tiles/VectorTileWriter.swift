import TileModel

/// Writes Mapbox Vector Tiles, version 2.1: one layer "tile" with a polygon and a point, both with
/// the tile's z, x and y as properties.
struct VectorTileWriter {
    private static let extent = 4096

    /// Appends the tile to `output`.
    func write(_ tile: OriginTile, paddedTo bytes: Int?, into output: inout [UInt8]) {
        let start = output.count
        var layer = ProtobufWriter()
        layer.field(15, varint: 2)
        layer.field(1, bytes: Array("tile".utf8))
        layer.field(2, bytes: feature(id: 1, type: 3, geometry: polygon(tile)))
        layer.field(2, bytes: feature(id: 2, type: 1, geometry: point(tile)))
        for key in ["z", "x", "y"] { layer.field(3, bytes: Array(key.utf8)) }
        for value in [UInt64(tile.id.z), UInt64(tile.id.x), UInt64(tile.id.y)] {
            var number = ProtobufWriter()
            number.field(5, varint: value)
            layer.field(4, bytes: number.bytes)
        }
        layer.field(5, varint: UInt64(VectorTileWriter.extent))
        var file = ProtobufWriter()
        file.field(3, bytes: layer.bytes)
        output += file.bytes
        pad(to: bytes, start: start, seed: tile.packed, into: &output)
    }

    /// Fills up with field 16 of the tile, the first of the range that the format leaves to
    /// extensions: decoders skip it. Its length is written in four bytes whatever it is (over-long
    /// varints are legal), so that every size from 6 bytes on can be met.
    private func pad(to bytes: Int?, start: Int, seed: UInt64, into output: inout [UInt8]) {
        let headBytes = 6
        guard let bytes, bytes - (output.count - start) >= headBytes else { return }
        let count = bytes - (output.count - start) - headBytes
        precondition(count < 1 << 28, "a tile of more than 268 MB")
        var head = ProtobufWriter()
        head.varint(16 << 3 | 2)
        output += head.bytes
        for part in 0..<4 {
            output.append(UInt8(count >> (7 * part) & 0x7F) | (part < 3 ? 0x80 : 0))
        }
        output += Filler.bytes(count, seed: seed)
    }

    private func feature(id: UInt64, type: UInt64, geometry: [UInt64]) -> [UInt8] {
        var feature = ProtobufWriter()
        feature.field(1, varint: id)
        // Pairs of (key, value) indices.
        feature.field(2, packed: [0, 0, 1, 1, 2, 2])
        feature.field(3, varint: type)
        feature.field(4, packed: geometry)
        return feature.bytes
    }

    /// A rectangle whose margin depends on the tile; clockwise on screen, as an outer ring is.
    private func polygon(_ tile: OriginTile) -> [UInt64] {
        let margin = Int(OriginDraw.mix(tile.packed >> 2) % 1024) + 64
        let side = VectorTileWriter.extent - 2 * margin
        let moveTo: UInt64 = 1 << 3 | 1
        let lineTo: UInt64 = 3 << 3 | 2
        let closePath: UInt64 = 1 << 3 | 7
        return [
            moveTo, zigzag(margin), zigzag(margin),
            lineTo, zigzag(side), zigzag(0), zigzag(0), zigzag(side), zigzag(-side), zigzag(0),
            closePath,
        ]
    }

    private func point(_ tile: OriginTile) -> [UInt64] {
        let word = OriginDraw.mix(tile.packed)
        let (x, y) = (Int(word & 0xFFF), Int(word >> 12 & 0xFFF))
        return [1 << 3 | 1, zigzag(x), zigzag(y)]
    }

    private func zigzag(_ value: Int) -> UInt64 {
        UInt64(bitPattern: Int64(value << 1 ^ value >> 63))
    }
}

/// The few parts of the protobuf wire format that a vector tile needs.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    mutating func varint(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func field(_ number: UInt64, varint value: UInt64) {
        varint(number << 3)
        varint(value)
    }

    mutating func field(_ number: UInt64, bytes content: [UInt8]) {
        varint(number << 3 | 2)
        varint(UInt64(content.count))
        bytes += content
    }

    mutating func field(_ number: UInt64, packed values: [UInt64]) {
        var content = ProtobufWriter()
        for value in values { content.varint(value) }
        field(number, bytes: content.bytes)
    }
}
