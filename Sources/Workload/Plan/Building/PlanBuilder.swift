import JSONText
import Metrics
import TileModel

/// Decides what a scenario means: defaults that depend on other keys, rules over several keys, and
/// everything that has to be read from elsewhere. Every problem is noted, none ends the work.
struct PlanBuilder {
    let scenario: Scenario
    let environment: [String: String]
    /// tilebench's own.
    let version: String
    /// Addresses of a host name; asked only where a load would otherwise be refused.
    let lookUp: (String) -> [String]
    /// Nil: nothing is to be sent, so that documents at web addresses stay unread.
    let fetch: DocumentFetch?
    var problems: [JSONProblem]
    var plan: Plan
    /// A document could not be had, which is no mistake of the scenario.
    var isUnreachable = false
    /// Hosts of the document's tiles that the scenario does not name.
    var hostsRefused: [String] = []
    /// `target.hosts` as it is written.
    var hostsWritten: [String]?
    /// Parts of a credential that the profile puts into the query of every template.
    var partsInQuery: [String] = []

    init(
        _ scenario: Scenario, environment: [String: String], version: String,
        lookUp: @escaping (String) -> [String], fetch: DocumentFetch?
    ) {
        self.scenario = scenario
        self.environment = environment
        self.version = version
        self.lookUp = lookUp
        self.fetch = fetch
        problems = scenario.problems
        plan = Plan(
            name: scenario.nameDefault, target: TargetPlan(templates: []),
            workload: WorkloadPlan(kind: .popular(exponent: 1, weights: .osm)),
            load: LoadPlan(shape: .users(10)))
        plan.secrets = scenario.secrets
    }

    /// The plan; it holds only when there are no `problems`.
    mutating func build() -> Plan {
        let root = Section(node: scenario.values, path: [])
        if let name = root.text("name") { plan.name = name }
        if let seed = root.uint("seed") { plan.seed = seed }
        buildTarget(root.section("target"))
        buildConnection(root.section("connection"))
        buildAuth(root.section("auth"))
        buildDocument(root.section("target"))
        finishTemplates()
        finishParts()
        checkVersion()
        buildWorkload(root.section("workload"))
        buildLoad(root.section("load"))
        checkSharing()
        buildCache(root.section("cache"))
        buildPasses(root)
        buildInjections(root)
        buildChecks(root.section("checks"))
        buildGates(root)
        if let word = root.text("on_invalid") { plan.failsWhenInvalid = word == "fail" }
        let report = root.section("report")
        if let directory = report.text("directory") { plan.report.directory = directory }
        buildFence()
        noteProxyVariables()
        return plan
    }

    /// Part of the scenario's values.
    struct Section {
        let node: JSONNode
        let path: [String]

        func section(_ name: String) -> Section {
            Section(node: node[name] ?? .null, path: path + [name])
        }

        func has(_ name: String) -> Bool { node[name].map { !$0.isNull } ?? false }
        func text(_ name: String) -> String? { node[name]?.string }
        func bool(_ name: String) -> Bool? { node[name]?.bool }
        func uint(_ name: String) -> UInt64? { node[name]?.uint }
        func int(_ name: String) -> Int? { node[name]?.int }
        func double(_ name: String) -> Double? { node[name]?.double }

        /// A word that is the raw value of an enumeration's case.
        func word<Word: RawRepresentable>(_ name: String, _ type: Word.Type) -> Word?
        where Word.RawValue == String {
            text(name).flatMap(Word.init(rawValue:))
        }

        /// The elements of an array as sections of their own.
        func elements(_ name: String) -> [Section] {
            (node[name]?.array ?? []).enumerated().map { index, element in
                Section(node: element, path: path + [name, String(index)])
            }
        }
    }

    mutating func report(_ path: [String], _ message: String, hint: String? = nil) {
        problems.append(
            JSONProblem(
                pointer: JSONPointer.join(path), place: scenario.place(of: path), message: message,
                hint: hint))
    }

    /// Whether a problem has been noted of the value itself.
    func isBroken(_ path: [String]) -> Bool {
        let pointer = JSONPointer.join(path)
        return problems.contains { $0.pointer == pointer }
    }

    mutating func note(_ sentence: String) {
        if !plan.notes.contains(sentence) { plan.notes.append(sentence) }
    }

    private mutating func noteProxyVariables() {
        let names = [
            "http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
        ]
        let set = names.filter { !(environment[$0] ?? "").isEmpty }
        guard !set.isEmpty else { return }
        note(
            "proxy variables of the environment are ignored (\(set.joined(separator: ", ")));"
                + " connection.proxy names a proxy")
    }
}
