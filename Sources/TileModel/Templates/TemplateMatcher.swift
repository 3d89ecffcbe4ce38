/// A template read backwards: from a URL to the tile it was written for.
///
/// What does not tell the tile is not compared, as far as it may differ between the one who asked
/// then and the one who asks now: scheme and host, tokens, and all of the query but the parameters
/// that tell the tile. Path and parameters are compared percent-decoded. Two numbers side by side
/// (`{z}{x}`) have no end of their own and are not told apart.
package struct TemplateMatcher: Sendable {
    typealias Text = UnsafeBufferPointer<UInt8>

    enum Step: Sendable {
        case text([UInt8])
        case zoom, column, row, rowFlipped
        case box, quadkey, prefix
        /// One of several texts.
        case choice([[UInt8]])
        /// One of several texts, by zoom.
        case matrix([[UInt8]])
        /// Anything up to the next text, a slash or the end.
        case any
    }

    /// The end of a path, from the slash behind the host.
    private var path: [Step] = []
    /// Parameters that tell the tile; the names in lower case.
    private var parameters: [(name: [UInt8], steps: [Step])] = []
    private let flipsFirst: Bool

    /// Nil: the template does not tell zoom, column and row.
    package init?(_ template: TileTemplate) {
        let program = template.program
        flipsFirst = program.flipsFirst
        var parts = TemplateParts(program)
        path = TemplateMatcher.steps(parts.takePath(), program)
        for parameter in parts.takeParameters() {
            let steps = TemplateMatcher.steps(parameter.value, program)
            if steps.contains(where: \.tellsTile) { parameters.append((parameter.name, steps)) }
        }
        guard TemplateMatcher.tellTile(path + parameters.flatMap(\.steps)) else { return nil }
    }

    private static func steps(
        _ pieces: [TemplateParts.Piece], _ program: TemplateProgram
    ) -> [Step] {
        var steps: [Step] = []
        for piece in pieces {
            switch piece {
            case .text(let text): steps.append(.text(percentDecoded(text)))
            case .segment(let segment): steps.append(step(segment, program))
            }
        }
        return steps
    }

    private static func step(_ segment: TemplateSegment, _ program: TemplateProgram) -> Step {
        func texts() -> [[UInt8]] {
            program.texts(segment).map { percentDecoded(Array(program.text($0).utf8)) }
        }
        return switch segment.kind {
        case .zoom: .zoom
        case .column: .column
        case .row: .row
        case .rowFlipped: .rowFlipped
        case .box: .box
        case .quadkey: .quadkey
        case .prefix: .prefix
        case .choice: .choice(texts())
        case .matrix: .matrix(texts())
        // A box in degrees is passed over: which tile it is, only the box of metres says.
        case .boxLongitudeFirst, .boxLatitudeFirst: .any
        case .literal, .token, .tokenPart, .run, .random: .any
        }
    }

    private static func tellTile(_ steps: [Step]) -> Bool {
        var (zoom, column, row) = (false, false, false)
        for step in steps {
            switch step {
            case .quadkey, .box: return true
            case .zoom, .matrix: zoom = true
            case .column: column = true
            case .row, .rowFlipped: row = true
            case .text, .prefix, .choice, .any: break
            }
        }
        return zoom && column && row
    }

    // MARK: - Matching

    /// The tile of a URL. No allocation.
    ///
    /// - Parameters:
    ///   - path: from the slash behind the host, percent-decoded but for `%2F`.
    ///   - parameter: finds a parameter of the query by its name in lower case, decoded likewise;
    ///     the memory is valid until the next call.
    package func tile(
        path text: UnsafeBufferPointer<UInt8>,
        parameter: (UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>?
    ) -> TileID? {
        var found = MatchedTile()
        guard TemplateMatcher.match(path, text, &found) else { return nil }
        for (name, steps) in parameters {
            guard let value = name.withUnsafeBufferPointer({ parameter($0) }),
                TemplateMatcher.match(steps, value, &found)
            else { return nil }
        }
        guard let tile = found.tile else { return nil }
        return flipsFirst ? tile.flipped : tile
    }

    private static func match(_ steps: [Step], _ text: Text, _ found: inout MatchedTile) -> Bool {
        var place = 0
        for number in steps.indices {
            switch steps[number] {
            case .text(let wanted):
                guard starts(text, place, wanted) else { return false }
                place += wanted.count
            case .zoom:
                guard let value = decimal(text, &place), found.setZoom(value) else { return false }
            case .column:
                guard let value = decimal(text, &place), found.setColumn(value) else {
                    return false
                }
            case .row:
                guard let value = decimal(text, &place), found.setRow(value) else { return false }
            case .rowFlipped:
                guard let value = decimal(text, &place), found.setFlippedRow(value) else {
                    return false
                }
            case .quadkey:
                guard found.setQuadkey(text, &place) else { return false }
            case .box:
                guard found.setBox(text, &place) else { return false }
            case .prefix:
                guard text.count - place >= 2 else { return false }
                place += 2
            case .choice(let texts):
                guard let index = longest(texts, text, place) else { return false }
                place += texts[index].count
            case .matrix(let texts):
                guard let index = longest(texts, text, place), found.setZoom(UInt64(index)) else {
                    return false
                }
                place += texts[index].count
            case .any:
                place = end(ofAny: text, place, steps[(number + 1)...])
            }
        }
        return place == text.count
    }

    private static func starts(_ text: Text, _ place: Int, _ wanted: [UInt8]) -> Bool {
        guard text.count - place >= wanted.count else { return false }
        for offset in wanted.indices where text[place + offset] != wanted[offset] { return false }
        return true
    }

    /// The longest of several texts that stands at a place.
    private static func longest(_ texts: [[UInt8]], _ text: Text, _ place: Int) -> Int? {
        var best: Int?
        for index in texts.indices where starts(text, place, texts[index]) {
            if let known = best, texts[known].count >= texts[index].count { continue }
            best = index
        }
        return best
    }

    /// Where the next text first stands, or the part of the path ends.
    private static func end(ofAny text: Text, _ place: Int, _ rest: ArraySlice<Step>) -> Int {
        var end = place
        while end < text.count {
            if case .text(let wanted) = rest.first, starts(text, end, wanted) { return end }
            if text[end] == UInt8(ascii: "/") { return end }
            end += 1
        }
        return end
    }

    private static func decimal(_ text: Text, _ place: inout Int) -> UInt64? {
        var number: UInt64 = 0
        let start = place
        while place < text.count, place - start < 10,
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[place])
        {
            number = number * 10 + UInt64(text[place] - UInt8(ascii: "0"))
            place += 1
        }
        return place > start ? number : nil
    }
}

extension TemplateMatcher.Step {
    fileprivate var tellsTile: Bool {
        switch self {
        case .zoom, .column, .row, .rowFlipped, .box, .quadkey, .matrix: true
        case .text, .prefix, .choice, .any: false
        }
    }
}

/// A text with `%41` read as `A`. What is no such triple stays, and so does `%2F`, which is no
/// slash between the parts of a path.
func percentDecoded(_ text: [UInt8]) -> [UInt8] {
    var decoded: [UInt8] = []
    var place = 0
    while place < text.count {
        if text[place] == UInt8(ascii: "%"), place + 2 < text.count,
            let high = hexValue(text[place + 1]), let low = hexValue(text[place + 2]),
            high << 4 | low != UInt8(ascii: "/")
        {
            decoded.append(high << 4 | low)
            place += 3
        } else {
            decoded.append(text[place])
            place += 1
        }
    }
    return decoded
}

/// The value of a hexadecimal digit of either case.
package func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
