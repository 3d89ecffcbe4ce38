import Glibc

/// The numbers of a tile as they turn up in a URL. A number may be there twice, but not in two
/// values.
struct MatchedTile {
    private var zoom: UInt64?
    private var column: UInt64?
    private var row: UInt64?
    private var rowFlipped: UInt64?

    /// Nil: a number is missing, or there is no such tile.
    var tile: TileID? {
        guard let zoom, zoom <= UInt64(TileID.zoomMax), let column else { return nil }
        let side = UInt64(1) << zoom
        guard column < side else { return nil }
        if let rowFlipped {
            guard rowFlipped < side, row == nil || row == side - 1 - rowFlipped else { return nil }
        }
        guard let row = row ?? rowFlipped.map({ side - 1 - $0 }), row < side else { return nil }
        return TileID(z: UInt8(zoom), x: UInt32(column), y: UInt32(row))
    }

    mutating func setZoom(_ value: UInt64) -> Bool { MatchedTile.set(&zoom, value) }
    mutating func setColumn(_ value: UInt64) -> Bool { MatchedTile.set(&column, value) }
    mutating func setRow(_ value: UInt64) -> Bool { MatchedTile.set(&row, value) }
    mutating func setFlippedRow(_ value: UInt64) -> Bool { MatchedTile.set(&rowFlipped, value) }

    private static func set(_ number: inout UInt64?, _ value: UInt64) -> Bool {
        if let known = number { return known == value }
        number = value
        return true
    }

    private mutating func set(_ tile: TileID) -> Bool {
        setZoom(UInt64(tile.z)) && setColumn(UInt64(tile.x)) && setRow(UInt64(tile.y))
    }

    /// As many digits 0...3 as there are; none is zoom 0.
    mutating func setQuadkey(_ text: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> Bool {
        var tile = TileID(z: 0, x: 0, y: 0)
        while place < text.count, (UInt8(ascii: "0")...UInt8(ascii: "3")).contains(text[place]) {
            guard tile.z < TileID.zoomMax else { return false }
            let digit = UInt32(text[place] - UInt8(ascii: "0"))
            tile = TileID(z: tile.z + 1, x: tile.x << 1 | digit & 1, y: tile.y << 1 | digit >> 1)
            place += 1
        }
        return set(tile)
    }

    /// West, south, east, north in metres of EPSG:3857, commas between: the box of one tile to
    /// within a thousandth of its edge.
    mutating func setBox(_ text: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> Bool {
        var edges = SIMD4<Double>()
        for number in 0..<4 {
            if number > 0 {
                guard place < text.count, text[place] == UInt8(ascii: ",") else { return false }
                place += 1
            }
            guard let edge = MatchedTile.number(text, &place) else { return false }
            edges[number] = edge
        }
        let circumference = 2 * Double.pi * WebMercator.radiusMetres
        let width = edges[2] - edges[0]
        guard width > 0, width.isFinite else { return false }
        let zoom = log2(circumference / width).rounded()
        guard (0...Double(TileID.zoomMax)).contains(zoom) else { return false }
        let edge = circumference / exp2(zoom)
        let column = ((edges[0] + circumference / 2) / edge).rounded()
        let row = ((circumference / 2 - edges[3]) / edge).rounded()
        guard column >= 0, row >= 0, column < exp2(zoom), row < exp2(zoom) else { return false }
        let tile = TileID(z: UInt8(zoom), x: UInt32(column), y: UInt32(row))
        let box = tile.metreBounds
        let distance = SIMD4(box.west, box.south, box.east, box.north) - edges
        for number in 0..<4 where distance[number].magnitude > edge / 1000 { return false }
        return set(tile)
    }

    private static func number(
        _ text: UnsafeBufferPointer<UInt8>, _ place: inout Int
    ) -> Double? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 40) { digits in
            var count = 0
            while place < text.count, count < digits.count - 1,
                "+-.0123456789eE".utf8.contains(text[place])
            {
                digits[count] = CChar(bitPattern: text[place])
                count += 1
                place += 1
            }
            digits[count] = 0
            guard count > 0, let start = digits.baseAddress else { return nil }
            var end: UnsafeMutablePointer<CChar>?
            let value = strtod(start, &end)
            return end == start + count && value.isFinite ? value : nil
        }
    }
}
