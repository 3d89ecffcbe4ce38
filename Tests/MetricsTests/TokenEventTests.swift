import Metrics
import Testing

@Suite struct TokenEventTests {
    /// One tile a second from T0 on with the rate of hits of that second, and a look-up each.
    private func recorder(hits: [(server: Bool?, client: Bool)]) -> Recorder {
        let recorder = Recorder(hasClientCache: true)
        for (row, hit) in hits.enumerated() {
            let at = Int64(row) * second + second / 2
            recorder.clientCache(hit.client ? .hit : .miss, savedBytes: 10, intendedNS: at)
            guard let server = hit.server else { continue }
            recorder.askStarted(zoom: 1, intendedNS: at, startedNS: at)
            recorder.serverCache(
                server ? .hit : .miss, isShield: nil, evidence: 0, isGood: true, bytes: 1,
                serviceNS: 1, zoom: 1, intendedNS: at)
            recorder.askEnded(.sample(at: at))
        }
        return recorder
    }

    /// The event's hit rates after a merge of rows whose server hits are in `rows` (h, m, or - for
    /// none) and whose client hits are the opposite.
    private func rates(
        _ rows: String, refusalNS: Int64?, renewalNS: Int64?, endNS: Int64?, measuredNS: UInt64
    ) throws -> AuthResult.Event {
        var event = AuthResult.Event(generation: 1, cause: .refused)
        event.firstRefusalNS = refusalNS
        event.renewalStartNS = renewalNS
        event.renewalEndNS = endNS
        var result = RunResult()
        result.auth = AuthResult()
        result.auth?.events = [event]
        let recorder = recorder(
            hits: rows.map { ($0 == "-" ? nil : $0 == "h", client: $0 != "h") })
        RecorderResult.merge([recorder.result], measuredNS: measuredNS, into: &result)
        return try #require(result.auth?.events.first)
    }

    @Test func theSecondsAroundAnEvent() throws {
        let ms: Int64 = 1_000_000
        let all: UInt64 = 5_000_000_000
        // Refused in row 2, renewed in row 2: rows 1 and 3.
        var event = try rates(
            "mhmhm", refusalNS: 2100 * ms, renewalNS: 2101 * ms, endNS: 2300 * ms, measuredNS: all)
        #expect(event.serverHitRateBefore == 1 && event.serverHitRateAfter == 1)
        #expect(event.clientHitRateBefore == 0 && event.clientHitRateAfter == 0)
        // On the boundaries themselves: rows 0 and 2.
        event = try rates(
            "hmhmm", refusalNS: 1000 * ms, renewalNS: nil, endNS: 2000 * ms, measuredNS: all)
        #expect(event.serverHitRateBefore == 1 && event.serverHitRateAfter == 1)
        // One that began in the warm-up has no second before it.
        event = try rates(
            "hmmmm", refusalNS: -100 * ms, renewalNS: nil, endNS: -1 * ms, measuredNS: all)
        #expect(event.serverHitRateBefore == nil && event.serverHitRateAfter == 1)
        #expect(event.clientHitRateBefore == nil && event.clientHitRateAfter == 0)
        // In the first second, and never renewed.
        event = try rates(
            "hmmmm", refusalNS: 999 * ms, renewalNS: nil, endNS: nil, measuredNS: all)
        #expect(event.serverHitRateBefore == nil && event.serverHitRateAfter == nil)
        // Without a refusal the renewal is the moment.
        event = try rates(
            "mhmmm", refusalNS: nil, renewalNS: 2500 * ms, endNS: 2600 * ms, measuredNS: all)
        #expect(event.serverHitRateBefore == 1 && event.serverHitRateAfter == 0)
        // No samples of the server; the client was asked all the same.
        event = try rates(
            "m-m-m", refusalNS: 2500 * ms, renewalNS: nil, endNS: 2600 * ms, measuredNS: all)
        #expect(event.serverHitRateBefore == nil && event.serverHitRateAfter == nil)
        #expect(event.clientHitRateBefore == 1 && event.clientHitRateAfter == 1)
        // The last row is cut by the end of the measured time.
        event = try rates(
            "hhhhh", refusalNS: 3500 * ms, renewalNS: nil, endNS: 3600 * ms,
            measuredNS: 4_500_000_000)
        #expect(event.serverHitRateBefore == 1 && event.serverHitRateAfter == nil)
        // Refused and renewed in the drain.
        event = try rates(
            "hhhhm", refusalNS: 6100 * ms, renewalNS: nil, endNS: 6200 * ms, measuredNS: all)
        #expect(event.serverHitRateBefore == nil && event.serverHitRateAfter == nil)
    }

    /// Rows of two seconds: the one that holds the event is neither before nor after it.
    @Test func longerRowsAreUsedAsTheyAre() throws {
        let measured: UInt64 = 5000
        let recorder = Recorder(hasClientCache: true)
        for row in 0..<Int64(measured) {
            // Two seconds with hits, two without.
            recorder.clientCache(
                row / 2 % 2 == 0 ? .hit : .miss, savedBytes: 10,
                intendedNS: row * second + second / 2)
        }
        var event = AuthResult.Event(generation: 1, cause: .refused)
        event.firstRefusalNS = 103 * second
        event.renewalEndNS = 103 * second + 1
        var result = RunResult()
        result.auth = AuthResult()
        result.auth?.events = [event]
        RecorderResult.merge(
            [recorder.result], measuredNS: measured * UInt64(second), into: &result)
        #expect(result.timeline.first?.intervalNS == UInt64(2 * second))
        // Rows of 100 s to 102 s and of 104 s to 106 s.
        #expect(result.auth?.events.first?.clientHitRateBefore == 1)
        #expect(result.auth?.events.first?.clientHitRateAfter == 1)
    }

    @Test func timesFromTheBegin() {
        var event = AuthResult.Event(generation: 1, cause: .refused)
        #expect(event.beganNS == nil && event.firstOKAfterNS == nil)
        event.expiredNS = 10
        event.renewalStartNS = 10
        event.firstOKNS = 40
        event.fullRecoveryNS = 70
        #expect(event.firstOKAfterNS == 30 && event.fullRecoveryAfterNS == 60)
        event.firstRefusalNS = 5
        #expect(event.firstOKAfterNS == 35 && event.fullRecoveryAfterNS == 65)
        // Nobody waited for a token that was replaced in time.
        event = AuthResult.Event(generation: 1, cause: .proactive)
        event.renewalStartNS = 10
        event.firstOKNS = 40
        #expect(event.firstOKAfterNS == nil)
    }

    @Test func whatIsNotListedIsDropped() {
        var auth = AuthResult()
        #expect(auth.eventsDropped == 0)
        auth.expiryEvents = 7
        auth.events = [AuthResult.Event(generation: 1, cause: .refused)]
        #expect(auth.eventsDropped == 6)
    }
}
