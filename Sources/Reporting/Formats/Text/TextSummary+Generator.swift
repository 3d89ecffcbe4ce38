import JSONText

/// What it took to measure, and what measured.
extension TextSummary {
    static func addGenerator(_ report: ReportLookup, to page: inout TextPage) {
        page.addBlank()
        let opened = report.count("connections.opened")
        let protocols = (report.node("connections.by_protocol")?.members ?? []).map(\.name)
        let spoken = protocols.isEmpty ? "" : " of \(protocols.joined(separator: " and "))"
        page.add(
            sentence: "Connections: \(TextNumbers.count(opened, "connection"))\(spoken) opened"
                + "\(transport(report)), used again for "
                + TextNumbers.count(report.count("connections.reused"), "request")
        )
        page.add(sentence: "Generator: \(effort(report).joined(separator: ", "))")
        page.add(sentence: origin(report), .faint)
    }

    /// What carried the requests, and why it was not the usual transport.
    private static func transport(_ report: ReportLookup) -> String {
        guard let name = report.text("generator.transport"), !name.isEmpty else { return "" }
        guard name == "libcurl" else { return " by the \(name) transport" }
        return " by \(name)" + (report.text("generator.transport_reason").map { " (\($0))" } ?? "")
    }

    private static func effort(_ report: ReportLookup) -> [String] {
        var parts = [TextNumbers.count(report.count("generator.threads"), "thread")]
        if let seconds = report.number("generator.cpu_s") {
            var text = "CPU \(TextNumbers.duration(s: seconds))"
            // It serves from threads of this process.
            if report.node("scenario.plan.target.origin") != nil {
                text += " including the embedded origin"
            }
            if let perRequest = report.number("generator.cpu_us_per_request") {
                text += " (\(TextNumbers.duration(ns: perRequest * 1e3)) per request)"
            }
            parts.append(text)
        }
        if let used = report.number("generator.cores_used"),
            let available = report.number("generator.cores_available")
        {
            parts.append(
                "\(TextNumbers.significant(used)) of \(TextNumbers.significant(available)) cores")
        }
        for (words, name) in [("start lag", "start_lag"), ("loop lag", "loop_lag")] {
            guard let p99 = report.number("generator.\(name).p99_ms") else { continue }
            parts.append("\(words) p99 \(TextNumbers.duration(ms: p99))")
        }
        parts.append(
            "memory at most \(TextNumbers.bytes(report.number("generator.peak_rss_bytes") ?? 0))")
        let limit = report.count("generator.descriptors_limit")
        if limit > 0 {
            parts.append(
                "\(TextNumbers.grouped(report.count("generator.descriptors_used"))) of"
                    + " \(TextNumbers.grouped(limit)) descriptors")
        }
        return parts
    }

    private static func origin(_ report: ReportLookup) -> String {
        var words = "tilebench \(report.text("tool.version") ?? "")"
        let facts = [
            report.text("tool.commit").map { "commit \($0)" },
            report.text("tool.build").map { "\($0) build" },
            report.node("scenario.seed")?.uint.map { "seed \($0)" },
            report.text("run.started_at").map { "started \($0)" },
        ].compactMap { $0 }
        words += " (\(facts.joined(separator: ", ")))"
        return words
    }
}
