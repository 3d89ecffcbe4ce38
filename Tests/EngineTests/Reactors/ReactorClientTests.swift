import Metrics
import Testing
import TileOrigin
import Workload

@testable import Engine

/// The flawed clients, and the right one, under every fault: whatever they do, the run ends in its
/// time and the books are right.
@Suite(.serialized)
struct ReactorClientTests {
    struct Trouble: CustomTestStringConvertible, Sendable {
        var client: AuthPlan.Client
        /// Beside tokens that end: `origin` is none.
        var fault: InjectionPlan.Kind

        var testDescription: String { "\(client.rawValue), \(fault.text)" }
    }

    /// The right machine meets every fault, a flawed one those that differ for it.
    static let troubles: [Trouble] = {
        let renewals = InjectionPlan.RenewalFault.allCases.map { InjectionPlan.Kind.renewal($0) }
        let tiles = InjectionPlan.TileFault.allCases.map { InjectionPlan.Kind.tiles($0) }
        let all = [.origin] + renewals + tiles
        let some: [InjectionPlan.Kind] = [
            .origin, .tiles(.lateRefusals), .renewal(.hang), .renewal(.status500),
            .renewal(.status401), .renewal(.same), .renewal(.expired),
        ]
        return AuthPlan.Client.allCases.flatMap { client in
            (client == .singleFlight ? all : some).map { Trouble(client: client, fault: $0) }
        }
    }()

    @Test(arguments: troubles)
    func everyRunEnds(_ trouble: Trouble) async throws {
        var run = ReactorRun(.users(24), durationNS: 600_000_000, thinkNS: 5_000_000)
        run.plan.auth?.client = trouble.client
        run.plan.auth?.renewal?.timeoutNS = 150_000_000
        run.plan.load.graceNS = 250_000_000
        if trouble.fault != .origin { run.inject(trouble.fault, atMS: 280) }
        run.inject(.origin, atMS: 300, everyMS: 120)
        let outcome = try await run.run()
        try outcome.expectBooks(isCutOff: true)
        #expect(outcome.seconds < 60)
        #expect(outcome.result.ledger.ok > 0)
        if trouble.client == .singleFlight { try outcome.expectSingleFlights() }
    }

    /// What each costs the token endpoint when one token ends and refusals come late, next to the
    /// one renewal that is needed.
    @Test func whatTheyCost() async throws {
        var renewals: [AuthPlan.Client: UInt64] = [:]
        for client in AuthPlan.Client.allCases {
            var run = ReactorRun(.users(40), durationNS: 700_000_000, thinkNS: 1_000_000)
            run.plan.auth?.client = client
            run.inject(.tiles(.lateRefusals), atMS: 50)
            run.inject(.origin, atMS: 100)
            run.plan.load.graceNS = 3_000_000_000
            let outcome = try await run.run()
            try outcome.expectBooks(isCutOff: client != .singleFlight)
            let auth = try outcome.auth
            renewals[client] = auth.renewals.attempted - 1
            if [.naive, .lockOnly, .flightOnly].contains(client) {
                // They go on sending what is known to be dead.
                #expect(auth.outdatedSends + auth.knownDeadSends > 0, "\(client)")
            }
        }
        #expect(renewals[.singleFlight] == 1)
        #expect(renewals[.naive, default: 0] > 10)
        #expect(renewals[.lockOnly, default: 0] > 10)
        #expect(renewals[.flightOnly, default: 0] > 1)
    }
}
