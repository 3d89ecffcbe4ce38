import Workload

extension ArgumentTable {
    /// Flags of every command that reads a scenario.
    static let scenarioFlags: [FlagSpec] = [
        FlagSpec(
            name: "users", value: "N",
            help: "Closed load: N users, each with one ask at a time.",
            group: .scenario, scenarioFlag: .users),
        FlagSpec(
            name: "rate", value: "R",
            help: "Open load: asks per second, as 200/s, whatever the answers do.",
            group: .scenario, scenarioFlag: .rate),
        FlagSpec(
            name: "for", value: "TIME",
            help: "Measured time, as 30s or 5m.",
            group: .scenario, scenarioFlag: .duration),
        FlagSpec(
            name: "count", value: "N",
            help: "End after that many asks.",
            group: .scenario, scenarioFlag: .count),
        FlagSpec(
            name: "warmup", value: "TIME",
            help: "The same load before the measured time (default 0s).",
            group: .scenario, scenarioFlag: .warmup),
        FlagSpec(
            name: "zooms", value: "A-B",
            help: "Zoom levels, inclusive; one number is one level.",
            group: .scenario, scenarioFlag: .zooms),
        FlagSpec(
            name: "bounds", value: "W,S,E,N",
            help: "Box in degrees that the tiles come from.",
            group: .scenario, scenarioFlag: .bounds),
        FlagSpec(
            name: "token-file", value: "FILE",
            help: "File with a token that is not renewed.",
            group: .scenario, scenarioFlag: .tokenFile),
        FlagSpec(
            name: "profile", value: "NAME", choices: AuthPlan.Profile.allCases.map(\.rawValue),
            help: "Kind of service: how it carries, refuses and issues tokens.",
            group: .scenario, shortcut: Shortcut(path: ["auth", "profile"])),
        FlagSpec(
            name: "renewal-url", value: "URL",
            help: "Token endpoint, asked when a token is refused or about to end.",
            group: .scenario, shortcut: Shortcut(path: ["auth", "renewal", "url"])),
        FlagSpec(
            name: "client", value: "NAME", choices: AuthPlan.Client.allCases.map(\.rawValue),
            help: "How tokens are renewed (default single-flight), or a flawed way to do it.",
            group: .scenario, shortcut: Shortcut(path: ["auth", "client"])),
        FlagSpec(
            name: "seed", value: "N",
            help: "Start of all random choices (default 1).",
            group: .scenario, scenarioFlag: .seed),
        FlagSpec(
            name: "name", value: "TEXT",
            help: "Name of the run in its report and folder (default: the file's name).",
            group: .scenario, scenarioFlag: .name),
        FlagSpec(
            name: "set", value: "PATH=VALUE", isRepeatable: true,
            help: "Override any key of the scenario, as load.timeout=5s. Repeatable; applied in "
                + "order, and before the flags with names of their own.",
            group: .scenario),
    ]

    static let scenarioOperand = OperandSpec(name: "FILE|URL")

    static let scenarioSentence =
        "FILE is a scenario in JSON; - reads it from stdin. A URL template or address in its place "
        + "is a scenario of defaults, and so is a TileJSON, style, WMTS, WMS or ArcGIS document."

    static let outFlag = FlagSpec(
        name: "out", value: "DIR",
        help: "Folder for the files of the run (default Reports/<name>-<UTC time>, with "
            + "-2, -3 and so on where another run has that folder).",
        group: .output)

    static let progressFlags: [FlagSpec] = [
        FlagSpec(
            name: "progress", value: "KIND", choices: ["bar", "plain", "none"],
            help: "bar, plain (a line every 5 s) or none (default bar; where stderr is no "
                + "terminal, bar is plain).",
            group: .output),
        FlagSpec(
            name: "quiet", short: "q",
            help: "No progress and no notes; errors are still printed.", group: .output),
    ]

    static let run = CommandSpec(
        name: .run,
        summary: "load a tile endpoint and report how it went",
        usage: ["FILE|URL [FLAGS]"],
        details: [
            scenarioSentence,
            "The summary goes to stdout, progress and notes to stderr; report.json and the CSV "
                + "files go to --out.",
        ],
        operands: [scenarioOperand],
        flags: [
            outFlag,
            FlagSpec(
                name: "json", help: "Print report.json on stdout instead of the summary.",
                group: .output),
            FlagSpec(
                name: "print-scenario",
                help: "Print the scenario that would run, and end; nothing is sent.",
                group: .output),
        ] + progressFlags + scenarioFlags,
        examples: [
            ExampleSpec(
                line: "tilebench run 'http://localhost:8080/{z}/{x}/{y}.png' --users 50 --for 10s",
                comment: "50 users for ten seconds, without a file."),
            ExampleSpec(
                line: "tilebench run 'http://localhost:8080/{z}/{x}/{y}.mvt' --rate 200/s "
                    + "--zooms 8-14 --bounds 5.9,45.8,10.5,47.8",
                comment: "200 tiles per second of one region."),
            ExampleSpec(
                line: "tilebench run scenario.json --set load.rate=500/s --out Reports/faster",
                comment: "A scenario file with one key changed."),
            ExampleSpec(
                line: "tilebench run scenario.json --json | jq .latency.response.all.p99_ms",
                comment: "One figure of the report."),
        ])

    static let validate = CommandSpec(
        name: .validate,
        summary: "check a scenario and print the plan it resolves to",
        usage: ["FILE|URL [FLAGS]"],
        details: [
            scenarioSentence,
            "Prints the plan as JSON on stdout, with every default filled in and secrets as ***. "
                + "All problems are listed at once, each with its place. Nothing is sent.",
        ],
        operands: [scenarioOperand],
        flags: scenarioFlags,
        examples: [
            ExampleSpec(
                line: "tilebench validate scenario.json",
                comment: "What will this scenario do?"),
            ExampleSpec(
                line: "tilebench validate scenario.json --set load.users=1000 | jq .load",
                comment: "The load part of the plan, with one key changed."),
        ])

    static let probe = CommandSpec(
        name: .probe,
        summary: "ask for one tile, and one token if there is auth, and show everything",
        usage: ["FILE|URL [--tile Z/X/Y] [FLAGS]"],
        details: [
            scenarioSentence,
            "Shows request, address, protocol, TLS, times, status, headers, first bytes, what the "
                + "server's cache did and what the answer means to a map, and says what looks "
                + "wrong. Secrets are shown as ***. At most two more requests are made to find "
                + "out why a tile is missing.",
            "Exit code 0 when an answer came, whatever its status; 3 when none came, or no token.",
        ],
        operands: [scenarioOperand],
        flags: [
            FlagSpec(
                name: "tile", value: "Z/X/Y",
                help: "The tile to ask for (default: the first of the workload).")
        ] + scenarioFlags,
        examples: [
            ExampleSpec(
                line: "tilebench probe 'http://localhost:8080/{z}/{x}/{y}.png' --tile 3/4/2",
                comment: "One tile of a server."),
            ExampleSpec(
                line: "tilebench probe scenario.json",
                comment: "The first tile of a workload, and a new token from its backend."),
        ])
}
