package import JSONText
import Workload

/// JSON Schema (draft-07) of capacity.json; also the list of the columns of capacity.csv.
package enum CapacitySchema {
    package static let node: JSONNode = {
        var schema = ObjectBuilder()
        schema.add("$schema", text: "http://json-schema.org/draft-07/schema#")
        schema.add("title", text: "Search for the capacity of a server by tilebench")
        for member in SchemaField.object(
            "Units are in the names (_ms, _s, _per_s), shares are 0..1. What does not apply is"
                + " absent.", parts
        ).members ?? [] {
            schema.add(member.name, member.node)
        }
        return schema.node
    }()

    private static let parts: [SchemaField] = [
        .text("schema", "Format and its semantic version.", of: [CapacityJSON.schema]),
        .text("kind", "Tells this file from a report.", of: [CapacityJSON.kind]),
        .object("tool", "As in the report.", ReportSchema.tool),
        .object("machine", "As in the report.", ReportSchema.machine),
        .object("scenario", "Of the first step, as in its report.", ReportSchema.scenario),
        .text("started_at", "T0 of the first step, RFC 3339, UTC."),
        .object("search", "What was asked for.", search),
        .text(
            "end",
            "limit: between capacity_per_s and fails_at_per_s; no_limit: the highest rate held;"
                + " failed_at_start: not even the first did; generator: the generator could not do"
                + " its part at ended_at_per_s; unanswered: no answer any more at ended_at_per_s;"
                + " interrupted: by a signal.", of: CapacityResult.End.allCases.map(\.rawValue)),
        SchemaField.number("capacity_per_s", "The highest rate that held.").optional,
        SchemaField.number("fails_at_per_s", "The lowest rate that did not hold.").optional,
        SchemaField.number(
            "ended_at_per_s", "Rate of the step that ended the search without an answer."
        ).optional,
        .array("steps", "In their order.", of: step),
    ]

    private static let search: [SchemaField] = [
        .number("from_per_s", "The first rate."), .number("to_per_s", "The highest rate."),
        .share(
            "resolution", "The search ends when fails_at_per_s is that much over capacity_per_s."),
        .time("step_s", "Measured time of a step."), .time("warmup_s", "Before it."),
        .array("gates", "As written.", of: .object([("type", .string("string"))])),
        .flag("own_gates", "The gates are tilebench's own, for want of any that can fail."),
    ]

    static let step = SchemaField.object(
        nil,
        [
            .count("step", "From 1."),
            .text("folder", "Of its own report, beside this file."),
            .number("rate_per_s", "The rate that was asked for."),
            .text(
                "verdict", "invalid: nothing can be said of the server.",
                of: CapacitySearch.StepEnd.allCases.map(CapacityJSON.word)),
            SchemaField.text("reason", "Why it did not pass.").optional,
            .text("validity", "As run.validity.", of: ["valid", "suspect", "invalid"]),
            .time("measured_s", "Length of its measured part."),
            .count("planned", "Asks that the rate called for."),
            .count("started", "Of these, started."),
            .count("ok", "Good."), .count("failed", "Not good."),
            .count("in_flight_at_end", "On the wire at the end."),
            SchemaField.number("started_per_s", "As rate.started_per_s.").optional,
            SchemaField.number("ok_per_s", "As rate.ok_per_s.").optional,
        ]
            + ["p50_ms", "p90_ms", "p99_ms", "max_ms"].map {
                SchemaField.time($0, "Response time of all; absent without asks.").optional
            } + [
                SchemaField(name: "backlog_growth", node: growth).optional,
                SchemaField.share("server_hit_rate", "As cache.server.hit_rate.").optional,
                .array(
                    "validity_reasons", "As run.reasons; not in capacity.csv.",
                    of: .object([("type", .string("string"))])),
            ])

    private static let growth: JSONNode = {
        var node = ObjectBuilder()
        node.add(
            "description",
            text: "How many more asks were open at the end than after the first interval; absent of"
                + " a step with one interval.")
        node.add("type", text: "integer")
        return node.node
    }()
}
