/// A URL as a document writes it, be it absolute or relative to the document's own.
package enum URLReference {
    /// The scheme of an absolute URL, in lower case; nil for a relative one (RFC 3986, 4.2).
    static func scheme(_ text: some StringProtocol) -> String? {
        let utf8 = text.utf8
        guard let colon = utf8.firstIndex(of: UInt8(ascii: ":")), colon != utf8.startIndex else {
            return nil
        }
        let name = utf8[..<colon]
        let isName = name.enumerated().allSatisfy { index, byte in
            isLetter(byte)
                || index > 0
                    && ((UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                        || "+-.".utf8.contains(byte))
        }
        return isName ? String(decoding: name, as: UTF8.self).lowercased() : nil
    }

    /// The absolute URL a reference means in a document of this URL (RFC 3986, 5.2.2). An absolute
    /// reference is taken as it is; placeholders stay. Nil when it is relative and the base is no
    /// `http` or `https` URL.
    package static func resolve(_ reference: String, against base: String) -> String? {
        if scheme(reference) != nil { return reference }
        guard isWeb(base) else { return nil }
        let base = Parts(base)
        let other = Parts(reference)
        let prefix = base.scheme + ":"
        if other.authority != nil { return prefix + reference }
        let root = prefix + "//" + (base.authority ?? "")
        let query: Substring
        let path: String
        if other.path.isEmpty {
            path = String(base.path)
            query = other.query.isEmpty ? base.query : other.query
        } else {
            query = other.query
            let isRooted = other.path.first == "/"
            let folder = base.path.lastIndex(of: "/").map { String(base.path[...$0]) } ?? "/"
            path = withoutDots(isRooted ? String(other.path) : folder + other.path)
        }
        return root + path + query + other.fragment
    }

    /// Whether a text is an `http` or `https` URL with an authority.
    static func isWeb(_ text: String) -> Bool {
        ["http", "https"].contains(scheme(text)) && URLOrigin.isAbsolute(text)
    }

    /// The parts of a URL; query and fragment with their mark.
    private struct Parts {
        var scheme = ""
        var authority: Substring?
        var path: Substring
        var query: Substring
        var fragment: Substring

        init(_ text: String) {
            var rest = Substring(text)
            if let name = URLReference.scheme(text) {
                scheme = name
                rest = rest.dropFirst(name.count + 1)
            }
            fragment = rest[(rest.firstIndex(of: "#") ?? rest.endIndex)...]
            rest = rest[..<fragment.startIndex]
            query = rest[(rest.firstIndex(of: "?") ?? rest.endIndex)...]
            rest = rest[..<query.startIndex]
            if rest.hasPrefix("//") {
                let end = rest.dropFirst(2).firstIndex(of: "/") ?? rest.endIndex
                authority = rest[..<end].dropFirst(2)
                rest = rest[end...]
            }
            path = rest
        }
    }

    /// RFC 3986, 5.2.4, for a path that begins with `/`.
    private static func withoutDots(_ path: String) -> String {
        var kept: [Substring] = []
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for segment in segments {
            switch segment {
            case ".": break
            case "..": _ = kept.popLast()
            default: kept.append(segment)
            }
        }
        if let last = segments.last, last == "." || last == ".." { kept.append("") }
        return "/" + kept.joined(separator: "/")
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}

/// Parameters of a query of the OGC services, whose names have no case.
package enum QueryParameters {
    /// The URL with the parameters behind those it has, values percent-encoded; a parameter of the
    /// same name is replaced. A `#fragment` goes, as no server sees it.
    package static func adding(_ parameters: [(name: String, value: String)], to url: String)
        -> String
    {
        let url = String(url[..<(url.firstIndex(of: "#") ?? url.endIndex)])
        let kept = removing(parameters.map { $0.name.lowercased() }, from: url)
        guard !parameters.isEmpty else { return kept }
        let added = parameters.map { "\($0.name)=\(percentEncoded($0.value))" }
        return kept + (kept.contains("?") ? "&" : "?") + added.joined(separator: "&")
    }

    /// The URL without the parameters of these names, which are in lower case.
    package static func removing(_ names: [String], from url: String) -> String {
        let mark = url.firstIndex(of: "?") ?? url.endIndex
        let kept = url[mark...].dropFirst().split(separator: "&")
            .filter { !names.contains($0.prefix { $0 != "=" }.lowercased()) }
        return url[..<mark] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
    }

    /// The value of the first parameter of a name, as it is written; nil without one.
    package static func value(of name: String, in url: String) -> String? {
        let url = url[..<(url.firstIndex(of: "#") ?? url.endIndex)]
        let mark = url.firstIndex(of: "?") ?? url.endIndex
        for parameter in url[mark...].dropFirst().split(separator: "&") {
            let key = parameter.prefix { $0 != "=" }
            if key.lowercased() == name.lowercased() {
                return String(parameter[key.endIndex...].dropFirst())
            }
        }
        return nil
    }
}
