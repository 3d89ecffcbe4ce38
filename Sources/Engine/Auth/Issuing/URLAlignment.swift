import TileModel

/// A URL template with `{token}` or `{token.NAME}` in it, laid beside a URL: what stands there in
/// their place. Parameters are found by their name, parts of the path by their place.
struct URLAlignment {
    private let path: [Substring]
    private let isAbsolute: Bool
    private let parameters: [(name: String, value: String)]

    init(_ template: String) {
        (path, isAbsolute) = Self.path(of: template)
        parameters = Self.parameters(of: template, isDecoded: false)
    }

    /// Decoded values by NAME, that of `{token}` under the empty name; nil when the URL does not
    /// fit.
    func values(in url: String) -> [String: String]? {
        var found: [String: String] = [:]
        let (segments, urlIsAbsolute) = Self.path(of: url)
        guard segments.count == path.count || !(urlIsAbsolute && isAbsolute) else { return nil }
        for (index, pattern) in path.enumerated() where pattern.contains("{token") {
            // A relative URL ends as the template does.
            let place = segments.count - (path.count - index)
            guard place >= 0, Self.match(pattern, segments[place], &found) else { return nil }
        }
        let values = Self.parameters(of: url, isDecoded: false)
        for (name, pattern) in parameters where pattern.contains("{token") {
            guard let value = values.first(where: { $0.name == name })?.value,
                Self.match(Substring(pattern), Substring(value), &found)
            else { return nil }
        }
        return found
    }

    /// Names are decoded, values where wanted.
    static func parameters(
        of url: String, isDecoded: Bool = true
    ) -> [(name: String, value: String)] {
        let whole = url.prefix { $0 != "#" }
        guard let mark = whole.firstIndex(of: "?") else { return [] }
        return whole[mark...].dropFirst().split(separator: "&").map { parameter in
            let name = parameter.prefix { $0 != "=" }
            let value = parameter.dropFirst(name.count + 1)
            return (decoded(name), isDecoded ? decoded(value) : String(value))
        }
    }

    /// The parts of the path, and whether the URL has a host.
    private static func path(of url: String) -> (segments: [Substring], isAbsolute: Bool) {
        var rest = url.prefix { $0 != "?" && $0 != "#" }
        let scheme = rest.firstRange(of: "://")
        if let scheme { rest = rest[scheme.upperBound...].drop { $0 != "/" } }
        if rest.first == "/" { rest = rest.dropFirst() }
        return (rest.split(separator: "/", omittingEmptySubsequences: false), scheme != nil)
    }

    /// Puts what stands in place of the pattern's tokens into `found`; false when the rest differs.
    private static func match(
        _ pattern: Substring, _ text: Substring, _ found: inout [String: String]
    ) -> Bool {
        var pattern = pattern
        var text = text
        while let start = pattern.firstRange(of: "{token") {
            let before = pattern[..<start.lowerBound]
            guard text.hasPrefix(before), let end = pattern[start.upperBound...].firstIndex(of: "}")
            else { return false }
            text = text.dropFirst(before.count)
            let name = pattern[start.upperBound..<end].drop { $0 == "." }
            pattern = pattern[pattern.index(after: end)...]
            // Up to what the template has next; all of it when nothing is left.
            let next = pattern.firstRange(of: "{token").map { pattern[..<$0.lowerBound] } ?? pattern
            let stop = next.isEmpty ? text.endIndex : text.firstRange(of: next)?.lowerBound
            guard let stop else { return false }
            found[String(name)] = decoded(text[..<stop])
            text = text[stop...]
        }
        return text == pattern
    }

    /// `+` stands for itself: no token holds a blank, and base64 is full of it.
    private static func decoded(_ text: Substring) -> String {
        String(decoding: percentDecoded(text, plusIsBlank: false), as: UTF8.self)
    }
}
