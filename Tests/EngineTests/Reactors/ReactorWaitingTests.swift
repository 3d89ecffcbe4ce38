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
        var run = ReactorRun(.rate(perSecond: 10_000, arrivals: .constant))
        run.origin.latency = nil
        run.plan.connection.maximum = 30
        run.inject(.renewal(.slow), atMS: 50)
        run.inject(.origin, atMS: 200, everyMS: 5000)
        run.goOn { result, _ in result.auth?.parkedMax ?? 0 >= 5000 }
        let outcome = try await run.run()
        try outcome.expectBooks()
        try outcome.expectSingleFlights()
        let auth = try outcome.auth
        #expect(auth.parkedMax >= 5000)
        #expect(auth.renewals.attempted == 1 + auth.expiryEvents)
        #expect(outcome.result.ledger.failed == 0)
        // The one that was refused first has waited for the whole of the slow renewal.
        #expect(auth.parkedTime.percentileNS(1) ?? 0 >= 500_000_000)
    }

    /// The ask's own deadline; the flight goes on without it.
    @Test func waitingTooLong() async throws {
        var run = ReactorRun(.rate(perSecond: 300, arrivals: .constant))
        // Half of what the slow renewal takes: who waits from its beginning waits too long.
        run.plan.load.timeouts.requestNS = 400_000_000
        run.inject(.renewal(.slow), atMS: 100)
        run.inject(.origin, atMS: 150, everyMS: 3000)
        run.goOn { result, _ in
            let waited = result.auth?.asksFailed[Int(AuthFailure.parkTimeout.rawValue)] ?? 0
            return waited > 0 && result.ledger.ok > 50
        }
        let outcome = try await run.run()
        let auth = try outcome.auth
        let ledger = outcome.result.ledger
        // On a busy machine a tile may take as long, and its request not reach the server.
        let timedOut = ledger.failedBy[Int(FailureCause.timeout.rawValue)]
        try outcome.expectBooks(isCutOff: timedOut > 0)
        let failed = failed(auth)
        #expect(failed.keys.sorted { $0.rawValue < $1.rawValue } == [.parkTimeout])
        #expect(failed[.parkTimeout] == ledger.failed - timedOut)
        // Their flights brought tokens all the same, and the later ones were served.
        #expect(auth.renewals.flights == 1 + auth.expiryEvents)
        #expect(auth.renewals.flightsOK == auth.renewals.flights)
        #expect(ledger.ok > 50)
    }

    /// The new token is there, but the turn of most of them would come too late.
    @Test func tooManyAtAPace() async throws {
        var run = ReactorRun(
            .rate(perSecond: 2000, arrivals: .constant), durationNS: 900_000_000)
        run.plan.load.timeouts.requestNS = 1_500_000_000
        run.plan.auth?.release = .per5ms(1)
        run.inject(.renewal(.slow), atMS: 50)
        run.inject(.origin, atMS: 150)
        let outcome = try await run.run()
        // Requests may be too late, too: then the server has answers that nobody read.
        #expect(outcome.result.ledger.addsUp && outcome.result.brokenTokenLaws.isEmpty)
        try outcome.expectSingleFlights()
        let auth = try outcome.auth
        #expect(failed(auth)[.parkTimeout] ?? 0 > 0)
        #expect(auth.parkedCount == auth.parkedLeft)
    }

    /// First for the renewal, then for the answer to the ask that tries the new token: both waits
    /// together are too long.
    @Test func waitingTwice() async throws {
        var run = ReactorRun(.users(20), durationNS: 4_000_000_000)
        run.origin.latency = OriginOptions.Latency(medianNS: 500_000_000, p99NS: 500_000_000)
        run.plan.load.timeouts.requestNS = 1_000_000_000
        run.plan.auth?.release = .canary
        run.inject(.renewal(.slow), atMS: 50)
        run.inject(.origin, atMS: 100)
        let outcome = try await run.run()
        // Requests may be too late, too: then the server has answers that nobody read.
        #expect(outcome.result.ledger.addsUp && outcome.result.brokenTokenLaws.isEmpty)
        #expect(try failed(outcome.auth)[.parkTimeout] ?? 0 > 0)
    }

    @Test func tooManyWaiting() async throws {
        var run = ReactorRun(.rate(perSecond: 400, arrivals: .constant))
        run.plan.auth?.parkedMax = 40
        run.inject(.renewal(.slow), atMS: 100)
        run.inject(.origin, atMS: 150, everyMS: 2000)
        run.goOn { result, _ in result.ledger.failed > 0 }
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
        var run = ReactorRun(.users(40))
        run.share(per: isPerUser)
        run.plan.load.graceNS = 200_000_000
        run.plan.auth?.renewal?.timeoutNS = 60_000_000_000
        run.inject(.renewal(.hang), atMS: 80)
        run.inject(.origin, atMS: 100)
        // All wait, so none is on its way when the run is cut off.
        run.goOn { result, _ in
            guard let auth = result.auth else { return false }
            return auth.parkedCount == auth.parkedLeft + 40
        }
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
