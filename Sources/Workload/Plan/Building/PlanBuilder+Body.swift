import JSONText
import TileModel

extension PlanBuilder {
    /// The body of a renewal or a hook: text as it is, an object as JSON, `{"form": {…}}`
    /// urlencoded. A `Content-Type` among the headers becomes the body's own.
    mutating func body(_ section: Section, _ headers: inout [HeaderPlan]) -> RenewalPlan.Body? {
        guard let node = section.node["body"] else { return nil }
        let path = section.path + ["body"]
        hideLeaves(node)
        var body: RenewalPlan.Body
        if let text = node.string {
            // What `curl -d` says of a text.
            body = RenewalPlan.Body(
                contentType: "application/x-www-form-urlencoded", text: text, kind: .text)
        } else if let form = node["form"], node.members?.count == 1 {
            guard let members = form.members else {
                report(path + ["form"], "expected an object, found \(form.kindName)")
                return nil
            }
            body = RenewalPlan.Body(
                contentType: "application/x-www-form-urlencoded",
                text: members.compactMap { formPair($0, path + ["form"]) }.joined(separator: "&"),
                kind: .form)
        } else if node.members != nil {
            body = RenewalPlan.Body(
                contentType: "application/json", text: JSONWriter.encodeText(node), kind: .json)
        } else {
            report(path, "expected text or an object, found \(node.kindName)")
            return nil
        }
        plan.secrets.add(body.text)
        if let index = headers.firstIndex(where: { $0.name.lowercased() == "content-type" }) {
            body.contentType = headers[index].value
            headers.remove(at: index)
        }
        return body
    }

    private mutating func formPair(_ member: JSONMember, _ path: [String]) -> String? {
        let value: String
        switch member.node.value {
        case .string(let text): value = text
        case .number(let number): value = number.text
        case .bool(let flag): value = flag ? "true" : "false"
        case .null: return nil
        case .array, .object:
            report(path + [member.name], "expected text, found \(member.node.kindName)")
            return nil
        }
        return "\(percentEncoded(member.name))=\(percentEncoded(value))"
    }

    /// Texts of a body, which hold user names and passwords. Shorter ones are too likely to stand
    /// elsewhere by chance.
    private mutating func hideLeaves(_ node: JSONNode) {
        switch node.value {
        case .string(let text): hideAround(text)
        case .array(let elements): for element in elements { hideLeaves(element) }
        case .object(let members): for member in members { hideLeaves(member.node) }
        case .null, .bool, .number: break
        }
    }
}
