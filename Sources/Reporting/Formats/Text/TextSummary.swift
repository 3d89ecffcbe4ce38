package import JSONText

/// What a person reads after a run: sentences first, then the figures behind them. Made from the
/// report alone, so that a run and its stored report read alike.
package enum TextSummary {
    package static func text(report: JSONNode, color: Bool) -> String {
        let lookup = ReportLookup(report)
        var page = TextPage(color: color)
        addWarnings(lookup, to: &page)
        addColdness(lookup, to: &page)
        addTokens(lookup, to: &page)
        addWhatRan(lookup, to: &page)
        addHowItWent(lookup, to: &page)
        if let advice = DenialAdvice(lookup) { page.add(sentence: advice.sentence, .doubtful) }
        if lookup.text("run.validity") == "valid" {
            page.add(sentence: "The measurement is valid.", .good)
        }
        addGates(lookup, to: &page)
        addPasses(lookup, to: &page)
        addExpiries(lookup, to: &page)
        addHistogram(lookup, to: &page)
        addPercentiles(lookup, to: &page)
        addAnswers(lookup, to: &page)
        addCaches(lookup, to: &page)
        addEdges(lookup, to: &page)
        addReplay(lookup, to: &page)
        addViews(lookup, to: &page)
        addPlaces(lookup, to: &page)
        addZooms(lookup, to: &page)
        addSources(lookup, to: &page)
        addErrors(lookup, to: &page)
        addGenerator(lookup, to: &page)
        return page.text
    }

    private static func addGates(_ report: ReportLookup, to page: inout TextPage) {
        let gates = report.node("gates")?.array ?? []
        guard !gates.isEmpty else { return }
        let outcomes = gates.map { $0["verdict"]?.string ?? "" }
        let passed = outcomes.count { $0 == "pass" }
        let warned = outcomes.count { $0 == "warn" }
        let isGood = report.text("verdict") == "pass"
        let all = UInt64(gates.count)
        var sentence =
            passed == gates.count
            ? (all == 1 ? "The gate passed." : "All \(all) gates passed.")
            : isGood
                ? "\(passed) of \(TextNumbers.count(all, "gate")) passed, none failed"
                : "Gates failed: \(passed) of \(all) passed"
        if passed < gates.count { sentence += warned == 0 ? "." : "; \(warned) warned." }
        page.add(sentence: sentence, isGood ? .good : .bad)
        page.addBlank()
        for gate in gates {
            let verdict = gate["verdict"]?.string ?? ""
            let style: TextPage.Style =
                verdict == "pass"
                ? .good : verdict == "warn" || gate["level"]?.string == "warn" ? .doubtful : .bad
            let expression = gate["expression"]?.string ?? ""
            let observed =
                gate["observed"]?.double.map { GateWords.observed($0, in: expression) }
                ?? gate["reason"]?.string ?? "nothing"
            let line = "  " + padded(verdict, 8) + padded(expression, 42) + " " + observed
            if line.count <= TextPage.columns {
                page.add(line: line, style)
            } else {
                page.add(line: "  " + padded(verdict, 8) + expression, style)
                page.add(sentence: observed, style, indent: 10)
            }
        }
    }
}
