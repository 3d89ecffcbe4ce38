import TileModel

/// What a path of the server means.
enum OriginRoute: Equatable {
    case tile(OriginTile)
    /// Of a tile's form, but no place of the pyramid.
    case noSuchTile
    case token
    case revoke
    /// Faults on and off.
    case fault
    /// Where refused tiles are redirected to.
    case login
    case statistics
    case document(OriginDocument)
    /// The key-value form of WMTS, of which only the capabilities are served.
    case wmts
    case unknown

    @inline(__always)
    init(_ path: UnsafePointer<CChar>) {
        var text = PathReader(path)
        guard text.skip("/") else {
            self = .unknown
            return
        }
        if let z = text.number() {
            self = OriginRoute.tile(z: z, text: &text)
        } else if text.isRest("token") {
            self = .token
        } else if text.isRest("revoke") {
            self = .revoke
        } else if text.isRest("fault") {
            self = .fault
        } else if text.isRest("login") {
            self = .login
        } else if text.isRest("stats") {
            self = .statistics
        } else if text.isRest("tiles.json") {
            self = .document(.tileJSON)
        } else if text.isRest("style.json") {
            self = .document(.style)
        } else if text.isRest("wmts/1.0.0/WMTSCapabilities.xml") {
            self = .document(.wmtsCapabilities)
        } else if text.isRest("wmts") {
            self = .wmts
        } else {
            self = .unknown
        }
    }

    /// `/{z}/{x}/{y}.png`, `.mvt` or `.pbf`, with `@2x` before the dot of a PNG.
    private static func tile(z: Int, text: inout PathReader) -> OriginRoute {
        guard text.skip("/"), let x = text.number(), text.skip("/"), let y = text.number() else {
            return .unknown
        }
        let double = text.skip("@2x")
        let format: OriginTile.Format
        if text.isRest(".png") {
            format = .png
        } else if !double, text.isRest(".mvt") || text.isRest(".pbf") {
            format = .mvt
        } else {
            return .unknown
        }
        guard z <= Int(TileID.zoomMax), x < 1 << z, y < 1 << z else { return .noSuchTile }
        let id = TileID(z: UInt8(z), x: UInt32(x), y: UInt32(y))
        return .tile(OriginTile(id: id, format: format, ratio: double ? 2 : 1))
    }
}

/// Reads a path of C text from the left.
private struct PathReader {
    private var next: UnsafePointer<CChar>

    init(_ text: UnsafePointer<CChar>) {
        next = text
    }

    @inline(__always)
    mutating func skip(_ word: StaticString) -> Bool {
        let length = word.utf8CodeUnitCount
        for index in 0..<length where UInt8(bitPattern: next[index]) != word.utf8Start[index] {
            return false
        }
        next += length
        return true
    }

    @inline(__always)
    func isRest(_ word: StaticString) -> Bool {
        var copy = self
        return copy.skip(word) && copy.next.pointee == 0
    }

    /// A decimal number without leading zeros; more digits than any tile has are cut off at a value
    /// that is outside every pyramid.
    @inline(__always)
    mutating func number() -> Int? {
        var digits = 0
        var value = 0
        while case let digit = UInt8(bitPattern: next[digits]) &- 48, digit < 10 {
            if digits > 0, value == 0 { return nil }
            value = min(value * 10 + Int(digit), 1 << 40)
            digits += 1
        }
        guard digits > 0 else { return nil }
        next += digits
        return value
    }
}
