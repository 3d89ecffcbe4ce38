import JSONText

/// What viewers saw, how the places differ, and what a log held.
extension TextSummary {
    static func addViews(_ report: ReportLookup, to page: inout TextPage) {
        let requested = report.count("views.requested")
        guard requested > 0 else { return }
        func share(_ name: String) -> String {
            TextNumbers.percent(Double(report.count("views.\(name)")) / Double(requested))
        }
        page.addBlank()
        page.add(
            sentence: "Views: \(TextNumbers.grouped(requested)) in"
                + " \(TextNumbers.count(report.count("views.sessions"), "session")),"
                + " \(share("full")) full, \(share("incomplete")) incomplete,"
                + " \(share("abandoned")) abandoned;"
                + " \(TextNumbers.significant(report.number("views.tiles_per_view") ?? 0))"
                + " tiles each"
        )
        let times = [("p50", "p50_ms"), ("p90", "p90_ms"), ("p99", "p99_ms"), ("max", "max_ms")]
            .compactMap { word, name in
                report.number("views.\(name)").map { "\(word) \(TextNumbers.duration(ms: $0))" }
            }
        guard !times.isEmpty else { return }
        page.add(sentence: "Time to a full view: \(times.joined(separator: ", "))")
    }

    static func addPlaces(_ report: ReportLookup, to page: inout TextPage) {
        let rows = report.node("places")?.array ?? []
        guard !rows.isEmpty else { return }
        let hasViews = rows.contains { $0["views"] != nil }
        let heads = ["place", "tiles", "ok", "failed", "p50", "p90", "p99"]
        let widths = [16, 10, 10, 8, 9, 9, 9]
        page.addBlank()
        page.add(row: heads + (hasViews ? ["view"] : []), widths: widths + [9], .bold)
        for row in rows {
            func count(_ name: String) -> String { TextNumbers.grouped(row[name]?.uint ?? 0) }
            func time(_ node: JSONNode?) -> String {
                node?.double.map { TextNumbers.duration(ms: $0) } ?? "-"
            }
            let cells = [
                shortened(row["name"]?.string ?? "", to: 16), count("started"), count("ok"),
                count("failed"), time(row["p50_ms"]), time(row["p90_ms"]), time(row["p99_ms"]),
            ]
            page.add(
                row: cells + (hasViews ? [time(row["views"]?["p50_ms"])] : []),
                widths: widths + [9])
        }
    }

    static func addReplay(_ report: ReportLookup, to page: inout TextPage) {
        guard report.node("replay") != nil else { return }
        let skipped = (report.node("replay.skipped")?.members ?? []).compactMap { reason in
            reason.node.uint.flatMap {
                $0 > 0 ? "\(reason.name) = \(TextNumbers.grouped($0))" : nil
            }
        }
        page.addBlank()
        page.add(
            sentence: "Log: \(TextNumbers.grouped(report.count("replay.tiles"))) of"
                + " \(TextNumbers.count(report.count("replay.lines"), "line"))"
                + " (\(report.text("replay.format") ?? "")) ask for a tile"
                + (skipped.isEmpty ? "" : "; \(skipped.joined(separator: ", "))"))
    }
}
