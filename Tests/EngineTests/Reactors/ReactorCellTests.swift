import Metrics
import Testing
import TileOrigin
import Workload

@testable import Engine

/// A token for each user: as many machines, of which none waits for another.
@Suite(.serialized)
struct ReactorCellTests {
    @Test(arguments: [AuthPlan.Start.renew, .dummy])
    func eachUserHasAToken(_ start: AuthPlan.Start) async throws {
        var run = ReactorRun(.users(150), durationNS: 400_000_000)
        run.share(per: true)
        run.plan.auth?.start = start
        let outcome = try await run.run()
        try outcome.expectBooks()
        try outcome.expectSingleFlights()
        let auth = try outcome.auth
        #expect(auth.cells == 150 && outcome.truth.tokens.cells == 150)
        #expect(auth.renewals.attempted == 150 && auth.renewals.initial == 150)
        #expect(auth.expiryEvents == 0)
        #expect(auth.refusals.total == (start == .dummy ? 150 : 0))
        #expect(outcome.result.ledger.failed == 0)
        #expect(outcome.truth.tokens.neverUsed == 0)
    }

    struct End: CustomTestStringConvertible, Sendable {
        var kind: InjectionPlan.Kind
        var placement: AuthPlan.Placement
        var testDescription: String { "\(kind), \(placement)" }
    }

    @Test(arguments: [
        End(kind: .poison(.garbage), placement: .query(name: "access_token")),
        End(kind: .origin, placement: .query(name: "access_token")),
        End(kind: .poison(.garbage), placement: .header(name: "Authorization", prefix: "Bearer ")),
        End(kind: .origin, placement: .cookie(name: "access_token")),
    ])
    func aShareOfTheTokensEnds(_ end: End) async throws {
        var run = ReactorRun(.users(100), placement: end.placement)
        run.share(per: true)
        run.inject(end.kind, atMS: 200, everyMS: 300, share: 0.3)
        let outcome = try await run.run()
        try outcome.expectBooks()
        try outcome.expectSingleFlights()
        let auth = try outcome.auth
        #expect(auth.injections == 4 && auth.injectionsMissed == 0)
        #expect(auth.injectionRows.first?.cells == 30 && auth.injectionRows.first?.observed == 30)
        // On a busy machine a token may be hit once more before anybody has noticed, or have been
        // on its way.
        #expect(auth.injectionRows.allSatisfy { $0.cells <= 30 && $0.observed <= $0.cells })
        #expect(auth.expiryEvents >= 60 && auth.expiryEvents <= 120)
        #expect(auth.renewals.attempted == 100 + auth.expiryEvents)
        #expect(auth.events.count == Int(auth.expiryEvents))
        let cause: AuthResult.Event.Cause = end.kind == .origin ? .revoked : .poisoned
        #expect(auth.events.prefix(30).allSatisfy { $0.cause == cause && $0.renewals == 1 })
        let cells = auth.events.prefix(30).map(\.cell)
        #expect(Set(cells).count == 30 && cells.allSatisfy { (0..<100).contains($0) })
        // Not the same ones each time.
        #expect(Set(auth.events.map(\.cell)).count > 50)
        #expect(outcome.result.ledger.failed == 0)
        let times = auth.timeInState
        let measured = times.freshNS + times.renewingNS + times.coolingNS + times.deadNS
        #expect(measured > 100 * 1_000_000_000)
    }

    @Test func thousandsOfCells() async throws {
        var run = ReactorRun(.users(2500), durationNS: 500_000_000, thinkNS: 300_000_000)
        run.share(per: true)
        run.plan.auth?.start = .dummy
        run.plan.auth?.release = .all
        let outcome = try await run.run()
        try outcome.expectBooks()
        try outcome.expectSingleFlights()
        let auth = try outcome.auth
        #expect(auth.cells == 2500)
        #expect(auth.renewals.attempted == auth.renewals.initial)
        #expect(outcome.result.ledger.inFlightAtEnd == 0)
        #expect(outcome.result.ledger.failed == 0)
    }

    /// All refuse at once, and each is its own event: rows are kept up to a limit, all are counted.
    @Test func moreEventsThanRows() async throws {
        var run = ReactorRun(.users(600), durationNS: 3_200_000_000, thinkNS: 50_000_000)
        run.share(per: true)
        run.inject(.origin, atMS: 100, everyMS: 1500)
        let outcome = try await run.run()
        try outcome.expectBooks()
        try outcome.expectSingleFlights()
        let auth = try outcome.auth
        #expect(auth.expiryEvents > 1000 && auth.events.count == 1000)
        #expect(auth.injectionRows.map(\.cells).prefix(2) == [600, 600])
        let begins = auth.events.compactMap(\.beganNS)
        #expect(begins == begins.sorted())
    }
}
