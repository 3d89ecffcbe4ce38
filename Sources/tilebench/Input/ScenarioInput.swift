import Glibc
import JSONText
import TileModel
import Workload

/// From the words of a command line to a plan.
struct ScenarioInput {
    private enum Source { case stdin([UInt8]), file(String), url(String) }

    private let source: Source
    private let overrides: [ScenarioOverride]

    /// Reads the flags, and stdin when the scenario is there: it can be read once only.
    ///
    /// - Throws: exit 2 with every flag that cannot be read.
    init(_ arguments: Arguments) throws(Failure) {
        overrides = try ScenarioOverrides.of(arguments)
        source = try ScenarioInput.source(arguments)
    }

    /// The plan of `FILE|URL` and the flags beside it.
    ///
    /// - Throws: exit 2 with every problem, its pointer, line and column.
    static func plan(_ arguments: Arguments) throws(Failure) -> Plan {
        try ScenarioInput(arguments).plan()
    }

    /// The plan, with every default filled in.
    ///
    /// - Throws: exit 2 with every problem, its pointer, line and column.
    func plan() throws(Failure) -> Plan {
        let environment = Environment.all()
        let result =
            switch source {
            case .stdin(let bytes):
                ScenarioFile.load(
                    bytes: bytes, label: "stdin", overrides: overrides,
                    environment: environment, version: ToolVersion.text)
            case .file(let path):
                ScenarioFile.load(
                    path: path, overrides: overrides, environment: environment,
                    version: ToolVersion.text)
            case .url(let url):
                ScenarioFile.load(
                    node: try Self.scenario(url: url), label: "scenario of the URL",
                    nameDefault: Self.name(url: url), overrides: overrides,
                    environment: environment, version: ToolVersion.text)
            }
        return try Self.plan(result)
    }

    /// The plan of a scenario that a command makes itself.
    static func plan(
        text: String, label: String, overrides: [ScenarioOverride]
    ) throws(Failure) -> Plan {
        try plan(
            ScenarioFile.load(
                bytes: Array(text.utf8), label: label, overrides: overrides,
                environment: Environment.all(), version: ToolVersion.text))
    }

    /// The scenario itself, overrides applied and nothing else: what `--print-scenario` shows. It
    /// is made as that of a run is, so that it stands for the same run.
    func document() throws(Failure) -> JSONNode {
        var node: JSONNode
        let label: String
        switch source {
        case .url(let url):
            (node, label) = (try Self.scenario(url: url), "scenario of the URL")
        case .stdin(let bytes):
            (node, label) = (try Self.node(bytes, label: "stdin"), "stdin")
        case .file(let path):
            (node, label) = (try Self.node(try FileText.read(path), label: path), path)
        }
        let problems = ScenarioLoader.apply(overrides, to: &node)
        guard problems.isEmpty else {
            throw Self.failure(
                ScenarioProblems(label: label, list: problems, overrides: overrides))
        }
        // Null is as if absent, and a key put aside would only be noise.
        for override in overrides where node.at(pointer: override.pointer)?.isNull == true {
            node.remove(override.path)
        }
        return node
    }

    private static func node(_ bytes: [UInt8], label: String) throws(Failure) -> JSONNode {
        let (node, problems) = JSONReader.parse(bytes)
        guard problems.isEmpty, let node else {
            throw failure(ScenarioProblems(label: label, list: problems))
        }
        return node
    }

    private static func source(_ arguments: Arguments) throws(Failure) -> Source {
        guard let word = arguments.operands.first else {
            throw Failure(
                .usage, "\(arguments.command.rawValue) needs FILE|URL",
                help: .pointer(arguments.command))
        }
        if word == "-" { return .stdin(try FileText.read("-")) }
        if URLOrigin.isAbsolute(word) { return .url(word) }
        // Nobody names a file so.
        if word.contains("{"), access(word, F_OK) != 0 {
            throw Failure(
                .usage,
                "\(quoted(word)) is no file, and a URL template begins with http:// or https://"
                    + " (did you mean \(quoted("http://" + word))?)",
                help: .pointer(arguments.command))
        }
        return .file(word)
    }

    private static func scenario(url: String) throws(Failure) -> JSONNode {
        do throws(JSONProblem) {
            return try ScenarioLoader.scenario(fromURL: url)
        } catch {
            throw failure(ScenarioProblems(label: "URL", list: [error]))
        }
    }

    /// The host: a run's name and folder should say where it went.
    private static func name(url: String) -> String {
        let rest = url.drop { $0 != ":" }.drop { ":/".contains($0) }
        let authority = rest.prefix { !"/?#".contains($0) }
        let host = authority.split(separator: "@").last ?? "tiles"
        return String(host)
    }

    private static func plan(
        _ result: Result<Plan, ScenarioProblems>
    ) throws(Failure) -> Plan {
        switch result {
        case .success(let plan): return plan
        case .failure(let problems): throw failure(problems)
        }
    }

    private static func failure(_ problems: ScenarioProblems) -> Failure {
        Failure(.usage, lines: problems.list.map(problems.line))
    }
}

extension ScenarioOverride {
    fileprivate var pointer: String { JSONPointer.join(path) }
}

/// The variables that `${NAME}` reads.
enum Environment {
    static func all() -> [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                let name = String(text[..<equals])
                // The first of two of a name is the one that getenv finds.
                if variables[name] == nil {
                    variables[name] = String(text[text.index(after: equals)...])
                }
            }
            next += 1
        }
        return variables
    }
}
