/// Every command and every flag: parsing, help and suggestions are made from this table alone.
enum ArgumentTable {
    static let toolSummary = "load tests for map tile servers, expiring tokens included"

    static let commands: [CommandSpec] = [
        run, capacity, validate, probe, inspect, initialise, urls, serve, report, schema,
        version,
    ]

    static func command(_ name: CommandName) -> CommandSpec {
        guard let spec = commands.first(where: { $0.name == name }) else {
            preconditionFailure("the table has no row for \(name.rawValue)")
        }
        return spec
    }

    /// Taken by every command.
    static let help = FlagSpec(name: "help", short: "h", help: "Print this help and end.")

    static let examples: [ExampleSpec] = [
        ExampleSpec(
            line: "tilebench run 'http://localhost:8080/{z}/{x}/{y}.png' --users 50 --for 10s",
            comment: "A first load test, without a file."),
        ExampleSpec(
            line: "tilebench run scenario.json --set load.rate=500/s",
            comment: "The test that a scenario file describes, with one key changed."),
        ExampleSpec(
            line: "tilebench capacity scenario.json --from 50/s --to 2000/s",
            comment: "The highest rate at which its gates hold."),
        ExampleSpec(
            line: "tilebench probe scenario.json",
            comment: "One tile and one token refresh, shown in full."),
        ExampleSpec(
            line: "tilebench serve --listen 127.0.0.1:8080",
            comment: "A tile server to aim at."),
    ]

    static let urls = CommandSpec(
        name: .urls,
        summary: "print the URLs a scenario would ask for, one per line",
        usage: ["FILE|URL [-n N] [FLAGS]", "--template T --tile Z/X/Y [FLAGS]"],
        details: [
            "Prints URLs and nothing else on stdout. Nothing is sent but for a document that the "
                + "target names. Tokens and other secrets are shown as ***."
        ],
        operands: [OperandSpec(name: "FILE|URL", isRequired: false)],
        flags: [
            FlagSpec(
                name: "count", short: "n", value: "N",
                help: "How many URLs of the workload to print (default 10)."),
            FlagSpec(
                name: "template", value: "T",
                help: "Expand this URL template instead of a scenario's workload."),
            FlagSpec(
                name: "tile", value: "Z/X/Y", isRepeatable: true,
                help: "The tile to expand --template for."),
            FlagSpec(
                name: "scheme", value: "SCHEME", choices: ["xyz", "tms"],
                help: "xyz or tms, which flips {y} (default xyz)."),
            FlagSpec(
                name: "ratio", value: "N",
                help: "Pixel ratio for {ratio}, {r} and {scale} (default 1)."),
            FlagSpec(
                name: "unknown", value: "RULE", choices: ["error", "keep"],
                help: "An unknown placeholder is an error or stays as it is (default error)."),
            FlagSpec(
                name: "subdomains", value: "LETTERS",
                help: "What {s} is replaced by (default abc)."),
        ] + scenarioFlags.filter { $0.name != "count" },
        examples: [
            ExampleSpec(
                line: "tilebench urls scenario.json -n 1000 > urls.txt",
                comment: "The first thousand URLs of a workload."),
            ExampleSpec(
                line: "tilebench urls --template 'https://t.example.org/{z}/{x}/{-y}.png' "
                    + "--tile 3/4/2",
                comment: "What a template makes of one tile."),
        ])

    static let report = CommandSpec(
        name: .report,
        summary: "print the summary of a stored report.json or capacity.json",
        usage: ["FILE [--json]"],
        details: [
            "FILE is a report.json or a capacity.json, or the folder of a run or a search; - reads "
                + "stdin."
        ],
        operands: [OperandSpec(name: "FILE")],
        flags: [
            FlagSpec(
                name: "json", help: "Print the report itself instead of its summary.",
                group: .output)
        ],
        examples: [
            ExampleSpec(
                line: "tilebench report Reports/latest/report.json",
                comment: "The summary of the last run once more.")
        ])

    static let schema = CommandSpec(
        name: .schema,
        summary: "print the JSON Schema of the scenario, the report or capacity.json",
        usage: ["scenario|report|capacity"],
        details: ["Editors that know JSON Schema check and complete a scenario file with it."],
        operands: [
            OperandSpec(
                name: "scenario|report|capacity", choices: ["scenario", "report", "capacity"])
        ],
        examples: [
            ExampleSpec(
                line: "tilebench schema scenario > scenario.schema.json",
                comment: "For \"$schema\" in a scenario file.")
        ])

    static let version = CommandSpec(
        name: .version,
        summary: "print the version of tilebench and of what it was built with",
        usage: ["[--json]"],
        details: [],
        flags: [
            FlagSpec(
                name: "json", help: "As JSON, like `tool` in report.json.", group: .output)
        ],
        examples: [
            ExampleSpec(
                line: "tilebench version --json",
                comment: "Version, commit, build, swift, libcurl and jemalloc as JSON.")
        ])
}
