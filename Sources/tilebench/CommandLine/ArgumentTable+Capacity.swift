import Workload

/// The search for the highest rate.
extension ArgumentTable {
    /// The search sets rates and times itself.
    private static let replacedFlags: [ScenarioFlag] = [.users, .rate, .duration, .count]

    static let capacity = CommandSpec(
        name: .capacity,
        summary: "find the highest rate at which the gates hold",
        usage: ["FILE|URL [--from R] [--to R] [FLAGS]"],
        details: [
            scenarioSentence,
            "Steps of a fixed rate: doubled from --from until the gates fail or --to is reached, "
                + "then in between down to --resolution. A step that fails is repeated once. "
                + "The scenario's own load is put aside (users, rate, stages, for, count); without "
                + "gates more than 99 % of the tiles have to be good, within 1 s at p99.",
            "A step also fails when the server falls behind by more than half a second's load. "
                + "When the generator itself cannot reach a rate, the search ends and says so.",
            "Exit code 0 when there is an answer, 99 when the gates fail at --from, 4 when the "
                + "generator is the limit, 3 when no answer comes any more.",
        ],
        operands: [scenarioOperand],
        flags: [
            FlagSpec(
                name: "from", value: "R", help: "The first rate (default 10/s)."),
            FlagSpec(
                name: "to", value: "R", help: "The highest rate to try (default 100000/s)."),
            FlagSpec(
                name: "step-for", value: "TIME",
                help: "Measured time of each step (default 10s), after its --warmup. Longer steps "
                    + "tell smaller differences."),
            FlagSpec(
                name: "resolution", value: "SHARE",
                help: "How far apart the highest rate that holds and the lowest that does not may "
                    + "be (default 5%)."),
            outFlag,
            FlagSpec(
                name: "json", help: "Print capacity.json on stdout instead of the summary.",
                group: .output),
        ] + progressFlags
            + scenarioFlags.filter { flag in
                flag.scenarioFlag.map { !replacedFlags.contains($0) } ?? true
            }.map(withOwnWarmup),
        examples: [
            ExampleSpec(
                line: "tilebench capacity 'http://localhost:8080/{z}/{x}/{y}.png' --to 5000/s "
                    + "--zooms 8-14",
                comment: "What does this server stand?"),
            ExampleSpec(
                line: "tilebench capacity scenario.json --from 200/s --step-for 30s "
                    + "--resolution 2%",
                comment: "More exactly, by the gates of a scenario."),
            ExampleSpec(
                line: "tilebench capacity scenario.json --json | jq .capacity_per_s",
                comment: "The answer alone."),
        ])

    private static func withOwnWarmup(_ flag: FlagSpec) -> FlagSpec {
        guard flag.scenarioFlag == .warmup else { return flag }
        var flag = flag
        flag.help = "The same load before the measured time of each step (default 2s)."
        return flag
    }
}
