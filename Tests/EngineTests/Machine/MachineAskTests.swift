import Metrics
import Testing

@testable import Engine

/// E1 and E7: asks that want a token, and asks that leave the queue.
@Suite struct MachineAskTests {
    @Test func aFreshTokenIsSent() {
        var cell = TokenCell.fresh()
        let (admission, effects) = cell.acquire(nowNS: 5)
        #expect(admission == .send(generation: 1))
        #expect(effects == TokenCell.Effects())
    }

    @Test func anEmptyCellFetchesItsFirstToken() {
        var cell = TokenCell(limits: TokenCell.Limits(), seed: 1)
        let (first, effects) = cell.acquire(nowNS: 5)
        #expect(first == .park(flight: 1) && effects.startsFlight == 1 && effects.blocks)
        let (second, more) = cell.acquire(nowNS: 6)
        #expect(second == .park(flight: 1) && more == TokenCell.Effects())
        #expect(cell.ledger.joined == 1)
        cell.bring(1, "t1", at: 7)
        #expect(cell.generation == 1 && cell.state == .fresh)
        // A cold start is no expiry.
        #expect(cell.ledger.expiries.count == 0)
    }

    @Test func theFirstTokenCanBeFetchedBeforeAnAskWantsIt() {
        var cell = TokenCell(limits: TokenCell.Limits(), seed: 1)
        let (flight, effects) = cell.beginByRenewal(nowNS: 5)
        #expect(flight == 1 && effects.startsFlight == 1)
        #expect(cell.end(of: 1) == nil)
        cell.bring(1, "t1", at: 7)
        #expect(cell.end(of: 1) == .ok)
        let sent = cell.acquire(nowNS: 8).0
        #expect(sent == .send(generation: 1))
    }

    @Test func aRenewingCellParks() {
        var cell = TokenCell.renewing()
        let (admission, effects) = cell.acquire(nowNS: 11)
        #expect(admission == .park(flight: 1) && effects == TokenCell.Effects())
        #expect(!cell.sendsFreely)
    }

    @Test func anAskThatWasCountedByItsRefusalDoesNotJoinTwice() {
        var cell = TokenCell.renewing()
        _ = cell.acquire(nowNS: 11, joins: false)
        #expect(cell.ledger.joined == 0)
        _ = cell.acquire(nowNS: 12)
        #expect(cell.ledger.joined == 1)
    }

    @Test func theQueueIsBounded() {
        var cell = TokenCell.renewing { $0.parkedMax = 2 }
        let second = cell.acquire(nowNS: 11).0
        let third = cell.acquire(nowNS: 12).0
        let (refused, _) = cell.refuse(1, at: 12)
        cell.leave()
        let fourth = cell.acquire(nowNS: 13).0
        #expect(second == .park(flight: 1))
        #expect(third == .fail(.parkOverflow))
        #expect(refused == .fail(.parkOverflow))
        #expect(fourth == .park(flight: 1))
        #expect(cell.parked == 2)
    }

    @Test func whoLeavesTheQueueLeavesTheFlightAlone() {
        var cell = TokenCell.renewing()
        _ = cell.acquire(nowNS: 11)
        cell.leave()
        cell.leave()
        #expect(cell.parked == 0 && cell.ledger.parkedLeft == 2)
        #expect(cell.flight == 1 && cell.state == .renewing)
        let (delivery, _) = cell.bring(1, "t2", at: 20)
        #expect(delivery == .taken)
    }

    @Test func afterTheCoolDownOneAskIsTheProbe() {
        var cell = TokenCell.renewing()
        let effects = cell.fail(1, at: 20)
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

    @Test func aDeadCellFailsAsks() {
        var cell = TokenCell.renewing()
        let effects = cell.fail(1, isPermanent: true, at: 20)
        #expect(effects.wakes)
        let muchLater = cell.acquire(nowNS: UInt64.max / 2).0
        #expect(muchLater == .fail(.dead))
        #expect(cell.end(of: 1) == .failed(.dead))
    }

    /// Whoever asks for an end that is forgotten comes to the machine again, and waits for nothing.
    @Test func anEndIsNeverForgottenToTheHarmOfThoseWhoWait() {
        var cell = TokenCell.fresh(isConfirmed: false) { $0.sendsCanary = true }
        _ = cell.acquire(nowNS: 10)
        let (waits, _) = cell.acquire(nowNS: 11)
        guard case .park(let first) = waits else {
            Issue.record("\(waits)")
            return
        }
        #expect(cell.end(of: first) == nil)
        for round in UInt64(0)..<100 {
            _ = cell.canaryLost(generation: 1)
            _ = cell.acquire(nowNS: 12 + round)
        }
        #expect(cell.end(of: first) == .ok)
    }

    /// An owner that keeps what it saw while `changes` stands still must never be wrong.
    @Test func whatIsSeenChangesOnlyWithChanges() {
        var cell = TokenCell.fresh(lifeNS: 100 * secondNS)
        let before = (cell.changes, cell.actsAtNS)
        _ = cell.acquire(nowNS: 95 * secondNS)
        #expect(cell.changes != before.0 && cell.actsAtNS == 100 * secondNS + 1)
        let running = cell.changes
        cell.fail(1, at: 96 * secondNS)
        #expect(cell.changes != running && cell.actsAtNS == 97 * secondNS)
        let failed = cell.changes
        _ = cell.acquire(nowNS: 98 * secondNS)
        let again = cell.changes
        _ = cell.shutDown(nowNS: 99 * secondNS)
        #expect(again != failed && cell.changes != again && !cell.sendsFreely)
    }
}
