import JSONText

/// One member of an object in the JSON Schema of the report.
struct SchemaField {
    var name: String
    var node: JSONNode
    var isRequired = true

    /// The same, but not in every report.
    var optional: SchemaField {
        var field = self
        field.isRequired = false
        return field
    }

    static func count(_ name: String, _ what: String) -> SchemaField {
        SchemaField(name: name, node: number("integer", what))
    }

    /// Time in the unit of the name; negative before T0.
    static func time(_ name: String, _ what: String, min: Int? = 0) -> SchemaField {
        SchemaField(name: name, node: number("number", what, min: min))
    }

    static func number(_ name: String, _ what: String) -> SchemaField {
        SchemaField(name: name, node: number("number", what))
    }

    static func share(_ name: String, _ what: String) -> SchemaField {
        var node = ObjectBuilder()
        node.add("description", text: what)
        node.add("type", text: "number")
        node.add("minimum", count: 0)
        node.add("maximum", count: 1)
        return SchemaField(name: name, node: node.node)
    }

    static func text(_ name: String, _ what: String, of values: [String]? = nil) -> SchemaField {
        var node = ObjectBuilder()
        node.add("description", text: what)
        node.add("type", text: "string")
        node.add("enum", values.map { .array($0.map(JSONNode.string)) })
        return SchemaField(name: name, node: node.node)
    }

    static func flag(_ name: String, _ what: String) -> SchemaField {
        var node = ObjectBuilder()
        node.add("description", text: what)
        node.add("type", text: "boolean")
        return SchemaField(name: name, node: node.node)
    }

    static func object(_ name: String, _ what: String, _ fields: [SchemaField]) -> SchemaField {
        SchemaField(name: name, node: object(what, fields))
    }

    /// What stands under that name in the schema's definitions. Beside `$ref` itself draft-07
    /// ignores everything, so it is wrapped.
    static func reference(_ name: String, _ what: String, to definition: String) -> SchemaField {
        var node = ObjectBuilder()
        node.add("description", text: what)
        node.add(
            "allOf", .array([.object([("$ref", .string("#/definitions/\(definition)"))])]))
        return SchemaField(name: name, node: node.node)
    }

    /// Counts whose names are not fixed.
    static func counts(_ name: String, _ what: String) -> SchemaField {
        var node = ObjectBuilder()
        node.add("description", text: what)
        node.add("type", text: "object")
        node.add("additionalProperties", number("integer", nil))
        return SchemaField(name: name, node: node.node)
    }

    /// An object whose members' names are not fixed.
    static func map(_ name: String, _ what: String, of items: JSONNode) -> SchemaField {
        var node = ObjectBuilder()
        node.add("description", text: what)
        node.add("type", text: "object")
        node.add("additionalProperties", items)
        return SchemaField(name: name, node: node.node)
    }

    /// Counts with a name for every case.
    static func counts<Case: CaseIterable>(
        _ name: String, _ what: String, by _: Case.Type, key: (Case) -> String
    ) -> SchemaField {
        let fields = Case.allCases.map { SchemaField(name: key($0), node: number("integer", nil)) }
        return SchemaField(name: name, node: object(what, fields))
    }

    static func array(_ name: String, _ what: String, of items: JSONNode) -> SchemaField {
        var node = ObjectBuilder()
        node.add("description", text: what)
        node.add("type", text: "array")
        node.add("items", items)
        return SchemaField(name: name, node: node.node)
    }

    /// An object that may hold more than is named: new members are no change of the format.
    static func object(_ what: String?, _ fields: [SchemaField]) -> JSONNode {
        var node = ObjectBuilder()
        node.add("description", text: what)
        node.add("type", text: "object")
        let required = fields.filter(\.isRequired)
        // Draft 4 wants at least one name here, and many tools still do.
        if !required.isEmpty {
            node.add("required", .array(required.map { JSONNode.string($0.name) }))
        }
        node.add("properties", .object(fields.map { ($0.name, $0.node) }))
        return node.node
    }

    private static func number(_ type: String, _ what: String?, min: Int? = 0) -> JSONNode {
        var node = ObjectBuilder()
        node.add("description", text: what)
        node.add("type", text: type)
        node.add("minimum", min.map(JSONNode.int))
        return node.node
    }
}
