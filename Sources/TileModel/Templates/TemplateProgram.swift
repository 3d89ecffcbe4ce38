/// A range of a program's bytes or segments.
struct ProgramRange: Sendable {
    var start: Int
    var count: Int
}

/// A template compiled: what to write, in order, and the bytes it is written from.
struct TemplateProgram: Sendable {
    var segments: [TemplateSegment] = []
    /// The texts of choices and matrices, as ranges of `bytes`.
    var table: [ProgramRange] = []
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
            table.append(ProgramRange(start: bytes.count, count: text.utf8.count))
            bytes.append(contentsOf: text.utf8)
        }
    }

    mutating func append(tokenPart name: String) {
        let number = tokenNames.firstIndex(of: name) ?? tokenNames.count
        if number == tokenNames.count { tokenNames.append(name) }
        segments.append(TemplateSegment(kind: .tokenPart, start: number))
    }

    /// Adds the steps of another program; returns where they are.
    mutating func append(_ other: TemplateProgram) -> ProgramRange {
        let start = segments.count
        for var segment in other.segments {
            switch segment.kind {
            case .literal: segment.start += bytes.count
            case .choice, .matrix: segment.start += table.count
            default: break
            }
            segments.append(segment)
        }
        for range in other.table {
            table.append(ProgramRange(start: range.start + bytes.count, count: range.count))
        }
        bytes += other.bytes
        return ProgramRange(start: start, count: other.segments.count)
    }

    func text(_ range: ProgramRange) -> String {
        String(decoding: bytes[range.start..<range.start + range.count], as: UTF8.self)
    }

    /// The texts of a choice or matrix.
    func texts(_ segment: TemplateSegment) -> ArraySlice<ProgramRange> {
        table[segment.start..<segment.start + segment.count]
    }
}
