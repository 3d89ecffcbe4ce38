import Glibc
package import JSONText

/// What a person reads after a search for the capacity. Made from capacity.json alone, so that a
/// search and its stored file read alike.
package enum CapacityText {
    package static func text(_ capacity: JSONNode, color: Bool) -> String {
        let lookup = ReportLookup(capacity)
        let steps = lookup.node("steps")?.array ?? []
        var page = TextPage(color: color)
        addValidity(steps, to: &page)
        addAnswer(lookup, to: &page)
        addGates(lookup, to: &page)
        guard !steps.isEmpty else { return page.text }
        addTable(steps, to: &page)
        addReasons(steps, to: &page)
        addCurve(steps, to: &page)
        return page.text
    }

    // MARK: - Sentences

    /// Doubts about steps that count; a step that does not says so in the table.
    private static func addValidity(_ steps: [JSONNode], to page: inout TextPage) {
        let counted = steps.filter { ["pass", "fail"].contains($0["verdict"]?.string) }
        for (validity, word, style) in [
            ("invalid", "INVALID", TextPage.Style.bad), ("suspect", "suspect", .doubtful),
        ] {
            let doubtful = counted.filter { $0["validity"]?.string == validity }
            // The worst of the worst is enough: each step has figures of its own in its words.
            guard let reason = doubtful.first?["validity_reasons"]?[0]?.string else { continue }
            page.add(
                sentence: "The measurement is \(word) in \(doubtful.count) of"
                    + " \(TextNumbers.count(UInt64(steps.count), "step")), first in step"
                    + " \(doubtful.first?["step"]?.int ?? 0): \(reason).", style)
        }
    }

    private static func addAnswer(_ capacity: ReportLookup, to page: inout TextPage) {
        func rate(_ name: String) -> String { capacity.number(name).map(rateText) ?? "no rate" }
        let name = capacity.text("scenario.name") ?? "A search"
        let (held, failed) = (rate("capacity_per_s"), rate("fails_at_per_s"))
        let ended = rate("ended_at_per_s")
        let known =
            capacity.node("capacity_per_s") == nil ? "no rate was seen to hold" : "\(held) holds"
        let words: String
        let style: TextPage.Style
        switch capacity.text("end") {
        case "limit":
            words = "the capacity is \(held): the gates hold there, and at \(failed) they do not"
            style = .bold
        case "no_limit":
            words = "the capacity is at least \(held), the highest rate that was to be tried"
            style = .bold
        case "failed_at_start":
            words = "the gates do not even hold at \(failed), the first rate"
            style = .bad
        case "generator":
            words = "the generator is the limit at \(ended), not the server; \(known)"
            style = .bad
        case "unanswered":
            words = "no answer came any more at \(ended); \(known)"
            style = .bad
        default:
            words = "interrupted; \(known) so far"
            style = .doubtful
        }
        page.add(sentence: "\(name): \(words).", style)
    }

    private static func addGates(_ capacity: ReportLookup, to page: inout TextPage) {
        let gates = (capacity.node("search.gates")?.array ?? []).compactMap(\.string)
        let whose = capacity.node("search.own_gates")?.bool == true ? "Gates by default" : "Gates"
        let time = TextNumbers.duration(s: capacity.number("search.step_s") ?? 0)
        let warmup = capacity.number("search.warmup_s") ?? 0
        let after = warmup > 0 ? " after \(TextNumbers.duration(s: warmup)) of warm-up" : ""
        page.add(
            sentence: "Steps of \(time)\(after), tiles\(TextSummary.target(capacity)). \(whose):"
                + " \(gates.joined(separator: "; ")).")
    }

    // MARK: - Figures

    private static func addTable(_ steps: [JSONNode], to page: inout TextPage) {
        let widths = [10, 10, 10, 10, 10, 10, 8, 11]
        page.addBlank()
        page.add(
            row: ["rate", "started/s", "ok/s", "p50", "p99", "failed", "hits", "verdict"],
            widths: widths, .bold)
        for step in steps {
            func perSecond(_ name: String) -> String {
                step[name]?.double.map { TextNumbers.significant($0) } ?? "-"
            }
            page.add(
                row: [
                    rate(step), perSecond("started_per_s"), perSecond("ok_per_s"),
                    time(step, "p50_ms"), time(step, "p99_ms"),
                    TextNumbers.grouped(step["failed"]?.uint ?? 0),
                    step["server_hit_rate"]?.double.map { TextNumbers.percent($0) } ?? "-",
                    step["verdict"]?.string ?? "",
                ], widths: widths, style(step))
        }
    }

    /// Why rates did not pass; a rate's second reason is seldom another one.
    private static func addReasons(_ steps: [JSONNode], to page: inout TextPage) {
        var seen: Set<String> = []
        var isFirst = true
        for step in steps {
            guard let reason = step["reason"]?.string, seen.insert(rate(step)).inserted else {
                continue
            }
            if isFirst { page.addBlank() }
            isFirst = false
            page.add(
                sentence: reason, style(step), hanging: "  " + padded(rate(step), 8) + "  ",
                indent: 12)
        }
    }

    private static func addCurve(_ steps: [JSONNode], to page: inout TextPage) {
        let points = curve(steps)
        let times = points.compactMap { $0["p99_ms"]?.double }.filter { $0 > 0 }
        guard points.count > 1, let least = times.min(), let most = times.max() else { return }
        page.addBlank()
        page.add(line: "Response time p99 by rate, logarithmic, and the share that was ok", .bold)
        let barWidth = 40
        let span = log(most / least)
        for point in points {
            let value = point["p99_ms"]?.double ?? 0
            let share = span > 0 && value > 0 ? log(value / least) / span : 0
            let length = value > 0 ? 1 + Int((Double(barWidth - 1) * share).rounded()) : 0
            let ok = Double(point["ok"]?.uint ?? 0)
            let started = Double(point["started"]?.uint ?? 0)
            page.add(
                line: "  " + padded(rate(point), 10)
                    + padded(String(repeating: "█", count: length), barWidth)
                    + padded(time(point, "p99_ms"), -10)
                    + padded(started > 0 ? TextNumbers.percent(ok / started) : "-", -10),
                style(point))
        }
    }

    /// One step of each rate, by the rate: the one that passed, else the last.
    private static func curve(_ steps: [JSONNode]) -> [JSONNode] {
        var byRate: [Double: JSONNode] = [:]
        for step in steps {
            guard let rate = step["rate_per_s"]?.double else { continue }
            if byRate[rate]?["verdict"]?.string != "pass" { byRate[rate] = step }
        }
        return byRate.sorted { $0.key < $1.key }.map(\.value)
    }

    // MARK: - Words

    private static func rate(_ step: JSONNode) -> String {
        step["rate_per_s"]?.double.map(rateText) ?? "-"
    }

    /// All digits: a rate is typed again, and three would hide a step.
    static func rateText(_ rate: Double) -> String {
        (rate == rate.rounded() ? TextNumbers.significant(rate) : rate.description) + "/s"
    }

    private static func time(_ step: JSONNode, _ name: String) -> String {
        step[name]?.double.map { TextNumbers.duration(ms: $0) } ?? "-"
    }

    private static func style(_ step: JSONNode) -> TextPage.Style {
        switch step["verdict"]?.string {
        case "pass": .plain
        case "invalid": .doubtful
        default: .bad
        }
    }
}
