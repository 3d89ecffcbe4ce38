/// The common and the combined log format of Apache and nginx:
/// `host ident user [time] "METHOD target HTTP/1.1" status bytes …`.
enum CombinedLine {
    static func parse(_ line: Bytes) -> LogLine {
        guard let (timeNS, rest) = time(line) else {
            return looksRight(line) ? .time : .badLine
        }
        let text = rest.trimmed
        guard text.first == UInt8(ascii: "\""), let end = quoteEnd(text) else { return .badLine }
        let request = text.part(1..<end)
        guard let blank = request.place(of: UInt8(ascii: " ")), blank > 0,
            request.part(0..<blank).allSatisfy(\.isUpper)
        else { return .badLine }
        guard request.part(0..<blank).equals("GET") else { return .method }
        var target = request.from(blank + 1).trimmed
        // The last blank: a target may hold some.
        var place = target.count
        while place > 0, target[place - 1] != UInt8(ascii: " ") { place -= 1 }
        if target.from(place).begins(with: "HTTP/") {
            target = target.part(0..<place).trimmed
        }
        guard !target.isEmpty else { return .badLine }
        let host = line.part(0..<(line.place(of: UInt8(ascii: " ")) ?? 0))
        return .ask(timeNS: timeNS, session: host.fingerprint, .url(target))
    }

    /// The first text in brackets that is a time, and what comes behind it. A user's name may hold
    /// brackets too.
    private static func time(_ line: Bytes) -> (Int64, Bytes)? {
        var place = 0
        while let open = line.place(of: UInt8(ascii: "["), from: place) {
            let end = open + 27
            if end < line.count, line[end] == UInt8(ascii: "]"),
                let timeNS = LogTime.common(line.part(open + 1..<end))
            {
                return (timeNS, line.from(end + 1))
            }
            place = open + 1
        }
        return nil
    }

    /// `] "`, as between time and request.
    private static func looksRight(_ line: Bytes) -> Bool {
        var place = 0
        while let close = line.place(of: UInt8(ascii: "]"), from: place) {
            if line.from(close).begins(with: "] \"") { return true }
            place = close + 1
        }
        return false
    }

    /// The quote that ends a text that begins with one; Apache writes one within as `\"`.
    private static func quoteEnd(_ text: Bytes) -> Int? {
        var place = 1
        while place < text.count {
            if text[place] == UInt8(ascii: "\"") { return place }
            place += text[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }
}
