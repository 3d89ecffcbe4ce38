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

    private static func target(_ report: ReportLookup) -> String {
        let target = report.node("scenario.plan.target")
        if target?["origin"].map({ !$0.isNull }) == true { return " from the embedded origin" }
        if let template = target?["tiles"]?.string { return " from \(template)" }
        guard let templates = target?["tiles"]?.array, let first = templates.first?.string else {
            return ""
        }
        let others = UInt64(templates.count - 1)
        return " from \(first)"
            + (others == 0 ? "" : " and \(TextNumbers.count(others, "other template"))")
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

    static func addTokens(_ report: ReportLookup, to page: inout TextPage) {
        guard report.node("auth") != nil else { return }
        let first = renewalsBeforeAnyExpiry(report)
        let parts = [
            TextNumbers.count(
                report.count("auth.renewals.succeeded") - first, "token refresh (renewal)",
                "token refreshes (renewals)")
                + " for "
                + TextNumbers.count(report.count("auth.expiry_events"), "expiry", "expiries")
                + (first > 0 ? ", after \(first) for the first token" : ""),
            waiting(report),
            TextNumbers.count(
                report.count("auth.renewals.duplicates"), "duplicate refresh", "duplicate refreshes"
            ),
            TextNumbers.count(report.count("auth.outdated_sends"), "tile")
                + " sent with an old token",
        ]
        page.add(sentence: parts.joined(separator: "; ") + ".")
        addTokenTroubles(report, to: &page)
    }

    /// A cold start's renewal belongs to no expiry. 0 when not all expiries are listed.
    private static func renewalsBeforeAnyExpiry(_ report: ReportLookup) -> UInt64 {
        let events = report.node("auth.events")?.array ?? []
        guard UInt64(events.count) == report.count("auth.expiry_events") else { return 0 }
        let inEvents = events.reduce(0) { $0 + ($1["renewals"]?.uint ?? 0) }
        return report.count("auth.renewals.succeeded")
            - min(
                inEvents, report.count("auth.renewals.succeeded"))
    }

    private static func waiting(_ report: ReportLookup) -> String {
        let count = report.count("auth.parked.count")
        guard count > 0 else { return "no tile waited" }
        var text = "\(TextNumbers.count(count, "tile")) waited"
        if let median = report.number("auth.parked.ms.p50_ms") {
            text += " \(TextNumbers.duration(ms: median))"
        }
        if count > 1, let p99 = report.number("auth.parked.ms.p99_ms") {
            text += " (p99 \(TextNumbers.duration(ms: p99)))"
        }
        return text
    }

    private static func addTokenTroubles(_ report: ReportLookup, to page: inout TextPage) {
        let failed = report.count("auth.renewals.failed")
        if failed > 0 {
            page.add(
                sentence: TextNumbers.count(failed, "try", "tries")
                    + " at the token endpoint failed.", .doubtful)
        }
        let reasons = (report.node("auth.asks_failed")?.members ?? []).filter {
            $0.node.uint ?? 0 > 0
        }
        if !reasons.isEmpty {
            let words = reasons.map { "\($0.name) = \(TextNumbers.grouped($0.node.uint ?? 0))" }
            page.add(
                sentence: "Tiles failed for want of a token: \(words.joined(separator: ", ")).",
                .bad)
        }
        let accepted = (report.node("auth.accepted_while_expired")?.members ?? []).reduce(0) {
            $0 + ($1.node.uint ?? 0)
        }
        if accepted > 0 {
            page.add(
                sentence: TextNumbers.count(accepted, "tile was", "tiles were")
                    + " served for a token known to be dead.", .doubtful)
        }
        let unsaved = report.count("auth.store_failures")
        if unsaved > 0 {
            page.add(
                sentence: "The token store could not be written "
                    + TextNumbers.count(unsaved, "time") + ".", .doubtful)
        }
    }
}
