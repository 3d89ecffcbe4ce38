/// What the bytes of a body are, by how they begin; whatever the headers say.
package enum TileBytes: Sendable {
    case png, jpeg, webp, gif
    /// A Mapbox vector tile.
    case mvt
    case gzip
    /// An object or an array.
    case json
    /// HTML or XML.
    case markup
    /// None of these; also the empty body.
    case unknown

    /// - Parameters:
    ///   - prefix: The first bytes of the body.
    ///   - bodyBytes: Length of the whole body.
    package init(prefix: UnsafeBufferPointer<UInt8>, bodyBytes: UInt64) {
        guard let first = prefix.first else {
            self = .unknown
            return
        }
        switch first {
        case 0x89 where Self.begins(prefix, 0x8950_4E47_0D0A_1A0A, bytes: 8):
            self = .png
        case 0xFF where Self.begins(prefix, 0xFFD8FF, bytes: 3):
            self = .jpeg
        case UInt8(ascii: "R") where Self.isWebP(prefix):
            self = .webp
        case UInt8(ascii: "G")
        where Self.begins(prefix, 0x4749_4638_3961, bytes: 6)
            || Self.begins(prefix, 0x4749_4638_3761, bytes: 6):
            self = .gif
        case 0x1F where Self.begins(prefix, 0x1F8B, bytes: 2):
            self = .gzip
        default:
            if Self.isVectorTile(prefix, bodyBytes: bodyBytes) {
                self = .mvt
            } else {
                self = Self.text(prefix)
            }
        }
    }

    /// Whether this is what a map can draw.
    package var isTile: Bool {
        switch self {
        case .png, .jpeg, .webp, .gif, .mvt: true
        case .gzip, .json, .markup, .unknown: false
        }
    }

    private static func begins(
        _ prefix: UnsafeBufferPointer<UInt8>, _ magic: UInt64, bytes: Int
    ) -> Bool {
        guard prefix.count >= bytes else { return false }
        var value: UInt64 = 0
        var index = 0
        while index < bytes {
            value = value << 8 | UInt64(prefix[index])
            index += 1
        }
        return value == magic
    }

    /// "RIFF", four bytes of length, "WEBP".
    private static func isWebP(_ prefix: UnsafeBufferPointer<UInt8>) -> Bool {
        prefix.count >= 12 && begins(prefix, 0x5249_4646, bytes: 4)
            && begins(prefix.part(8..<12), 0x5745_4250, bytes: 4)
    }

    private static func text(_ prefix: UnsafeBufferPointer<UInt8>) -> TileBytes {
        let start = textStart(prefix)
        guard start < prefix.count else { return .unknown }
        switch prefix[start] {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return .json
        case UInt8(ascii: "<"): return .markup
        default: return .unknown
        }
    }

    /// Where a text begins: behind a byte order mark and blanks.
    static func textStart(_ prefix: UnsafeBufferPointer<UInt8>) -> Int {
        var start = begins(prefix, 0xEFBBBF, bytes: 3) ? 3 : 0
        while start < prefix.count, UnsafeBufferPointer.isBlank(prefix[start]) { start += 1 }
        return start
    }
}
