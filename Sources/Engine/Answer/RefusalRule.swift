import JSONText
package import Workload

/// What takes an answer for a refused token: its status, or an error inside JSON, whatever status
/// and content type that comes with (ArcGIS answers 200, at times as text or JSONP).
package struct RefusalRule: Sendable {
    private let statuses: StatusSet
    private let pointer: String
    private let values: [String]
    /// Whether bodies are looked at.
    package let needsBody: Bool

    package init(_ plan: RejectionPlan) {
        statuses = StatusSet(plan.statuses)
        pointer = JSONPointer.join(plan.jsonPath)
        values = plan.jsonValues
        needsBody = !plan.jsonValues.isEmpty
    }

    /// - Parameter prefix: The first bytes of the body; empty when none were kept.
    package func isRefusal(
        status: Int, facts: borrowing AnswerFacts, prefix: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        if statuses.contains(status) { return true }
        guard needsBody, mayBeJSON(facts.contentType, prefix) else { return false }
        return holdsRefusal(prefix)
    }

    /// Costs a look at the type or at one byte: nearly all answers are tiles.
    private func mayBeJSON(
        _ type: AnswerFacts.ContentType, _ prefix: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        switch type {
        case .png, .jpeg, .webp, .gif, .image, .mvt: break
        case .none, .json, .html, .xml, .text, .octetStream, .other: return !prefix.isEmpty
        }
        // An error that is called an image is still one when it is an object.
        return prefix.first == UInt8(ascii: "{")
    }

    private func holdsRefusal(_ prefix: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let found = JSONBody.node(prefix)?.at(pointer: pointer) else { return false }
        let text: String
        switch found.value {
        case .string(let string): text = string
        case .number(let number): text = number.int.map { String($0) } ?? number.text
        case .bool(let flag): text = flag ? "true" : "false"
        case .null, .array, .object: return false
        }
        return values.contains(text)
    }
}
