/// A template's program taken apart where a URL is: host, path, parameters, fragment.
struct TemplateParts {
    enum Piece {
        case text([UInt8])
        case segment(TemplateSegment)
    }

    /// What is left, from the path on.
    private var rest: ArraySlice<Piece>

    init(_ program: TemplateProgram) {
        var pieces: [Piece] = program.segments.map { segment in
            guard segment.kind == .literal else { return .segment(segment) }
            return .text(
                Array(program.bytes[segment.start..<segment.start + segment.count]))
        }
        TemplateParts.dropHost(&pieces)
        rest = pieces[...]
    }

    /// Everything up to the first slash behind `://`; nothing when there is no `://`.
    private static func dropHost(_ pieces: inout [Piece]) {
        var isInside = false
        for (number, piece) in pieces.enumerated() {
            guard case .text(let text) = piece else { continue }
            var start = 0
            if !isInside {
                guard
                    let colon = text.indices.first(where: { text[$0...].starts(with: "://".utf8) })
                else { continue }
                isInside = true
                start = colon + 3
            }
            let end = text[start...].firstIndex {
                [UInt8(ascii: "/"), UInt8(ascii: "?")].contains($0)
            }
            if let end {
                pieces.replaceSubrange(...number, with: [.text(Array(text[end...]))])
                return
            }
        }
        if isInside { pieces = [] }
    }

    /// The pieces up to one of the marks, which is taken too and returned.
    private mutating func take(upTo marks: [UInt8]) -> (pieces: [Piece], mark: UInt8?) {
        var pieces: [Piece] = []
        while let piece = rest.popFirst() {
            guard case .text(let text) = piece,
                let place = text.firstIndex(where: { marks.contains($0) })
            else {
                pieces.append(piece)
                continue
            }
            if place > 0 { pieces.append(.text(Array(text[..<place]))) }
            if place + 1 < text.count { rest = [.text(Array(text[(place + 1)...]))] + rest }
            return (pieces, text[place])
        }
        return (pieces, nil)
    }

    mutating func takePath() -> [Piece] {
        let (path, mark) = take(upTo: [UInt8(ascii: "?"), UInt8(ascii: "#")])
        if mark == UInt8(ascii: "#") { rest = [] }
        return path
    }

    /// Parameters whose name is a plain text, in lower case.
    mutating func takeParameters() -> [(name: [UInt8], value: [Piece])] {
        var parameters: [(name: [UInt8], value: [Piece])] = []
        var isLast = rest.isEmpty
        while !isLast {
            let (pieces, mark) = take(upTo: [UInt8(ascii: "&"), UInt8(ascii: "#")])
            isLast = mark != UInt8(ascii: "&")
            guard case .text(let first)? = pieces.first,
                let equals = first.firstIndex(of: UInt8(ascii: "="))
            else { continue }
            let name = percentDecoded(Array(first[..<equals])).map { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
            }
            var value = Array(pieces.dropFirst())
            if equals + 1 < first.count {
                value.insert(.text(Array(first[(equals + 1)...])), at: 0)
            }
            parameters.append((name, value))
        }
        return parameters
    }
}
