import Engine
import JSONText
import TileModel
import Workload

/// `tilebench init`: a complete scenario for a document, with comments.
enum InitCommand {
    static func run(
        _ arguments: Arguments, console: Console
    ) throws(Failure) -> ExitCode {
        let fetcher = DocumentFetcher()
        let first = try ScenarioInput.describe(arguments, fetcher: fetcher)
        let target = chosen(first, fetcher)
        guard case .success(let plan) = target.plan else {
            guard case .failure(let problems) = target.plan else { return .success }
            throw Failure(
                problems.isUnreachable ? .unmeasurable : .usage,
                lines: problems.list.map(problems.line))
        }
        try console.print(ScenarioText(target, plan).text)
        return .success
    }

    /// Where a choice has to be made the first is taken, and where all tiles are on hosts that
    /// nobody has named these are written down: the person who reads the scenario decides.
    private static func chosen(
        _ target: DescribedTarget, _ fetcher: DocumentFetcher
    ) -> DescribedTarget {
        var target = target
        let kind = target.document.kind
        if case .failure = target.plan, let layer = target.document.layers.first {
            let key = kind == .wms ? "layers" : "layer"
            if target.scenario["target"]?[kind.rawValue]?[key] == nil {
                target = target.replanned(
                    [(["target", kind.rawValue, key], .string(layer.name))], fetcher: fetcher)
            }
        }
        if case .failure(let problems) = target.plan, !problems.hostsRefused.isEmpty {
            var own = problems.hosts.filter { !problems.hostsRefused.contains($0) }
            own += problems.hostsRefused
            target = target.replanned(
                [(["target", "hosts"], .array(own.map { .string($0) }))], fetcher: fetcher)
        }
        return target
    }
}

/// A scenario as text, with a comment for each of its parts.
struct ScenarioText {
    private(set) var text = ""

    init(_ target: DescribedTarget, _ plan: Plan) {
        let scenario = target.scenario
        let what = target.document.kind.phrase + Self.title(target)
        text = """
            // A load test of \(what), made by tilebench init.
            //
            // tilebench validate scenario.json   lists every problem with its place
            // tilebench probe scenario.json      asks for one tile and shows everything
            // tilebench run scenario.json        runs it
            // tilebench schema scenario          has every key with its default
            {
                "version": 1,

            """
        let described = scenario["target"]?.members ?? []
        add("target", Self.targetLines(described, target, plan))
        if let auth = scenario["auth"], !auth.isNull {
            add(
                "auth", Self.memberLines(auth.members ?? []),
                ["How the tiles' token is had and where it goes; the document has it there too."])
        } else {
            text += """
                    // For tiles that need a token:
                    // "auth": { "renewal": { "url": "https://…/token" } },

                """
        }
        add("workload", Self.workloadLines(scenario, plan))
        add(
            "load", Self.memberLines(scenario["load"]?.members ?? []),
            [
                "Users who ask for one tile after the other; \"rate\": \"50/s\" instead asks",
                "whatever the answers do. The most without target.permission: 100 users, 200/s.",
            ])
        add(
            "checks", ["\"status\": [200, 204]", "\"not_found\": \"ok\""],
            ["What counts as a good answer; a document may name more tiles than there are."])
        text += """
                // What must hold: exit code 99 when it does not.
                "gates": ["ledger.failed / ledger.started < 1%", "latency.response.all.p99 < 2s"]
            }

            """
    }

    private static func title(_ target: DescribedTarget) -> String {
        target.document.title.map { " " + JSONWriter.encodeText(.string($0)) } ?? ""
    }

    private mutating func add(_ name: String, _ members: [String], _ comments: [String] = []) {
        for comment in comments { text += "    // \(comment)\n" }
        var lines: [String] = []
        for (index, member) in members.enumerated() {
            // A comment that stands between members takes no comma.
            let isLast = members[(index + 1)...].allSatisfy { $0.hasPrefix("//") }
            let comma = member.hasPrefix("//") || isLast ? "" : ","
            lines += member.split(separator: "\n", omittingEmptySubsequences: false)
                .map { "        \($0)" }
            lines[lines.count - 1] += comma
        }
        text += "    \"\(name)\": {\n\(lines.joined(separator: "\n"))\n    },\n"
    }

    private static func memberLines(_ members: [JSONMember]) -> [String] {
        members.map { member in
            let value = JSONWriter.encodeText(member.node, pretty: true)
            return JSONWriter.encodeText(.string(member.name)) + ": " + value
        }
    }

    private static func targetLines(
        _ members: [JSONMember], _ target: DescribedTarget, _ plan: Plan
    ) -> [String] {
        var lines: [String] = []
        for source in plan.target.sources.prefix(20) {
            let kind = source.kind.map { "\($0.rawValue) tiles" } ?? "tiles"
            lines.append(
                "// Source \(JSONWriter.encodeText(.string(source.name))): \(kind) of"
                    + " \(source.tileSize) pixels, zooms \(source.minZoom) to \(source.maxZoom),"
                    + " \(source.pyramidSize) in all.")
        }
        let layers = target.document.layers.map { JSONWriter.encodeText(.string($0.name)) }
        if layers.count > 1 {
            lines.append("// Layers: \(layers.prefix(20).joined(separator: ", "))")
        }
        lines += memberLines(members.filter { $0.name != "hosts" })
        for note in plan.notes where note.contains("left out") {
            lines.append("// " + note.split(whereSeparator: \.isNewline).joined(separator: " "))
        }
        lines.append("// The fence: no other host gets a request or the token.")
        lines += memberLines([
            JSONMember(name: "hosts", node: .array(plan.target.hosts.map { .string($0) }))
        ])
        if !members.contains(where: { $0.name == "permission" }) {
            lines.append("// true: I may put this load on this server.")
            lines.append("\"permission\": false")
        }
        return lines
    }

    private static func workloadLines(_ scenario: JSONNode, _ plan: Plan) -> [String] {
        let written = (scenario["workload"]?.members ?? []).filter { !$0.node.isNull }
        var lines = memberLines(written)
        func has(_ name: String) -> Bool { written.contains { $0.name == name } }
        if !has("zooms") {
            let zooms = plan.workload.zooms
            lines.append("// Of the document; deeper views ask for the tiles of max_zoom.")
            lines.append("\"zooms\": [\(zooms.lowerBound), \(zooms.upperBound)]")
        }
        if !has("bounds") {
            let boxes = plan.target.sources.filter { $0.stated.contains(.bounds) }.map(\.bounds)
            if plan.target.sources.count == 1, let box = boxes.first {
                lines.append("// West, south, east, north, of the document.")
                lines.append(
                    "\"bounds\": [\(box.west), \(box.south), \(box.east), \(box.north)]")
            } else {
                lines.append("// \"bounds\": [west, south, east, north] for a part of the map.")
            }
        }
        return lines
    }
}
