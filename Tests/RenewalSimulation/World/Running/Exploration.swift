/// Every interleaving of a small world: depth first over all choices, each world once.
package struct Exploration: Sendable {
    package let policy: Policy
    /// Different worlds, and steps between them.
    package private(set) var worlds = 0
    package private(set) var steps = 0
    package private(set) var violations: Violations = []
    /// How the first violation of each kind came about.
    package private(set) var stories: [[String]] = []

    /// A world on the path that is being followed.
    private struct Place {
        var world: World
        var key: WorldKey
        var choices: [Choice]
        var next = 0
    }

    private var path: [Place] = []
    /// Worlds that were met; true: on the path now.
    private var met: [WorldKey: Bool] = [:]
    private var words: [UInt64] = []

    package init(_ policy: Policy) { self.policy = policy }

    package mutating func run() {
        enter(World(policy, hasRunningClock: false))
        // Nothing is drawn but the length of jumps, which small worlds do not have.
        var random = Random(seed: 1)
        while let last = path.last {
            guard last.next < last.choices.count else {
                met[last.key] = false
                path.removeLast()
                continue
            }
            path[path.count - 1].next += 1
            var world = last.world
            world.perform(last.choices[last.next], &random)
            world.checkBooks()
            steps += 1
            if world.isFinished { world.checkEnd() }
            if world.violations.isEmpty { enter(world) } else { tell(world, path.count) }
        }
    }

    private mutating func enter(_ world: World) {
        let key = world.key(words: &words)
        if let isOnPath = met[key] {
            // It can go round for ever.
            if isOnPath { tell(found: .endless, world) }
            return
        }
        worlds += 1
        guard !world.isFinished else {
            met[key] = false
            return
        }
        var choices: [Choice] = []
        world.choices(into: &choices)
        guard !choices.isEmpty else {
            met[key] = false
            tell(found: .parkedForEver, world)
            return
        }
        met[key] = true
        path.append(Place(world: world, key: key, choices: choices))
    }

    private mutating func tell(found violation: Violation, _ world: World) {
        var world = world
        world.found(violation)
        tell(world, path.count)
    }

    /// The path to that world, when it shows something new.
    private mutating func tell(_ world: World, _ length: Int) {
        guard !world.violations.isSubset(of: violations) else { return }
        violations.formUnion(world.violations)
        var story: [String] = []
        for (place, following) in zip(path, path.dropFirst().map(\.world) + [world]) {
            story.append(following.line(after: place.choices[place.next - 1]))
        }
        stories.append(story + world.problems)
    }
}
