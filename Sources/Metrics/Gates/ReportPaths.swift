/// One number in report.json.
package struct ReportPath: Sendable, Hashable {
    /// Names as in the report, unit suffixes included. In `zooms` the second is the value of `z`,
    /// in the other arrays an index. A name may hold dots (`http/1.1`).
    package var segments: [String]
    package var unit: ReportUnit

    /// The segments joined by dots.
    package var text: String { segments.joined(separator: ".") }
}

/// All paths that lead to a number in report.json, whether or not a run has the part.
package enum ReportPaths {
    /// The path that the names lead to, each with or without its unit suffix; nil when unknown.
    /// `latency.response.p99` and `failed_by.timeout` are short for `latency.response.all.p99_ms`
    /// and `ledger.failed_by.timeout`.
    package static func known(_ path: [String]) -> ReportPath? {
        for names in [path] + longForms(of: path) {
            for isExact in [true, false] {
                for pattern in table {
                    if let found = pattern.match(names, isExact: isExact) { return found }
                }
            }
        }
        return nil
    }

    /// Every path as text, a variable name as `<status>` and the like: for hints and lists.
    package static let all: [String] = table.map(\.text)

    private static func longForms(of path: [String]) -> [[String]] {
        guard let first = path.first else { return [] }
        if first == "failed_by" { return [["ledger"] + path] }
        if first == "latency", path.count == 3 {
            return [path.dropLast() + ["all"] + path.suffix(1)]
        }
        return []
    }
}

/// A path with places for variable names.
struct ReportPattern: Sendable {
    enum Segment: Sendable, Hashable {
        case name(String)
        /// Three digits.
        case status
        /// A whole number.
        case index
        /// The same, shown as a zoom level.
        case zoom
        /// The name of a place, or its index.
        case placeName
        /// Any one name, in parts whose fields are not fixed.
        case field
        /// Any one name, dots included, as long as what follows it is there too.
        case source
        /// All that follows, dots included: an address, a protocol, a header's name.
        case rest

        var text: String {
            switch self {
            case .name(let name): name
            case .status: "<status>"
            case .index: "<n>"
            case .zoom: "<z>"
            case .placeName: "<place>"
            case .field: "<field>"
            case .source, .rest: "<name>"
            }
        }
    }

    var segments: [Segment]
    /// Nil: as the last name tells.
    var unit: ReportUnit?

    var text: String { segments.map(\.text).joined(separator: ".") }

    /// - Parameter isExact: Whether unit suffixes must be there.
    func match(_ names: [String], isExact: Bool) -> ReportPath? {
        var names = names
        if segments.last == .rest, names.count > segments.count {
            let kept = segments.count - 1
            names = names.prefix(kept) + [names.dropFirst(kept).joined(separator: ".")]
        }
        let extra = names.count - segments.count
        if extra > 0, let place = segments.firstIndex(of: .source) {
            let name = names[place...place + extra].joined(separator: ".")
            names.replaceSubrange(place...place + extra, with: [name])
        }
        guard names.count == segments.count else { return nil }
        var found: [String] = []
        for (segment, name) in zip(segments, names) {
            guard let canonical = Self.match(segment, name, isExact: isExact) else { return nil }
            found.append(canonical)
        }
        return ReportPath(
            segments: found, unit: unit ?? .of(fieldNamed: found.last ?? ""))
    }

    private static func match(_ segment: Segment, _ name: String, isExact: Bool) -> String? {
        let isNumber = !name.isEmpty && name.utf8.allSatisfy { (48...57).contains($0) }
        return switch segment {
        case .name(let own):
            own == name || !isExact && ReportUnit.withoutSuffix(own) == name ? own : nil
        case .status: isNumber && name.utf8.count == 3 ? name : nil
        case .index, .zoom: isNumber ? name : nil
        case .placeName: name.isEmpty ? nil : name
        case .field: name.isEmpty || isNumber ? nil : name
        case .source, .rest: name.isEmpty || name.contains(where: \.isWhitespace) ? nil : name
        }
    }
}
