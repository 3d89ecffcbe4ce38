import JSONText

/// The passes of a run, side by side, and what a cold one met.
extension TextSummary {
    static func addPasses(_ report: ReportLookup, to page: inout TextPage) {
        let rows = report.node("passes")?.array ?? []
        guard rows.count > 1 else { return }
        page.addBlank()
        let widths = [11, 10, 10, 8, 9, 8, 8, 8, 8]
        page.add(
            row: ["pass", "tiles", "ok", "tiles/s", "bytes", "p50", "p99", "server", "client"],
            widths: widths, .bold)
        for row in rows {
            func count(_ name: String) -> String { TextNumbers.grouped(row[name]?.uint ?? 0) }
            func time(_ name: String) -> String {
                row[name]?.double.map { TextNumbers.duration(ms: $0) } ?? "-"
            }
            func share(_ name: String) -> String {
                row[name]?.double.map { TextNumbers.percent($0) } ?? "-"
            }
            page.add(
                row: [
                    shortened(row["name"]?.string ?? "", to: 11), count("started"), count("ok"),
                    row["ok_per_s"]?.double.map { TextNumbers.significant($0) } ?? "-",
                    TextNumbers.bytes(row["bytes"]?.double ?? 0), time("p50_ms"), time("p99_ms"),
                    share("server_hit_rate"), share("client_hit_rate"),
                ], widths: widths)
        }
        page.add(
            line: "The two on the right are hit rates. What follows is of the pass \""
                + (rows.last?["name"]?.string ?? "") + "\".")
    }

    /// A first pass of several is there to show an empty cache.
    static func addColdness(_ report: ReportLookup, to page: inout TextPage) {
        let first = report.node("passes")?.array?.first
        let hits = first?["foreign_hits"]?.uint ?? report.count("cache.server.foreign_hits")
        let name = first?["name"]?.string ?? report.text("run.pass")
        let answers = first?["ok"]?.uint ?? report.count("ledger.ok")
        // Asks that overtook each other at the end of a pass may look like some.
        guard hits * 100 > answers, let name else { return }
        page.add(
            sentence: "The pass \"\(name)\" was not cold: at least "
                + TextNumbers.count(hits, "answer")
                + " of \(TextNumbers.grouped(answers)) came from"
                + " a cache that was filled before it. A PURGE in `before`, or {run} in the"
                + " template, makes it cold.", .doubtful)
    }

    /// Where answers came from, when a header names an edge location.
    static func addEdges(_ report: ReportLookup, to page: inout TextPage) {
        let rows = report.node("cache.server.edges")?.array ?? []
        guard !rows.isEmpty else { return }
        let shown = 10
        page.addBlank()
        let widths = [22, 11, 9, 9, 9, 9]
        page.add(row: ["edge", "answers", "bytes", "p50", "p99", "hits"], widths: widths, .bold)
        for row in rows.prefix(shown) {
            func time(_ name: String) -> String {
                row[name]?.double.map { TextNumbers.duration(ms: $0) } ?? "-"
            }
            page.add(
                row: [
                    shortened(row["name"]?.string ?? "", to: 22),
                    TextNumbers.grouped(row["count"]?.uint ?? 0),
                    TextNumbers.bytes(row["bytes"]?.double ?? 0), time("p50_ms"), time("p99_ms"),
                    row["hit_rate"]?.double.map { TextNumbers.percent($0) } ?? "-",
                ], widths: widths)
        }
        if rows.count > shown {
            page.add(line: "and \(TextNumbers.count(UInt64(rows.count - shown), "more edge"))")
        }
    }
}
