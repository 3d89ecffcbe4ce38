import Engine
import Glibc
import JSONText
import Metrics
import Reporting
import Workload

/// `tilebench capacity`: the highest rate at which the gates hold.
enum CapacityCommand {
    /// For a scenario that says none itself: connections are opened, and what the step before left
    /// undone has time to end.
    private static let warmupNS: UInt64 = 2_000_000_000
    /// Where no gate can fail. Slow answers are a limit, too: a queue hides what is too much until
    /// it is full.
    private static let ownGates = [
        "ledger.ok / ledger.started > 99%", "latency.response.all.p99 < 1s",
    ]

    static func run(
        _ arguments: Arguments, console: Console
    ) throws(Failure) -> ExitCode {
        let options = try CapacityOptions(arguments)
        let input = try ScenarioInput(arguments, setting: options.overrides)
        let documents = DocumentFetcher()
        var written = try input.plan(fetcher: documents)
        if case .replay(let replay) = written.workload.kind, replay.file == "-" {
            throw Failure(
                .usage,
                "standard input cannot be read again for a second step: let workload.file"
                    + " name a file")
        }
        if written.load.warmupNS == 0, !arguments.has("warmup") {
            written.load.warmupNS = warmupNS
        }
        let hasOwnGates = !written.gates.contains { $0.level == .fail }
        if hasOwnGates { written.gates += try gates() }
        if let note = putAside(input) { written.notes.append(note) }
        if hasOwnGates {
            written.notes.append(
                "the scenario has no gates; these are used: "
                    + ownGates.joined(separator: "; "))
        }
        let setup = try LoadSetup(written, documents: documents, arguments, console)
        defer { setup.origin?.stop() }
        let settings = CapacityResult.Settings(
            fromPerS: options.fromPerS, toPerS: options.toPerS, resolution: options.resolution,
            stepNS: options.stepNS, warmupNS: setup.plan.load.warmupNS,
            gates: setup.plan.gates.map(\.expression.text), hasOwnGates: hasOwnGates)
        var run = CapacityRun(setup, settings, isQuiet: arguments.has("quiet"), console)
        try run.makeSteps()
        return try conclude(run, setup, arguments, console)
    }

    /// What of the scenario's own has no effect; nil: nothing.
    private static func putAside(_ input: ScenarioInput) -> String? {
        var keys = input.writtenKeys(of: ["load"]).filter(CapacityOptions.ownKeys.contains)
            .map { "load.\($0)" }
        if input.writtenKeys(of: []).contains("passes") { keys.append("passes") }
        guard let last = keys.popLast() else { return nil }
        let others = keys.isEmpty ? "" : keys.joined(separator: ", ") + " and "
        return
            "\(others)\(last) of the scenario \(keys.isEmpty ? "is" : "are") put aside: steps have"
            + " a rate and a time of their own"
    }

    private static func gates() throws(Failure) -> [GatePlan] {
        var gates: [GatePlan] = []
        for text in ownGates {
            do throws(GateError) {
                gates.append(GatePlan(expression: try GateExpression.parse(text)))
            } catch {
                throw Failure(.internalFault, "the gate \(quoted(text)): \(error.reason)")
            }
        }
        return gates
    }

    /// Files, summary and exit code, in this order; nothing that fails keeps the rest from coming.
    private static func conclude(
        _ run: CapacityRun, _ setup: LoadSetup, _ arguments: Arguments, _ console: Console
    ) throws(Failure) -> ExitCode {
        let node = CapacityJSON.node(run.result)
        let problem = setup.files.write(capacity: node, ledger: setup.origin?.ledger)
        var codes = run.codes
        if arguments.has("json") {
            try console.print(String(decoding: ReportJSON.encode(node), as: UTF8.self))
        } else {
            try console.print(CapacityText.text(node, color: console.out.takesEscapes))
        }
        if let problem {
            codes.append(.usage)
            console.note(problem)
        } else if let problem = setup.files.linkLatest() {
            console.note(problem)
        }
        if problem == nil, !arguments.has("quiet") {
            console.note("files in \(setup.files.folder.path)")
        }
        return ExitCode.first(of: codes)
    }
}
