import JSONText

extension ScenarioReader {
    mutating func count(
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

    mutating func within(
        _ value: Double, _ range: ClosedRange<Double>, _ node: JSONNode, _ spot: Spot
    ) -> Bool {
        guard !range.contains(value) else { return true }
        reportRange(
            node, UnitText.plain(range.lowerBound), UnitText.plain(range.upperBound),
            isBelow: value < range.lowerBound, spot)
        return false
    }

    mutating func reportRange(
        _ node: JSONNode, _ least: String, _ most: String, isBelow: Bool, _ spot: Spot
    ) {
        let limit = isBelow ? "less than \(least)" : "more than \(most)"
        report(
            spot, "\(ScenarioReader.found(node)) is \(limit)",
            hint: "allowed: \(least) to \(most)")
    }

    mutating func isSteady(_ value: Double, _ spot: Spot) -> Bool {
        guard value < UnitText.rateMin else { return true }
        report(
            spot, value == 0 ? "a rate must be more than 0" : "less than one in 10,000 seconds",
            hint: ScenarioKind.rate.hint)
        return false
    }

    mutating func durationSpan(
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

    mutating func rateRamp(
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

    mutating func usersRamp(
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
}
