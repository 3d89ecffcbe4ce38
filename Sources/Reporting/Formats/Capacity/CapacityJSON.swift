package import JSONText
import Metrics
import Workload

/// capacity.json and capacity.csv: a search for the highest rate that a server stands.
package enum CapacityJSON {
    /// Version of the format, by the rules of the report's.
    static let schema = "tilebench-capacity/1.0.0"
    package static let kind = "capacity"

    package static func node(_ result: CapacityResult) -> JSONNode {
        var node = ObjectBuilder()
        node.add("schema", text: schema)
        node.add("kind", text: kind)
        node.add("tool", ReportJSON.tool(result.tool))
        node.add("machine", ReportJSON.machine(result.machine))
        node.add("scenario", ReportJSON.scenario(result.scenario))
        node.add("started_at", text: result.startedAt)
        node.add("search", search(result.settings))
        node.add("end", text: result.end.rawValue)
        node.add("capacity_per_s", exact: result.heldPerS)
        node.add("fails_at_per_s", exact: result.failedPerS)
        node.add("ended_at_per_s", exact: result.endedAtPerS)
        node.add("steps", .array(result.steps.map(step)))
        return node.node
    }

    private static func search(_ settings: CapacityResult.Settings) -> JSONNode {
        var node = ObjectBuilder()
        node.add("from_per_s", exact: settings.fromPerS)
        node.add("to_per_s", exact: settings.toPerS)
        node.add("resolution", exact: settings.resolution)
        node.add("step_s", s: settings.stepNS)
        node.add("warmup_s", s: settings.warmupNS)
        node.add("gates", .array(settings.gates.map(JSONNode.string)))
        node.add("own_gates", flag: settings.hasOwnGates)
        return node.node
    }

    private static func step(_ step: CapacityStep) -> JSONNode {
        var node = ObjectBuilder()
        node.add("step", count: step.number)
        node.add("folder", text: step.folder)
        node.add("rate_per_s", exact: step.ratePerS)
        node.add("verdict", text: word(step.judgement.end))
        node.add("reason", text: step.judgement.reason)
        node.add("validity", text: step.validity.rawValue)
        node.add("measured_s", s: step.measuredNS)
        node.add("planned", count: step.ledger.planned)
        node.add("started", count: step.ledger.started)
        node.add("ok", count: step.ledger.ok)
        node.add("failed", count: step.ledger.failed)
        node.add("in_flight_at_end", count: step.ledger.inFlightAtEnd)
        node.add("started_per_s", rounded: step.perSecond(step.ledger.started))
        node.add("ok_per_s", rounded: step.perSecond(step.ledger.ok))
        node.add("p50_ms", ms: step.response.percentileNS(0.5))
        node.add("p90_ms", ms: step.response.percentileNS(0.9))
        node.add("p99_ms", ms: step.response.percentileNS(0.99))
        node.add("max_ms", ms: step.response.maxNS)
        node.add("backlog_growth", step.backlogGrowth.map(JSONNode.int))
        node.add("server_hit_rate", exact: step.serverHitRate)
        node.add("validity_reasons", .array(step.reasons.map(JSONNode.string)))
        return node.node
    }

    /// One row per step, in their order; the columns are the names of the file.
    package static func csv(_ capacity: JSONNode) -> String {
        let columns = (CapacitySchema.step["properties"]?.members ?? []).map(\.name)
            .filter { $0 != "validity_reasons" }
        var text = ""
        CSV.append(columns, to: &text)
        for row in capacity["steps"]?.array ?? [] {
            CSV.append(columns.map { CSV.field(row[$0]) }, to: &text)
        }
        return text
    }

    static func word(_ end: CapacitySearch.StepEnd) -> String {
        switch end {
        case .held: "pass"
        case .failed: "fail"
        case .invalid: "invalid"
        case .unanswered: "unanswered"
        }
    }
}
