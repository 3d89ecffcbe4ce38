package import JSONText

/// Reads scenario files, and makes scenarios for URLs.
package enum ScenarioLoader {
    static let bytesMax = 256 << 20

    /// Reads the text of a scenario. All problems of its form are in the result.
    static func load(
        bytes: [UInt8], label: String, directory: String, nameDefault: String,
        overrides: [ScenarioOverride], environment: [String: String]
    ) -> Scenario {
        guard !bytes.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) else {
            let problem = JSONProblem(
                place: JSONPlace(line: 1, column: 1), message: "the file is empty",
                hint: "a scenario is a JSON object with at least `target`")
            return empty(label, directory, nameDefault, [problem])
        }
        let (node, problems) = JSONReader.parse(bytes)
        guard let node else { return empty(label, directory, nameDefault, problems) }
        return load(
            node: node, problems: problems, label: label, directory: directory,
            nameDefault: nameDefault, overrides: overrides, environment: environment)
    }

    static func load(
        node: JSONNode, problems: [JSONProblem] = [], label: String, directory: String,
        nameDefault: String, overrides: [ScenarioOverride], environment: [String: String]
    ) -> Scenario {
        guard node.members != nil else {
            let problem = JSONProblem(
                place: node.place,
                message: "expected an object, found \(node.kindName)",
                hint: "a scenario is a JSON object with at least `target`")
            return empty(label, directory, nameDefault, problems + [problem])
        }
        var written = node
        var problems = problems
        problems += apply(overrides, to: &written)
        let origin = written["target"]?["origin"]
        var reader = ScenarioReader(
            directory: directory, environment: environment,
            hasOrigin: origin.map { !$0.isNull } ?? false)
        reader.isComplete = problems.isEmpty
        let values = reader.object(
            written, ScenarioKeys.root, ScenarioReader.Spot(place: written.place))
        return Scenario(
            written: written, values: reader.isComplete ? values : .null, label: label,
            directory: directory,
            nameDefault: nameDefault, secrets: reader.secrets,
            problems: problems + reader.problems, overrides: overrides)
    }

    /// Puts overrides into a scenario, in order. What excludes an override gives way to it.
    ///
    /// - Returns: the problems of overrides whose path leads nowhere.
    package static func apply(
        _ overrides: [ScenarioOverride], to node: inout JSONNode
    ) -> [JSONProblem] {
        var problems: [JSONProblem] = []
        for override in overrides {
            node.makeRoom(for: override, among: overrides)
            do throws(JSONProblem) {
                try node.set(override.path, to: override.value)
            } catch {
                problems.append(
                    JSONProblem(
                        pointer: JSONPointer.join(override.path), message: error.message,
                        hint: error.hint))
            }
        }
        return problems
    }

    static func isGiven(_ path: [String], by overrides: [ScenarioOverride]) -> Bool {
        overrides.contains { !$0.value.isNull && $0.path.starts(with: path) }
    }

    private static func empty(
        _ label: String, _ directory: String, _ nameDefault: String, _ problems: [JSONProblem]
    ) -> Scenario {
        Scenario(
            written: .object([]), values: .null, label: label, directory: directory,
            nameDefault: nameDefault, secrets: Secrets(), problems: problems, overrides: [])
    }
}

extension JSONNode {
    /// Keys of which only one can stand.
    private static let exclusive: [(parent: String, names: [String])] = [
        ("load", ["users", "rate", "stages"]), ("auth", ["static", "renewal"]),
        ("target", ["tiles", "tilejson", "style", "wmts", "wms", "arcgis", "origin"]),
    ]

    /// Takes away what excludes an override: `--set load.rate=500/s` goes for a scenario that has
    /// users, too.
    fileprivate mutating func makeRoom(
        for override: ScenarioOverride, among overrides: [ScenarioOverride]
    ) {
        guard override.path.count >= 2, !override.value.isNull else { return }
        let (parent, name) = (override.path[0], override.path[1])
        for group in JSONNode.exclusive where group.parent == parent && group.names.contains(name) {
            for other in group.names where other != name {
                if !ScenarioLoader.isGiven([parent, other], by: overrides) {
                    drop([parent, other])
                }
            }
        }
        for path in JSONNode.meaningless[[parent, name]] ?? []
        where !ScenarioLoader.isGiven(path, by: overrides) {
            drop(path)
        }
    }

    /// Keys that have no meaning beside another one.
    private static let meaningless: [[String]: [[String]]] = [
        ["load", "stages"]: [["load", "for"]],
        // An open load has no users who pause or have a cache each.
        ["load", "rate"]: [["workload", "think"], ["cache", "client", "per"]],
        ["auth", "static"]: PlanBuilder.renewalKeys.map { ["auth", $0] },
    ]

    /// Takes away what stands at the end of a path, if anything does.
    mutating func drop(_ path: [String]) {
        guard let first = path.first, case .object(var members) = value,
            let index = members.firstIndex(where: { $0.name == first })
        else { return }
        if path.count == 1 {
            members.removeAll { $0.name == first }
        } else {
            members[index].node.drop(Array(path.dropFirst()))
        }
        value = .object(members)
    }
}
