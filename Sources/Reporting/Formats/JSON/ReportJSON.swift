package import JSONText
package import Metrics
import Workload

/// report.json: what a run measured and how it was judged. The order of the members is fixed, units
/// are in the names, shares are 0...1, and what does not apply is absent.
package enum ReportJSON {
    /// Version of the format, by semantic versioning: a new optional member is a minor step; a
    /// rename, a removal or a change of unit or meaning a major one.
    package static let schema = "tilebench-report/1.0.0"

    package static func node(result: RunResult, verdict: Verdict) -> JSONNode {
        var report = ObjectBuilder()
        report.add("schema", text: schema)
        report.add("tool", tool(result.tool))
        report.add("machine", machine(result.machine))
        report.add("scenario", scenario(result.scenario))
        report.add("run", run(result.run))
        report.add("ledger", ledger(result.ledger))
        report.add("requests", requests(result.requests))
        report.add("rate", rate(result))
        report.add("bytes", bytes(result.bytes))
        report.add("latency", latency(response: result.response, service: result.service))
        report.add("phases", phases(result.phases))
        report.add("status", ObjectBuilder.counts(byStatus: result.statuses))
        report.add("outcomes", counts: result.outcomes, by: Outcome.self, key: \.key)
        report.add("errors", .array(result.errors.map(error)))
        report.add("connections", connections(result.connections))
        report.add("cache", cache(result.cache))
        report.add("auth", result.auth.map(auth))
        report.add("views", result.views.map(views))
        report.add("replay", result.replay.map(replay))
        report.add(
            "places", result.places.isEmpty ? nil : .array(result.places.map(place)))
        report.add("zooms", .array(result.zooms.map(zoom)))
        report.add(
            "sources",
            result.sources.isEmpty
                ? nil : .object(result.sources.map { ($0.name, source($0)) }))
        report.add("timeline", .array(result.timeline.map(interval)))
        report.add("generator", generator(result))
        report.add("gates", .array(verdict.gates.map(gate)))
        report.add("verdict", text: verdict.overall.rawValue)
        report.add(
            "passes", result.passes.isEmpty ? nil : .array(result.passes.map(pass)))
        return report.node
    }

    /// The file's bytes.
    package static func encode(_ report: JSONNode) -> [UInt8] {
        JSONWriter.encode(report, pretty: true) + [UInt8(ascii: "\n")]
    }

    private static func gate(_ gate: GateResult) -> JSONNode {
        var node = ObjectBuilder()
        node.add("expression", text: gate.expression)
        node.add("observed", exact: gate.observed)
        node.add("limit", exact: gate.limit)
        node.add("verdict", text: gate.verdict.rawValue)
        node.add("level", text: gate.level.rawValue)
        node.add("reason", text: gate.reason)
        return node.node
    }
}
