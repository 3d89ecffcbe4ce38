package import Engine
import Workload

/// A machine, or an owner of one, that does something wrong, and what must convict it.
package struct Mutant: Sendable {
    package var name: String
    package var deviations: Deviations = []
    package var flaw = Policy.Flaw.none
    /// Each of them is found, if not in the same run.
    package var convictions: [Violation]
    /// Random worlds hardly ever meet what it needs; small ones meet everything.
    package var isRare = false

    package static let all = machines + owners

    /// Each deviation by itself, but `serialFlights`, which is the renewal desk's and changes
    /// nothing where flights never meet.
    package static let machines = [
        Mutant(name: "noCompare", deviations: .noCompare, convictions: [.needlessRenewal]),
        Mutant(
            name: "looksOutsideLock", deviations: .looksOutsideLock,
            convictions: [.needlessRenewal, .renewedTwice, .twoFlights]),
        Mutant(
            name: "noRecheck", deviations: .noRecheck, convictions: [.outdatedSend, .knownDeadSend]),
        Mutant(name: "noFanOut", deviations: .noFanOut, convictions: [.parkedForEver]),
        Mutant(name: "noWatchdog", deviations: .noWatchdog, convictions: [.parkedForEver]),
        Mutant(name: "noFlightID", deviations: .noFlightID, convictions: [.olderToken]),
        Mutant(
            name: "noRefusalLimit", deviations: .noRefusalLimit, convictions: [.tooManySends]),
        Mutant(
            name: "noBarrenLimit", deviations: .noBarrenLimit, convictions: [.barrenRenewals]),
        Mutant(
            name: "noRefusalLimit and noBarrenLimit",
            deviations: [.noRefusalLimit, .noBarrenLimit],
            convictions: [.barrenRenewals, .tooManySends, .endless]),
        Mutant(
            name: "flightPerRefusal", deviations: .flightPerRefusal,
            convictions: [.twoFlights, .renewedTwice, .olderToken]),
        Mutant(
            name: "sendsWhileRenewing", deviations: .sendsWhileRenewing,
            convictions: [.knownDeadSend, .crowd]),
        Mutant(name: "window", deviations: .window, convictions: [.resentRefused]),
    ]

    /// Convicted by more asks than small worlds have.
    package static let ofMany = [
        Mutant(name: "noSuspicions", deviations: .noSuspicions, convictions: [.layerRenewals])
    ]

    package static let owners = [
        Mutant(name: "proof by any later request", flaw: .weakProof, convictions: [.unjustFailure]),
        Mutant(
            name: "proof by a text that was spoilt since", flaw: .looseProof,
            convictions: [.unjustFailure], isRare: true),
        Mutant(
            name: "a canary is lost and nobody told", flaw: .silentCanary,
            convictions: [.parkedForEver]),
    ]

    /// The machines of clients in the field. They do what is wrong, and their books still balance.
    package static let clients = AuthPlan.Client.allCases.map { client in
        Mutant(
            name: client.rawValue, deviations: Deviations(client),
            convictions: convictions(of: client))
    }

    private static func convictions(of client: AuthPlan.Client) -> [Violation] {
        switch client {
        case .singleFlight: []
        case .naive, .lockOnly:
            [.needlessRenewal, .renewedTwice, .twoFlights, .outdatedSend, .knownDeadSend]
        case .flightOnly: [.needlessRenewal, .outdatedSend, .knownDeadSend]
        case .window: [.resentRefused, .needlessRenewal, .outdatedSend, .knownDeadSend]
        case .overlayArticle: [.endless, .parkedForEver, .tooManySends, .resentRefused]
        }
    }
}

extension Mutant {
    /// What random worlds find it guilty of, up to the one that completes the convictions, or
    /// `runsMax`.
    package func trial(runsMax: Int) -> (found: Violations, runs: Int) {
        var simulation = Simulation()
        var found: Violations = []
        let wanted = Violations(convictions)
        for seed in 0..<runsMax {
            let policy = Policy(seed: UInt64(seed), deviations: deviations, flaw: flaw)
            found.formUnion(simulation.run(policy).violations)
            if !wanted.isEmpty, found.isSuperset(of: wanted) { return (found, seed + 1) }
        }
        return (found, runsMax)
    }
}
