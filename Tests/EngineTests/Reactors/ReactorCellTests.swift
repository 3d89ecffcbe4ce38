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
        var run = ReactorRun(.users(150))
        run.share(per: true)
        run.plan.auth?.start = start
        run.goOn { _, origin in
            let tokens = origin.statistics().tokens
            return tokens.issued == 150 && tokens.neverUsed == 0
        }
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
        run.goOn { result, _ in
            guard let auth = result.auth, auth.injections >= 4 else { return false }
            return auth.injectionRows[0].observed == 30 && Set(auth.events.map(\.cell)).count > 50
        }
        let outcome = try await run.run()
        try outcome.expectBooks()
        try outcome.expectSingleFlights()
        let auth = try outcome.auth
        #expect(auth.injections >= 4 && auth.injectionsMissed == 0)
        #expect(auth.injectionRows.first?.cells == 30 && auth.injectionRows.first?.observed == 30)
        // A token may be hit once more before anybody has noticed, or have been on its way.
        #expect(auth.injectionRows.allSatisfy { $0.cells <= 30 && $0.observed <= $0.cells })
        #expect(auth.expiryEvents <= 30 * auth.injections)
        try outcome.expectOneRenewalEach(cells: 100)
        #expect(auth.events.count == Int(auth.expiryEvents))
        let cause: AuthResult.Event.Cause = end.kind == .origin ? .revoked : .poisoned
        let first = auth.events.prefix(30)
        #expect(first.allSatisfy { $0.cause == cause && $0.renewals == 1 })
        #expect(auth.events.allSatisfy { (0..<100).contains($0.cell) })
        // Not the same ones each time.
        #expect(Set(auth.events.map(\.cell)).count > 50)
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
        var run = ReactorRun(.users(600), thinkNS: 50_000_000)
        run.share(per: true)
        run.inject(.origin, atMS: 100, everyMS: 1500)
        run.goOn { result, _ in result.auth?.expiryEvents ?? 0 > 1000 }
        let outcome = try await run.run()
        try outcome.expectBooks()
        try outcome.expectSingleFlights()
        let auth = try outcome.auth
        #expect(auth.expiryEvents > 1000 && auth.events.count == 1000)
        #expect(auth.expiryEvents <= 600 * auth.injections)
        try outcome.expectOneRenewalEach(cells: 600)
        #expect(auth.injectionRows.first?.cells == 600)
        let begins = auth.events.compactMap(\.beganNS)
        #expect(begins == begins.sorted())
    }
}

extension ReactorRun.Outcome {
    /// One renewal for each expiry, beside the first tokens. An ask that was refused for the last
    /// time starts none: the next one would have, had the run gone on.
    fileprivate func expectOneRenewalEach(
        cells: UInt64, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let auth = try auth
        let ends = cells + auth.expiryEvents
        let attempted = auth.renewals.attempted
        #expect(
            attempted <= ends && ends <= attempted + result.ledger.failed,
            sourceLocation: sourceLocation)
    }
}
