package import JSONText

/// A scenario as read: every value in its normal form, nothing decided that depends on two keys.
struct Scenario {
    /// As written, for places and for what was said explicitly.
    var written: JSONNode
    /// By the table of keys: defaults filled in, units normalised.
    var values: JSONNode
    var label: String
    var directory: String
    /// The file's name without extension, or the URL's host.
    var nameDefault: String
    var secrets: Secrets
    var problems: [JSONProblem]
    /// Overridden paths, for messages about values that stand in no file.
    var overrides: [ScenarioOverride]

    /// Whether the user wrote a value there; null is as if absent.
    func isWritten(_ path: String...) -> Bool { isWritten(at: path) }

    func isWritten(at path: [String]) -> Bool {
        guard let node = written.at(pointer: JSONPointer.join(path)) else { return false }
        return !node.isNull
    }

    /// Where a value stands, or the nearest thing around it that stands anywhere.
    func place(of path: [String]) -> JSONPlace? {
        var node = written
        var place = written.place
        for name in path {
            guard let next = node.at(pointer: JSONPointer.join([name])) else { return place }
            node = next
            place = next.place
        }
        return place
    }
}

/// `--set path=value`: replaces one value of the scenario.
package struct ScenarioOverride: Sendable, Hashable {
    package let path: [String]
    package let value: JSONNode
    /// As the user wrote it, for messages.
    package let label: String

    package init(path: [String], value: JSONNode, label: String) {
        self.path = path
        self.value = value.withoutPlaces
        self.label = label
    }

    /// Reads `load.rate=500/s`. The value is JSON if it reads as JSON, else text.
    package static func parse(_ text: String) throws(JSONProblem) -> ScenarioOverride {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            throw JSONProblem(
                message: "`--set \(text)` is not of the form path=value",
                hint: "as --set load.rate=500/s")
        }
        let path = text[..<equals].split(separator: ".", omittingEmptySubsequences: false)
            .map(String.init)
        guard !path.contains("") else {
            throw JSONProblem(
                message: "`--set \(text[..<equals])` has an empty name in its path",
                hint: "as --set load.rate=500/s")
        }
        let value = String(text[text.index(after: equals)...])
        let (node, problems) = JSONReader.parse(Array(value.utf8), comments: false)
        let isJSON = problems.isEmpty
        return ScenarioOverride(
            path: path, value: isJSON ? node ?? .string(value) : .string(value),
            label: "--set \(path.joined(separator: "."))")
    }

    package static func == (left: ScenarioOverride, right: ScenarioOverride) -> Bool {
        left.path == right.path && left.value == right.value && left.label == right.label
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

extension JSONNode {
    /// The same value, standing nowhere.
    var withoutPlaces: JSONNode {
        switch value {
        case .array(let elements): .array(elements.map(\.withoutPlaces))
        case .object(let members):
            JSONNode(
                .object(
                    members.map { JSONMember(name: $0.name, node: $0.node.withoutPlaces) }))
        default: JSONNode(value)
        }
    }
}
