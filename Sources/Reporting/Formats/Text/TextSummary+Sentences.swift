import JSONText

/// The first lines: what was found, in sentences.
extension TextSummary {
    /// What must be known before any figure is believed.
    static func addWarnings(_ report: ReportLookup, to page: inout TextPage) {
        let reasons = (report.node("run.reasons")?.array ?? []).compactMap(\.string)
        let why = reasons.isEmpty ? "no reason is given" : reasons.joined(separator: "; ")
        switch report.text("run.validity") {
        case "invalid": page.add(sentence: "The measurement is INVALID: \(why).", .bad)
        case "suspect": page.add(sentence: "The measurement is suspect: \(why).", .doubtful)
        default: break
        }
        if report.node("scenario.plan.connection.verify")?.bool == false {
            page.add(
                sentence: "TLS certificates were not verified (connection.verify is false): anybody"
                    + " may have answered.", .doubtful)
        }
        let time = TextNumbers.duration(s: report.number("run.measured_s") ?? 0)
        if report.node("run.interrupted")?.bool == true {
            let signal = report.text("run.signal").map { " by \($0)" } ?? ""
            page.add(
                sentence: "Interrupted\(signal) after \(time): these are the figures up to then.",
                .doubtful)
        }
        if let condition = report.text("run.aborted") {
            page.add(
                sentence: "Ended after \(time) by abort_when, since \(condition).", .bad)
        }
    }

    static func addWhatRan(_ report: ReportLookup, to page: inout TextPage) {
        let name = report.text("scenario.name") ?? "A run"
        let planned = TextNumbers.count(report.count("ledger.planned"), "tile")
        let time = TextNumbers.duration(s: report.number("run.measured_s") ?? 0)
        let warmup = report.number("run.warmup_s") ?? 0
        let after = warmup > 0 ? " after a warm-up of \(TextNumbers.duration(s: warmup))" : ""
        page.add(
            sentence: "\(name): \(planned) wanted\(load(report)) in \(time)\(after)"
                + "\(target(report)).", .bold)
    }

    /// " by 50 users", " at 1000/s", or nothing when the plan does not tell.
    private static func load(_ report: ReportLookup) -> String {
        let load = report.node("scenario.plan.load")
        if load?["stages"]?.array?.isEmpty == false { return " in stages" }
        if let rate = load?["rate"]?.string { return " at \(rate)" }
        if let rate = load?["rate"]?.double { return " at \(TextNumbers.significant(rate))/s" }
        if let users = load?["users"]?.uint { return " by \(TextNumbers.count(users, "user"))" }
        return ""
    }

    /// " from" what, as the end of a sentence.
    static func target(_ report: ReportLookup) -> String {
        let target = report.node("scenario.plan.target")
        if target?["origin"].map({ !$0.isNull }) == true { return " from the embedded origin" }
        if let template = target?["tiles"]?.string { return " from \(template)" }
        if let document = document(target) {
            let sources = UInt64(report.node("sources")?.members?.count ?? 0)
            return sources > 1
                ? " from the \(TextNumbers.count(sources, "source")) of \(document)"
                : " from \(document)"
        }
        guard let templates = target?["tiles"]?.array, let first = templates.first?.string else {
            return ""
        }
        let others = UInt64(templates.count - 1)
        return " from \(first)"
            + (others == 0 ? "" : " and \(TextNumbers.count(others, "other template"))")
    }

    /// Where the document is that names the tiles.
    private static func document(_ target: JSONNode?) -> String? {
        for name in ["tilejson", "style", "wmts", "wms", "arcgis"] {
            guard let node = target?[name], !node.isNull else { continue }
            return (node["capabilities"] ?? node["template"] ?? node["url"] ?? node).string
        }
        return nil
    }

    static func addHowItWent(_ report: ReportLookup, to page: inout TextPage) {
        let started = report.count("ledger.started")
        let ok = report.count("ledger.ok")
        guard started > 0 else {
            page.add(sentence: "No tile was asked for in the measured time.", .bad)
            return
        }
        var sentence =
            "\(TextNumbers.grouped(ok)) of \(TextNumbers.count(started, "tile")) ok"
            + " (\(TextNumbers.percent(Double(ok) / Double(started))))"
        let others = [
            ("ledger.failed", "failed"), ("ledger.cancelled", "cancelled"),
            ("ledger.in_flight_at_end", "still in flight at the end"),
            ("ledger.not_started", "not started"),
        ]
        for (path, words) in others where report.count(path) > 0 {
            sentence += ", \(TextNumbers.grouped(report.count(path))) \(words)"
        }
        if let rate = report.number("rate.ok_per_s") {
            sentence += "; \(TextNumbers.significant(rate)) good tiles/s"
        }
        if let rate = report.number("rate.bytes_per_s") {
            sentence += ", \(TextNumbers.bytes(rate))/s"
        }
        let times = [("p50", "p50_ms"), ("p99", "p99_ms"), ("max", "max_ms")].compactMap {
            words, name in
            report.number("latency.response.all.\(name)").map {
                "\(words) \(TextNumbers.duration(ms: $0))"
            }
        }
        if !times.isEmpty { sentence += "; response time \(times.joined(separator: ", "))" }
        page.add(sentence: sentence + ".")
    }
}
