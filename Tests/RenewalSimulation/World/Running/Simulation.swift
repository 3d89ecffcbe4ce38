import Engine

/// Runs worlds by seed: a seeded scheduler picks what happens next until nothing can.
package struct Simulation {
    /// What one run found.
    package struct Outcome: Sendable {
        package var violations: Violations
        /// The first of each, in words.
        package var problems: [String]
        package var steps: UInt64
        /// Of everything that was chosen: two runs with the same number were the same.
        package var fingerprint: UInt64
    }

    /// Reused from run to run.
    private var choices: [Choice] = []
    private static let stepsMax: UInt64 = 6_000

    package init() {}

    package mutating func run(
        _ policy: Policy, trace: ((Choice, World) -> Void)? = nil
    ) -> Outcome {
        var world = World(policy)
        var random = Random(seed: policy.seed ^ 0x5DEE_CE66_D000_0000)
        var fingerprint: UInt64 = 0
        while !world.isFinished {
            world.choices(into: &choices)
            guard !choices.isEmpty else {
                // Without tokens left to issue it would go on and on.
                world.found(world.isOutOfTokens ? .endless : .parkedForEver)
                break
            }
            guard world.steps < Self.stepsMax else {
                world.found(.endless)
                break
            }
            let choice = pick(policy, &random)
            fingerprint =
                (fingerprint ^ UInt64(choice.kind.rawValue) << 8 ^ UInt64(choice.index))
                &* 0x9E37_79B9_7F4A_7C15
            world.perform(choice, &random)
            world.checkBooks()
            trace?(choice, world)
        }
        if world.isFinished { world.checkEnd() } else { world.shutDownAndCheck() }
        return Outcome(
            violations: world.violations, problems: world.problems, steps: world.steps,
            fingerprint: fingerprint)
    }

    /// Any of them; some kinds come late, troubles seldom, and the clock runs on now and then.
    private func pick(_ policy: Policy, _ random: inout Random) -> Choice {
        var choice = choices[random.below(choices.count)]
        for _ in 0..<6 {
            let isLate = policy.slowKinds & (1 << UInt32(choice.kind.rawValue)) != 0
            if choice.kind == .tick {
                if random.one(in: policy.tickOneIn) { return choice }
            } else if isLate || choice.kind.isRare {
                if random.one(in: 8) { return choice }
            } else {
                return choice
            }
            choice = choices[random.below(choices.count)]
        }
        return choice
    }
}

extension World {
    var isOutOfTokens: Bool { sites.contains { $0.issued >= Self.tokensMax } }

    mutating func found(_ violation: Violation) {
        let waiting = asks.indices.filter { asks[$0].state != .done }.map {
            "ask \($0) \(asks[$0].state)"
        }
        violate(violation, "after \(steps) steps: \(waiting.joined(separator: ", "))")
    }

    /// For a run that does not end by itself: the books must hold all the same.
    mutating func shutDownAndCheck() {
        if !isOver { shutDown() }
        for reactor in 0..<policy.reactors { takeNews(reactor) }
        checkBooks()
    }
}
