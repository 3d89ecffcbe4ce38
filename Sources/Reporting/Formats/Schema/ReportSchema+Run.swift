import JSONText

extension ReportSchema {
    static let tool: [SchemaField] = [
        .text("version", "Version of tilebench."),
        .text("commit", "Commit it was built from."),
        .text("build", "Kind of build.", of: ["release", "debug"]),
        .text("swift", "Compiler."),
        .text("libcurl", "Version that runs."),
        .text("jemalloc", "Version that runs; empty without it."),
    ]

    static let machine: [SchemaField] = [
        .text("cpu", "Model."),
        .count("cores", "Of the machine."),
        .text("kernel", "Release."),
        .count("memory_bytes", "Of the machine."),
    ]

    static let scenario: [SchemaField] = [
        .text("name", "Name of the scenario."),
        .text("sha256", "Of the plan without target, secrets and report options, in hex."),
        .count("seed", "Of everything random."),
        SchemaField(
            name: "plan",
            node: .object([
                (
                    "description",
                    .string("The resolved scenario: defaults filled in, secrets as ***.")
                )
            ])),
    ]

    static let run: [SchemaField] = [
        .text("started_at", "T0, RFC 3339, UTC."),
        .time("warmup_s", "Before T0."),
        .count("warmup_asks", "Asks of the warm-up: in no latency, ledger or rate."),
        .time("measured_s", "Length of the measured part."),
        .time("drain_s", "From its end to the last answer."),
        .flag("interrupted", "Ended by a signal."),
        .text("signal", "Which one.").optional,
        .text("aborted", "The abort_when condition that ended the run.").optional,
        .count("shard", "Number of this process among the shards, from 0."),
        .count("shards", "Processes that share the load."),
        .text(
            "validity", "Whether the numbers say what they seem to say.",
            of: ["valid", "suspect", "invalid"]),
        .array(
            "reasons", "Why it is not valid, the worst first.",
            of: .object([("type", .string("string"))])),
        .text("pass", "Name of the pass, where the run has several.").optional,
    ]

    static let rate: [SchemaField] = [
        .number("planned_per_s", "Asks planned.").optional,
        .number("started_per_s", "Asks started.").optional,
        .number("ok_per_s", "Good tiles.").optional,
        .number("bytes_per_s", "Bytes of bodies.").optional,
    ]

    static let bytes: [SchemaField] = [
        .count("received", "All, headers included."),
        .count("sent", "All."),
        .count("body", "Part of received that was bodies, as received."),
    ]

    static let generator: [SchemaField] = [
        .count("threads", "Reactors."),
        .text("transport", "What carried the requests: direct, libcurl."),
        .text("transport_reason", "Why it was not the direct one.").optional,
        .time(
            "cpu_s",
            "CPU time of the whole process, from its start to the end of the drain; an embedded"
                + " origin's is in it."),
        .number("cpu_us_per_request", "cpu_s / requests.sent, in microseconds.").optional,
        .number("cores_used", "CPU time / time, on average."),
        .number("cores_available", "By affinity and CPU quota."),
        .time("throttled_s", "Time that a CPU quota took."),
        .count("peak_rss_bytes", "Most memory that was resident."),
        .count("jemalloc_allocated_bytes", "In use at the end.").optional,
        .count("jemalloc_resident_bytes", "Held at the end.").optional,
        .number(
            "allocated_bytes_per_request",
            "Allocated by reactors in the measured part / requests sent in it."
        ).optional,
        .count("descriptors_used", "At most at one time."),
        .count("descriptors_limit", "Allowed."),
        .count("ports_used", "Ephemeral ports in use at most."),
        .count("ports_limit", "Ephemeral ports that there are."),
        distribution("start_lag", "Actual minus intended start of the asks."),
        distribution("loop_lag", "How late turns of a reactor's loop ended."),
    ]

    static let gate = SchemaField.object(
        nil,
        [
            .text("expression", "As written."),
            SchemaField.time(
                "observed", "In the unit of the report; absent without data.", min: nil
            )
            .optional,
            .time("limit", "In the same unit.", min: nil),
            .text("verdict", "How it came out.", of: ["pass", "fail", "warn", "no data"]),
            .text("level", "What failing it does.", of: ["fail", "warn"]),
            SchemaField.text("reason", "Why there is no data.").optional,
        ])
}
