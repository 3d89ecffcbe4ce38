extension TemplateProgram {
    /// More hosts than this cannot be meant: 26 letters times the 256 prefixes fit.
    private static let hostsMax = 10_000

    /// Every `scheme://host[:port]` the program can write, in lower case, without user and default
    /// port; empty when the template does not start with a scheme.
    ///
    /// A host made of a zoom, a token or the like cannot be listed, thus not be fenced: an error.
    func hosts() throws(TemplateError) -> [String] {
        guard let parts = authoritySegments() else { return [] }
        guard parts.allSatisfy({ [.literal, .choice, .prefix].contains($0.kind) }) else {
            throw TemplateError(
                message: "the host may depend on subdomains and {prefix} only", offset: 0,
                hint: nil)
        }
        let sums = parts.lazy.filter { $0.kind == .choice }.reduce(1) { sum, part in
            sum > TemplateProgram.hostsMax ? sum : lowestCommonMultiple(sum, part.count)
        }
        let prefixes = parts.contains { $0.kind == .prefix } ? 256 : 1
        guard sums * prefixes <= TemplateProgram.hostsMax else {
            throw TemplateError(
                message: "the template has more than \(TemplateProgram.hostsMax) hosts", offset: 0,
                hint: nil)
        }
        // All choices follow x + y, and so does the sum of the prefix's digits modulo 16.
        let shared = greatestCommonDivisor(sums, 16)
        var seen: Set<String> = []
        var hosts: [String] = []
        for sum in 0..<sums {
            for prefix in 0..<prefixes
            where prefixes == 1 || (prefix / 16 + prefix % 16) % shared == sum % shared {
                guard let host = origin(of: expand(parts, sum: sum, prefix: prefix)) else {
                    continue
                }
                if seen.insert(host).inserted { hosts.append(host) }
            }
        }
        return hosts
    }

    /// The segments up to the one in which the authority ends; nil without `://`.
    private func authoritySegments() -> [TemplateSegment]? {
        var parts: [TemplateSegment] = []
        var isInside = false
        for segment in segments {
            parts.append(segment)
            guard segment.kind == .literal else { continue }
            var text = Substring(text(ProgramRange(start: segment.start, count: segment.count)))
            if !isInside {
                guard let place = text.firstRange(of: "://") else { continue }
                isInside = true
                text = text[place.upperBound...]
            }
            if text.contains(where: isAuthorityEnd) { return parts }
        }
        return isInside ? parts : nil
    }

    private func expand(_ parts: [TemplateSegment], sum: Int, prefix: Int) -> String {
        var text = ""
        for part in parts {
            switch part.kind {
            case .choice:
                text += self.text(table[part.start + sum % part.count])
            case .prefix:
                text += String(prefix / 16, radix: 16) + String(prefix % 16, radix: 16)
            default:
                text += self.text(ProgramRange(start: part.start, count: part.count))
            }
        }
        return text
    }
}

/// `scheme://host[:port]` of an absolute URL, in lower case; nil when it is none.
package func origin(of url: some StringProtocol) -> String? {
    guard let mark = url.firstRange(of: "://") else { return nil }
    let scheme = url[..<mark.lowerBound].lowercased()
    guard let first = scheme.first, first.isASCII, first.isLetter,
        scheme.utf8.allSatisfy({ byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: ".")
        })
    else { return nil }
    let rest = url[mark.upperBound...]
    var authority = rest[..<(rest.firstIndex(where: isAuthorityEnd) ?? rest.endIndex)]
    if let at = authority.lastIndex(of: "@") {
        authority = authority[authority.index(after: at)...]
    }
    var host = authority.lowercased()
    let defaultPort = ["http": ":80", "https": ":443"][scheme] ?? ":"
    if host.hasSuffix(defaultPort) {
        host.removeLast(defaultPort.count)
    } else if host.hasSuffix(":") {
        host.removeLast()
    }
    return host.isEmpty ? nil : "\(scheme)://\(host)"
}

/// The characters that end the authority (RFC 3986, 3.2), and `\`, which some parsers read as `/`.
private func isAuthorityEnd(_ character: Character) -> Bool {
    "/?#\\".contains(character)
}

private func greatestCommonDivisor(_ one: Int, _ other: Int) -> Int {
    other == 0 ? one : greatestCommonDivisor(other, one % other)
}

private func lowestCommonMultiple(_ one: Int, _ other: Int) -> Int {
    one / greatestCommonDivisor(one, other) * other
}

extension StringProtocol {
    /// The first place of a text; the standard library's own needs `_StringProcessing`.
    fileprivate func firstRange(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) {
                return start..<index(start, offsetBy: text.count)
            }
            start = index(after: start)
        }
        return nil
    }
}
