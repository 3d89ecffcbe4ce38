import Engine
import TileModel
import Workload

/// `tilebench urls`: the URLs that would be asked for, one a line and nothing else on stdout.
enum URLsCommand {
    static func run(
        _ arguments: Arguments, console: Console
    ) throws(Failure) -> ExitCode {
        if let template = arguments.value("template") {
            return try expand(template, arguments, console: console)
        }
        let only = ["tile", "scheme", "ratio", "unknown", "subdomains"].filter(arguments.has)
        guard only.isEmpty else {
            throw Failure(
                .usage, only.map { "--\($0) needs --template; a scenario has it in target" },
                help: .pointer(.urls))
        }
        return try list(arguments, console: console)
    }

    private static let countDefault: UInt64 = 10
    /// Lines are collected up to this size before they are written.
    private static let chunkBytes = 1 << 16
    /// Stands for the embedded server, whose address only a run knows; RFC 2606 keeps it free.
    private static let originPlaceholder = "http://origin.invalid"

    private static func list(
        _ arguments: Arguments, console: Console
    ) throws(Failure) -> ExitCode {
        var wanted = countDefault
        if let text = arguments.value("count") {
            guard let count = UInt64(text) else {
                throw Failure(
                    .usage, "-n needs a whole number, not \(quoted(text))", help: .pointer(.urls))
            }
            wanted = count
        }
        let written = try ScenarioInput.plan(arguments, fetcher: DocumentFetcher())
        for note in written.notes { console.note(note) }
        let plan =
            written.target.origin == nil
            ? written : written.resolvingOrigin(address: originPlaceholder)
        let run: RunParts
        do {
            run = try RunParts(plan: plan)
        } catch {
            throw Failure(.usage, error.description)
        }
        let parts = run.templates.tokenNames.map { _ in Secrets.mask }
        var lines = ""
        var printed: Result<Bool, Failure> = .success(true)
        func flush() -> Bool {
            printed = Result { () throws(Failure) in try console.print(lines) }
            lines = ""
            return (try? printed.get()) ?? false
        }
        do throws(RunPartsError) {
            try run.visitFirst(wanted, of: plan) { choice, index in
                let url = run.templates.url(
                    choice.tile, source: choice.source, token: Secrets.mask, tokenParts: parts,
                    run: "run", random: index)
                lines += shown(plan.secrets.masking(url)) + "\n"
                return lines.utf8.count <= chunkBytes || flush()
            }
        } catch {
            throw Failure(.usage, error.description)
        }
        if try printed.get() { _ = flush() }
        _ = try printed.get()
        return .success
    }

    private static func shown(_ url: String) -> String {
        guard url.hasPrefix(originPlaceholder) else { return url }
        return Plan.originVariable + url.dropFirst(originPlaceholder.count)
    }
}
