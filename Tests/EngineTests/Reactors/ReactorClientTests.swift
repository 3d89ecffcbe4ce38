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
        // The last answers may not have been read.
        let (ok, sent) = (outcome.result.ledger.ok, outcome.truth.tiles.ok)
        #expect(ok <= sent && sent <= ok + 24, "ok \(ok), at the server \(sent)")
        if trouble.client == .singleFlight { try outcome.expectSingleFlights() }
    }

    /// What each costs the token endpoint when tokens end and refusals come late: the right one
    /// makes one renewal for each end, and those that compare no tokens make more, sooner or later.
    @Test(arguments: [AuthPlan.Client.singleFlight, .naive, .lockOnly, .flightOnly])
    func whatTheyCost(_ client: AuthPlan.Client) async throws {
        let isFlawed = client != .singleFlight
        var run = ReactorRun(.users(40), thinkNS: 1_000_000)
        run.plan.auth?.client = client
        run.plan.load.graceNS = isFlawed ? 3_000_000_000 : run.plan.load.graceNS
        run.inject(.tiles(.lateRefusals), atMS: 50)
        run.inject(.origin, atMS: 100, everyMS: 500)
        let needlessMin: UInt64 = client == .flightOnly ? 2 : 10
        run.goOn { result, _ in
            guard let auth = result.auth, auth.expiryEvents >= 2 else { return false }
            return !isFlawed
                || auth.needless >= needlessMin && auth.outdatedSends + auth.knownDeadSends > 0
        }
        let outcome = try await run.run()
        try outcome.expectBooks(isCutOff: isFlawed)
        let auth = try outcome.auth
        #expect(auth.expiryEvents >= 2)
        switch client {
        case .singleFlight:
            try outcome.expectSingleFlights()
            #expect(auth.needless == 0)
        case .flightOnly:
            #expect(auth.renewals.flights >= 1 + auth.refusals.triggering)
        default:
            // Each refusal has a renewal of its own.
            let refusals = auth.refusals.triggering + auth.refusals.coalesced
            #expect(auth.renewals.flights >= 1 + refusals)
        }
        guard isFlawed else { return }
        #expect(auth.needless >= needlessMin)
        // They go on sending what is known to be dead, and the server has its own view of it all.
        #expect(auth.outdatedSends + auth.knownDeadSends > 0)
        #expect(outcome.truth.tokens.duplicates > 0)
    }
}

extension AuthResult {
    /// Renewals that brought a token which no expiry called for.
    fileprivate var needless: UInt64 {
        let called = renewals.initial + expiryEvents
        return renewals.flightsOK > called ? renewals.flightsOK - called : 0
    }
}
