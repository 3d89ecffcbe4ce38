import Foundation
import JSONText

/// As much of JSON Schema draft-07 as the scenario's schema uses.
struct SchemaChecker {
    let root: JSONNode

    /// The pointers of what does not fit; a known key of a schema that the checker does not know
    /// is reported as well.
    func problems(_ node: JSONNode, _ schema: JSONNode? = nil, at path: String = "") -> [String] {
        var found: [String] = []
        for member in (schema ?? root).members ?? [] {
            found += check(node, member.name, member.node, schema ?? root, path)
        }
        return found
    }

    private func check(
        _ node: JSONNode, _ keyword: String, _ rule: JSONNode, _ schema: JSONNode, _ path: String
    ) -> [String] {
        switch keyword {
        case "$schema", "title", "description", "default", "definitions": return []
        case "$ref":
            let pointer = String((rule.string ?? "").dropFirst())
            return root.at(pointer: pointer).map { problems(node, $0, at: path) } ?? ["no \(rule)"]
        case "type": return isOf(node, rule.string ?? "") ? [] : ["\(path): type"]
        case "enum": return (rule.array ?? []).contains(node) ? [] : ["\(path): enum"]
        case "anyOf":
            let fits = (rule.array ?? []).contains { problems(node, $0, at: path).isEmpty }
            return fits ? [] : ["\(path): anyOf"]
        case "properties":
            return (node.members ?? []).flatMap { member in
                rule[member.name].map { problems(member.node, $0, at: "\(path)/\(member.name)") }
                    ?? []
            }
        case "additionalProperties":
            return (node.members ?? []).flatMap { member -> [String] in
                if schema["properties"]?[member.name] != nil { return [] }
                if rule.bool == false { return ["\(path)/\(member.name): additional"] }
                return problems(member.node, rule, at: "\(path)/\(member.name)")
            }
        case "required":
            return (rule.array ?? []).compactMap(\.string).filter {
                node.members != nil && node[$0] == nil
            }.map { "\(path): required \($0)" }
        case "items":
            return (node.array ?? []).enumerated().flatMap {
                problems($1, rule, at: "\(path)/\($0)")
            }
        case "minItems": return node.array?.count ?? .max >= rule.int ?? 0 ? [] : ["\(path): items"]
        case "maxItems": return node.array?.count ?? 0 <= rule.int ?? 0 ? [] : ["\(path): items"]
        case "minimum": return node.double ?? .infinity >= rule.double ?? 0 ? [] : ["\(path): min"]
        case "maximum": return node.double ?? 0 <= rule.double ?? 0 ? [] : ["\(path): max"]
        case "minLength": return node.string?.isEmpty == true ? ["\(path): length"] : []
        case "pattern":
            guard let text = node.string, let pattern = rule.string else { return [] }
            return text.range(of: pattern, options: .regularExpression) != nil
                ? [] : ["\(path): pattern"]
        default: return ["unknown keyword \(keyword)"]
        }
    }

    private func isOf(_ node: JSONNode, _ type: String) -> Bool {
        switch type {
        case "null": node.isNull
        case "boolean": node.bool != nil
        case "integer": node.int != nil || node.uint != nil
        case "number": node.number != nil
        case "string": node.string != nil
        case "array": node.array != nil
        case "object": node.members != nil
        default: false
        }
    }
}
