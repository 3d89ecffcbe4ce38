import Metrics
import Testing

@testable import Engine

/// E1b, E2 and E3: refusals, row by row, and what an accepted answer says.
@Suite struct MachineRefusalTests {
    @Test func aStormOfRefusalsStartsOneFlight() {
        var cell = TokenCell.fresh()
        var flights = 0
        for ask in UInt64(0)..<100 {
            let (admission, effects) = cell.refuse(1, at: 10 + ask)
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
        var cell = TokenCell.renewing()
        cell.bring(1, "t2", at: 20)
        let (admission, after) = cell.refuse(1, at: 30)
        #expect(admission == .send(generation: 2))
        #expect(after == TokenCell.Effects())
        #expect(cell.ledger.refusalsLate == 1)
        #expect(cell.ledger.flights == 1)
    }

    /// What a late refusal meets is what any ask meets.
    @Test func aLateRefusalIsAnAskLikeAnother() {
        var renewing = TokenCell.renewing()
        renewing.bring(1, "t2", at: 20)
        _ = renewing.accepted(generation: 2, atNS: 21)
        renewing.refuse(2, at: 22)
        var cooling = renewing
        cooling.fail(2, at: 23)
        var dead = renewing
        dead.fail(2, isPermanent: true, at: 23)
        let (parked, _) = renewing.refuse(1, at: 24)
        let (cools, _) = cooling.refuse(1, at: 24)
        let (dies, _) = dead.refuse(1, at: 24)
        #expect(parked == .park(flight: 2))
        #expect(cools == .fail(.cooling))
        #expect(dies == .fail(.dead))
        let late = [renewing, cooling, dead].map(\.ledger.refusalsLate)
        #expect(late == [1, 1, 1])
    }

    @Test func lateRefusalsUseUpTheBudgetToo() {
        var cell = TokenCell.renewing()
        cell.bring(1, "t2", at: 20)
        let (second, _) = cell.refuse(1, 2, at: 30)
        let (third, effects) = cell.refuse(1, 3, at: 31)
        #expect(second == .send(generation: 2))
        #expect(third == .fail(.authRetries))
        #expect(effects == TokenCell.Effects())
    }

    @Test func anAskIsSentAtMostThreeTimes() {
        var cell = TokenCell.renewing()
        cell.bring(1, "t2", at: 20)
        cell.refuse(2, 2, at: 30)
        cell.bring(2, "t3", at: 40)
        let (admission, effects) = cell.refuse(3, 3, at: 50)
        #expect(admission == .fail(.authRetries))
        #expect(effects.startsFlight == nil)
        #expect(cell.ledger.refusalsExhausted == 1)
    }

    @Test func tokensRefusedBeforeTheyWorkedTripTheBreaker() {
        var cell = TokenCell.renewing()
        for round in UInt64(1)...2 {
            cell.bring(round, "new \(round)", at: 10 * round)
            let (admission, _) = cell.refuse(1 + round, at: 10 * round + 1)
            #expect(admission == .park(flight: round + 1))
        }
        cell.bring(3, "new 3", at: 100)
        let (admission, effects) = cell.refuse(4, at: 101)
        #expect(admission == .fail(.cooling))
        #expect(effects.startsFlight == nil && effects.wakes)
        #expect(cell.state == .cooling)
        #expect(cell.ledger.tokensFailed == 3)
        // One token that works ends the count.
        let probeNS = cell.coolsUntilNS
        _ = cell.acquire(nowNS: probeNS)
        cell.bring(4, "new 4", at: probeNS + 1)
        _ = cell.accepted(generation: 5, atNS: probeNS + 2)
        #expect(cell.barren == 0)
        let (again, _) = cell.refuse(5, at: probeNS + 3)
        #expect(again == .park(flight: 5))
    }

    /// The probe after the cool-down decides, at once.
    @Test func oneMoreDeadTokenTripsTheBreakerAgain() {
        var cell = TokenCell.renewing { $0.barrenMax = 2 }
        var now: UInt64 = 20
        for round in UInt64(1)...2 {
            cell.bring(round, "new \(round)", at: now)
            cell.refuse(1 + round, at: now + 1)
        }
        let firstNS = cell.coolsUntilNS - (now + 1)
        #expect(cell.state == .cooling)
        now = cell.coolsUntilNS
        _ = cell.acquire(nowNS: now)
        cell.bring(3, "new 3", at: now)
        let (admission, effects) = cell.refuse(4, at: now)
        #expect(admission == .fail(.cooling) && effects.startsFlight == nil)
        #expect(cell.state == .cooling && cell.coolsUntilNS - now > firstNS)
    }

    @Test func theBreakerGivesUpTheFlightInTheBackground() {
        var cell = TokenCell.renewing { $0.barrenMax = 1 }
        cell.bring(1, "t2", lifeNS: 100 * secondNS, at: 20)
        let (_, start) = cell.acquire(nowNS: 99 * secondNS)
        #expect(start.startsFlight == 2)
        let (admission, effects) = cell.refuse(2, at: 99 * secondNS + 1)
        #expect(admission == .fail(.cooling) && effects.abortsFlight == 2)
        let (delivery, _) = cell.bring(2, "t3", at: 99 * secondNS + 2)
        #expect(delivery == .abandoned)
        #expect(cell.ledger.flightsAbandoned == 1 && cell.ledger.tokensLost == 1)
    }

    /// COOLING and DEAD with the generation in hand: no flight, the state's own reason.
    @Test(arguments: [false, true])
    func refusalsAfterAFailureFailAsItDid(isPermanent: Bool) {
        var cell = TokenCell.renewing()
        cell.fail(1, isPermanent: isPermanent, at: 20)
        let (admission, effects) = cell.refuse(1, at: UInt64.max / 2)
        #expect(admission == .fail(isPermanent ? .dead : .cooling))
        #expect(effects == TokenCell.Effects())
        #expect(cell.ledger.refusalsExhausted == 1)
    }

    @Test func anAcceptedAnswerOfAnOlderTokenConfirmsNothing() {
        var cell = TokenCell.renewing()
        cell.bring(1, "t2", at: 20)
        _ = cell.accepted(generation: 1, atNS: 21)
        #expect(!cell.isConfirmed)
        _ = cell.accepted(generation: 2, atNS: 22)
        #expect(cell.isConfirmed)
    }

    @Test func aWorkingTokenEndsTheGrowthOfCoolDowns() {
        var cell = TokenCell.renewing()
        cell.fail(1, at: 20)
        cell.fail(2, at: 20)
        let firstNS = cell.coolsUntilNS
        _ = cell.acquire(nowNS: firstNS)
        cell.bring(2, "t2", at: firstNS)
        _ = cell.accepted(generation: 2, atNS: firstNS + 1)
        cell.refuse(2, at: firstNS + 2)
        cell.fail(3, at: firstNS + 3)
        #expect(cell.coolsUntilNS - (firstNS + 3) <= 550_000_000)
    }

    @Test func aDummyThatIsRefusedIsNoExpiryAndNoFailedToken() {
        var cell = TokenCell(limits: TokenCell.Limits(), seed: 1)
        cell.begin(Credential("dummy"), isDummy: true, nowNS: 1)
        cell.refuse(1, at: 10)
        cell.bring(1, "t", at: 20)
        #expect(cell.ledger.expiries.count == 0)
        #expect(cell.ledger.flightsOK == 1)
        #expect(cell.ledger.tokensFailed == 0)
    }

    /// Whatever the refusal means for its ask, and once for each token.
    @Test func aTokenThatIsRefusedFirstHasFailed() {
        var cell = TokenCell.renewing()
        cell.bring(1, "t2", at: 20)
        cell.refuse(2, 3, at: 30)
        #expect(cell.state == .fresh && cell.ledger.tokensFailed == 1)
        cell.refuse(2, 3, at: 31)
        #expect(cell.ledger.tokensFailed == 1)
        _ = cell.accepted(generation: 2, atNS: 32)
        cell.refuse(2, at: 33)
        #expect(cell.ledger.tokensFailed == 1)
        cell.bring(2, "t3", at: 40)
        _ = cell.accepted(generation: 3, atNS: 41)
        cell.refuse(3, at: 42)
        #expect(cell.ledger.tokensFailed == 1)
    }

    /// A late refusal belongs to the expiry before; its ask goes on and may begin the next one.
    @Test func aLateRefusalIsCountedWithTheExpiryThatWas() {
        var cell = TokenCell.renewing()
        cell.bring(1, "t2", lifeNS: 100 * secondNS, at: 20)
        let (admission, _) = cell.refuse(1, at: 101 * secondNS)
        #expect(admission == .park(flight: 2))
        #expect(cell.ledger.expiries.count == 2 && cell.ledger.expiries.lastRefused == 0)
        cell.bring(2, "t3", at: 102 * secondNS)
        for _ in 0..<2 { cell.ledger.expiries.recovered(0, atNS: 103 * secondNS) }
        #expect(!cell.ledger.expiries.isWindowOpen)
    }
}
