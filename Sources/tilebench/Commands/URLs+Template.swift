import JSONText
import TileModel
import Workload

/// `urls --template`: what a template makes of tiles, without a scenario.
extension URLsCommand {
    static func expand(
        _ text: String, _ arguments: Arguments, console: Console
    ) throws(Failure) -> ExitCode {
        var problems: [String] = []
        if !arguments.operands.isEmpty { problems.append("--template takes no FILE") }
        for flag in arguments.flags where flag.spec.group == .scenario {
            problems.append("--\(flag.spec.name) needs a scenario, not --template")
        }
        if arguments.has("count") { problems.append("-n needs a scenario, not --template") }
        if !arguments.has("tile") { problems.append("--template needs --tile Z/X/Y") }

        var tiles: [TileID] = []
        for value in arguments.values("tile") {
            if let tile = TileID(text: value) {
                tiles.append(tile)
            } else if let problem = TileID.problem(text: value) {
                problems.append("--tile: \(problem)")
            }
        }
        var template: TileTemplate?
        let options = options(arguments, problems: &problems)
        do {
            template = try TileTemplate(text, options: options)
        } catch {
            problems.append("--template: \(error)")
        }
        guard problems.isEmpty, let template else {
            throw Failure(.usage, problems, help: .pointer(.urls))
        }
        let parts = template.tokenNames.map { _ in Secrets.mask }
        var lines = ""
        for tile in tiles {
            lines += template.url(tile, token: Secrets.mask, tokenParts: parts, run: "run") + "\n"
        }
        try console.print(lines)
        return .success
    }

    private static func options(
        _ arguments: Arguments, problems: inout [String]
    ) -> TemplateOptions {
        var options = TemplateOptions()
        if let scheme = arguments.value("scheme").flatMap(TemplateOptions.Scheme.init) {
            options.scheme = scheme
        }
        if let unknown = arguments.value("unknown").flatMap(TemplateOptions.Unknown.init) {
            options.unknown = unknown
        }
        if let text = arguments.value("subdomains") {
            options.subdomains =
                text.contains(",")
                ? text.split(separator: ",").map(String.init) : text.map { String($0) }
        }
        if let text = arguments.value("ratio") {
            if let ratio = JSONNumber(text)?.double, ratio > 0 {
                options.ratio = ratio
            } else {
                problems.append("--ratio needs a number above 0, not \(quoted(text))")
            }
        }
        return options
    }
}
