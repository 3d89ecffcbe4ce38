import JSONText

/// What the answers were, by status, meaning, cache, zoom and error.
extension TextSummary {
    static func addAnswers(_ report: ReportLookup, to page: inout TextPage) {
        page.addBlank()
        addCounts("Status", report.node("status"), to: &page)
        addCounts("Outcomes", report.node("outcomes"), to: &page)
        if report.count("ledger.failed") > 0 {
            addCounts("Failed by", report.node("ledger.failed_by"), to: &page)
        }
        addHints(report, to: &page)
    }

    /// "Status: 200 = 1,234, 404 = 5", zeros left out.
    private static func addCounts(_ title: String, _ counts: JSONNode?, to page: inout TextPage) {
        let words = (counts?.members ?? []).compactMap { member -> String? in
            guard let count = member.node.uint, count > 0 else { return nil }
            return "\(member.name) = \(TextNumbers.grouped(count))"
        }
        guard !words.isEmpty else { return }
        page.add(sentence: "\(title): \(words.joined(separator: ", "))")
    }

    private static func addHints(_ report: ReportLookup, to page: inout TextPage) {
        addSoftErrors(report, to: &page)
        let undeclared = report.count("outcomes.gzip_undeclared")
        if undeclared > 0 {
            page.add(
                sentence: TextNumbers.count(undeclared, "answer is", "answers are")
                    + " gzip without `Content-Encoding: gzip`: map clients cannot read"
                    + " \(undeclared == 1 ? "it" : "them").", .doubtful)
        }
        let twice = report.count("outcomes.gzip_twice")
        if twice > 0 {
            page.add(
                sentence: TextNumbers.count(twice, "answer is", "answers are")
                    + " gzip within the `Content-Encoding` that they name: packed twice, of which"
                    + " map clients undo one.", .doubtful)
        }
        let blocked = report.count("outcomes.blocked")
        if blocked > 0 {
            page.add(
                sentence: TextNumbers.count(blocked, "answer says", "answers say")
                    + " that a usage policy forbids this.", .bad)
        }
    }

    /// Answers that are no tile although their status does not say so, and words of an expired
    /// token that `auth.rejected_when` did not take for a refusal.
    private static func addSoftErrors(_ report: ReportLookup, to page: inout TextPage) {
        func answers(_ statuses: Range<Int>) -> UInt64 {
            (report.node("status")?.members ?? []).reduce(0) {
                $0 + (Int($1.name).map(statuses.contains) == true ? $1.node.uint ?? 0 : 0)
            }
        }
        let soft = report.count("outcomes.soft_error")
        let redirects = min(soft, answers(300..<304) + answers(305..<400))
        if redirects > 0, report.node("scenario.plan.auth") != nil {
            page.add(
                sentence: TextNumbers.count(
                    redirects, "answer is a redirect", "answers are redirects")
                    + ": if that is how this server says that a token has expired,"
                    + " `auth.rejected_when.redirect` takes it for that.", .doubtful)
        }
        if soft > redirects {
            let count = soft - redirects
            page.add(
                sentence: TextNumbers.count(count, "answer")
                    + " with a status of success \(count == 1 ? "is no tile" : "are no tiles");"
                    + " `checks.tile` would count \(count == 1 ? "it" : "them") as failed.",
                .doubtful)
        }
        let unheard = report.count("outcomes.auth_expired")
        let heard = report.count("ledger.failed_by.unauthorized") + answers(400..<600)
        if unheard > heard {
            page.add(
                sentence: TextNumbers.count(unheard - heard, "answer says", "answers say")
                    + " in words that the token has expired, with a status of success:"
                    + " `auth.rejected_when.json` or `.html` takes such answers for refusals.",
                .bad)
        }
    }

    static func addCaches(_ report: ReportLookup, to page: inout TextPage) {
        let lookups = report.count("cache.client.lookups")
        if lookups > 0 {
            let hits = report.count("cache.client.hits")
            let saved =
                report.count("cache.client.hit_bytes")
                + report.count("cache.client.revalidated_bytes")
            page.add(
                sentence: "Client cache: \(TextNumbers.grouped(hits)) of"
                    + " \(TextNumbers.count(lookups, "look-up")) hit"
                    + " (\(TextNumbers.percent(Double(hits) / Double(lookups)))),"
                    + " \(TextNumbers.grouped(report.count("cache.client.revalidated")))"
                    + " revalidated, \(TextNumbers.grouped(report.count("cache.client.evicted")))"
                    + " evicted"
                    + (saved > 0 ? ", \(TextNumbers.bytes(Double(saved))) not sent again" : ""))
        }
        let classes = (report.node("cache.server")?.members ?? []).compactMap {
            member -> (name: String, count: UInt64)? in
            guard let count = member.node["count"]?.uint, count > 0 else { return nil }
            return (member.name, count)
        }
        // Nothing but "unknown" is a server that says nothing about a cache.
        guard classes.contains(where: { $0.name != "unknown" }) else { return }
        let rate =
            report.number("cache.server.hit_rate").map { "hit rate \(TextNumbers.percent($0))" }
            ?? "no hit rate, since too many answers tell nothing"
        let words = classes.map { "\($0.name) = \(TextNumbers.grouped($0.count))" }
        let headers = (report.node("cache.server.evidence")?.members ?? []).map(\.name)
        let believed = headers.isEmpty ? "" : ", by \(headers.joined(separator: ", "))"
        page.add(
            sentence: "Server cache: \(rate) (\(words.joined(separator: ", ")))\(believed)")
    }

    static func addZooms(_ report: ReportLookup, to page: inout TextPage) {
        let rows = report.node("zooms")?.array ?? []
        guard rows.count > 1 else { return }
        let hasRate = rows.contains { $0["server_hit_rate"] != nil }
        let heads = ["zoom", "tiles", "ok", "failed", "bytes", "p50", "p90", "p99"]
        let widths = [6, 11, 11, 9, 9, 9, 9, 9]
        page.addBlank()
        page.add(row: heads + (hasRate ? ["hits"] : []), widths: widths + [7], .bold)
        for row in rows {
            func count(_ name: String) -> String { TextNumbers.grouped(row[name]?.uint ?? 0) }
            func time(_ name: String) -> String {
                row[name]?.double.map { TextNumbers.duration(ms: $0) } ?? "-"
            }
            var cells = [
                count("z"), count("started"), count("ok"), count("failed"),
                TextNumbers.bytes(row["bytes"]?.double ?? 0), time("p50_ms"), time("p90_ms"),
                time("p99_ms"),
            ]
            if hasRate {
                cells.append(
                    row["server_hit_rate"]?.double.map {
                        TextNumbers.significant(($0 * 100).rounded()) + " %"
                    } ?? "-")
            }
            page.add(row: cells, widths: widths + [7])
        }
    }

    static func addErrors(_ report: ReportLookup, to page: inout TextPage) {
        let errors = report.node("errors")?.array ?? []
        guard !errors.isEmpty else { return }
        let shown = 10
        page.addBlank()
        page.add(row: ["", "errors", "  cause and first time"], widths: [0, 11, 22], .bold)
        for error in errors.prefix(shown) {
            let cause = error["cause"]?.string ?? ""
            let at = error["first_at_s"]?.double.map { " (at \(time(s: $0)))" } ?? ""
            let head = padded(TextNumbers.grouped(error["count"]?.uint ?? 0), -11) + "  "
            let detail = shortened(error["detail"]?.string ?? "", to: errorColumnsMax)
            page.add(
                sentence: cause + ": " + detail + at, hanging: head, indent: head.count)
        }
        if errors.count > shown {
            let more = UInt64(errors.count - shown)
            page.add(line: padded("", 13) + "and \(TextNumbers.count(more, "more kind"))")
        }
    }

    /// Three lines of what a server or a library said.
    private static let errorColumnsMax = 180

    /// From T0: the warm-up is before it.
    static func time(s: Double) -> String {
        s < 0 ? "-" + TextNumbers.duration(s: -s) : TextNumbers.duration(s: s)
    }
}
