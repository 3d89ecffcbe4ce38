import Engine

/// Worlds small enough to follow every interleaving, and what goes wrong in each.
package struct SmallWorld: Sendable {
    package var name: String
    package var policy: Policy

    package static func all(asks: Int, reactors: Int) -> [SmallWorld] {
        kinds.map { name, change in
            var policy = Policy()
            policy.asks = asks
            policy.reactors = reactors
            policy.limits.barrenMax = 2
            change(&policy)
            return SmallWorld(
                name: "\(name), \(asks) asks on \(reactors) reactor\(reactors == 1 ? "" : "s")",
                policy: policy)
        }
    }

    private static let lifeNS: UInt64 = 60_000_000_000

    private static let kinds: [(String, @Sendable (inout Policy) -> Void)] = [
        ("an expiry", { $0.troubles.kills = 1 }),
        ("two expiries", { $0.troubles.kills = 2 }),
        (
            "a dummy",
            {
                $0.start = .dummy
                $0.troubles.kills = 1
            }
        ),
        (
            "no token",
            {
                $0.start = .empty
                $0.troubles.kills = 1
            }
        ),
        (
            "renewals that fail",
            {
                $0.troubles.kills = 1
                $0.troubles.failures = 3
                $0.troubles.permanentFailures = 1
                $0.troubles.ticks = 2
            }
        ),
        (
            "renewals that hang",
            {
                $0.troubles.kills = 1
                $0.troubles.hangs = 2
                $0.troubles.ticks = 2
            }
        ),
        (
            "a told end",
            {
                $0.toldLifeNS = lifeNS
                $0.troubles.kills = 1
                $0.troubles.ticks = 2
                $0.givesLivingAgain = true
            }
        ),
        (
            "a token dead on arrival",
            {
                $0.troubles.kills = 1
                $0.troubles.deadTokens = 1
            }
        ),
        ("every token dead", { $0.allDead = true }),
        (
            "the refused token again",
            {
                $0.troubles.kills = 1
                $0.troubles.sameTokens = 2
                $0.revokesOlder = false
            }
        ),
        (
            "a canary",
            {
                $0.limits.sendsCanary = true
                $0.troubles.kills = 1
                $0.troubles.losses = 2
                $0.troubles.deadTokens = 1
            }
        ),
        (
            "a layer that is always refused",
            {
                $0.hasBadLayer = true
                $0.troubles.kills = 1
            }
        ),
        (
            "poison",
            {
                $0.troubles.poisons = 1
                $0.troubles.kills = 1
            }
        ),
        (
            "asks that leave, and the end",
            {
                $0.troubles.kills = 1
                $0.troubles.cancels = 1
                $0.troubles.timeOuts = 1
                $0.troubles.shutDowns = 1
            }
        ),
        (
            "everything",
            {
                $0.troubles.kills = 2
                $0.troubles.failures = 1
                $0.troubles.hangs = 1
                $0.troubles.deadTokens = 1
                $0.troubles.ticks = 2
            }
        ),
    ]

    /// Renewals ahead of a told end that fail or hang: far more worlds than the others.
    package static func proactive(asks: Int) -> SmallWorld {
        var policy = Policy()
        policy.asks = asks
        policy.reactors = 1
        policy.toldLifeNS = lifeNS
        policy.troubles.kills = 1
        policy.troubles.failures = 1
        policy.troubles.hangs = 1
        policy.troubles.ticks = 2
        policy.triesMax = 1
        return SmallWorld(
            name: "renewed ahead of its end, \(asks) asks on 1 reactor", policy: policy)
    }
}
