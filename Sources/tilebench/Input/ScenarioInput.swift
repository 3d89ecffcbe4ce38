import Engine
import Glibc
import JSONText
import TileModel
import Workload

/// From the words of a command line to a plan.
struct ScenarioInput {
    private enum Source { case stdin([UInt8]), file(String), url(String) }

    /// As it was typed.
    private let word: String
    private let source: Source
    private let overrides: [ScenarioOverride]

    /// Reads the flags, and stdin when the scenario is there: it can be read once only.
    ///
    /// - Parameter more: What the command itself sets, over all that is written.
    /// - Throws: exit 2 with every flag that cannot be read.
    init(_ arguments: Arguments, setting more: [ScenarioOverride] = []) throws(Failure) {
        overrides = try ScenarioOverrides.of(arguments) + more
        source = try ScenarioInput.source(arguments)
        word = arguments.operands.first ?? "-"
    }

    /// The plan of `FILE|URL` and the flags beside it.
    ///
    /// - Parameter fetcher: fetches the documents that the target names; nil: nothing is sent.
    /// - Throws: exit 2 with every problem, its pointer, line and column; exit 3 when a document
    ///   cannot be had.
    static func plan(
        _ arguments: Arguments, fetcher: DocumentFetcher?
    ) throws(Failure) -> Plan {
        try ScenarioInput(arguments).plan(fetcher: fetcher)
    }

    /// The plan, with every default filled in; as `plan(_:fetcher:)`.
    func plan(fetcher: DocumentFetcher?) throws(Failure) -> Plan {
        let environment = Environment.all()
        let fetch = fetcher.map { fetcher in { fetcher.fetch($0) } }
        let result: Result<Plan, ScenarioProblems>
        if let (node, label) = try made(fetcher: fetcher) {
            result = ScenarioFile.load(
                node: node, label: label, nameDefault: name, overrides: overrides,
                environment: environment, version: ToolVersion.text, fetch: fetch)
        } else if case .stdin(let bytes) = source {
            result = ScenarioFile.load(
                bytes: bytes, label: "stdin", overrides: overrides, environment: environment,
                version: ToolVersion.text, fetch: fetch)
        } else {
            result = ScenarioFile.load(
                path: word, overrides: overrides, environment: environment,
                version: ToolVersion.text, fetch: fetch)
        }
        return try Self.plan(result)
    }

    /// The scenario of defaults for what is no scenario but a URL or a document; nil for a
    /// scenario.
    private func made(
        fetcher: DocumentFetcher?
    ) throws(Failure) -> (node: JSONNode, label: String)? {
        switch source {
        case .stdin: return nil
        case .url(let url):
            guard let guess = ScenarioLoader.documentKind(byURL: url) else {
                return (try Self.scenario(url: url), "scenario of the URL")
            }
            let kind = fetcher.flatMap { recognised(url, guess: guess, fetcher: $0) } ?? guess
            return (ScenarioLoader.scenario(of: url, kind: kind), "scenario of the URL")
        case .file(let path):
            // A file that cannot be read is told of as a scenario.
            guard let bytes = try? FileText.read(path), !Self.isScenario(bytes),
                case .document(let kind) = SourceDocument.recognise(bytes, url: path)
            else { return nil }
            return (ScenarioLoader.scenario(of: path, kind: kind), "scenario of \(path)")
        }
    }

    /// What a document says it is; nil when it cannot be had or is none, which the plan will say.
    private func recognised(
        _ url: String, guess: SourceDocument.Kind, fetcher: DocumentFetcher
    ) -> SourceDocument.Kind? {
        var found: SourceDocument.Kind?
        let fetch: DocumentFetch = { request in
            let result = fetcher.fetch(request)
            if found == nil, case .success(let document) = result,
                case .document(let kind) = SourceDocument.recognise(
                    document.bytes, contentType: document.contentType, url: document.url)
            {
                found = kind
            }
            return result
        }
        _ = ScenarioFile.load(
            node: ScenarioLoader.scenario(of: url, kind: guess), label: "scenario of the URL",
            nameDefault: name, overrides: overrides, environment: Environment.all(),
            version: ToolVersion.text, fetch: fetch)
        return found
    }

    private static func isScenario(_ bytes: [UInt8]) -> Bool {
        JSONReader.parse(bytes).node?["target"] != nil
    }

    /// The run's name by default.
    private var name: String {
        switch source {
        case .stdin: "stdin"
        case .url(let url): Self.name(url: url)
        case .file(let path): Self.stem(path)
        }
    }

    /// The file's name without folder and extension.
    private static func stem(_ path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
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
    func document(fetcher: DocumentFetcher?) throws(Failure) -> JSONNode {
        var node: JSONNode
        let label: String
        if let made = try made(fetcher: fetcher) {
            (node, label) = made
        } else if case .stdin(let bytes) = source {
            (node, label) = (try Self.node(bytes, label: "stdin"), "stdin")
        } else {
            (node, label) = (try Self.node(try FileText.read(word), label: word), word)
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

    /// Names of the keys that the file itself has in one of its parts, before any flag; none of
    /// what is no scenario.
    func writtenKeys(of path: [String]) -> [String] {
        let bytes: [UInt8]?
        switch source {
        case .stdin(let read): bytes = read
        case .file(let path): bytes = try? FileText.read(path)
        case .url: bytes = nil
        }
        guard let bytes, Self.isScenario(bytes) else { return [] }
        let root = JSONReader.parse(bytes).node
        return (path.reduce(root) { $0?[$1] }?.members ?? []).map(\.name)
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
        Failure(
            problems.isUnreachable ? .unmeasurable : .usage, lines: problems.list.map(problems.line)
        )
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
