import TileModel

/// A URL, a path or `z/x/y`, alone on its line; `#` begins a comment.
enum URLLine {
    static func looksRight(_ line: Bytes) -> Bool {
        guard case .ask(_, _, let source) = parse(line) else { return false }
        guard case .url(let url) = source else { return true }
        return url.begins(with: "http://") || url.begins(with: "https://")
            || url.first == UInt8(ascii: "/")
    }

    static func parse(_ line: Bytes) -> LogLine {
        let text = line.trimmed
        guard text[0] != UInt8(ascii: "#") else { return .blank }
        guard !text.contains(where: { $0 <= UInt8(ascii: " ") || $0 == 0x7F }) else {
            return .badLine
        }
        if text[0].isDigit, let tile = PathForms.tile(text) {
            return .ask(timeNS: 0, session: 0, .tile(tile))
        }
        return .ask(timeNS: 0, session: 0, .url(text))
    }
}
