import Engine
import JSONText
import TileModel
import Workload

/// A document given on the command line, with what a scenario made of it comes to: for the commands
/// that look at documents.
struct DescribedTarget {
    let document: SourceDocument
    /// The scenario of defaults for it, the flags applied.
    let scenario: JSONNode
    /// Its plan, or why there is none: a layer that must be chosen, hosts outside the fence.
    let plan: Result<Plan, ScenarioProblems>

    /// The sources of the plan; without one those that the document names by itself.
    var sources: [TileSource] {
        if case .success(let plan) = plan { return plan.target.sources }
        return (try? document.sources()) ?? []
    }

    /// The same, with keys of `target` changed.
    func replanned(_ changes: [(path: [String], value: JSONNode)], fetcher: DocumentFetcher) -> Self
    {
        var scenario = scenario
        for change in changes {
            // The paths lead through objects that are there.
            try? scenario.set(change.path, to: change.value)
        }
        let plan = Self.plan(scenario, fetcher: fetcher)
        return DescribedTarget(document: document, scenario: scenario, plan: plan)
    }

    static func plan(
        _ scenario: JSONNode, fetcher: DocumentFetcher
    ) -> Result<Plan, ScenarioProblems> {
        ScenarioFile.load(
            node: scenario, label: "scenario", nameDefault: "tiles",
            environment: Environment.all(), version: ToolVersion.text,
            fetch: { fetcher.fetch($0) })
    }
}

extension ScenarioInput {
    /// Fetches or opens the document at `URL|FILE`, and plans a run against it.
    ///
    /// - Throws: exit 2 when it is no document or a flag is wrong, 3 when it cannot be had.
    static func describe(
        _ arguments: Arguments, fetcher: DocumentFetcher
    ) throws(Failure) -> DescribedTarget {
        guard let word = arguments.operands.first else {
            throw Failure(
                .usage, "\(arguments.command.rawValue) needs URL|FILE",
                help: .pointer(arguments.command))
        }
        let overrides = try ScenarioOverrides.of(arguments)
        let isURL = URLOrigin.isAbsolute(word)
        let file = isURL ? nil : FetchedDocument(bytes: try FileText.read(word), url: word)
        if word.contains("{"), isURL {
            throw Failure(
                .usage,
                "\(quoted(word)) is a template, not a document; tilebench probe asks for"
                    + " one of its tiles", help: .pointer(arguments.command))
        }
        let guess = ScenarioLoader.documentKind(byURL: word) ?? .tilejson
        let (fetched, problems) = file.map { ($0, nil) } ?? first(word, guess, overrides, fetcher)
        guard let fetched else { throw Self.failure(problems) }
        let document: SourceDocument
        do throws(DocumentRemark) {
            document = try SourceDocument.read(
                fetched.bytes, contentType: fetched.contentType, url: fetched.url)
        } catch {
            throw Failure(.usage, "\(quoted(word)): \(error.description)")
        }
        var scenario = ScenarioLoader.scenario(of: word, kind: document.kind)
        let wrong = ScenarioLoader.apply(overrides, to: &scenario)
        guard wrong.isEmpty else {
            throw Failure(.usage, lines: wrong.map(\.description))
        }
        for override in overrides where override.value.isNull { scenario.remove(override.path) }
        return DescribedTarget(
            document: document, scenario: scenario,
            plan: DescribedTarget.plan(scenario, fetcher: fetcher))
    }

    /// The document as it comes, whatever it is; nil with the problems.
    private static func first(
        _ word: String, _ guess: SourceDocument.Kind, _ overrides: [ScenarioOverride],
        _ fetcher: DocumentFetcher
    ) -> (FetchedDocument?, ScenarioProblems?) {
        var found: FetchedDocument?
        let result = ScenarioFile.load(
            node: ScenarioLoader.scenario(of: word, kind: guess), label: "scenario of the URL",
            nameDefault: "tiles", overrides: overrides, environment: Environment.all(),
            version: ToolVersion.text,
            fetch: { request in
                let result = fetcher.fetch(request)
                if found == nil, case .success(let document) = result { found = document }
                return result
            })
        guard case .failure(let problems) = result else { return (found, nil) }
        return (found, problems)
    }

    private static func failure(_ problems: ScenarioProblems?) -> Failure {
        guard let problems else { return Failure(.usage, "there is no document") }
        return Failure(
            problems.isUnreachable ? .unmeasurable : .usage,
            lines: problems.list.map(problems.line))
    }
}
