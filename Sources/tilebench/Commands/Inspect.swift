import Engine
import JSONText
import Reporting
import TileModel
import Workload

/// `tilebench inspect`: what was understood of a document that describes tiles, and one of its
/// tiles asked for.
enum InspectCommand {
    static func run(
        _ arguments: Arguments, console: Console
    ) throws(Failure) -> ExitCode {
        let fetcher = DocumentFetcher()
        let target = try ScenarioInput.describe(arguments, fetcher: fetcher)
        let inspection = Inspection(target, fetcher: fetcher)
        let secrets = inspection.secrets
        if arguments.has("json") {
            let text = JSONWriter.encodeText(inspection.json, pretty: true)
            try console.print(secrets.masking(text) + "\n")
        } else {
            try console.print(secrets.masking(inspection.text))
        }
        return inspection.isUnanswered ? .unmeasurable : .success
    }
}

/// What is said of a document.
struct Inspection {
    struct Source {
        var tiles: TileSource
        /// Hosts of its templates, and those of them that the scenario does not name.
        var hosts: [String]
        var refused: [String]
        var tile: TileID?
        var url: String?
        /// What came of asking for the tile; nil: it was not asked for.
        var status: Int?
        var outcome: String?
        var failure: String?
    }

    let target: DescribedTarget
    private(set) var sources: [Source] = []
    private(set) var secrets = Secrets()
    /// Sentences of the plan, or why there is none.
    private(set) var notes: [String] = []

    /// A tile was asked for and no answer came.
    var isUnanswered: Bool { sources.contains { $0.failure != nil } }

    init(_ target: DescribedTarget, fetcher: DocumentFetcher) {
        self.target = target
        switch target.plan {
        case .success(let plan):
            secrets = plan.secrets
            notes = plan.notes
            sources = plan.target.sources.map { Self.source($0, plan) }
            ask(plan, fetcher)
        case .failure(let problems):
            notes = problems.list.map { $0.message + ($0.hint.map { " (\($0))" } ?? "") }
            sources = target.sources.map { Self.source($0, nil) }
        }
    }

    private static func source(_ tiles: TileSource, _ plan: Plan?) -> Source {
        var options = plan?.target.options ?? TemplateOptions()
        // Names that are no placeholders are no reason to say nothing of the hosts.
        if plan == nil { options.unknown = .keep }
        let hosts = (try? tiles.hosts(options)) ?? []
        return Source(
            tiles: tiles, hosts: hosts,
            refused: plan.map { plan in hosts.filter { !plan.target.allows(url: $0) } } ?? [])
    }

    /// Asks for one tile of each source, inside the fence.
    private mutating func ask(_ plan: Plan, _ fetcher: DocumentFetcher) {
        guard let set = try? plan.target.templateSet() else { return }
        var request = ProbeRequest(plan: plan, templates: set)
        do throws(DocumentFailure) {
            request.credential = try fetcher.credential(of: plan)
        } catch {
            notes.append(error.message)
            return
        }
        for text in [request.credential?.text ?? ""] + (request.credential?.parts ?? []) {
            secrets.add(text)
        }
        let shot = OneShot(connection: plan.connection)
        for index in sources.indices {
            guard let tile = sources[index].tiles.sampleTile, sources[index].refused.isEmpty
            else { continue }
            let sent = request.of(TileChoice(tile: tile, source: UInt16(index)))
            sources[index].tile = tile
            sources[index].url = sent.url
            let answer = shot.fetch(sent)
            guard answer.status > 0 else {
                sources[index].failure = answer.failure ?? "no answer"
                continue
            }
            sources[index].status = answer.status
            sources[index].outcome = ProbeJudgement(answer, url: sent.url, plan: plan).outcomeText
        }
    }
}
