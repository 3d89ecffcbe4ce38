import JSONText

/// The expiries one by one.
extension TextSummary {
    private static let expiriesShown = 10

    private struct Column {
        var head: String
        var width: Int
        var cell: (JSONNode) -> String

        init(_ head: String, _ width: Int, _ cell: @escaping (JSONNode) -> String) {
            self.head = head
            self.width = width
            self.cell = cell
        }
    }

    static func addExpiries(_ report: ReportLookup, to page: inout TextPage) {
        let events = report.node("auth.events")?.array ?? []
        guard !events.isEmpty else { return }
        let rates = rateColumns(events)
        var columns = figureColumns
        var extras: [Column] = []
        if report.count("auth.cells") > 1 { extras.append(Column("cell", 7) { count($0, "cell") }) }
        if events.contains(where: { $0["renewals"]?.uint ?? 0 > 1 }) {
            extras.append(Column("renewals", 9) { count($0, "renewals") })
        }
        for extra in extras + rates
        where (columns + [extra]).reduce(0, { $0 + $1.width }) <= TextPage.columns {
            columns.append(extra)
        }
        page.addBlank()
        page.add(
            line: "Token refreshes (renewals)"
                + (columns.contains { $0.head.hasSuffix("%") }
                    ? "; % are cache hits in the second before→after" : ""),
            .bold)
        let widths = columns.map(\.width)
        page.add(row: columns.map(\.head), widths: widths, .bold)
        for event in events.prefix(expiriesShown) {
            page.add(row: columns.map { $0.cell(event) }, widths: widths, style(event))
        }
        let dropped = report.count("auth.events_dropped")
        let more = UInt64(events.dropFirst(expiriesShown).count) + dropped
        guard more > 0 else { return }
        let counted = dropped > 0 ? ", \(TextNumbers.grouped(dropped)) of them counted only" : ""
        page.add(line: "and \(TextNumbers.grouped(more)) more (renewals.csv)\(counted)")
    }

    private static var figureColumns: [Column] {
        [
            Column("at", 9) { event in
                let begins = ["first_refusal_s", "expired_s"].compactMap { event[$0]?.double }
                return (begins.min() ?? event["renewal_start_s"]?.double).map { time(s: $0) } ?? "-"
            },
            Column("cause", 10) { $0["cause"]?.string ?? "-" },
            Column("refused", 9) { count($0, "storm") },
            Column("waited", 8) { count($0, "parked") },
            Column("refresh", 9) { event in
                guard let start = event["renewal_start_s"]?.double,
                    let end = event["renewal_end_s"]?.double
                else { return "-" }
                return TextNumbers.duration(s: end - start)
            },
            Column("first ok", 9) { duration($0, "first_ok_ms") },
            Column("all ok", 8) { duration($0, "full_recovery_ms") },
        ]
    }

    /// Hit rates of the caches that have any, in percent: "91→90".
    private static func rateColumns(_ events: [JSONNode]) -> [Column] {
        ["server", "client"].compactMap { cache in
            func rate(_ event: JSONNode, _ side: String) -> String? {
                event["\(cache)_hit_rate_\(side)"]?.double.map {
                    TextNumbers.significant(($0 * 100).rounded())
                }
            }
            let hasAny = events.contains {
                rate($0, "before") != nil || rate($0, "after") != nil
            }
            guard hasAny else { return nil }
            return Column("\(cache) %", 9) { event in
                let sides = (rate(event, "before"), rate(event, "after"))
                guard sides.0 != nil || sides.1 != nil else { return "-" }
                return (sides.0 ?? "-") + "→" + (sides.1 ?? "-")
            }
        }
    }

    /// More renewals than one, or none that helped, stand out.
    private static func style(_ event: JSONNode) -> TextPage.Style {
        if event["renewals"]?.uint ?? 0 > 1 { return .bad }
        return event["renewal_end_s"] == nil ? .doubtful : .plain
    }

    private static func count(_ event: JSONNode, _ name: String) -> String {
        TextNumbers.grouped(event[name]?.uint ?? 0)
    }

    private static func duration(_ event: JSONNode, _ name: String) -> String {
        event[name]?.double.map { TextNumbers.duration(ms: $0) } ?? "-"
    }
}
