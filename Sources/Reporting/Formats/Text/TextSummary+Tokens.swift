import JSONText

/// What became of the tokens, in sentences: the verdict first, then what it cost, then what was
/// wrong with it.
extension TextSummary {
    static func addTokens(_ report: ReportLookup, to page: inout TextPage) {
        guard report.node("auth") != nil else { return }
        guard report.node("scenario.plan.auth.static") == nil else {
            addStaticToken(report, to: &page)
            return
        }
        let parts = [
            renewals(report), waiting(report),
            TextNumbers.count(
                report.count("auth.renewals.duplicates"), "duplicate refresh", "duplicate refreshes"
            ),
            TextNumbers.count(report.count("auth.outdated_sends"), "tile")
                + " sent with an old token",
        ]
        page.add(sentence: parts.joined(separator: "; ") + ".", verdict(report))
        addClient(report, to: &page)
        addWhatItCost(report, to: &page)
        addTroubles(report, to: &page)
        addInjections(report, to: &page)
        addServedWhileDead(report, to: &page)
    }

    private static func addStaticToken(_ report: ReportLookup, to page: inout TextPage) {
        let refused = report.count("auth.refusals.total")
        guard refused > 0 else { return }
        page.add(
            sentence:
                "The token was refused \(TextNumbers.count(refused, "time")), and a static one"
                + " is not renewed.", .bad)
    }

    // MARK: the verdict

    private static func verdict(_ report: ReportLookup) -> TextPage.Style {
        let most = report.count("auth.renewals.per_expiry_max")
        let faults = ["auth.renewals.duplicates", "auth.outdated_sends"].map { report.count($0) }
        guard most <= 1, faults.allSatisfy({ $0 == 0 }) else { return .bad }
        return report.count("auth.expiry_events") > 0 && !hasFailedAsks(report) ? .good : .plain
    }

    private static func hasFailedAsks(_ report: ReportLookup) -> Bool {
        (report.node("auth.asks_failed")?.members ?? []).contains { $0.node.uint ?? 0 > 0 }
    }

    private static func renewals(_ report: ReportLookup) -> String {
        let expiries = report.count("auth.expiry_events")
        let initial = report.count("auth.renewals.initial")
        let refreshes =
            report.count("auth.renewals.succeeded")
            - min(initial, report.count("auth.renewals.succeeded"))
        let cells = report.count("auth.cells")
        let where_ = cells > 1 ? " in \(TextNumbers.count(cells, "cell"))" : ""
        guard expiries > 0 || refreshes > 0 else {
            // A flawed machine may take the end of a token for something else.
            return (hasFailedAsks(report) ? "No expiry was noticed" : "No token expired") + where_
                + failedInjections(report)
                + (initial > 0 ? ", \(TextNumbers.grouped(initial)) fetched at the start" : "")
        }
        var text =
            TextNumbers.count(refreshes, "token refresh", "token refreshes") + " for "
            + TextNumbers.count(expiries, "expiry", "expiries") + where_
        // Those that somebody had to wait for were not in time.
        let ahead = report.count("auth.renewals.proactive")
        let inTime = ahead - min(ahead, report.count("auth.renewals.converted"))
        if inTime > 0 {
            text += ", \(inTime == refreshes ? "all" : TextNumbers.grouped(inTime)) ahead of time"
        }
        if initial > 0 {
            text +=
                ", after \(TextNumbers.grouped(initial)) for the first token"
                + (cells > 1 ? "s" : "")
        }
        return text
    }

    /// Those that were to end a token, and could not.
    private static func failedInjections(_ report: ReportLookup) -> String {
        let failed = injectionsFailed(report)
        guard failed > 0 else { return "" }
        return ", as \(TextNumbers.count(failed, "injection")) failed"
    }

    private static func injectionsFailed(_ report: ReportLookup) -> UInt64 {
        let rows = report.node("auth.injected")?.array ?? []
        return UInt64(rows.count { $0["cells"]?.uint == 0 && $0["failed"]?.uint ?? 0 > 0 })
    }

    private static func waiting(_ report: ReportLookup) -> String {
        let count = report.count("auth.parked.count")
        guard count > 0 else { return "no tile waited" }
        // An ask may wait more than once.
        var text = TextNumbers.count(count, "wait")
        if let median = report.number("auth.parked.ms.p50_ms") {
            text += " of \(TextNumbers.duration(ms: median))"
        }
        if count > 1, let p99 = report.number("auth.parked.ms.p99_ms") {
            text += " (p99 \(TextNumbers.duration(ms: p99)))"
        }
        return text
    }

    /// A flawed machine is measured for what it would cost: its figures are not the right one's.
    private static func addClient(_ report: ReportLookup, to page: inout TextPage) {
        guard let client = report.text("scenario.plan.auth.client"), client != "single-flight"
        else { return }
        let initial = report.count("auth.renewals.initial")
        let asked = report.count("auth.renewals.attempted")
        let expiries = report.count("auth.expiry_events")
        page.add(
            sentence: "The machine `\(client)` asked the token service "
                + TextNumbers.count(asked - min(initial, asked), "time") + " for "
                + TextNumbers.count(expiries, "expiry", "expiries")
                + "; `single-flight` asks once for each.", .doubtful)
    }

    // MARK: what it cost

    private static func addWhatItCost(_ report: ReportLookup, to page: inout TextPage) {
        if report.count("auth.windows.inside.asks") > 0 {
            let parts = ["inside", "outside"].compactMap { side -> String? in
                let path = "auth.windows.\(side)"
                let asks = report.count("\(path).asks")
                guard let median = report.number("\(path).response.p50_ms"),
                    let p99 = report.number("\(path).response.p99_ms"),
                    let success = report.number("\(path).success")
                else { return nil }
                return "\(side) \(TextNumbers.count(asks, "tile")), \(TextNumbers.percent(success))"
                    + " ok, p50 \(TextNumbers.duration(ms: median)),"
                    + " p99 \(TextNumbers.duration(ms: p99))"
            }
            page.add(sentence: "Refresh windows: \(parts.joined(separator: "; ")).")
        }
        // Of a single expiry the table tells it.
        guard report.count("auth.expiry_events") > 1,
            let first = recovery("first_ok_ms", report)
        else { return }
        let last = recovery("full_ms", report).map { ", the last refused one done after \($0)" }
        page.add(
            sentence: "After an expiry the first tile came through after \(first)\(last ?? "").")
    }

    /// "152 ms", or "152 ms (max 201 ms)" of several.
    private static func recovery(_ name: String, _ report: ReportLookup) -> String? {
        guard let median = report.number("auth.recovery.\(name).p50_ms") else { return nil }
        let text = TextNumbers.duration(ms: median)
        guard report.count("auth.recovery.\(name).count") > 1,
            let most = report.number("auth.recovery.\(name).max_ms")
        else { return text }
        return "\(text) (max \(TextNumbers.duration(ms: most)))"
    }

    // MARK: what was wrong

    private static func addTroubles(_ report: ReportLookup, to page: inout TextPage) {
        let open = (report.node("auth.events")?.array ?? []).count {
            ($0["first_refusal_s"] ?? $0["expired_s"]) != nil && $0["full_recovery_s"] == nil
        }
        if open > 0 {
            page.add(
                sentence: TextNumbers.count(UInt64(open), "expiry", "expiries")
                    + " had not recovered when the run ended.", .doubtful)
        }
        let failed = report.count("auth.renewals.failed")
        if failed > 0 {
            let kinds = [("same token again", "same"), ("broken off", "abandoned")].compactMap {
                words, name in
                let count = report.count("auth.renewals.\(name)")
                return count > 0 ? "\(words) = \(TextNumbers.grouped(count))" : nil
            }
            let of = kinds.isEmpty ? "" : " (\(kinds.joined(separator: ", ")))"
            // What the end of the run cut off is nobody's fault.
            let isFault = failed > report.count("auth.renewals.abandoned")
            page.add(
                sentence: TextNumbers.count(failed, "try", "tries")
                    + " at the token endpoint failed\(of).", isFault ? .doubtful : .plain)
        }
        // Where the token worked and the tile was refused all the same, it was not wanting.
        let reasons = (report.node("auth.asks_failed")?.members ?? []).filter {
            $0.node.uint ?? 0 > 0 && $0.name != "locked"
        }
        if !reasons.isEmpty {
            let words = reasons.map { "\($0.name) = \(TextNumbers.grouped($0.node.uint ?? 0))" }
            page.add(
                sentence: "Tiles failed for want of a token: \(words.joined(separator: ", ")).",
                .bad)
        }
        let others: [(path: String, one: String, many: String, rest: String)] = [
            ("tokens_failed", "new token was", "new tokens were", "refused on first use"),
            ("tokens_lost", "token was", "tokens were", "issued and never used"),
            ("known_dead_sends", "tile was", "tiles were", "sent while the token was replaced"),
            (
                "refusals.locked", "refusal was", "refusals were",
                "the tile's own: the token worked elsewhere"
            ),
        ]
        for (path, one, many, rest) in others where report.count("auth.\(path)") > 0 {
            page.add(
                sentence: TextNumbers.count(report.count("auth.\(path)"), one, many) + " \(rest).",
                .doubtful)
        }
        let unsaved = report.count("auth.store_failures")
        if unsaved > 0 {
            page.add(
                sentence: "The token store could not be written "
                    + TextNumbers.count(unsaved, "time") + ".", .doubtful)
        }
    }

    private static func addInjections(_ report: ReportLookup, to page: inout TextPage) {
        let rows = report.node("auth.injected")?.array ?? []
        let all = report.count("auth.injections")
        let missed = report.count("auth.injections_missed")
        let failed = injectionsFailed(report)
        // Why those without a row ended nothing is not known.
        let why = all > UInt64(rows.count) ? "ended no token" : "found no token in use"
        for (count, what) in [
            (failed, "failed: the server's hook revoked nothing"),
            (missed - min(failed, missed), why),
        ] where count > 0 {
            page.add(
                sentence: "\(TextNumbers.grouped(count)) of"
                    + " \(TextNumbers.count(all, "injection")) \(what).", .doubtful)
        }
        func sum(_ name: String) -> UInt64 { rows.reduce(0) { $0 + ($1[name]?.uint ?? 0) } }
        let ended = sum("cells")
        let unseen = ended - min(ended, sum("observed"))
        if unseen > 0 {
            page.add(
                sentence: "\(TextNumbers.grouped(unseen)) of"
                    + " \(TextNumbers.count(ended, "injected expiry", "injected expiries"))"
                    + " \(unseen == 1 ? "was" : "were") never observed: no tile was asked for with"
                    + " \(unseen == 1 ? "that token" : "those tokens") afterwards, or the server"
                    + " took it all the same.", .doubtful)
        }
    }

    /// A cache in front of the check of tokens is a finding of its own.
    private static func addServedWhileDead(_ report: ReportLookup, to page: inout TextPage) {
        let classes = report.node("auth.accepted_while_expired")?.members ?? []
        let fromCache = classes.filter { ["hit", "stale_hit"].contains($0.name) }
            .reduce(0) { $0 + ($1.node.uint ?? 0) }
        let all = classes.reduce(0) { $0 + ($1.node.uint ?? 0) }
        if fromCache > 0 {
            page.add(
                sentence: TextNumbers.count(fromCache, "tile")
                    + " came from the server's cache for a token known to be dead.", .bad)
        }
        if all > fromCache {
            page.add(
                sentence: TextNumbers.count(all - fromCache, "tile")
                    + " came from the server itself for a token known to be dead.", .doubtful)
        }
    }
}
