import JSONText

/// What the sources of a document answered.
extension TextSummary {
    static func addSources(_ report: ReportLookup, to page: inout TextPage) {
        let sources = report.node("sources")?.members ?? []
        guard sources.count > 1 else { return }
        let hasRate = sources.contains { $0.node["server_hit_rate"] != nil }
        let heads = ["tiles", "ok", "failed", "bytes", "p50", "p90", "p99"]
        let nameWidth = 15
        let widths = [9, 9, 8, 8, 8, 8, 8, 7]
        page.addBlank()
        page.add(
            row: [padded("source", nameWidth)] + heads + (hasRate ? ["hits"] : []),
            widths: [nameWidth] + widths, .bold)
        for source in sources {
            let row = source.node
            let times = row["latency"]?["response"]?["all"]
            func count(_ name: String) -> String { TextNumbers.grouped(row[name]?.uint ?? 0) }
            func time(_ name: String) -> String {
                times?[name]?.double.map { TextNumbers.duration(ms: $0) } ?? "-"
            }
            var cells = [
                padded(shortened(source.name, to: nameWidth), nameWidth), count("started"),
                count("ok"), count("failed"), TextNumbers.bytes(row["bytes"]?.double ?? 0),
                time("p50_ms"), time("p90_ms"), time("p99_ms"),
            ]
            if hasRate {
                cells.append(
                    row["server_hit_rate"]?.double.map {
                        TextNumbers.significant(($0 * 100).rounded()) + " %"
                    } ?? "-")
            }
            page.add(row: cells, widths: [nameWidth] + widths)
        }
    }
}
