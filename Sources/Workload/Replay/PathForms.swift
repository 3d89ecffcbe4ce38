import TileModel

/// Forms of tile paths that need no template.
enum PathForms {
    private static let quadkeyDigitsMin = 6

    static func tile(_ path: Bytes) -> TileID? {
        // The last part, then those before it.
        var rest = path
        let last = takeLast(&rest)
        guard let last, let numberEnd = endOfNumber(last) else {
            return last.flatMap(quadkeyPart)
        }
        if let third = last.part(0..<numberEnd).decimal,
            let second = takeLast(&rest)?.decimal, let first = takeLast(&rest)?.decimal
        {
            if let keyword = takeLast(&rest), keyword.equalsFolded("tile"),
                let service = takeLast(&rest),
                service.equalsFolded("mapserver") || service.equalsFolded("imageserver")
            {
                return TileID(checking: first, third, second)
            }
            return TileID(checking: first, second, third)
        }
        return quadkeyPart(last)
    }

    /// The last part of a path, which is taken off with its slash; nil when none is left.
    private static func takeLast(_ path: inout Bytes) -> Bytes? {
        guard !path.isEmpty else { return nil }
        var start = path.count
        while start > 0, path[start - 1] != UInt8(ascii: "/") { start -= 1 }
        let part = path.from(start)
        path = path.part(0..<max(start - 1, 0))
        return part
    }

    /// Where the digits end with which a part begins, if a resolution, a suffix or nothing comes
    /// behind them.
    private static func endOfNumber(_ part: Bytes) -> Int? {
        var place = 0
        while place < part.count, part[place].isDigit { place += 1 }
        return place > 0 && isEnding(part.from(place)) ? place : nil
    }

    /// `""`, `@2x`, `.png`, `@2x.vector.pbf`.
    private static func isEnding(_ text: Bytes) -> Bool {
        var rest = text
        if rest.count >= 3, rest[0] == UInt8(ascii: "@"), rest[1].isDigit,
            rest[2] == UInt8(ascii: "x")
        {
            rest = rest.from(3)
        }
        guard !rest.isEmpty else { return true }
        guard rest[0] == UInt8(ascii: "."), rest.count > 1 else { return false }
        return rest.allSatisfy { byte in
            byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte.folded)
                || byte == UInt8(ascii: ".")
        }
    }

    /// `02301322`, `a02301322.jpeg`.
    private static func quadkeyPart(_ part: Bytes) -> TileID? {
        var text = part
        if text.begins(with: "a") || text.begins(with: "h") || text.begins(with: "r") {
            text = text.from(1)
        }
        guard let end = endOfNumber(text), end >= quadkeyDigitsMin else { return nil }
        return quadkeyTile(text.part(0..<end))
    }

    static func quadkeyTile(_ digits: Bytes) -> TileID? {
        guard digits.count <= Int(TileID.zoomMax) else { return nil }
        var (x, y): (UInt32, UInt32) = (0, 0)
        for byte in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "3")).contains(byte) else { return nil }
            let digit = UInt32(byte - UInt8(ascii: "0"))
            (x, y) = (x << 1 | digit & 1, y << 1 | digit >> 1)
        }
        return TileID(z: UInt8(digits.count), x: x, y: y)
    }

    /// `5`, `05`, `EPSG:3857:5`.
    static func matrixZoom(_ matrix: Bytes) -> UInt64? {
        var start = matrix.count
        while start > 0, matrix[start - 1] != UInt8(ascii: ":") { start -= 1 }
        return matrix.from(start).decimal
    }
}
