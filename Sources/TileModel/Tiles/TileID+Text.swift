extension TileID: CustomStringConvertible {
    /// The tile as tile lists and logs write it: `z/x/y`.
    public var description: String { "\(z)/\(x)/\(y)" }
}

/// Why a text is no tile.
package struct TileTextError: Error, Hashable, CustomStringConvertible {
    package let description: String
}

extension TileID {
    /// Reads `z/x/y`: plain decimal numbers, the zoom within 0...30, column and row below 2^z.
    package init(parsing text: some StringProtocol) throws(TileTextError) {
        let fields = text.utf8.split(
            separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
        guard fields.count == 3,
            let z = decimal(fields[0]), let x = decimal(fields[1]), let y = decimal(fields[2])
        else {
            throw TileTextError(
                description: "\"\(text)\" is no tile: z/x/y, three whole numbers, is expected")
        }
        guard z <= UInt64(TileID.zoomMax) else {
            throw TileTextError(description: "tile \(text): zoom \(z) is not within 0...30")
        }
        let last = (UInt64(1) << z) - 1
        guard x <= last else {
            throw TileTextError(
                description: "tile \(text): column \(x) is not within 0...\(last) of zoom \(z)")
        }
        guard y <= last else {
            throw TileTextError(
                description: "tile \(text): row \(y) is not within 0...\(last) of zoom \(z)")
        }
        self.init(z: UInt8(z), x: UInt32(x), y: UInt32(y))
    }

    /// Reads `z/x/y`; nil when it is no tile (`problem(text:)` says why).
    package init?(text: some StringProtocol) {
        guard let tile = try? TileID(parsing: text) else { return nil }
        self = tile
    }

    /// What is wrong with a text that should be `z/x/y`; nil when nothing is.
    package static func problem(text: some StringProtocol) -> String? {
        do throws(TileTextError) {
            _ = try TileID(parsing: text)
            return nil
        } catch {
            return error.description
        }
    }

    /// The Bing Maps key of the tile: one digit 0...3 per zoom, the most significant first; empty
    /// at zoom 0.
    package var quadkey: String {
        var digits = ""
        for bit in (0..<UInt32(z)).reversed() {
            digits.append(["0", "1", "2", "3"][Int((x >> bit & 1) | (y >> bit & 1) << 1)])
        }
        return digits
    }

    /// The tile of a quadkey; nil when there is a character other than 0...3 or more than 30.
    package init?(quadkey: String) {
        guard quadkey.utf8.count <= Int(TileID.zoomMax) else { return nil }
        var x: UInt32 = 0
        var y: UInt32 = 0
        for byte in quadkey.utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "3")).contains(byte) else { return nil }
            let digit = UInt32(byte - UInt8(ascii: "0"))
            x = x << 1 | digit & 1
            y = y << 1 | digit >> 1
        }
        self.init(z: UInt8(quadkey.utf8.count), x: x, y: y)
    }
}

/// A number of at most ten digits (enough for any column), without sign or blanks.
private func decimal(_ digits: some Collection<UInt8>) -> UInt64? {
    guard (1...10).contains(digits.count) else { return nil }
    var number: UInt64 = 0
    for byte in digits {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        number = number * 10 + UInt64(byte - UInt8(ascii: "0"))
    }
    return number
}
