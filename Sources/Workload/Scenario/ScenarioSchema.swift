package import JSONText

/// The JSON Schema of the scenario file, made of the table of keys.
package enum ScenarioSchema {
    /// The schema, draft-07. Texts may hold variables, so a number or a word may also be text with
    /// `${NAME}` in it; null is as if absent.
    package static func json() -> JSONNode {
        .object([
            ("$schema", .string("http://json-schema.org/draft-07/schema#")),
            ("title", .string("tilebench scenario")),
            (
                "description",
                .string(
                    "What tilebench asks for, when, of whom, what must hold. Comments that begin"
                        + " with // are allowed in the file.")
            ),
            ("type", .string("object")), ("properties", properties(ScenarioKeys.root)),
            ("required", .array([.string("target")])), ("additionalProperties", .bool(false)),
            (
                "definitions",
                .object([
                    (
                        "file",
                        .object([
                            (
                                "description",
                                .string("The content of a file without its last newline.")
                            ),
                            ("type", .string("object")),
                            (
                                "properties",
                                .object([("file", .object([("type", .string("string"))]))])
                            ),
                            ("required", .array([.string("file")])),
                            ("additionalProperties", .bool(false)),
                        ])
                    ),
                    (
                        "variable",
                        .object([
                            ("description", .string("Text with ${NAME} or ${NAME:-default}.")),
                            ("type", .string("string")), ("pattern", .string("\\$\\{[^}]*\\}")),
                        ])
                    ),
                ])
            ),
        ])
    }

    private static func properties(_ keys: [ScenarioKey]) -> JSONNode {
        .object(keys.map { ($0.name, property($0)) })
    }

    private static func property(_ key: ScenarioKey) -> JSONNode {
        var sentence = key.sentence
        switch key.support {
        case .later: sentence += " Not supported yet."
        case .only: sentence += " Only the default is supported yet."
        case .full: break
        }
        if case .words(let words) = key.standard { sentence += " Default: \(words)." }
        var members: [(String, JSONNode)] = [("description", .string(sentence))]
        if let standard = key.defaultNode { members.append(("default", standard)) }
        var alternatives = schemas(key.kind)
        if !key.isRequired { alternatives.append(type("null")) }
        if alternatives.count == 1 {
            members += (alternatives[0].members ?? []).map { ($0.name, $0.node) }
        } else if !alternatives.contains(where: { $0.members?.isEmpty == true }) {
            members.append(("anyOf", .array(alternatives)))
        }
        return .object(members)
    }

    private static func type(_ name: String, _ more: [(String, JSONNode)] = []) -> JSONNode {
        .object([("type", .string(name))] + more)
    }

    private static func reference(_ name: String) -> JSONNode {
        .object([("$ref", .string("#/definitions/\(name)"))])
    }

    private static func pattern(_ text: String) -> JSONNode {
        type("string", [("pattern", .string(text))])
    }

    private static let decimal = "[0-9]+(\\.[0-9]+)?"

    /// What may stand there, each of several ways to write it.
    private static func schemas(_ kind: ScenarioKind) -> [JSONNode] {
        var result: [JSONNode]
        switch kind {
        case .text: result = [type("string", [("minLength", .int(1))])]
        case .textOrEmpty, .path: result = [type("string")]
        case .word(let words):
            let numbers = words.compactMap { JSONNumber($0.text) }.map { JSONNode(.number($0)) }
            let values = words.map { JSONNode.string($0.text) } + numbers
            result = [.object([("enum", .array(values))]), reference("variable")]
        case .bool: result = [type("boolean"), pattern("^(true|false)$"), reference("variable")]
        case .count(let range):
            result = number("integer", .uint(range.lowerBound), .uint(range.upperBound), "^[0-9]+$")
        case .number(let range):
            result = number(
                "number", .double(range.lowerBound), .double(range.upperBound), "^-?\(decimal)$")
        case .share: result = number("number", .int(0), .int(1), "^\(decimal) *%?$")
        case .duration:
            result = number(
                "number", .int(0), nil,
                "^(\(decimal)|(\(decimal) *(ns|us|µs|ms|s|m|min|h|d) *)+)$")
        case .durationSpan: result = [pattern("\\.\\."), reference("variable")]
        case .size:
            result = number("number", .int(0), nil, "^\(decimal) *([kKMGT]?B|[kKMGT]iB)?$")
        case .rate:
            result = number("number", .int(0), .double(UnitText.rateMax), "^\(decimal) *\(per)?$")
        case .rateRamp:
            let one = "\(decimal) *\(per)?"
            result = number("number", .int(0), .double(UnitText.rateMax), "^\(one)( *-> *\(one))?$")
        case .usersRamp:
            result = number(
                "integer", .int(0), .uint(ScenarioKeys.usersMax), "^[0-9]+( *-> *[0-9]+)?$")
        default: return structure(kind)
        }
        return result + [reference("file")]
    }

    private static let per = "/(s|sec|m|min|h)"

    private static func structure(_ kind: ScenarioKind) -> [JSONNode] {
        switch kind {
        case .object(let keys):
            var members: [(String, JSONNode)] = [("properties", properties(keys))]
            let required = keys.filter(\.isRequired).map { JSONNode.string($0.name) }
            if !required.isEmpty { members.append(("required", .array(required))) }
            return [type("object", members + [("additionalProperties", .bool(false))])]
        case .list(let element, let counts):
            return [
                type(
                    "array",
                    [
                        ("items", any(of: schemas(element))), ("minItems", .int(counts.lowerBound)),
                        ("maxItems", .int(counts.upperBound)),
                    ])
            ]
        case .map(let value, _):
            return [
                type("object", [("additionalProperties", any(of: schemas(value) + [type("null")]))])
            ]
        case .either(let kinds): return kinds.flatMap { schemas($0) }
        default: return [.object([])]
        }
    }

    private static func any(of schemas: [JSONNode]) -> JSONNode {
        schemas.count == 1 ? schemas[0] : .object([("anyOf", .array(schemas))])
    }

    /// A number, its text, or a variable.
    private static func number(
        _ name: String, _ least: JSONNode, _ most: JSONNode?, _ text: String
    ) -> [JSONNode] {
        var limits = [("minimum", least)]
        if let most { limits.append(("maximum", most)) }
        return [type(name, limits), pattern(text), reference("variable")]
    }
}
