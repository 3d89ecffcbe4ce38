package import JSONText

/// The way from a scenario file to a plan.
package enum ScenarioFile {
    /// Reads a scenario file.
    ///
    /// - Parameters:
    ///   - overrides: of `--set` and the flags, applied in order.
    ///   - version: tilebench's own, for the `User-Agent`.
    ///   - lookUp: the addresses of a host name. Asked only where a load would be refused
    /// otherwise.
    ///   - fetch: fetches the documents that the target names; nil: those at web addresses stay
    /// unread, and nothing is sent.
    package static func load(
        path: String, overrides: [ScenarioOverride] = [], environment: [String: String],
        version: String, lookUp: @escaping (String) -> [String] = HostAddress.addresses(of:),
        fetch: DocumentFetch? = nil
    ) -> Result<Plan, ScenarioProblems> {
        let bytes: [UInt8]
        do throws(InputFile.Failure) {
            bytes = try InputFile.read(path, bytesMax: ScenarioLoader.bytesMax)
        } catch {
            return .failure(
                ScenarioProblems(
                    label: path,
                    list: [JSONProblem(message: "cannot read the scenario: \(error.reason)")]))
        }
        return load(
            bytes: bytes, label: path, directory: InputFile.directory(of: path),
            overrides: overrides, environment: environment, version: version, lookUp: lookUp,
            fetch: fetch)
    }

    /// Reads the text of a scenario. `label` is its name in messages, and the run's name without
    /// folder and extension; inputs are relative to `directory`.
    package static func load(
        bytes: [UInt8], label: String, directory: String = "",
        overrides: [ScenarioOverride] = [], environment: [String: String], version: String,
        lookUp: @escaping (String) -> [String] = HostAddress.addresses(of:),
        fetch: DocumentFetch? = nil
    ) -> Result<Plan, ScenarioProblems> {
        plan(
            ScenarioLoader.load(
                bytes: bytes, label: label, directory: directory,
                nameDefault: InputFile.stem(of: label), overrides: overrides,
                environment: environment), environment, version, lookUp, fetch)
    }

    /// Reads a scenario made by code, such as that for a URL; there are no places in its problems.
    package static func load(
        node: JSONNode, label: String, nameDefault: String, directory: String = "",
        overrides: [ScenarioOverride] = [], environment: [String: String], version: String,
        lookUp: @escaping (String) -> [String] = HostAddress.addresses(of:),
        fetch: DocumentFetch? = nil
    ) -> Result<Plan, ScenarioProblems> {
        plan(
            ScenarioLoader.load(
                node: node.withoutPlaces, label: label, directory: directory,
                nameDefault: nameDefault, overrides: overrides, environment: environment),
            environment, version, lookUp, fetch)
    }

    private static func plan(
        _ scenario: Scenario, _ environment: [String: String], _ version: String,
        _ lookUp: @escaping (String) -> [String], _ fetch: DocumentFetch?
    ) -> Result<Plan, ScenarioProblems> {
        var builder = PlanBuilder(
            scenario, environment: environment, version: version, lookUp: lookUp,
            fetch: fetch)
        let plan = scenario.values.isNull ? nil : builder.build()
        guard let plan, builder.problems.isEmpty else {
            return .failure(
                ScenarioProblems(
                    label: scenario.label,
                    list: builder.problems.map { builder.plan.secrets.masking($0) },
                    overrides: scenario.overrides, isUnreachable: builder.isUnreachable,
                    hosts: builder.plan.target.hosts, hostsRefused: builder.hostsRefused))
        }
        return .success(plan)
    }
}

/// Everything that is wrong with a scenario, in the order of the text.
package struct ScenarioProblems: Error, Sendable {
    package let label: String
    package let list: [JSONProblem]
    /// All that is wrong is that a document could not be had.
    package let isUnreachable: Bool
    /// The fence, and the hosts of a document's tiles that are outside it.
    package let hosts: [String]
    package let hostsRefused: [String]
    private let overrides: [ScenarioOverride]

    package init(
        label: String, list: [JSONProblem], overrides: [ScenarioOverride] = [],
        isUnreachable: Bool = false, hosts: [String] = [], hostsRefused: [String] = []
    ) {
        self.hosts = hosts
        self.hostsRefused = hostsRefused
        self.label = label
        self.isUnreachable = isUnreachable && list.count == 1
        self.overrides = overrides
        // Sorting is not stable by itself; equal places keep their order by number.
        self.list = list.enumerated().sorted { left, right in
            let (first, second) = (
                left.element.place ?? JSONPlace(line: .max, column: 0),
                right.element.place ?? JSONPlace(line: .max, column: 0)
            )
            return (first.line, first.column, left.offset)
                < (second.line, second.column, right.offset)
        }.map(\.element)
    }

    /// One problem as text: "scenario.json:3:5: /load/rate: expected …", and a line with the hint.
    package func line(_ problem: JSONProblem) -> String {
        var line = label
        if let place = problem.place {
            line += ":\(place.line):\(place.column)"
        } else if let override = override(of: problem.pointer) {
            line = override.label
        }
        line += ": "
        if !problem.pointer.isEmpty { line += problem.pointer + ": " }
        line += problem.message
        if let hint = problem.hint { line += "\n    hint: " + hint }
        return line
    }

    /// All problems, one or two lines each.
    package var formatted: String { list.map(line).joined(separator: "\n") }

    /// The last override of the value or of what it stands in; else one that made it on its way.
    private func override(of pointer: String) -> ScenarioOverride? {
        func isInside(_ inner: String, _ outer: String) -> Bool {
            inner == outer || inner.hasPrefix(outer + "/")
        }
        return overrides.last { isInside(pointer, JSONPointer.join($0.path)) }
            ?? overrides.last { isInside(JSONPointer.join($0.path), pointer) }
    }
}
