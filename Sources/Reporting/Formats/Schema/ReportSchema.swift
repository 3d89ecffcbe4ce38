package import JSONText

/// JSON Schema (draft-07) of report.json; also the list of its names for summary.csv.
package enum ReportSchema {
    package static let node: JSONNode = {
        var schema = ObjectBuilder()
        schema.add("$schema", text: "http://json-schema.org/draft-07/schema#")
        schema.add("title", text: "Report of a tilebench run")
        for member in SchemaField.object(
            "Units are in the names (_ms, _s, _bytes), shares are 0..1. Times count from T0, the"
                + " end of the warm-up. A part that does not apply is absent.", parts
        ).members ?? [] {
            schema.add(member.name, member.node)
        }
        schema.add(
            "definitions",
            .object([
                ("distribution", distribution), ("server_class", serverClass), ("sizes", sizes),
            ]))
        return schema.node
    }()

    /// Top-level members that each report has.
    static let requiredParts: [String] = parts.filter(\.isRequired).map(\.name)

    private static let parts: [SchemaField] = [
        SchemaField(name: "schema", node: versionPattern),
        .object("tool", "Which build measured.", tool),
        .object("machine", "On what it measured.", machine),
        .object("scenario", "What was asked for.", scenario),
        .object("run", "How the run went as a whole.", run),
        .object(
            "ledger",
            "Tiles wanted from the network (asks), measured part: planned = not_started + started;"
                + " started = ok + failed + cancelled + in_flight_at_end.", ledger),
        .object(
            "requests",
            "What went over the wire, whole process: sent = first attempts + replays"
                + " + retried_on_closed.", requests),
        .object("rate", "Per second of measured time.", rate),
        .object("bytes", "Whole process.", bytes),
        .object("latency", "Measured part.", latency),
        .object("phases", "Phases of the requests, measured part.", phases),
        .counts("status", "Asks by the last status of each, measured part."),
        outcomes,
        .array("errors", "Failures by kind, whole process.", of: error),
        .object("connections", "Whole process.", connections),
        .object("cache", "Measured part.", cache),
        .object("auth", "Token renewal, whole process; absent without tokens.", auth).optional,
        SchemaField.object(
            "views",
            "Time to a full view, measured part; absent without viewers.", viewFields
        ).optional,
        SchemaField.object(
            "replay", "Lines of the log; absent without one.", replay
        ).optional,
        SchemaField.array(
            "places", "By place, measured part; absent without places.", of: mapPlace
        ).optional,
        .array("zooms", "By zoom level, measured part.", of: zoom),
        SchemaField.map(
            "sources",
            "By name of the source, measured part; absent unless a document names the tiles.",
            of: source
        ).optional,
        .array("timeline", "By interval of the measured part.", of: interval),
        .object("generator", "What the generator knows of itself, whole process.", generator),
        .array("gates", "In the order of the scenario.", of: gate),
        .text("verdict", "Of the gates.", of: ["pass", "fail", "none"]),
        .array(
            "passes",
            "The passes of a run of several, up to this one, side by side; what else is in this"
                + " report is of the last of them.", of: pass
        ).optional,
    ]

    private static let versionPattern: JSONNode = {
        var node = ObjectBuilder()
        node.add("description", text: "Format and its semantic version.")
        node.add("type", text: "string")
        node.add("pattern", text: "^tilebench-report/1\\.[0-9]+\\.[0-9]+$")
        return node.node
    }()

    /// The node itself, or the definition that it refers to.
    static func resolved(_ node: JSONNode) -> JSONNode {
        guard let path = node["allOf"]?[0]?["$ref"]?.string, path.hasPrefix("#/"),
            let definition = ReportSchema.node.at(pointer: String(path.dropFirst()))
        else { return node }
        return definition
    }

    static func distribution(_ name: String, _ what: String) -> SchemaField {
        .reference(name, what, to: "distribution")
    }

    private static let distribution = SchemaField.object(
        "Of a duration. What summarises it is absent when it is empty.", distributionFields)

    static let distributionFields: [SchemaField] = {
        let figures =
            [
                SchemaField.time("min_ms", "Exact."),
                .time("mean_ms", "Of the exact values."),
                .time("stddev_ms", "Of the population, by cells of the histogram."),
            ]
            + ReportJSON.percentiles.map {
                .time($0.name, "The ceil(\($0.fraction) n)-th smallest value.")
            } + [.time("max_ms", "Exact.")]
        return [.count("count", "Values.")] + figures.map(\.optional) + [
            SchemaField(name: "histogram", node: histogram),
            .array(
                "low_resolution", "Percentiles with fewer than 10 values above them.",
                of: .object([("type", .string("string"))])),
        ]
    }()

    private static let sizes = SchemaField.object(
        "Of tiles as received: good ones, and those that min_bytes or max_bytes refuse; a 204"
            + " counts as 0, a 304 not at all. What summarises it is absent when it is empty.",
        [.count("count", "Tiles.")]
            + [
                SchemaField.count("min_bytes", "Exact."),
                .count("mean_bytes", "Of the exact values."),
            ].map(\.optional)
            + ReportJSON.sizePercentiles.map {
                SchemaField.count($0.name, "The ceil(\($0.fraction) n)-th smallest.").optional
            } + [
                SchemaField.count("max_bytes", "Exact.").optional,
                SchemaField(name: "histogram", node: histogram),
            ])

    private static let histogram: JSONNode = {
        var node = ObjectBuilder()
        node.add(
            "description",
            text: "HdrHistogram V2 compressed; ns or bytes, 1 to 3,600,000,000,000, 3 digits.")
        node.add("type", text: "string")
        node.add("contentEncoding", text: "base64")
        return node.node
    }()
}
