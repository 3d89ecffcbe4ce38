import JSONText

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
        for override in overrides {
            do throws(JSONProblem) {
                try written.set(override.path, to: override.value)
            } catch {
                problems.append(
                    JSONProblem(
                        pointer: error.pointer, message: "\(override.label): \(error.message)",
                        hint: error.hint))
            }
        }
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

    private static func empty(
        _ label: String, _ directory: String, _ nameDefault: String, _ problems: [JSONProblem]
    ) -> Scenario {
        Scenario(
            written: .object([]), values: .null, label: label, directory: directory,
            nameDefault: nameDefault, secrets: Secrets(), problems: problems, overrides: [])
    }
}
