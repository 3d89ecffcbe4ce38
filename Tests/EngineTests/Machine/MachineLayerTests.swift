import Metrics
import Testing

@testable import Engine

/// A layer that refuses a token which works elsewhere starts no renewals.
@Suite struct MachineLayerTests {
    /// Generation 2, confirmed; generation 1 was refused.
    private func renewed() -> TokenCell {
        var cell = TokenCell.renewing()
        cell.bring(1, "t2", at: 20)
        _ = cell.accepted(generation: 2, atNS: 21)
        return cell
    }

    private func suspect(layer: UInt8 = 3) -> (inout Refusal) -> Void {
        {
            $0.earlier = 1
            $0.layer = layer
        }
    }

    @Test func aSecondRefusalByATokenThatWorksIsHeld() {
        var cell = renewed()
        let (admission, effects) = cell.refuse(2, 2, at: 30, suspect())
        #expect(admission == .hold && effects == TokenCell.Effects())
        #expect(cell.state == .fresh && cell.ledger.flights == 1)
        #expect(cell.ledger.refusalsTotal == 2)
    }

    @Test func theFirstRefusalOfAnAskIsNoSuspect() {
        var cell = renewed()
        let (admission, _) = cell.refuse(2, at: 30) { $0.layer = 3 }
        #expect(admission == .park(flight: 2))
    }

    /// The table's row of the budget stands below this one.
    @Test func aSuspectIsHeldWhateverItsBudget() {
        var cell = renewed()
        let (admission, _) = cell.refuse(2, 3, at: 30, suspect())
        #expect(admission == .hold)
    }

    /// Who was refused stands first in the queue: the good answers of others are still to come.
    @Test func aTokenThatNobodyConfirmedHasTimeToShowThatItWorks() {
        var cell = TokenCell.renewing()
        cell.bring(1, "t2", at: 20)
        let (admission, _) = cell.refuse(2, 2, at: 30, suspect())
        #expect(admission == .hold && cell.barren == 0)
        var works = cell
        _ = works.accepted(generation: 2, atNS: 40)
        let (final, _) = reconsidered(&works, at: 41) { $0.hasProof = true }
        #expect(final == .fail(.locked))
        let (triggers, _) = reconsidered(&cell, at: 50) { $0.isOverdue = true }
        #expect(triggers == .park(flight: 2) && cell.barren == 1)
    }

    @Test func theCanarysRefusalIsTheTokensFault() {
        var cell = TokenCell.renewing { $0.sendsCanary = true }
        cell.bring(1, "t2", at: 20)
        _ = cell.acquire(nowNS: 25)
        let (admission, _) = cell.refuse(2, 2, at: 30, suspect())
        #expect(admission == .park(flight: 2) && cell.barren == 1)
    }

    private func reconsidered(
        _ cell: inout TokenCell, at nowNS: UInt64, _ change: (inout Refusal) -> Void
    ) -> (TokenCell.Admission, TokenCell.Effects) {
        var refusal = Refusal(generation: 2, refusals: 2)
        suspect()(&refusal)
        change(&refusal)
        return cell.reconsider(refusal, nowNS: nowNS)
    }

    @Test func proofMakesItFinalAndLocksTheLayer() {
        var cell = renewed()
        cell.refuse(2, 2, at: 30, suspect())
        let (still, _) = reconsidered(&cell, at: 40) { _ in }
        #expect(still == .hold)
        let (final, effects) = reconsidered(&cell, at: 50) { $0.hasProof = true }
        #expect(final == .fail(.locked) && effects == TokenCell.Effects())
        #expect(cell.ledger.refusalsLocked == 1 && cell.ledger.expiries.count == 1)
        // From now on the layer's first refusals are under suspicion too, and no others.
        let (first, _) = cell.refuse(2, at: 60) { $0.layer = 3 }
        #expect(first == .hold)
        let (other, _) = cell.refuse(2, at: 70) { $0.layer = 4 }
        #expect(other == .park(flight: 2))
    }

    /// New asks would renew the token faster than anything could be proven about it.
    @Test func whileAnAskIsHeldItsLayerIsInDoubt() {
        var cell = renewed()
        cell.refuse(2, 2, at: 30, suspect())
        var later = cell
        let (first, _) = cell.refuse(2, at: 40) { $0.layer = 3 }
        let (other, _) = cell.refuse(2, at: 50) { $0.layer = 4 }
        #expect(first == .hold && other == .park(flight: 2))
        let (after, _) = later.refuse(2, at: 30 + secondNS) { $0.layer = 3 }
        #expect(after == .park(flight: 2), "the doubt ends by itself")
    }

    @Test func theLockEndsByItself() {
        var cell = renewed()
        cell.refuse(2, 2, at: 30, suspect())
        _ = reconsidered(&cell, at: 50) { $0.hasProof = true }
        var sooner = cell
        let (held, _) = sooner.refuse(2, at: 49 + 5 * secondNS) { $0.layer = 3 }
        let (free, _) = cell.refuse(2, at: 50 + 5 * secondNS) { $0.layer = 3 }
        #expect(held == .hold && free == .park(flight: 2))
    }

    @Test func aHeldAskGoesOnAsTheCellDoes() {
        var cell = renewed()
        cell.refuse(2, 2, at: 30, suspect())
        var overdue = cell
        let (triggers, effects) = reconsidered(&overdue, at: 40) { $0.isOverdue = true }
        #expect(triggers == .park(flight: 2) && effects.startsFlight == 2)
        #expect(overdue.ledger.duplicates == 0)

        cell.refuse(2, at: 35)
        var renewing = cell
        let (joins, _) = reconsidered(&renewing, at: 40) { $0.hasProof = true }
        #expect(joins == .park(flight: 2) && renewing.ledger.refusalsCoalesced == 1)
        cell.bring(2, "t3", at: 45)
        let (replays, _) = reconsidered(&cell, at: 50) { $0.hasProof = true }
        #expect(replays == .send(generation: 3) && cell.ledger.refusalsLate == 1)
    }

    @Test func aHeldAskThatEndsWithTheRunIsCounted() {
        var cell = renewed()
        cell.refuse(2, 2, at: 30, suspect())
        cell.leaveHeld()
        let ledger = cell.ledger
        #expect(
            ledger.refusalsTotal == ledger.refusalsTriggering + ledger.refusalsExhausted)
    }

    /// One user who was held has nobody to prove anything by: the next tile does, once the ask has
    /// ended.
    @Test func proofComesAfterTheEndOfALonelyAsk() {
        var cell = TokenCell.fresh()
        cell.refuse(1, at: 10) { $0.layer = 3 }
        cell.bring(1, "t2", at: 20)
        let (overdue, _) = cell.refuse(2, 2, at: 30) {
            suspect()(&$0)
            $0.isOverdue = true
        }
        #expect(overdue == .park(flight: 2))
        cell.bring(2, "t3", at: 40)
        let serial = cell.serial
        let (ends, effects) = cell.refuse(3, 3, at: 60) {
            $0.earlier = 2
            $0.layer = 3
            $0.serial = serial
            $0.readNS = 50
            $0.isOverdue = true
        }
        #expect(ends == .fail(.authRetries) && effects == TokenCell.Effects())
        #expect(cell.ledger.life(of: 3)?.firstRefusalNS == nil, "nobody takes the token for dead")
        #expect(cell.wantsProof)
        // Too early to say anything, and then not.
        var early = cell
        early.proved(serial: cell.serial, sentNS: 50, nowNS: 70)
        cell.proved(serial: cell.serial, sentNS: 51, nowNS: 70)
        #expect(early.wantsProof && !cell.wantsProof)
        let (locked, _) = cell.refuse(3, at: 80) {
            $0.layer = 3
            $0.isOverdue = true
        }
        let (unproven, _) = early.refuse(3, at: 80) {
            $0.layer = 3
            $0.isOverdue = true
        }
        #expect(locked == .fail(.locked) && unproven == .fail(.authRetries))
        #expect(cell.ledger.flights == 2 && early.ledger.flights == 2)
    }

    /// Other texts of the token prove nothing, and what was left open with them is forgotten.
    @Test func proofGoesByTheTextOfTheToken() {
        var cell = renewed()
        let serial = cell.serial
        cell.refuse(2, 3, at: 30) {
            suspect()(&$0)
            $0.serial = serial
            $0.readNS = 30
            $0.isOverdue = true
        }
        let spoils = cell.poison("spoilt")
        cell.proved(serial: cell.serial - 1, sentNS: 40, nowNS: 41)
        #expect(spoils && cell.wantsProof)
        cell.proved(serial: cell.serial, sentNS: 50, nowNS: 51)
        #expect(!cell.wantsProof)
        let (held, _) = cell.refuse(2, 2, at: 60, suspect())
        #expect(held == .hold)
    }

    /// A token may end behind a locked layer: that nobody is served any more shows it. How many it
    /// takes goes up with each alarm, until one has helped.
    @Test func manyInARowAreBelievedOfALockedLayer() {
        var cell = renewed()
        cell.refuse(2, 2, at: 30, suspect())
        _ = reconsidered(&cell, at: 50) { $0.hasProof = true }
        func refusedInARow(_ cell: inout TokenCell) -> Int {
            for count in 1...1000 {
                let generation = cell.generation
                let (admission, effects) = cell.refuse(generation, at: 60) {
                    $0.layer = 3
                    $0.isOverdue = true
                }
                if let flight = effects.startsFlight {
                    cell.bring(flight, "after \(count)", at: 60)
                    return count
                }
                #expect(admission == .fail(.locked))
            }
            return 0
        }
        // The first refusal of all was answered long ago.
        cell.proved(serial: cell.serial, sentNS: 55, nowNS: 56)
        #expect(refusedInARow(&cell) == 8)
        _ = cell.accepted(generation: cell.generation, layer: 1, atNS: 61)
        var helped = cell
        #expect(refusedInARow(&cell) == 64)
        _ = helped.accepted(generation: helped.generation, layer: 3, hasHelped: true, atNS: 61)
        #expect(refusedInARow(&helped) == 8)
    }

    /// The layer that called for a token is under suspicion until one of its tiles was had.
    @Test func theLayerThatCalledForATokenIsDoubted() {
        var cell = TokenCell.fresh()
        cell.refuse(1, at: 10) { $0.layer = 3 }
        cell.bring(1, "t2", at: 20)
        _ = cell.accepted(generation: 2, layer: 4, atNS: 21)
        var had = cell
        let (first, _) = cell.refuse(2, at: 30) { $0.layer = 3 }
        _ = had.accepted(generation: 2, layer: 3, atNS: 25)
        let (later, _) = had.refuse(2, at: 30) { $0.layer = 3 }
        #expect(first == .hold && later == .park(flight: 2))
    }

    /// One user at a time, whose every second tile, or nine of ten, are refused.
    @Test(arguments: [2, 5, 9]) func aLonelyUserCostsFewTokens(badInTen: Int) {
        var random = SystemRandomNumberGenerator()
        let seed = random.next()
        var draws = seed
        var cell = TokenCell.fresh()
        var now: UInt64 = 100
        var good = (asked: 0, had: 0)
        for _ in 0..<2000 {
            draws = draws &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let isBad = Int((draws >> 33) % 10) < badInTen
            now += 10_000_000
            guard cell.acquire(nowNS: now).0 == .send(generation: cell.generation) else {
                good.asked += isBad ? 0 : 1
                continue
            }
            if isBad {
                refuseToTheEnd(&cell, &now)
            } else {
                good = (good.asked + 1, good.had + 1)
                _ = cell.accepted(generation: cell.generation, atNS: now)
                cell.proved(serial: cell.serial, sentNS: now, nowNS: now)
            }
        }
        #expect(cell.ledger.flights <= 5, "seed \(seed)")
        // With nine of ten the breaker trips once in a few runs before anything was had.
        if badInTen < 9 { #expect(good.asked == good.had, "seed \(seed)") }
    }

    /// A bad tile, held each time until it is overdue.
    private func refuseToTheEnd(_ cell: inout TokenCell, _ now: inout UInt64) {
        var refusal = Refusal(generation: cell.generation, refusals: 1)
        refusal.layer = 3
        while true {
            refusal.serial = cell.serial
            refusal.readNS = now
            refusal.isOverdue = false
            var (admission, effects) = cell.refused(refusal, nowNS: now)
            if admission == .hold {
                now += 50_000_000
                refusal.isOverdue = true
                (admission, effects) = cell.reconsider(refusal, nowNS: now)
            }
            guard case .park = admission, let flight = effects.startsFlight else { return }
            cell.leave()
            cell.bring(flight, "at \(now)", at: now)
            refusal.earlier = refusal.generation
            refusal.generation = cell.generation
            refusal.refusals += 1
        }
    }

    /// Half the tiles are refused for ever while the other half works: the renewals stay few.
    @Test func oneLayerAlwaysRefused() {
        var cell = TokenCell.fresh()
        var now: UInt64 = 100
        for _ in 0..<1000 {
            now += 1_000_000
            var refusal = Refusal(generation: cell.generation, refusals: 1)
            refusal.layer = 3
            var (admission, _) = cell.refused(refusal, nowNS: now)
            while true {
                if case .park(let flight) = admission {
                    cell.leave()
                    cell.bring(flight, "at \(now)", at: now)
                    _ = cell.accepted(generation: cell.generation, atNS: now)
                    refusal.earlier = refusal.generation
                    refusal.generation = cell.generation
                    refusal.refusals += 1
                    (admission, _) = cell.refused(refusal, nowNS: now)
                } else if case .hold = admission {
                    refusal.hasProof = true
                    (admission, _) = cell.reconsider(refusal, nowNS: now)
                } else {
                    break
                }
            }
            #expect(admission == .fail(.locked))
        }
        #expect(cell.ledger.flights == 1)
    }
}
