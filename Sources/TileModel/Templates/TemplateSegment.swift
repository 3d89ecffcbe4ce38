/// A step of writing a URL.
struct TemplateSegment: Sendable {
    enum Kind: UInt8, Sendable {
        case literal
        case zoom, column, row, rowFlipped
        case box, quadkey, prefix
        /// One of several texts by (x + y) mod n.
        case choice
        /// One of several texts by zoom.
        case matrix
        case token, tokenPart
        case run, random
    }

    var kind: Kind
    /// First byte of a literal, first entry of a choice or matrix, number of a token part.
    var start = 0
    /// Bytes of a literal, entries of a choice or matrix.
    var count = 0

    /// Whether the segment's text differs between tiles.
    var tellsTile: Bool {
        switch kind {
        case .zoom, .column, .row, .rowFlipped, .box, .quadkey, .matrix: true
        case .literal, .prefix, .choice, .token, .tokenPart, .run, .random: false
        }
    }

    /// The most bytes the segment writes, apart from literals, tables and the caller's texts.
    var widthMax: Int {
        switch kind {
        case .zoom: 2
        case .column, .row, .rowFlipped: 10
        case .box: 4 * ByteSink.shortestMax + 3
        case .quadkey: Int(TileID.zoomMax)
        case .prefix: 2
        case .random: 16
        case .literal, .choice, .matrix, .token, .tokenPart, .run: 0
        }
    }
}

/// A range of a program's bytes.
struct ByteRange: Sendable {
    var start: Int
    var count: Int
}

/// A template compiled: what to write, in order, and the bytes it is written from.
struct TemplateProgram: Sendable {
    var segments: [TemplateSegment] = []
    /// The texts of choices and matrices, as ranges of `bytes`.
    var table: [ByteRange] = []
    var bytes: [UInt8] = []
    /// Names of the token parts, by number.
    var tokenNames: [String] = []
    /// MapLibre Native under TMS: everything is made of the flipped row.
    var flipsFirst = false

    mutating func append(literal text: some Collection<UInt8>) {
        guard !text.isEmpty else { return }
        if let last = segments.last, last.kind == .literal, last.start + last.count == bytes.count {
            segments[segments.count - 1].count += text.count
        } else {
            segments.append(
                TemplateSegment(kind: .literal, start: bytes.count, count: text.count))
        }
        bytes.append(contentsOf: text)
    }

    mutating func append(_ kind: TemplateSegment.Kind) {
        segments.append(TemplateSegment(kind: kind))
    }

    mutating func append(_ kind: TemplateSegment.Kind, texts: [String]) {
        segments.append(TemplateSegment(kind: kind, start: table.count, count: texts.count))
        for text in texts {
            table.append(ByteRange(start: bytes.count, count: text.utf8.count))
            bytes.append(contentsOf: text.utf8)
        }
    }

    mutating func append(tokenPart name: String) {
        let number = tokenNames.firstIndex(of: name) ?? tokenNames.count
        if number == tokenNames.count { tokenNames.append(name) }
        segments.append(TemplateSegment(kind: .tokenPart, start: number))
    }

    func text(_ range: ByteRange) -> String {
        String(decoding: bytes[range.start..<range.start + range.count], as: UTF8.self)
    }

    /// The texts of a choice or matrix.
    func texts(_ segment: TemplateSegment) -> ArraySlice<ByteRange> {
        table[segment.start..<segment.start + segment.count]
    }
}
