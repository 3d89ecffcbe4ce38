import JSONText

extension ScenarioReader {
    /// A single value. `isFree`: the text may hold line breaks.
    mutating func scalar(
        _ node: JSONNode, _ kind: ScenarioKind, _ spot: Spot, isFree: Bool = false
    ) -> JSONNode? {
        let text: String?
        if case .path = kind {
            return path(node, spot)
        } else if ScenarioKind.isFile(node) {
            guard let content = fileText(node, kind, spot) else { return nil }
            text = content
        } else if let written = node.string {
            guard let expanded = expand(written, isSecret: kind.isText, spot) else { return nil }
            text = expanded
        } else {
            text = nil
        }
        do throws(UnitText.Failure) {
            return try parsed(node, text, kind, spot, isFree)
        } catch {
            report(error, node, kind, spot)
            return nil
        }
    }

    private mutating func parsed(
        _ node: JSONNode, _ text: String?, _ kind: ScenarioKind, _ spot: Spot, _ isFree: Bool
    ) throws(UnitText.Failure) -> JSONNode? {
        let number = node.double
        switch kind {
        case .text, .textOrEmpty:
            return plainText(text ?? node.number?.text ?? "", kind, spot, isFree)
        case .word(let words):
            return word(text ?? node.number?.text ?? "", words, node, spot)
        case .bool:
            if let flag = node.bool { return .bool(flag) }
            if text == "true" { return .bool(true) }
            if text == "false" { return .bool(false) }
            throw .malformed
        case .count(let range): return try count(node, text, range, spot)
        case .number(let range):
            let value = try checked(text.map { UnitText.decimal(UnitText.trimmed($0)) } ?? number)
            return within(value, range, node, spot) ? .double(value) : nil
        case .share:
            let value =
                if let text { try UnitText.share(text) } else {
                    try UnitText.share(checked(number))
                }
            return .double(value)
        case .duration(let least):
            let value =
                if let text {
                    try UnitText.duration(text)
                } else {
                    try UnitText.duration(seconds: checked(number))
                }
            guard value >= least else {
                report(spot, "must be longer than 0", hint: kind.hint)
                return nil
            }
            return .uint(value)
        case .durationSpan: return try durationSpan(text ?? "", spot)
        case .size:
            let value =
                if let text {
                    try UnitText.size(text)
                } else {
                    try UnitText.size(bytes: checked(number))
                }
            return .uint(value)
        case .rate:
            let value =
                if let text {
                    try UnitText.rate(text)
                } else {
                    try UnitText.rate(perSecond: checked(number))
                }
            return isSteady(value, spot) ? .double(value) : nil
        case .rateRamp: return try rateRamp(node, text, spot)
        case .usersRamp: return try usersRamp(node, text, spot)
        default: throw .malformed
        }
    }

    // MARK: - Texts

    private mutating func plainText(
        _ text: String, _ kind: ScenarioKind, _ spot: Spot, _ isFree: Bool
    ) -> JSONNode? {
        if case .text = kind, text.isEmpty {
            report(spot, "must not be empty")
            return nil
        }
        let hasControl = text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
        guard isFree || !hasControl else {
            report(spot, "holds a control character")
            return nil
        }
        return .string(text)
    }

    private mutating func word(
        _ text: String, _ words: [ScenarioWord], _ node: JSONNode, _ spot: Spot
    ) -> JSONNode? {
        guard let word = words.first(where: { $0.text == text }) else {
            let near = nearest(text, in: words.map(\.text))
            report(
                spot,
                "expected \(ScenarioKind.word(words).expectation),"
                    + " found \(ScenarioReader.found(node))",
                hint: near.map { "did you mean \"\($0)\"?" })
            return nil
        }
        guard !word.isLater else {
            report(spot, "\"\(text)\" is not supported yet")
            return nil
        }
        return .string(text)
    }

    private mutating func path(_ node: JSONNode, _ spot: Spot) -> JSONNode? {
        let inner = node["file"]
        guard let written = inner?.string ?? node.string,
            let path = expand(
                written, isSecret: true,
                inner.map { spot.child("file", $0.place) } ?? spot)
        else { return nil }
        guard !path.isEmpty else {
            report(spot, "must not be empty")
            return nil
        }
        return .string(InputFile.join(directory, path))
    }

    // MARK: - Numbers

    private mutating func count(
        _ node: JSONNode, _ text: String?, _ range: ClosedRange<UInt64>, _ spot: Spot
    ) throws(UnitText.Failure) -> JSONNode? {
        let number: JSONNumber
        if let text {
            guard let parsed = JSONNumber(String(UnitText.trimmed(text))) else { throw .malformed }
            number = parsed
        } else if let written = node.number {
            number = written
        } else {
            throw .malformed
        }
        if let value = number.uint {
            guard value >= range.lowerBound, value <= range.upperBound else {
                reportRange(
                    node, "\(range.lowerBound)", "\(range.upperBound)",
                    isBelow: value < range.lowerBound, spot)
                return nil
            }
            return .uint(value)
        }
        guard let value = number.double, value == value.rounded() else {
            throw number.double == nil ? .tooLarge : .fraction
        }
        reportRange(node, "\(range.lowerBound)", "\(range.upperBound)", isBelow: value < 0, spot)
        return nil
    }

    private mutating func within(
        _ value: Double, _ range: ClosedRange<Double>, _ node: JSONNode, _ spot: Spot
    ) -> Bool {
        guard !range.contains(value) else { return true }
        reportRange(
            node, UnitText.plain(range.lowerBound), UnitText.plain(range.upperBound),
            isBelow: value < range.lowerBound, spot)
        return false
    }

    private mutating func reportRange(
        _ node: JSONNode, _ least: String, _ most: String, isBelow: Bool, _ spot: Spot
    ) {
        let limit = isBelow ? "less than \(least)" : "more than \(most)"
        report(
            spot, "\(ScenarioReader.found(node)) is \(limit)",
            hint: "allowed: \(least) to \(most)")
    }

    private mutating func isSteady(_ value: Double, _ spot: Spot) -> Bool {
        guard value < UnitText.rateMin else { return true }
        report(
            spot, value == 0 ? "a rate must be more than 0" : "less than one in 10,000 seconds",
            hint: ScenarioKind.rate.hint)
        return false
    }

    private mutating func durationSpan(
        _ text: String, _ spot: Spot
    ) throws(UnitText.Failure) -> JSONNode? {
        guard let (first, last) = UnitText.pair(text, separator: "..") else { throw .malformed }
        let (least, most) = (try UnitText.duration(first), try UnitText.duration(last))
        guard least > 0, least <= most else {
            report(
                spot, least > 0 ? "the first duration is the longer one" : "must be longer than 0",
                hint: ScenarioKind.durationSpan.hint)
            return nil
        }
        return .array([.uint(least), .uint(most)])
    }

    private mutating func rateRamp(
        _ node: JSONNode, _ text: String?, _ spot: Spot
    ) throws(UnitText.Failure) -> JSONNode? {
        guard let text else {
            let value = try UnitText.rate(perSecond: checked(node.double))
            return .array([.double(value), .double(value)])
        }
        guard let (first, last) = UnitText.pair(text, separator: "->") else { throw .malformed }
        let (from, to) = (try UnitText.rate(first), try UnitText.rate(last))
        for value in [from, to] where value != 0 {
            guard isSteady(value, spot) else { return nil }
        }
        return .array([.double(from), .double(to)])
    }

    private mutating func usersRamp(
        _ node: JSONNode, _ text: String?, _ spot: Spot
    ) throws(UnitText.Failure) -> JSONNode? {
        let range = 0...ScenarioKeys.usersMax
        guard let text else {
            return try count(node, nil, range, spot).map { .array([$0, $0]) }
        }
        guard let (first, last) = UnitText.pair(text, separator: "->") else { throw .malformed }
        guard let from = try count(node, first, range, spot),
            let to = try count(node, last, range, spot)
        else { return nil }
        return .array([from, to])
    }

    // MARK: - Failures

    private mutating func report(
        _ failure: UnitText.Failure, _ node: JSONNode, _ kind: ScenarioKind, _ spot: Spot
    ) {
        let shown = ScenarioReader.found(node)
        let message =
            switch failure {
            case .malformed: "expected \(kind.expectation), found \(shown)"
            case .negative: "\(shown) is negative"
            case .tooLarge: "\(shown) is too large"
            case .fraction: "\(shown) is not whole"
            }
        report(spot, message, hint: kind.hint)
    }
}

/// A number that JSON could hold but a `Double` cannot is too large.
private func checked(_ number: Double?) throws(UnitText.Failure) -> Double {
    guard let number else { throw .tooLarge }
    return number
}

extension ScenarioKind {
    /// Whether a variable's value in it is a secret: numbers and words of a list are not.
    var isText: Bool {
        switch self {
        case .text, .textOrEmpty, .path, .anything: true
        default: false
        }
    }

    /// How to write it.
    var hint: String? {
        switch self {
        case .share: "from 0 to 1, or from 0% to 100%"
        case .duration: "as \"30s\", \"250ms\", \"1h30m\", or seconds as a number"
        case .durationSpan: "as \"500ms..30s\""
        case .size: "as \"64MiB\", \"100kB\", or bytes as a number"
        case .rate: "as \"2000/s\", \"60/m\", or per second as a number; at most 10,000,000/s"
        case .rateRamp: "as \"0/s -> 5000/s\""
        case .usersRamp: "as 100 or \"0 -> 100\""
        default: nil
        }
    }
}
