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
            let usable = words.filter { !$0.isLater }.map { "\"\($0.text)\"" }
            report(
                spot, "\"\(text)\" is not supported yet",
                hint: "so far: " + usable.joined(separator: ", "))
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
func checked(_ number: Double?) throws(UnitText.Failure) -> Double {
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
