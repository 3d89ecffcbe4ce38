import Metrics
import Testing

@testable import Engine

/// One ask tries a new token before the others go.
@Suite struct MachineCanaryTests {
    /// Generation 2 has just come; two asks wait for flight 1.
    private func renewed(
        _ deviations: Deviations = [], lifeNS: UInt64? = nil
    ) -> TokenCell {
        var cell = TokenCell.renewing(deviations) { $0.sendsCanary = true }
        cell.bring(1, "t2", lifeNS: lifeNS, at: 20)
        return cell
    }

    /// The number that a second ask waits for.
    private func waited(_ cell: inout TokenCell, at nowNS: UInt64) -> UInt64? {
        guard case .park(let number) = cell.acquire(nowNS: nowNS).0 else { return nil }
        return number
    }

    @Test func oneGoesAndTheOthersWaitForItsAnswer() throws {
        var cell = renewed()
        #expect(!cell.sendsFreely)
        let first = cell.acquire(nowNS: 21).0
        #expect(first == .canary(generation: 2))
        let number = try #require(waited(&cell, at: 22))
        #expect(cell.end(of: number) == nil)
        let seen = cell.changes
        let effects = cell.accepted(generation: 2, atNS: 23)
        #expect(effects.wakes && cell.end(of: number) == .ok && cell.sendsFreely)
        #expect(cell.changes != seen)
        let later = cell.acquire(nowNS: 24).0
        #expect(later == .send(generation: 2))
    }

    @Test func aDeadTokenCostsOneRefusal() throws {
        var cell = renewed()
        _ = cell.acquire(nowNS: 21)
        let number = try #require(waited(&cell, at: 22))
        let (admission, effects) = cell.refuse(2, at: 23)
        #expect(admission == .park(flight: 2) && effects.startsFlight == 2 && effects.wakes)
        // Who waited comes again and waits for the flight.
        #expect(cell.end(of: number) == .ok)
        let again = cell.acquire(nowNS: 24).0
        #expect(again == .park(flight: 2))
        #expect(cell.ledger.expiries.rows[1].storm == 1)
    }

    @Test func aLostCanaryIsFollowedByAnother() throws {
        var cell = renewed()
        _ = cell.acquire(nowNS: 21)
        let number = try #require(waited(&cell, at: 22))
        let stale = cell.canaryLost(generation: 1)
        #expect(stale == TokenCell.Effects() && cell.end(of: number) == nil)
        let effects = cell.canaryLost(generation: 2)
        #expect(effects.wakes && cell.end(of: number) == .ok)
        let next = cell.acquire(nowNS: 23).0
        #expect(next == .canary(generation: 2))
    }

    /// Its ask goes no further, and what it found out goes for all.
    @Test func aCanaryThatIsRefusedOnceTooOftenStillCostsOneRefusal() throws {
        var cell = renewed()
        _ = cell.acquire(nowNS: 21)
        let number = try #require(waited(&cell, at: 22))
        let (admission, effects) = cell.refuse(2, 3, at: 23)
        #expect(admission == .fail(.authRetries) && effects.startsFlight == 2 && effects.wakes)
        #expect(cell.end(of: number) == .ok && cell.barren == 1)
        let next = cell.acquire(nowNS: 24).0
        #expect(next == .park(flight: 2))
        #expect(cell.ledger.refusalsTriggering == 1 && cell.ledger.refusalsExhausted == 1)
    }

    @Test func canariesTripTheBreakerWhateverTheirBudget() {
        var cell = TokenCell.renewing {
            $0.sendsCanary = true
            $0.barrenMax = 2
        }
        for round in UInt64(1)...2 {
            cell.bring(round, "dead \(round)", at: 20 * round)
            _ = cell.acquire(nowNS: 20 * round + 1)
            cell.refuse(1 + round, 3, at: 20 * round + 2)
        }
        #expect(cell.state == .cooling && cell.ledger.flights == 2)
    }

    /// It may be the tile that is not allowed: canaries of one layer do not end the tokens of all.
    @Test func canariesOfOneLayerTripTheBreakerOnlyWhenTheyAreMany() {
        var cell = TokenCell.renewing {
            $0.sendsCanary = true
            $0.barrenMax = 2
        }
        cell.bring(1, "t2", at: 20)
        _ = cell.acquire(nowNS: 21)
        cell.refuse(2, at: 22) { $0.layer = 5 }
        cell.bring(2, "t3", at: 30)
        // Two asks made the cell renew, and each of these tries the new token.
        for number in 3..<UInt64(TokenCell.suspicionsToTrip) {
            let sent = cell.acquire(nowNS: 30 + number).0
            let (admission, effects) = cell.refuse(3, at: 30 + number) { $0.layer = 5 }
            #expect(sent == .canary(generation: 3) && admission == .hold && effects.wakes)
        }
        var works = cell
        _ = works.acquire(nowNS: 100)
        _ = works.accepted(generation: 3, layer: 1, atNS: 110)
        #expect(works.state == .fresh && works.sendsFreely && works.barren == 0)
        _ = cell.acquire(nowNS: 100)
        let (last, _) = cell.refuse(3, at: 110) { $0.layer = 5 }
        #expect(last == .fail(.cooling) && cell.state == .cooling && cell.ledger.flights == 2)
    }

    /// One after another is dead: each costs one canary. Where a token has worked since, numbers
    /// are asked for.
    @Test(arguments: [false, true]) func canariesOfTokensThatNeverWorked(hasWorked: Bool) {
        var cell = TokenCell.renewing {
            $0.sendsCanary = true
            $0.barrenMax = 9
        }
        for round in UInt64(1)...2 {
            cell.bring(round, "dead \(round)", at: 20 * round)
            _ = cell.acquire(nowNS: 20 * round + 1)
            cell.refuse(1 + round, at: 20 * round + 2) { $0.layer = 5 }
        }
        cell.bring(3, "t4", at: 60)
        _ = cell.acquire(nowNS: 61)
        var last: UInt64 = 4
        if hasWorked {
            _ = cell.accepted(generation: 4, layer: 1, atNS: 62)
            cell.refuse(4, at: 63) { $0.layer = 7 }
            cell.bring(4, "t5", at: 64)
            _ = cell.acquire(nowNS: 65)
            last = 5
        }
        let (admission, effects) = cell.refuse(last, 2, at: 66) {
            $0.earlier = last - 1
            $0.layer = 5
        }
        #expect(effects.wakes && admission == (hasWorked ? .hold : .park(flight: 4)))
    }

    /// With "renewed a moment ago" for a comparison the refused canary tries again.
    @Test func aCanaryDoesNotWaitForItself() {
        var cell = renewed([.window])
        _ = cell.acquire(nowNS: 21)
        let (admission, effects) = cell.refuse(2, 2, at: 23)
        #expect(admission == .canary(generation: 2) && effects.wakes)
    }

    @Test func theLocalExpiryOfAnUntriedTokenSetsTheWaitingFree() throws {
        var cell = renewed(lifeNS: 10 * secondNS)
        _ = cell.acquire(nowNS: 21)
        let number = try #require(waited(&cell, at: 22))
        let (admission, effects) = cell.acquire(nowNS: 11 * secondNS)
        #expect(admission == .park(flight: 2) && effects.wakes)
        #expect(cell.end(of: number) == .ok)
    }

    @Test func aDummyNeedsNoCanary() {
        var limits = TokenCell.Limits()
        limits.sendsCanary = true
        var cell = TokenCell(limits: limits, seed: 1)
        cell.begin(Credential("dummy"), isDummy: true, nowNS: 1)
        let sent = [cell.acquire(nowNS: 2).0, cell.acquire(nowNS: 3).0]
        #expect(sent == [.send(generation: 1), .send(generation: 1)])
    }

    @Test func shutDownEndsTheWaitForACanary() throws {
        var cell = renewed()
        _ = cell.acquire(nowNS: 21)
        let number = try #require(waited(&cell, at: 22))
        let effects = cell.shutDown(nowNS: 23)
        #expect(effects.wakes && cell.end(of: number) == .ok)
        let next = cell.acquire(nowNS: 24).0
        #expect(next == .fail(.parkTimeout))
    }

    /// The ends kept are of both kinds; who waits for a flight long gone must not wait for ever.
    @Test func aFlightThatManyCanariesFollowed() {
        var cell = TokenCell(limits: TokenCell.Limits(), seed: 1)
        cell.end(2, .ok)
        cell.end(1, .failed(.cooling))
        for canary in 1...64 as ClosedRange<UInt64> { cell.end(TokenCell.canaryMark | canary, .ok) }
        let ends = cell.flightEnds
        for flight in 1...2 as ClosedRange<UInt64> {
            #expect(ends.mayHaveEnded(flight) && ends.end(of: flight) == .ok)
        }
        #expect(!ends.mayHaveEnded(3))
        #expect(ends.mayHaveEnded(TokenCell.canaryMark | 64))
        #expect(!ends.mayHaveEnded(TokenCell.canaryMark | 65))
    }
}
