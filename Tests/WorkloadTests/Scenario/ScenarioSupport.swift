import JSONText
import Testing

@testable import Workload

/// Reads a scenario without a file, an environment or a resolver unless told.
func load(
    _ text: String, set overrides: [String] = [], environment: [String: String] = [:],
    directory: String = "", lookUp: @escaping (String) -> [String] = { _ in [] },
    fetch: DocumentFetch? = nil
) -> Result<Plan, ScenarioProblems> {
    ScenarioFile.load(
        bytes: Array(text.utf8), label: "folder/scenario.json", directory: directory,
        overrides: overrides.map { text in
            guard let override = try? ScenarioOverride.parse(text) else {
                Issue.record("no override: \(text)")
                return ScenarioOverride(path: [], value: .null, label: "")
            }
            return override
        }, environment: environment, version: "1.2.3", lookUp: lookUp, fetch: fetch)
}

func plan(
    _ text: String, set overrides: [String] = [], environment: [String: String] = [:],
    directory: String = "", lookUp: @escaping (String) -> [String] = { _ in [] },
    _ location: SourceLocation = #_sourceLocation
) throws -> Plan {
    switch load(
        text, set: overrides, environment: environment, directory: directory, lookUp: lookUp)
    {
    case .success(let plan): return plan
    case .failure(let problems):
        Issue.record("\(problems.formatted)", sourceLocation: location)
        throw problems
    }
}

/// The problems as lines without hints.
func problems(
    _ text: String, set overrides: [String] = [], environment: [String: String] = [:],
    directory: String = ""
) -> [String] {
    switch load(text, set: overrides, environment: environment, directory: directory) {
    case .success: return []
    case .failure(let problems):
        return problems.list.map { problem in
            var bare = problem
            bare.hint = nil
            return problems.line(bare)
        }
    }
}

/// A scenario with a local target and the given text of other members.
func local(_ members: String = "", target: String = "") -> String {
    """
    {"target": {"tiles": "http://127.0.0.1:8080/{z}/{x}/{y}.png"\(target.isEmpty ? "" : ", " + target)}\
    \(members.isEmpty ? "" : ", " + members)}
    """
}
