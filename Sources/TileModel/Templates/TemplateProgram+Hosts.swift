extension TemplateProgram {
    /// More hosts than this cannot be meant: 26 letters times the 256 prefixes fit.
    private static let hostsMax = 10_000

    /// Every `scheme://host[:port]` the program can write, in lower case, without user and default
    /// port; empty when the template does not start with a scheme.
    ///
    /// A host made of a zoom, a token or the like cannot be listed, thus not be fenced: an error.
    /// So is one that cannot be read one way only.
    func hosts() throws(TemplateError) -> [String] {
        guard let parts = authoritySegments() else { return [] }
        guard parts.allSatisfy({ [.literal, .choice, .prefix].contains($0.kind) }) else {
            throw TemplateError(
                message: "the host may depend on subdomains and {prefix} only", offset: 0,
                hint: nil)
        }
        let sums = parts.lazy.filter { $0.kind == .choice }.reduce(1) { sum, part in
            sum > TemplateProgram.hostsMax ? sum : leastCommonMultiple(sum, part.count)
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
        var isAlwaysAbsolute = true
        for sum in 0..<sums {
            for prefix in 0..<prefixes
            where prefixes == 1 || (prefix / 16 + prefix % 16) % shared == sum % shared {
                let host = try host(expand(parts, sum: sum, prefix: prefix))
                if let host, seen.insert(host).inserted { hosts.append(host) }
                isAlwaysAbsolute = isAlwaysAbsolute && host != nil
            }
        }
        guard hosts.isEmpty || isAlwaysAbsolute else {
            throw TemplateError(
                message: "not every URL of the template is absolute", offset: 0, hint: nil)
        }
        return hosts
    }

    /// After how many sums of column and row the hosts begin again; nil: they depend on more than
    /// that, or there is none.
    var hostSums: Int? {
        guard let parts = authoritySegments(), !parts.contains(where: { $0.kind == .prefix }) else {
            return nil
        }
        return parts.filter { $0.kind == .choice }.reduce(1) { leastCommonMultiple($0, $1.count) }
    }

    /// The host of tiles of such a sum, where `hostSums` is known.
    func host(sum: Int) -> String? {
        authoritySegments().flatMap { try? host(expand($0, sum: sum, prefix: 0)) }
    }

    /// The host of one URL, of which the authority and perhaps more is there.
    private func host(_ url: String) throws(TemplateError) -> String? {
        do throws(URLOrigin.Problem) {
            return try URLOrigin.read(url)
        } catch {
            throw TemplateError(
                message: "the URL has no host that can be read: \(error)", offset: 0, hint: nil)
        }
    }

    /// The segments up to the one in which the authority ends; nil without `://`.
    private func authoritySegments() -> [TemplateSegment]? {
        var parts: [TemplateSegment] = []
        var isInside = false
        for segment in segments {
            parts.append(segment)
            guard segment.kind == .literal else { continue }
            var text = bytes[segment.start..<segment.start + segment.count]
            if !isInside {
                guard let place = text.firstRange(of: "://") else { continue }
                isInside = true
                text = text[place.upperBound...]
            }
            if text.contains(where: URLOrigin.isAuthorityEnd) { return parts }
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

private func greatestCommonDivisor(_ one: Int, _ other: Int) -> Int {
    other == 0 ? one : greatestCommonDivisor(other, one % other)
}

func leastCommonMultiple(_ one: Int, _ other: Int) -> Int {
    one / greatestCommonDivisor(one, other) * other
}

extension ArraySlice<UInt8> {
    /// The first place of a text; the standard library's own needs `_StringProcessing`.
    fileprivate func firstRange(of text: String) -> Range<Int>? {
        let count = text.utf8.count
        let start = indices.first { self[$0...].starts(with: text.utf8) }
        return start.map { $0..<$0 + count }
    }
}
