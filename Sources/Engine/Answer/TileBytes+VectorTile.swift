/// Vector tiles have no signature: they are known by their structure (Mapbox Vector Tile
/// Specification 2.1, section 4; protobuf wire format).
extension TileBytes {
    /// Field 3 of a tile, with a length.
    private static let layerTag: UInt64 = 3 << 3 | 2
    /// The specification keeps the fields from here on for extensions.
    private static let extensionFieldMin: UInt64 = 16

    /// Whether the body is a row of layers as far as it is seen, and no layer reaches beyond it.
    static func isVectorTile(_ prefix: UnsafeBufferPointer<UInt8>, bodyBytes: UInt64) -> Bool {
        var walk = Walk(prefix: prefix, bodyBytes: max(bodyBytes, UInt64(prefix.count)))
        var layers = 0
        while !walk.isAtEnd {
            guard let tag = walk.varint() else { return walk.isCut && layers > 0 }
            if tag == layerTag {
                guard let length = walk.varint() else { return walk.isCut && layers > 0 }
                guard length > 0, walk.beginsLayer, walk.skip(length) else { return false }
                layers += 1
            } else {
                guard tag >> 3 >= extensionFieldMin else { return false }
                guard walk.skipValue(wireType: tag & 7) else { return walk.isCut && layers > 0 }
            }
        }
        return layers > 0
    }

    private struct Walk {
        let prefix: UnsafeBufferPointer<UInt8>
        let bodyBytes: UInt64
        var position: UInt64 = 0
        /// What was asked for lies beyond the bytes that were kept.
        var isCut = false

        init(prefix: UnsafeBufferPointer<UInt8>, bodyBytes: UInt64) {
            self.prefix = prefix
            self.bodyBytes = bodyBytes
        }

        /// At the end of the body, or of what is seen of it.
        var isAtEnd: Bool { position >= UInt64(prefix.count) }

        /// The first field of a layer: version, name, feature, key, value or extent, each with its
        /// own wire type. True when it is not seen.
        var beginsLayer: Bool {
            guard !isAtEnd else { return true }
            switch prefix[Int(position)] {
            case 0x78, 0x0A, 0x12, 0x1A, 0x22, 0x28: return true
            default: return false
            }
        }

        mutating func varint() -> UInt64? {
            var value: UInt64 = 0
            var shift: UInt64 = 0
            while shift < 64 {
                guard !isAtEnd else {
                    isCut = position < bodyBytes
                    return nil
                }
                let byte = prefix[Int(position)]
                position += 1
                value |= UInt64(byte & 0x7F) << shift
                if byte & 0x80 == 0 { return value }
                shift += 7
            }
            return nil
        }

        /// False when the body is not that long.
        mutating func skip(_ length: UInt64) -> Bool {
            guard length <= bodyBytes - position else { return false }
            position += length
            return true
        }

        mutating func skipValue(wireType: UInt64) -> Bool {
            switch wireType {
            case 0: return varint() != nil
            case 1: return skip(8)
            case 2:
                guard let length = varint() else { return false }
                return skip(length)
            case 5: return skip(4)
            default: return false
            }
        }
    }
}
