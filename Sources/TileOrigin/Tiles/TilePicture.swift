/// Paints a tile's picture: a border, a colour of its own, and its address in digits.
struct TilePicture {
    private let writer = PNGWriter()

    /// Appends the tile as a PNG to `output`.
    func paint(_ tile: OriginTile, paddedTo bytes: Int?, into output: inout [UInt8]) {
        let size = 256 * tile.ratio
        let border = 2 * tile.ratio
        // One centred line, as large as fits: 24 characters (zoom 30) leave one pixel per dot.
        let label = Array(tile.label.utf8).map(BitmapFont.rows)
        let dots = label.count * BitmapFont.advance - 1
        let scale = max(1, min((size - size / 16) / dots, size / 64))
        let above = (size - BitmapFont.height * scale) / 2
        let below = size - above - BitmapFont.height * scale

        let edge = PixelRow(size: size, border: size / 2)
        let ground = PixelRow(size: size, border: border)
        var rows: [UInt8] = []
        rows.reserveCapacity(size * ground.bytes.count)
        func append(_ row: PixelRow, _ count: Int) {
            for _ in 0..<count { rows += row.bytes }
        }
        append(edge, border)
        append(ground, above - border)
        for line in 0..<BitmapFont.height {
            var row = ground
            row.write(label, line: line, scale: scale, left: (size - dots * scale) / 2)
            append(row, scale)
        }
        append(ground, below - border)
        append(edge, border)
        writer.write(
            rows: rows, size: size, palette: palette(tile), paddedTo: bytes, seed: tile.packed,
            into: &output)
    }

    /// A light ground and a dark border of one hue, and black.
    private func palette(_ tile: OriginTile) -> [PNGWriter.Colour] {
        let word = OriginDraw.mix(tile.packed >> 2)
        func part(_ shift: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> shift & 63) }
        let (red, green, blue) = (part(0), part(8), part(16))
        return [
            .init(red: 255 - red, green: 255 - green, blue: 255 - blue),
            .init(red: 0, green: 0, blue: 0),
            .init(red: 160 - 2 * red, green: 160 - 2 * green, blue: 160 - 2 * blue),
            .init(red: 255, green: 255, blue: 255),
        ]
    }
}

/// One row of pixels as ``PNGWriter`` takes it: a filter byte, then four pixels to a byte.
private struct PixelRow {
    /// Palette indices; 0 is the ground.
    private enum Ink {
        static let text: UInt8 = 1
        static let border: UInt8 = 2
    }

    private(set) var bytes: [UInt8]

    /// Ground between two stretches of border; half the size makes it all border.
    init(size: Int, border: Int) {
        bytes = [UInt8](repeating: 0, count: 1 + size / 4)
        for x in 0..<border {
            set(x, Ink.border)
            set(size - 1 - x, Ink.border)
        }
    }

    /// One line of dots of a text, `scale` pixels to a dot.
    mutating func write(_ label: [[UInt8]], line: Int, scale: Int, left: Int) {
        for (index, glyph) in label.enumerated() {
            let glyphLeft = left + index * BitmapFont.advance * scale
            for column in 0..<BitmapFont.width where glyph[line] >> UInt8(4 - column) & 1 == 1 {
                for x in 0..<scale { set(glyphLeft + column * scale + x, Ink.text) }
            }
        }
    }

    @inline(__always)
    private mutating func set(_ x: Int, _ ink: UInt8) {
        let shift = UInt8(6 - 2 * (x & 3))
        bytes[1 + (x >> 2)] = bytes[1 + (x >> 2)] & ~(3 << shift) | ink << shift
    }
}
