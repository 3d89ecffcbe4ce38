import Metrics
import Testing
import TileOrigin
import Workload

@testable import Engine

/// Asks that wait for a token: many of them, too long, too many, and when the run ends.
@Suite(.serialized)
struct ReactorWaitingTests {
    private func failed(_ auth: AuthResult) -> [AuthFailure: UInt64] {
        var counts: [AuthFailure: UInt64] = [:]
        for reason in AuthFailure.allCases {
            let count = auth.asksFailed[Int(reason.rawValue)]
            if count > 0 { counts[reason] = count }
        }
        return counts
    }

    /// Three reactors hold them all, and one renewal serves them.
    @Test func fiveThousandWait() async throws {
        var run = ReactorRun(
            .rate(perSecond: 10_000, arrivals: .constant), durationNS: 1_100_000_000)
        run.origin.latency = nil
        run.plan.connection.maximum = 30
        run.inject(.renewal(.slow), atMS: 50)
        run.inject(.origin, atMS: 200)
        let outcome = try await run.run()
        try outcome.expectBooks()
        try outcome.expectSingleFlights()
        let auth = try outcome.auth
        #expect(auth.parkedMax >= 5000)
        #expect(auth.renewals.attempted == 2)
        #expect(outcome.result.ledger.failed == 0)
        #expect(auth.parkedTime.percentileNS(1) ?? 0 >= 500_000_000)
    }

    /// The ask's own deadline; the flight goes on without it.
    @Test func waitingTooLong() async throws {
        var run = ReactorRun(
            .rate(perSecond: 300, arrivals: .constant), durationNS: 900_000_000)
        run.plan.load.timeouts.requestNS = 200_000_000
        run.inject(.renewal(.hang), atMS: 100, forMS: 300)
        run.inject(.origin, atMS: 150)
        run.plan.auth?.renewal?.timeoutNS = 400_000_000
        let outcome = try await run.run()
        try outcome.expectBooks()
        let auth = try outcome.auth
        let failed = failed(auth)
        #expect(failed.keys.sorted { $0.rawValue < $1.rawValue } == [.parkTimeout])
        #expect(failed[.parkTimeout] == outcome.result.ledger.failed)
        // The same flight's next try brought the token, and the later ones were served.
        #expect(auth.renewals.flights == 2 && auth.renewals.flightsOK == 2)
        #expect(outcome.result.ledger.ok > 50)
    }

    @Test func tooManyWaiting() async throws {
        var run = ReactorRun(
            .rate(perSecond: 400, arrivals: .constant), durationNS: 900_000_000)
        run.plan.auth?.parkedMax = 40
        run.inject(.renewal(.slow), atMS: 100, forMS: 500)
        run.inject(.origin, atMS: 150)
        let outcome = try await run.run()
        try outcome.expectBooks()
        try outcome.expectSingleFlights()
        let auth = try outcome.auth
        #expect(auth.parkedMax == 40)
        let failed = failed(auth)
        #expect(failed.keys.sorted { $0.rawValue < $1.rawValue } == [.parkOverflow])
        #expect(failed[.parkOverflow] == outcome.result.ledger.failed)
    }

    @Test(arguments: [true, false])
    func theRunEndsWhileTheyWait(isPerUser: Bool) async throws {
        var run = ReactorRun(.users(40), durationNS: 400_000_000)
        run.share(per: isPerUser)
        run.plan.load.graceNS = 200_000_000
        run.inject(.renewal(.hang), atMS: 80)
        run.inject(.origin, atMS: 100)
        let outcome = try await run.run()
        try outcome.expectBooks()
        #expect(outcome.seconds < 60)
        let auth = try outcome.auth
        #expect(failed(auth) == [.parkTimeout: 40])
        #expect(outcome.result.ledger.failed == 40)
        #expect(auth.renewals.flightsAbandoned == (isPerUser ? 40 : 1))
        #expect(auth.parkedCount >= 40 && auth.parkedCount == auth.parkedLeft)
    }
}
