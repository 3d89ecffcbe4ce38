import Metrics
import Testing

@testable import Engine

/// The renewal machine, event by event: no clock, no socket, no sleep.
@Suite struct TokenCellTests {
    private func freshCell(_ change: (inout TokenCell.Limits) -> Void = { _ in }) -> TokenCell {
        var limits = TokenCell.Limits()
        change(&limits)
        var cell = TokenCell(limits: limits, seed: 7)
        cell.begin(Credential("t1"), isDummy: false, nowNS: 1)
        return cell
    }

    @Test func aStormOfRefusalsStartsOneFlight() {
        var cell = freshCell()
        _ = cell.accepted(generation: 1, atNS: 2)
        var flights = 0
        for ask in 0..<100 {
            let (admission, effects) = cell.refused(
                Refusal(generation: 1, refusals: 1), nowNS: 10 + UInt64(ask))
            #expect(admission == .park(flight: 1))
            if effects.startsFlight != nil { flights += 1 }
        }
        #expect(flights == 1)
        #expect(cell.ledger.refusalsTriggering == 1)
        #expect(cell.ledger.refusalsCoalesced == 99)
        #expect(cell.ledger.expiries.count == 1)
        #expect(cell.ledger.expiries.rows[0].storm == 100)
    }

    @Test func aLateRefusalReplaysWithoutRenewing() {
        var cell = freshCell()
        _ = cell.refused(Refusal(generation: 1, refusals: 1), nowNS: 10)
        let (delivery, effects) = cell.flightBrought(
            flight: 1, Credential("t2"), sentNS: 20, lifeNS: nil, nowNS: 20)
        let isNew = delivery == .taken
        #expect(isNew && effects.wakes)
        let (admission, after) = cell.refused(Refusal(generation: 1, refusals: 1), nowNS: 30)
        #expect(admission == .send(generation: 2))
        #expect(after.startsFlight == nil)
        #expect(cell.ledger.refusalsLate == 1)
        #expect(cell.ledger.flights == 1)
    }

    @Test func theRefusedTokenAgainIsNoRenewal() {
        var cell = freshCell()
        _ = cell.refused(Refusal(generation: 1, refusals: 1), nowNS: 10)
        let (delivery, effects) = cell.flightBrought(
            flight: 1, Credential("t1"), sentNS: 20, lifeNS: nil, nowNS: 20)
        let isNew = delivery == .taken
        #expect(!isNew && !effects.wakes)
        #expect(cell.state == .renewing)
        #expect(cell.generation == 1)
    }

    @Test func anAbandonedFlightsTokenIsDropped() {
        var cell = freshCell()
        _ = cell.refused(Refusal(generation: 1, refusals: 1), nowNS: 10)
        _ = cell.flightFailed(flight: 1, isPermanent: false, nowNS: 20)
        let (delivery, _) = cell.flightBrought(
            flight: 1, Credential("t2"), sentNS: 30, lifeNS: nil, nowNS: 30)
        let isNew = delivery == .taken
        #expect(!isNew)
        #expect(cell.ledger.tokensLost == 1)
        #expect(cell.credential.text == "t1")
    }

    @Test func anAskIsSentAtMostThreeTimes() {
        var cell = freshCell()
        _ = cell.refused(Refusal(generation: 1, refusals: 1), nowNS: 10)
        _ = cell.flightBrought(flight: 1, Credential("t2"), sentNS: 20, lifeNS: nil, nowNS: 20)
        _ = cell.refused(Refusal(generation: 2, refusals: 2), nowNS: 30)
        _ = cell.flightBrought(flight: 2, Credential("t3"), sentNS: 40, lifeNS: nil, nowNS: 40)
        let (admission, effects) = cell.refused(Refusal(generation: 3, refusals: 3), nowNS: 50)
        #expect(admission == .fail(.authRetries))
        #expect(effects.startsFlight == nil)
    }

    @Test func tokensRefusedBeforeTheyWorkedTripTheBreaker() {
        var cell = freshCell()
        _ = cell.accepted(generation: 1, atNS: 2)
        _ = cell.refused(Refusal(generation: 1, refusals: 1), nowNS: 10)
        for round in UInt64(1)...2 {
            _ = cell.flightBrought(
                flight: round, Credential("new \(round)"), sentNS: 10 * round, lifeNS: nil,
                nowNS: 10 * round)
            let (admission, _) = cell.refused(
                Refusal(generation: 1 + round, refusals: 1), nowNS: 10 * round + 1)
            #expect(admission == .park(flight: round + 1))
        }
        _ = cell.flightBrought(flight: 3, Credential("new 3"), sentNS: 100, lifeNS: nil, nowNS: 100)
        let (admission, effects) = cell.refused(Refusal(generation: 4, refusals: 1), nowNS: 101)
        #expect(admission == .fail(.cooling))
        #expect(effects.startsFlight == nil && effects.wakes)
        #expect(cell.state == .cooling)
        #expect(cell.ledger.tokensFailed == 3)
    }

    @Test func afterTheCoolDownOneAskIsTheProbe() {
        var cell = freshCell()
        _ = cell.refused(Refusal(generation: 1, refusals: 1), nowNS: 10)
        let effects = cell.flightFailed(flight: 1, isPermanent: false, nowNS: 20)
        #expect(effects.wakes)
        #expect(cell.end(of: 1) == .failed(.cooling))
        let early = cell.acquire(nowNS: 21).0
        #expect(early == .fail(.cooling))
        let later = cell.coolsUntilNS
        let (probe, probeEffects) = cell.acquire(nowNS: later)
        #expect(probe == .park(flight: 2))
        #expect(probeEffects.startsFlight == 2)
        let (second, secondEffects) = cell.acquire(nowNS: later + 1)
        #expect(second == .park(flight: 2))
        #expect(secondEffects.startsFlight == nil)
    }

    @Test func coolDownsDoubleUpToTheirCapWithinTenPercent() {
        var cell = freshCell()
        _ = cell.refused(Refusal(generation: 1, refusals: 1), nowNS: 1)
        var now: UInt64 = 1
        for round in UInt64(1)...10 {
            _ = cell.flightFailed(flight: round, isPermanent: false, nowNS: now)
            let wanted = min(0.5e9 * Double(1 << (round - 1)), 30e9)
            let got = Double(cell.coolsUntilNS - now)
            #expect(got >= 0.9 * wanted && got <= 1.1 * wanted, "round \(round): \(got)")
            now = cell.coolsUntilNS
            _ = cell.acquire(nowNS: now)
        }
    }

    @Test func aPermanentRefusalOfTheEndpointIsTheEnd() {
        var cell = freshCell()
        _ = cell.refused(Refusal(generation: 1, refusals: 1), nowNS: 10)
        _ = cell.flightFailed(flight: 1, isPermanent: true, nowNS: 20)
        let muchLater = cell.acquire(nowNS: UInt64.max / 2).0
        #expect(muchLater == .fail(.dead))
        #expect(cell.end(of: 1) == .failed(.dead))
    }

    @Test func theQueueIsBounded() {
        var cell = freshCell { $0.parkedMax = 2 }
        _ = cell.refused(Refusal(generation: 1, refusals: 1), nowNS: 10)
        let second = cell.acquire(nowNS: 11).0
        let third = cell.acquire(nowNS: 12).0
        cell.leave()
        let fourth = cell.acquire(nowNS: 13).0
        #expect(second == .park(flight: 1))
        #expect(third == .fail(.parkOverflow))
        #expect(fourth == .park(flight: 1))
        #expect(cell.ledger.parkedMax == 2)
    }

    @Test func aPoisonedTokenKeepsItsGeneration() {
        var cell = freshCell()
        let isPoisoned = cell.poison("garbage")
        #expect(isPoisoned)
        #expect(cell.generation == 1)
        #expect(cell.credential.text == "garbage")
        _ = cell.refused(Refusal(generation: 1, refusals: 1), nowNS: 10)
        // The server still honours the old token and may hand it out again: that is a renewal.
        let (delivery, _) = cell.flightBrought(
            flight: 1, Credential("t1"), sentNS: 20, lifeNS: nil, nowNS: 20)
        let isNew = delivery == .taken
        #expect(isNew)
        var busy = freshCellInFlight()
        let isAgain = busy.poison("x")
        #expect(!isAgain)
    }

    private func freshCellInFlight() -> TokenCell {
        var cell = freshCell()
        _ = cell.refused(Refusal(generation: 1, refusals: 1), nowNS: 10)
        return cell
    }

    @Test func aRevocationExplainsARefusalThatCameFirst() {
        var cell = freshCell()
        _ = cell.refused(Refusal(generation: 1, refusals: 1), nowNS: 10)
        #expect(cell.ledger.expiries.rows[0].cause == .refused)
        cell.ledger.killed(generation: 1, serial: 1, cause: .revoked, atNS: 11)
        #expect(cell.ledger.expiries.rows[0].cause == .revoked)
    }

    @Test func aColdStartIsNoExpiry() {
        var cell = TokenCell(limits: TokenCell.Limits(), seed: 1)
        cell.begin(Credential("dummy"), isDummy: true, nowNS: 1)
        _ = cell.refused(Refusal(generation: 1, refusals: 1), nowNS: 10)
        _ = cell.flightBrought(flight: 1, Credential("t"), sentNS: 20, lifeNS: nil, nowNS: 20)
        #expect(cell.ledger.expiries.count == 0)
        #expect(cell.ledger.flightsOK == 1)
        #expect(cell.ledger.tokensFailed == 0)
    }

    @Test func shutDownFailsWhoeverWaits() {
        var cell = freshCellInFlight()
        let effects = cell.shutDown(nowNS: 30)
        #expect(effects.abortsFlight == 1 && effects.wakes)
        #expect(cell.end(of: 1) == .failed(.parkTimeout))
    }

    /// Random interleavings of many asks, one cell and one server: every ask ends, no needless
    /// renewal, at most one flight, the conservation laws hold.
    @Test(arguments: 0..<200) func randomInterleavingsKeepTheLaws(seed: Int) {
        var world = CellWorld(seed: UInt64(seed))
        world.run()
        #expect(world.problems.isEmpty, "seed \(seed): \(world.problems)")
    }
}

/// A toy server and its clients around one cell, driven by a seeded generator.
private struct CellWorld {
    private enum Ask { case idle, sent(generation: UInt64, token: String), parked(UInt64), done }

    private var cell: TokenCell
    private var asks: [(state: Ask, refusals: Int)]
    private var serverToken = "s1"
    private var issued = 1
    private var expiriesLeft = 3
    private var openFlight: UInt64?
    private var startedFlights = 0
    private var endedFlights = 0
    private var now: UInt64 = 1
    private var random: UInt64
    var problems: [String] = []

    init(seed: UInt64) {
        random = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        cell = TokenCell(limits: TokenCell.Limits(), seed: seed)
        asks = Array(repeating: (.idle, 0), count: 12)
        cell.begin(Credential("s1"), isDummy: false, nowNS: 1)
    }

    private mutating func draw(_ bound: Int) -> Int {
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        return Int((random >> 20) % UInt64(bound))
    }

    mutating func run() {
        for _ in 0..<5_000 where !isOver { step() }
        if !isOver { problems.append("not over") }
        let ledger = cell.ledger
        if ledger.flights != ledger.flightsOK + ledger.flightsFailed + ledger.flightsAbandoned {
            problems.append("flights do not add up")
        }
        let sorted =
            ledger.refusalsTriggering + ledger.refusalsCoalesced + ledger.refusalsLate
            + ledger.refusalsExhausted
        if ledger.refusalsTotal != sorted { problems.append("refusals do not add up") }
        if ledger.duplicates != 0 { problems.append("duplicates \(ledger.duplicates)") }
        if ledger.expiries.renewalsMax > 1 { problems.append("two renewals for one expiry") }
        if cell.generation != 1 + ledger.flightsOK { problems.append("generations") }
    }

    private var isOver: Bool {
        openFlight == nil
            && asks.allSatisfy { if case .done = $0.state { true } else { false } }
    }

    private mutating func step() {
        now += 1
        switch draw(10) {
        case 0 where expiriesLeft > 0:
            expiriesLeft -= 1
            issued += 1
            serverToken = "hidden \(issued)"
        case 1, 2:
            endFlight()
        default:
            advance(draw(asks.count))
        }
    }

    private mutating func endFlight() {
        guard let flight = openFlight else { return }
        endedFlights += 1
        openFlight = nil
        issued += 1
        serverToken = "s\(issued)"
        let (delivery, _) = cell.flightBrought(
            flight: flight, Credential(serverToken), sentNS: now, lifeNS: nil, nowNS: now)
        let isNew = delivery == .taken
        if !isNew { problems.append("a new token was not taken") }
    }

    private mutating func advance(_ index: Int) {
        switch asks[index].state {
        case .idle:
            follow(cell.acquire(nowNS: now), index)
        case .sent(let generation, let token):
            if token == serverToken {
                _ = cell.accepted(generation: generation, atNS: now)
                asks[index].state = .done
            } else {
                asks[index].refusals += 1
                let refusals = asks[index].refusals
                follow(
                    cell.refused(Refusal(generation: generation, refusals: refusals), nowNS: now),
                    index)
            }
        case .parked(let flight):
            guard cell.end(of: flight) != nil else { return }
            cell.leave()
            asks[index].state = .idle
        case .done:
            break
        }
    }

    private mutating func follow(
        _ result: (TokenCell.Admission, TokenCell.Effects), _ index: Int
    ) {
        if let flight = result.1.startsFlight {
            if openFlight != nil { problems.append("two flights at once") }
            openFlight = flight
            startedFlights += 1
        }
        switch result.0 {
        case .send(let generation), .canary(let generation):
            asks[index].state = .sent(generation: generation, token: cell.credential.text)
        case .park(let flight): asks[index].state = .parked(flight)
        case .fail, .hold: asks[index].state = .done
        }
    }
}
