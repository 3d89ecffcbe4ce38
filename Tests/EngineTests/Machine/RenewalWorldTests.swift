import RenewalWorld
import Testing

/// The machine in worlds where anything may happen at any time. `RenewalSimulation`, built for
/// release, runs far more of them. One after another: tests beside it look at the clock.
@Suite(.serialized) struct RenewalWorldTests {
    /// 20,000 runs in parts, so that all cores have some.
    @Test(arguments: 0..<20) func randomInterleavingsKeepEveryInvariant(part: Int) {
        var simulation = Simulation()
        for seed in UInt64(part) * 1000..<UInt64(part + 1) * 1000 {
            let outcome = simulation.run(Policy(seed: seed))
            #expect(
                outcome.violations.isEmpty,
                "RenewalSimulation replay \(seed): \(outcome.problems.joined(separator: "; "))")
        }
    }

    @Test func theSameSeedIsTheSameRun() {
        var simulation = Simulation()
        var different: Set<UInt64> = []
        for seed in UInt64(0)..<100 {
            let once = simulation.run(Policy(seed: seed))
            let twice = simulation.run(Policy(seed: seed))
            #expect(once.fingerprint == twice.fingerprint && once.steps == twice.steps)
            different.insert(once.fingerprint)
        }
        #expect(different.count > 90)
    }

    @Test(arguments: Mutant.all.filter { !$0.isRare } + Mutant.ofMany)
    func mutantsAreConvicted(_ mutant: Mutant) {
        let (found, runs) = mutant.trial(runsMax: 5000)
        let isConvicted = found.isSuperset(of: Violations(mutant.convictions))
        #expect(isConvicted, "\(mutant.name) in \(runs) runs: \(found.names)")
    }

    /// They do wrong, each in its own way; the figures that say so must be right all the same.
    @Test(arguments: Mutant.clients) func clientsAreConvictedByBalancedBooks(_ client: Mutant) {
        let (found, runs) = client.trial(runsMax: 2000)
        let isConvicted = found.isSuperset(of: Violations(client.convictions))
        #expect(isConvicted, "\(client.name) in \(runs) runs: \(found.names)")
        #expect(found.isEmpty == client.convictions.isEmpty, "\(client.name): \(found.names)")
        #expect(!found.contains(Violations(.books)), "\(client.name)")
        #expect(!found.contains(Violations(.unpublished)), "\(client.name)")
    }

    @Test(arguments: SmallWorld.all(asks: 2, reactors: 1))
    func everyInterleavingOfASmallWorldKeepsEveryInvariant(_ world: SmallWorld) {
        var exploration = Exploration(world.policy)
        exploration.run()
        #expect(exploration.violations.isEmpty, "\(exploration.stories.first ?? [])")
        #expect(exploration.worlds > 100)
    }

    /// What a model of two asks finds in a mutant, two asks find in the machine itself.
    @Test(arguments: Mutant.all) func mutantsAreConvictedInSmallWorlds(_ mutant: Mutant) {
        var found: Violations = []
        for world in SmallWorld.all(asks: 2, reactors: 1) {
            var policy = world.policy
            policy.deviations = mutant.deviations
            policy.flaw = mutant.flaw
            var exploration = Exploration(policy)
            exploration.run()
            found.formUnion(exploration.violations)
            if found.contains(Violations(mutant.convictions[0])) { return }
        }
        Issue.record("\(mutant.name): \(found.names)")
    }
}

extension Mutant: CustomTestStringConvertible {
    /// As the runs name it.
    public var testDescription: String { name }
}

extension SmallWorld: CustomTestStringConvertible {
    /// As the runs name it.
    public var testDescription: String { name }
}
