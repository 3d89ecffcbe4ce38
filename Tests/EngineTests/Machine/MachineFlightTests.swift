import Metrics
import Testing

@testable import Engine

/// E4 to E6, E8 and E9: what flights bring, how they fail, the end of the run, spoilt tokens.
@Suite struct MachineFlightTests {
    @Test func aNewTokenIsANewGeneration() {
        var cell = TokenCell.renewing()
        let (delivery, effects) = cell.bring(1, "t2", at: 20)
        #expect(delivery == .taken && effects.wakes)
        #expect(cell.state == .fresh && cell.generation == 2 && !cell.isConfirmed)
        #expect(cell.credential.text == "t2" && cell.previous.text == "t1")
        #expect(cell.end(of: 1) == .ok)
    }

    @Test func theRefusedTokenAgainIsNoRenewal() {
        var cell = TokenCell.renewing()
        let (delivery, effects) = cell.bring(1, "t1", at: 20)
        #expect(delivery == .same && effects == TokenCell.Effects())
        #expect(cell.state == .renewing && cell.generation == 1 && cell.flight == 1)
    }

    /// A credential of several parts is the same when all of them are.
    @Test func onePartOfACredentialMakesItAnother() {
        var cell = TokenCell(limits: TokenCell.Limits(), seed: 1)
        cell.begin(Credential("t", parts: ["policy", "one"]), isDummy: false, nowNS: 1)
        cell.refuse(1, at: 10)
        let (delivery, _) = cell.flightBrought(
            flight: 1, Credential("t", parts: ["policy", "two"]), sentNS: 20, lifeNS: nil, nowNS: 20
        )
        #expect(delivery == .taken)
    }

    @Test func anAbandonedFlightsTokenIsDropped() {
        var cell = TokenCell.renewing()
        cell.fail(1, at: 20)
        let (delivery, _) = cell.bring(1, "t2", at: 30)
        #expect(delivery == .abandoned)
        #expect(cell.ledger.tokensLost == 1)
        #expect(cell.credential.text == "t1")
    }

    @Test func theWatchdogGivesUpOneFlightAndNoOther() {
        var cell = TokenCell.renewing()
        let wrong = cell.flightOverdue(flight: 7, nowNS: 15)
        #expect(wrong == TokenCell.Effects() && cell.state == .renewing)
        let effects = cell.flightOverdue(flight: 1, nowNS: 20)
        #expect(effects.abortsFlight == 1 && effects.wakes)
        #expect(cell.state == .cooling && cell.end(of: 1) == .failed(.cooling))
        let twice = cell.flightOverdue(flight: 1, nowNS: 21)
        #expect(twice == TokenCell.Effects())
        #expect(cell.ledger.flightsFailed == 1)
    }

    @Test func coolDownsDoubleUpToTheirCapWithinTenPercent() {
        var cell = TokenCell.renewing()
        var now: UInt64 = 10
        for round in UInt64(1)...10 {
            cell.fail(round, at: now)
            let wanted = min(0.5e9 * Double(1 << (round - 1)), 30e9)
            let got = Double(cell.coolsUntilNS - now)
            #expect(got >= 0.9 * wanted && got <= 1.1 * wanted, "round \(round): \(got)")
            now = cell.coolsUntilNS
            _ = cell.acquire(nowNS: now)
        }
    }

    @Test func theEndpointsRetryAfterIsTheLeastUpToAnHour() {
        var asked = TokenCell.renewing()
        var absurd = asked
        asked.fail(1, retryAfterNS: 7 * secondNS, at: 20)
        absurd.fail(1, retryAfterNS: .max, at: 20)
        #expect(asked.coolsUntilNS == 7 * secondNS + 20)
        #expect(absurd.coolsUntilNS == 3600 * secondNS + 20)
    }

    @Test func shutDownFailsWhoeverWaitsAndStartsNothing() {
        var cell = TokenCell.renewing()
        let effects = cell.shutDown(nowNS: 30)
        #expect(effects.abortsFlight == 1 && effects.wakes)
        #expect(cell.end(of: 1) == .failed(.parkTimeout))
        #expect(cell.ledger.flightsAbandoned == 1)
        let (delivery, _) = cell.bring(1, "t2", at: 31)
        #expect(delivery == .abandoned)
    }

    @Test func nothingStartsAfterTheEnd() {
        var cell = TokenCell.fresh(lifeNS: 10 * secondNS)
        _ = cell.shutDown(nowNS: 30)
        let (refused, after) = cell.refuse(1, at: 31)
        let (stale, more) = cell.acquire(nowNS: 20 * secondNS)
        #expect(refused == .fail(.parkTimeout) && stale == .fail(.parkTimeout))
        #expect(after.startsFlight == nil && more.startsFlight == nil)
        #expect(cell.ledger.refusalsTotal == cell.ledger.refusalsExhausted)
    }

    @Test func aPoisonedTokenKeepsItsGeneration() {
        var cell = TokenCell.fresh()
        let isPoisoned = cell.poison("garbage")
        #expect(isPoisoned && cell.isConfirmed)
        #expect(cell.generation == 1 && cell.serial == 2)
        #expect(cell.credential.text == "garbage")
        cell.refuse(1, at: 10)
        // The server still honours the old token and may hand it out again: that is a renewal.
        let (delivery, _) = cell.bring(1, "t1", at: 20)
        #expect(delivery == .taken)
        var busy = TokenCell.renewing()
        let isAgain = busy.poison("x")
        #expect(!isAgain && busy.credential.text == "t1")
    }

    @Test func poisonSpoilsEveryPart() {
        var cell = TokenCell(limits: TokenCell.Limits(), seed: 1)
        cell.begin(Credential("t", parts: ["policy", "key"]), isDummy: false, nowNS: 1)
        _ = cell.poison("x")
        #expect(cell.credential == Credential("x", parts: ["x", "x"]))
    }

    @Test func aRevocationExplainsARefusalThatCameFirst() {
        var cell = TokenCell.renewing()
        #expect(cell.ledger.expiries.rows[0].cause == .refused)
        cell.ledger.killed(generation: 1, serial: 1, cause: .revoked, atNS: 11)
        #expect(cell.ledger.expiries.rows[0].cause == .revoked)
    }

    /// Nothing has recovered before there is a token again.
    @Test func theWindowStaysOpenWhereThereIsNoToken() {
        var dead = TokenCell.renewing()
        var cooling = dead
        cooling.ledger.expiries.recovered(0, atNS: 11)
        dead.ledger.expiries.recovered(0, atNS: 11)
        dead.fail(1, isPermanent: true, at: 20)
        cooling.fail(1, at: 20)
        #expect(dead.isWindowOpen && cooling.isWindowOpen)
        _ = cooling.acquire(nowNS: secondNS)
        #expect(cooling.state == .renewing && cooling.isWindowOpen)
        cooling.bring(2, "t2", at: secondNS + 1)
        #expect(!cooling.isWindowOpen)
    }
}
