/// Why a text is no gate.
package struct GateError: Error, Sendable, Hashable {
    /// What is wrong, for the scenario's author.
    package var reason: String
    /// The path that is unknown, if that is what is wrong: a hint can be taken from
    /// `ReportPaths.all`.
    package var unknownPath: String?
}

/// A condition on one number of the report, or on the quotient of two: `path [/ path] op value`.
package struct GateExpression: Sendable, Hashable {
    package enum Comparison: String, Sendable, CaseIterable {
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case equal = "=="
        case notEqual = "!="
    }

    /// As written, without blanks around it.
    package let text: String
    package let numerator: ReportPath
    package let denominator: ReportPath?
    package let comparison: Comparison
    /// In the unit of the report, or in the quotient of the two units.
    package let value: Double

    /// Unit of what is compared.
    package var unit: ReportUnit {
        guard let denominator else { return numerator.unit }
        return numerator.unit.over(denominator.unit)
    }

    /// Whether an observed number, in the unit of the report, meets the condition.
    package func holds(_ observed: Double) -> Bool {
        switch comparison {
        case .less: observed < value
        case .lessOrEqual: observed <= value
        case .greater: observed > value
        case .greaterOrEqual: observed >= value
        case .equal: observed == value
        case .notEqual: observed != value
        }
    }
}

extension GateExpression {
    /// Reads a gate, with every path looked up and its value in the unit of the report.
    package static func parse(_ text: String) throws(GateError) -> GateExpression {
        let text = String(trimmed(text[...]))
        let (left, comparison, right) = try split(text)
        let (numerator, denominator) = try paths(left)
        var unit = numerator.unit
        if let denominator { unit = unit.over(denominator.unit) }
        let value = try value(right, in: unit, of: left)
        return GateExpression(
            text: text, numerator: numerator, denominator: denominator, comparison: comparison,
            value: value)
    }

    private static func split(
        _ text: String
    ) throws(GateError) -> (left: Substring, Comparison, right: Substring) {
        let isSign: (Character) -> Bool = { "<>=!".contains($0) }
        guard let start = text.firstIndex(where: isSign) else {
            throw GateError(
                reason: "a gate is \"path op value\", such as"
                    + " \"latency.response.all.p99 < 250ms\"; \"\(text)\" has no comparison")
        }
        let end = text[start...].firstIndex { !isSign($0) } ?? text.endIndex
        guard let comparison = Comparison(rawValue: String(text[start..<end])) else {
            let signs = Comparison.allCases.map(\.rawValue).joined(separator: " ")
            throw GateError(reason: "\"\(text[start..<end])\" is none of \(signs)")
        }
        let left = trimmed(text[..<start])
        let right = trimmed(text[end...])
        guard !left.isEmpty else {
            throw GateError(reason: "no path before \"\(comparison.rawValue)\"")
        }
        guard !right.isEmpty else {
            throw GateError(reason: "no value after \"\(comparison.rawValue)\"")
        }
        return (left, comparison, right)
    }

    /// A name may hold a slash itself (`http/1.1`), so the longest known path wins.
    private static func paths(
        _ text: Substring
    ) throws(GateError) -> (ReportPath, ReportPath?) {
        if let path = path(text) { return (path, nil) }
        let slashes = text.indices.filter { text[$0] == "/" }
        for slash in slashes.reversed() {
            guard let numerator = path(text[..<slash]),
                let denominator = path(text[text.index(after: slash)...])
            else { continue }
            return (numerator, denominator)
        }
        var parts = [text]
        if let slash = slashes.first {
            parts = [trimmed(text[..<slash]), trimmed(text[text.index(after: slash)...])]
        }
        let unknown = String(parts.first { path($0) == nil } ?? text)
        guard !unknown.isEmpty else { throw GateError(reason: "no path beside \"/\"") }
        throw GateError(
            reason: "the report has no number \"\(unknown)\"", unknownPath: unknown)
    }

    private static func path(_ text: Substring) -> ReportPath? {
        ReportPaths.known(
            trimmed(text).split(separator: ".", omittingEmptySubsequences: false).map(String.init))
    }

    private static func value(
        _ text: Substring, in unit: ReportUnit, of path: Substring
    ) throws(GateError) -> Double {
        let number = text.prefix(upTo: endOfNumber(text))
        let suffix = trimmed(text[number.endIndex...])
        guard let value = Double(String(number)), value.isFinite else {
            throw GateError(reason: "\"\(text)\" is no number")
        }
        guard !suffix.isEmpty else { return value }
        guard let written = ReportUnit.written(suffix) else {
            throw GateError(
                reason: "\"\(suffix)\" is no unit; known are % ns us ms s m h B kB MB GB KiB MiB"
                    + " GiB and each of them per second, as in MiB/s, or /s alone")
        }
        guard written.fits(unit) else {
            throw GateError(reason: "\"\(path)\" is \(unit.kind), \"\(text)\" is \(written.kind)")
        }
        return written.convert(value, to: unit)
    }

    /// Sign, digits, fraction, exponent.
    private static func endOfNumber(_ text: Substring) -> Substring.Index {
        var rest = text
        func skipDigits() { rest = rest.drop { ("0"..."9").contains($0) } }
        if let sign = rest.first, "+-".contains(sign) { rest.removeFirst() }
        skipDigits()
        if rest.first == "." {
            rest.removeFirst()
            skipDigits()
        }
        if let mark = rest.first, "eE".contains(mark) {
            let exponent = rest.dropFirst().drop { "+-".contains($0) }
            if let digit = exponent.first, ("0"..."9").contains(digit) {
                rest = exponent
                skipDigits()
            }
        }
        return rest.startIndex
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return start }
        return start[...last]
    }
}
