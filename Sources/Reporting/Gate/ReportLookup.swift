import JSONText
import Metrics

/// Finds numbers of a report by their names.
struct ReportLookup: Sendable {
    let report: JSONNode

    init(_ report: JSONNode) { self.report = report }

    /// What a path of names joined by dots leads to, such as `latency.response.all.p99_ms`.
    func node(_ path: String) -> JSONNode? {
        node(at: path.split(separator: ".").map(String.init)[...])
    }

    func number(_ path: String) -> Double? { node(path)?.double }

    /// 0 when there is none.
    func count(_ path: String) -> UInt64 { node(path)?.uint ?? 0 }

    func text(_ path: String) -> String? { node(path)?.string }

    /// The number a gate speaks of. A count that is missing from a part that is there is 0; nil
    /// means no data.
    func value(_ path: ReportPath) -> Double? {
        let segments = Self.written(path.segments)
        if let found = node(at: segments) { return found.double }
        guard path.unit.isCount, !Self.hasNoZero.contains(segments.last ?? "") else { return nil }
        return node(at: segments.dropLast())?.members == nil ? nil : 0
    }

    /// Of how many samples the number is a summary, for `min_samples`: those of the distribution or
    /// row it stands in, else the asks started.
    func samples(_ path: ReportPath) -> UInt64 {
        let segments = Self.written(path.segments)
        if path.segments.starts(with: ["cache", "client"]) {
            return count("cache.client.lookups")
        }
        if path.segments == ["cache", "server", "hit_rate"] {
            return ["hit", "stale_hit", "revalidated", "miss"]
                .reduce(0) { $0 + count("cache.server.\($1).count") }
        }
        let part = node(at: segments.dropLast())
        let own = part?["count"] ?? part?["asks"] ?? (segments.count == 3 ? part?["started"] : nil)
        return own?.uint ?? count("ledger.started")
    }

    /// Counts whose absence says that there is nothing to count on: no expiry, no maximum.
    private static let hasNoZero: Set<String> = ["per_expiry_max"]

    /// The parts of `ledger.failed_by.status` stand beside it, since it is a number itself.
    private static func written(_ segments: [String]) -> ArraySlice<String> {
        guard segments.count == 4, segments.starts(with: ["ledger", "failed_by"]) else {
            return segments[...]
        }
        return ["ledger", "failed_by_detail", segments[2], segments[3]]
    }

    private func node(at segments: ArraySlice<String>) -> JSONNode? {
        var found = report
        for (index, name) in segments.enumerated() {
            let next: JSONNode?
            if let rows = found.array {
                next = Self.row(name, of: rows, in: index == 1 ? segments.first ?? "" : "")
            } else {
                next = found[name]
            }
            guard let next else { return nil }
            found = next
        }
        return found
    }

    /// Rows of zooms are named by their zoom, places by their name or index, all others by index.
    private static func row(_ name: String, of rows: [JSONNode], in part: String) -> JSONNode? {
        if part == "places", let place = rows.first(where: { $0["name"]?.string == name }) {
            return place
        }
        guard let number = Int(name) else { return nil }
        if part == "zooms" { return rows.first { $0["z"]?.int == number } }
        return rows.indices.contains(number) ? rows[number] : nil
    }
}
