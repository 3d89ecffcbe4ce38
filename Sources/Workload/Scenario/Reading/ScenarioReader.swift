import JSONText

/// Reads the tree of a scenario by the table of keys: variables and files expanded, every unit
/// normalised, defaults filled in, and every problem noted on the way.
///
/// What comes out has times as nanoseconds, sizes as bytes, rates per second, shares as 0...1. A
/// value with a problem is left out, or its default stands for it.
struct ScenarioReader {
    let directory: String
    let environment: [String: String]
    /// `${ORIGIN}` stands for the embedded origin's address and stays until that is known.
    let hasOrigin: Bool
    /// False when the text is broken, so that what is missing may only be unreadable.
    var isComplete = true
    var problems: [JSONProblem] = []
    var secrets = Secrets()

    init(directory: String, environment: [String: String], hasOrigin: Bool) {
        self.directory = directory
        self.environment = environment
        self.hasOrigin = hasOrigin
    }

    /// A value on its way: where it is in the tree and in the text.
    struct Spot {
        var path: [String] = []
        var place: JSONPlace?

        func child(_ name: String, _ place: JSONPlace?) -> Spot {
            Spot(path: path + [name], place: place)
        }
    }

    mutating func report(_ spot: Spot, _ message: String, hint: String? = nil) {
        problems.append(
            JSONProblem(
                pointer: JSONPointer.join(spot.path), place: spot.place, message: message,
                hint: hint))
    }

    // MARK: - Objects

    mutating func object(_ node: JSONNode, _ keys: [ScenarioKey], _ spot: Spot) -> JSONNode {
        var values: [String: JSONNode] = [:]
        var brokenOrGiven: Set<String> = []
        for member in node.members ?? [] {
            guard let key = keys.first(where: { $0.name == member.name }) else {
                reportUnknown(member, keys, spot)
                continue
            }
            // Null is as if absent.
            guard !member.node.isNull else { continue }
            brokenOrGiven.insert(key.name)
            values[key.name] = read(member, key, spot.child(key.name, member.node.place))
        }
        for key in keys
        where isComplete && key.isRequired && !brokenOrGiven.contains(key.name) {
            report(spot, "`\(key.name)` is missing", hint: key.sentence)
        }
        return .object(
            keys.compactMap { key in
                (values[key.name] ?? normalisedDefault(key)).map { (key.name, $0) }
            })
    }

    private mutating func read(
        _ member: JSONMember, _ key: ScenarioKey, _ spot: Spot
    ) -> JSONNode? {
        let keySpot = Spot(path: spot.path, place: member.place ?? member.node.place)
        if key.isLater {
            report(keySpot, "`\(key.name)` is not supported yet", hint: key.sentence)
            return nil
        }
        guard let value = self.value(member.node, key.kind, spot) else { return nil }
        if case .only(let allowed) = key.support, !allowed.contains(value) {
            let written = JSONWriter.encodeText(member.node)
            report(
                spot, "`\(key.name)` \(written) is not supported yet",
                hint: "so far: " + allowed.map { JSONWriter.encodeText($0) }.joined(separator: ", ")
            )
            return nil
        }
        return value
    }

    /// The default as the table has it, its units read.
    private func normalisedDefault(_ key: ScenarioKey) -> JSONNode? {
        guard !key.isLater, let node = key.defaultNode else { return nil }
        var reader = ScenarioReader(directory: "", environment: [:], hasOrigin: hasOrigin)
        return reader.value(node, key.kind, Spot())
    }

    private mutating func reportUnknown(
        _ member: JSONMember, _ keys: [ScenarioKey], _ spot: Spot
    ) {
        let name = member.name
        let elsewhere = ScenarioKeys.places(of: name)
        let hint: String
        if let near = nearest(name, in: keys.map(\.name)) {
            hint = "did you mean `\(near)`?"
        } else if let first = elsewhere.first {
            hint = "`\(name)` belongs at " + (first.contains(".") ? first : "the top")
        } else {
            hint = "known here: " + keys.map(\.name).joined(separator: ", ")
        }
        report(
            spot.child(name, member.place ?? member.node.place), "unknown key `\(name)`",
            hint: hint)
    }

    // MARK: - Values

    /// The value in its normal form; nil when there was a problem, which has been noted.
    mutating func value(_ node: JSONNode, _ kind: ScenarioKind, _ spot: Spot) -> JSONNode? {
        guard kind.takes(node) else {
            report(spot, "expected \(kind.expectation), found \(ScenarioReader.found(node))")
            return nil
        }
        let countBefore = problems.count
        let value: JSONNode?
        switch kind {
        case .object(let keys): value = object(node, keys, spot)
        case .list(let element, let counts): value = list(node, element, counts, spot)
        case .map(let element, let keepsNull): value = map(node, element, keepsNull, spot)
        case .either(let kinds): value = either(node, kinds, spot)
        case .anything: value = anything(node, spot)
        default: value = scalar(node, kind, spot)
        }
        // Objects go on with what is good in them; the problems are noted all the same.
        if case .object = kind { return value }
        return problems.count == countBefore ? value : nil
    }

    /// A list that is wrong throughout shall not hide the other problems.
    private static let listProblemsMax = 20

    private mutating func list(
        _ node: JSONNode, _ element: ScenarioKind, _ counts: ClosedRange<Int>, _ spot: Spot
    ) -> JSONNode? {
        let elements = node.array ?? []
        guard counts.contains(elements.count) else {
            let wanted =
                counts.lowerBound == counts.upperBound
                ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
            report(spot, "expected \(wanted) elements, found \(elements.count)")
            return nil
        }
        let problemsMax = problems.count + ScenarioReader.listProblemsMax
        var values: [JSONNode] = []
        for (index, item) in elements.enumerated() {
            guard problems.count < problemsMax else {
                report(spot, "the other \(elements.count - index) elements were not looked at")
                break
            }
            guard let value = value(item, element, spot.child(String(index), item.place)) else {
                continue
            }
            values.append(JSONNode(value.value, place: item.place))
        }
        return .array(values)
    }

    private mutating func map(
        _ node: JSONNode, _ element: ScenarioKind, _ keepsNull: Bool, _ spot: Spot
    ) -> JSONNode? {
        var values: [JSONMember] = []
        for member in node.members ?? [] {
            if member.node.isNull {
                if keepsNull { values.append(member) }
                continue
            }
            let inner = spot.child(member.name, member.node.place)
            guard let value = value(member.node, element, inner) else { continue }
            values.append(JSONMember(name: member.name, place: member.place, node: value))
        }
        return JSONNode(.object(values))
    }

    /// The first alternative that reads the value; when none does, the problem of the only one that
    /// takes its type, or a sentence that names them all.
    private mutating func either(
        _ node: JSONNode, _ kinds: [ScenarioKind], _ spot: Spot
    ) -> JSONNode? {
        let candidates = kinds.filter { $0.takes(node) }
        let before = self
        for kind in candidates {
            let value = self.value(node, kind, spot)
            if problems.count == before.problems.count || candidates.count == 1 { return value }
            self = before
        }
        let wanted = candidates.map(\.expectation).joined(separator: " or ")
        report(spot, "expected \(wanted), found \(ScenarioReader.found(node))")
        return nil
    }

    private mutating func anything(_ node: JSONNode, _ spot: Spot) -> JSONNode? {
        switch node.value {
        case .string: return scalar(node, .textOrEmpty, spot, isFree: true)
        case .array(let elements):
            return .array(
                elements.enumerated().compactMap { index, item in
                    anything(item, spot.child(String(index), item.place))
                })
        case .object(let members):
            if ScenarioKind.isFile(node) { return scalar(node, .textOrEmpty, spot, isFree: true) }
            return JSONNode(
                .object(
                    members.compactMap { member in
                        anything(member.node, spot.child(member.name, member.node.place)).map {
                            JSONMember(name: member.name, place: member.place, node: $0)
                        }
                    }))
        default: return node
        }
    }

    /// A value as a message quotes it: as written, so that no variable's value shows.
    static func found(_ node: JSONNode) -> String {
        switch node.value {
        case .string(let text) where text.utf8.count <= 60: JSONWriter.encodeText(.string(text))
        case .number(let number): number.text
        case .bool(let flag): flag ? "true" : "false"
        default: node.kindName
        }
    }
}
