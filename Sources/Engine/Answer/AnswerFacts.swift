import Glibc

/// What the headers of one answer say, as far as anything depends on it. Plain memory that stands
/// inside a slot; it takes line by line as they come, and allocates nothing.
package struct AnswerFacts {
    package enum ContentType: UInt8, Sendable {
        case none, png, jpeg, webp, gif
        /// Any other image.
        case image
        /// A vector tile, or protobuf, which on a tile server means the same.
        case mvt
        case json, html, xml, text, octetStream, other

        var isImage: Bool {
            switch self {
            case .png, .jpeg, .webp, .gif, .image: true
            default: false
            }
        }
    }

    package enum ContentEncoding: UInt8, Sendable { case none, gzip, brotli, deflate, zstd, other }

    package private(set) var contentType = ContentType.none
    package private(set) var contentEncoding = ContentEncoding.none
    /// `X-Blocked`: a usage policy answers (tile.openstreetmap.org, with a picture and a 200).
    package private(set) var isBlocked = false
    /// The picture stands for a tile that does not exist: `X-VE-Tile-Info: no-tile` (Bing) or
    /// `blank-tile: true` (ArcGIS).
    package private(set) var isNoTile = false
    package private(set) var hasLocation = false
    /// What `WWW-Authenticate` says is wrong with the token.
    package private(set) var challenges = ChallengeErrors()
    /// Bytes; -1: not said.
    package private(set) var contentLength: Int64 = -1
    /// Seconds, by this machine's clock when it was said as a date; -1: not said.
    package private(set) var retryAfterS: Int64 = -1
    package var cache = CacheHeaders()
    package private(set) var edge = EdgeName()

    package init() {}

    /// As new, but for the header that is believed about caches.
    package mutating func reset() {
        let believed = cache.believed
        self = AnswerFacts()
        cache.believed = believed
    }

    /// One line as it came: a status line, which begins an answer (the one before was an interim
    /// one, or a proxy's), or "Name: value" with its line end.
    package mutating func note(line: UnsafeRawBufferPointer) {
        let bytes = line.assumingMemoryBound(to: UInt8.self)
        if bytes.hasPrefix("http/") {
            reset()
            return
        }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return }
        note(
            name: bytes.part(0..<colon), value: bytes.part(colon + 1..<bytes.count).trimmed)
    }

    /// One header, without the blanks around its value.
    mutating func note(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        cache.note(name: name, value: value)
        edge.note(name: name, value: value)
        switch name.count {
        case 8 where name.equals("location"):
            hasLocation = !value.isEmpty
        case 9 where name.equals("x-blocked"):
            isBlocked = !value.isEmpty
        case 10 where name.equals("blank-tile"):
            if value.equals("true") { isNoTile = true }
        case 11 where name.equals("retry-after"):
            noteRetryAfter(value)
        case 12 where name.equals("content-type"):
            contentType = ContentType(value)
        case 14 where name.equals("content-length"):
            contentLength = value.decimal ?? -1
        case 14 where name.equals("x-ve-tile-info"):
            if value.equals("no-tile") { isNoTile = true }
        case 16 where name.equals("content-encoding"):
            contentEncoding = ContentEncoding(value)
        case 16 where name.equals("www-authenticate"):
            challenges.note(value)
        default:
            break
        }
    }

    private mutating func noteRetryAfter(_ value: UnsafeBufferPointer<UInt8>) {
        if let seconds = value.decimal {
            retryAfterS = seconds
        } else if let end = HTTPDate.epochSeconds(value) {
            retryAfterS = max(0, end - Int64(time(nil)))
        }
    }
}

extension AnswerFacts.ContentType {
    /// From the value of `Content-Type`; parameters count for nothing.
    init(_ value: UnsafeBufferPointer<UInt8>) {
        let type = value.part(0..<value.end(of: UInt8(ascii: ";"), from: 0)).trimmed
        if type.isEmpty {
            self = .none
        } else if type.hasPrefix("image/") {
            self = Self.image(type.part(6..<type.count))
        } else if type.contains("protobuf") || type.contains("mapbox-vector-tile")
            || type.equals("application/mvt")
        {
            self = .mvt
        } else if type.contains("json") || type.contains("javascript") {
            self = .json
        } else if type.contains("html") {
            self = .html
        } else if type.contains("xml") {
            self = .xml
        } else if type.hasPrefix("text/") {
            self = .text
        } else {
            self = type.hasSuffix("/octet-stream") ? .octetStream : .other
        }
    }

    private static func image(_ subtype: UnsafeBufferPointer<UInt8>) -> Self {
        if subtype.equals("png") || subtype.equals("x-png") { return .png }
        if subtype.equals("jpeg") || subtype.equals("jpg") { return .jpeg }
        if subtype.equals("webp") { return .webp }
        return subtype.equals("gif") ? .gif : .image
    }
}

extension AnswerFacts.ContentEncoding {
    init(_ value: UnsafeBufferPointer<UInt8>) {
        if value.isEmpty || value.equals("identity") {
            self = .none
        } else if value.equals("gzip") || value.equals("x-gzip") {
            self = .gzip
        } else if value.equals("br") {
            self = .brotli
        } else if value.equals("deflate") {
            self = .deflate
        } else {
            self = value.equals("zstd") ? .zstd : .other
        }
    }
}
