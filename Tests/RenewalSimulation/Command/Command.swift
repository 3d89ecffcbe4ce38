import Glibc
import RenewalWorld

/// Runs the worlds around the renewal machine that the tests are too slow for in a debug build.
@main
struct Command {
    private static let usage = """
        Usage: RenewalSimulation random COUNT [FIRST]   until COUNT interleavings differ
               RenewalSimulation seconds S              as long, from a seed of this moment
               RenewalSimulation explore [MUTANT]       every interleaving of small worlds
               RenewalSimulation mutants                what each wrong machine is convicted of
               RenewalSimulation replay SEED [MUTANT]   each step of that run

        """

    static func main() async {
        var words = CommandLine.arguments.dropFirst()
        switch (words.popFirst(), words.popFirst(), words.popFirst(), words.isEmpty) {
        case ("random", let count?, let first, true):
            guard let count = Int(count), let first = UInt64(first ?? "0") else { misused() }
            await runs(from: first) { batch, _ in max(0, count - batch.fingerprints.count) }
        case ("seconds", let seconds?, nil, true):
            guard let seconds = Double(seconds) else { misused() }
            await runs(from: .random(in: 0 ... .max)) { _, spent in spent < seconds ? 20_000 : 0 }
        case ("explore", let name, nil, true):
            explore(mutant(name))
        case ("mutants", nil, nil, true):
            mutants()
        case ("replay", let seed?, let name, true):
            guard let seed = UInt64(seed) else { misused() }
            replay(seed, mutant(name))
        default:
            misused()
        }
    }

    private static func mutant(_ name: String?) -> Mutant? {
        guard let name else { return nil }
        let all = Mutant.all + Mutant.ofMany + Mutant.clients
        guard let mutant = all.first(where: { $0.name == name }) else { misused() }
        return mutant
    }

    private static func misused() -> Never {
        print(usage)
        exit(64)
    }

    /// - Parameter missing: how many runs more, after those and so many seconds; 0: enough.
    private static func runs(
        from first: UInt64, missing: @Sendable (_ batch: Batch, _ seconds: Double) -> Int
    ) async {
        let start = ContinuousClock.now
        var batch = Batch()
        var seconds = 0.0
        while batch.failures.isEmpty, case let count = missing(batch, seconds), count > 0 {
            batch = await batch.adding(
                max(1000, UInt64(count)), first: first &+ batch.runs,
                threads: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
            seconds = (ContinuousClock.now - start) / .seconds(1)
        }
        print(
            "\(batch.fingerprints.count) different interleavings in \(batch.runs) runs from seed "
                + "\(first), \(batch.steps) steps, \(seconds) s")
        guard let failure = batch.failures.min(by: { $0.seed < $1.seed }) else {
            print("every invariant holds")
            return
        }
        var lines: [String] = []
        var simulation = Simulation()
        _ = simulation.run(Policy(seed: failure.seed)) { lines.append($1.line(after: $0)) }
        print("\(batch.failures.count) runs broke something; the end of seed \(failure.seed):")
        print((lines.suffix(40) + failure.problems).joined(separator: "\n"))
        print("RenewalSimulation replay \(failure.seed) shows all of it")
        exit(1)
    }

    private static func explore(_ mutant: Mutant?) {
        var worlds = SmallWorld.all(asks: 2, reactors: 1) + SmallWorld.all(asks: 2, reactors: 2)
        worlds += SmallWorld.all(asks: 3, reactors: 1) + SmallWorld.all(asks: 3, reactors: 2)
        worlds.append(SmallWorld.proactive(asks: 2))
        var isWell = true
        for world in worlds {
            var policy = world.policy
            policy.deviations = mutant?.deviations ?? []
            policy.flaw = mutant?.flaw ?? .none
            var exploration = Exploration(policy)
            exploration.run()
            let found = exploration.violations.names
            print(
                "\(world.name): \(exploration.worlds) worlds, \(exploration.steps) steps"
                    + (found.isEmpty ? "" : ", \(found)"))
            if let story = exploration.stories.first { print(story.joined(separator: "\n")) }
            isWell = isWell && found.isEmpty
        }
        guard isWell else { exit(1) }
        print("every invariant holds")
    }

    private static func mutants() {
        var isWell = true
        for mutant in Mutant.all + Mutant.ofMany + Mutant.clients where !mutant.isRare {
            let (found, runs) = mutant.trial(runsMax: 20_000)
            print("\(mutant.name): \(found.isEmpty ? "nothing" : found.names), in \(runs) runs")
            isWell = isWell && found.isSuperset(of: Violations(mutant.convictions))
        }
        if !isWell { exit(1) }
    }

    private static func replay(_ seed: UInt64, _ mutant: Mutant?) {
        let policy = Policy(
            seed: seed, deviations: mutant?.deviations ?? [], flaw: mutant?.flaw ?? .none)
        print(policy)
        var simulation = Simulation()
        let outcome = simulation.run(policy) { print($1.line(after: $0)) }
        print((outcome.problems + ["\(outcome.steps) steps"]).joined(separator: "\n"))
    }
}
