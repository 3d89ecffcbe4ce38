import Glibc
import JSONText
import Workload

/// From the words of a command line to a plan.
enum ScenarioInput {
    /// The plan of `FILE|URL` and the flags beside it.
    ///
    /// - Throws: exit 2 with every problem, its pointer, line and column.
    static func plan(_ arguments: Arguments) throws(Failure) -> Plan {
        let source = try source(arguments)
        let overrides = try ScenarioOverrides.of(arguments)
        let environment = Environment.all()
        let result =
            switch source {
            case .stdin:
                ScenarioFile.load(
                    bytes: try FileText.read("-"), label: "stdin", overrides: overrides,
                    environment: environment, version: ToolVersion.text)
            case .file(let path):
                ScenarioFile.load(
                    path: path, overrides: overrides, environment: environment,
                    version: ToolVersion.text)
            case .url(let url):
                ScenarioFile.load(
                    node: try scenario(url: url), label: "scenario of the URL",
                    nameDefault: name(url: url), overrides: overrides, environment: environment,
                    version: ToolVersion.text)
            }
        return try plan(result)
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

    /// The scenario itself, overrides applied and nothing else: what `--print-scenario` shows.
    static func document(_ arguments: Arguments) throws(Failure) -> JSONNode {
        var node: JSONNode
        let label: String
        switch try source(arguments) {
        case .url(let url):
            (node, label) = (try scenario(url: url), "scenario of the URL")
        case .stdin, .file:
            let path = arguments.operands[0]
            label = path == "-" ? "stdin" : path
            let (read, problems) = JSONReader.parse(try FileText.read(path))
            guard problems.isEmpty, let read else {
                throw failure(ScenarioProblems(label: label, list: problems))
            }
            node = read
        }
        for override in try ScenarioOverrides.of(arguments) {
            // A key put aside that was never there would only be noise.
            let pointer = JSONPointer.join(override.path)
            if override.value.isNull, node.at(pointer: pointer) == nil { continue }
            do throws(JSONProblem) {
                try node.set(override.path, to: override.value)
            } catch {
                throw failure(ScenarioProblems(label: override.label, list: [error]))
            }
        }
        return node
    }

    private enum Source { case stdin, file(String), url(String) }

    private static func source(_ arguments: Arguments) throws(Failure) -> Source {
        guard let word = arguments.operands.first else {
            throw Failure(
                .usage, "\(arguments.command.rawValue) needs FILE|URL",
                help: .pointer(arguments.command))
        }
        if word == "-" { return .stdin }
        return ScenarioLoader.isURL(word) ? .url(word) : .file(word)
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
