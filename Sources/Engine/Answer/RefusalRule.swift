import JSONText
package import Workload

/// What takes an answer for a refused token: its status, the error of a challenge, a redirect, an
/// error inside JSON, whatever status and content type that comes with (ArcGIS answers 200, at
/// times as text or JSONP), or words of a page where a tile is due.
///
/// Challenges come first. `invalid_token`, or what the scenario has in its place, is a refusal
/// whatever the status. `insufficient_scope` is none, even with a listed status: the token is good,
/// and a new one would be refused again (RFC 6750 section 3.1).
package struct RefusalRule: Sendable {
    private let statuses: StatusSet
    /// Nil: challenges are not looked at, and `insufficient_scope` saves no listed status.
    private let challenge: UInt64?
    private let refusesRedirects: Bool
    private let json: JSONValueRule?
    private let page: PageWords?
    /// Whether bodies are looked at.
    package let needsBody: Bool

    package init(_ plan: RejectionPlan) {
        statuses = StatusSet(plan.statuses)
        challenge = plan.wwwAuthenticate.map { ChallengeErrors.hash(of: $0) }
        refusesRedirects = plan.redirect
        json =
            plan.jsonValues.isEmpty
            ? nil : JSONValueRule(path: plan.jsonPath, values: plan.jsonValues)
        page = plan.html.map { PageWords($0) }
        needsBody = json != nil || page != nil
    }

    /// - Parameter prefix: The first bytes of the body; empty when none were kept.
    package func isRefusal(
        status: Int, facts: borrowing AnswerFacts, prefix: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        if let challenge, !facts.challenges.isEmpty {
            if facts.challenges.contains(challenge) { return true }
            if facts.challenges.saysInsufficientScope { return false }
        }
        if statuses.contains(status) { return true }
        if refusesRedirects, facts.hasLocation, (300..<400).contains(status), status != 304 {
            return true
        }
        guard needsBody, let first = prefix.first, mayBeText(facts.contentType, first) else {
            return false
        }
        if let json, json.matches(prefix) { return true }
        if let page { return page.matches(prefix, facts) }
        return false
    }

    /// Costs a look at the type and at one byte: nearly all answers are tiles. An error that is
    /// called an image is still one when it is an object or a page.
    private func mayBeText(_ type: AnswerFacts.ContentType, _ first: UInt8) -> Bool {
        switch type {
        case .png, .jpeg, .webp, .gif, .image, .mvt:
            first == UInt8(ascii: "{") || first == UInt8(ascii: "<")
        case .none, .json, .html, .xml, .text, .octetStream, .other: true
        }
    }
}

/// A value at one place of a JSON body.
private struct JSONValueRule: Sendable {
    private let pointer: String
    private let values: [String]

    init(path: [String], values: [String]) {
        pointer = JSONPointer.join(path)
        self.values = values.map { JSONNumber($0).map(Self.text) ?? $0 }
    }

    func matches(_ prefix: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let found = JSONBody.node(prefix)?.at(pointer: pointer) else { return false }
        let text: String
        switch found.value {
        case .string(let string): text = JSONNumber(string).map(Self.text) ?? string
        case .number(let number): text = Self.text(number)
        case .bool(let flag): text = flag ? "true" : "false"
        case .null: text = "null"
        case .array, .object: return false
        }
        return values.contains(text)
    }

    /// 498, 498.0 and 4.98e2 are one value.
    private static func text(_ number: JSONNumber) -> String {
        number.int.map { String($0) } ?? number.double.map { "\($0)" } ?? number.text
    }
}

/// Words of an HTML page, compared without regard to case; a blank among them stands for any run
/// of white space.
private struct PageWords: Sendable {
    private let words: [UInt8]

    init(_ text: String) {
        words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            .utf8.map(UnsafeBufferPointer.lowered)
    }

    func matches(
        _ prefix: UnsafeBufferPointer<UInt8>, _ facts: borrowing AnswerFacts
    ) -> Bool {
        let isHTML = facts.contentType == .html
        guard isHTML || Self.isPage(prefix) else { return false }
        return words.withUnsafeBufferPointer { prefix.containsWords($0) }
    }

    /// Whether it is a page, whatever its type says.
    private static func isPage(_ prefix: UnsafeBufferPointer<UInt8>) -> Bool {
        let start = TileBytes.textStart(prefix)
        guard start < prefix.count, prefix[start] == UInt8(ascii: "<") else { return false }
        let text = prefix.part(start..<prefix.count)
        return text.hasPrefix("<!doctype html") || text.contains("<html")
    }
}
