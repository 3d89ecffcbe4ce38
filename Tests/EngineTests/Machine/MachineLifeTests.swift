import Metrics
import Testing

@testable import Engine

/// What is told of a token's life: renewals ahead of its end, its local expiry, lives that nobody
/// can mean.
@Suite struct MachineLifeTests {
    private static let lifeNS = 100 * secondNS
    /// Stale for certain, not ended.
    private static let staleNS = 95 * secondNS

    private func ending() -> TokenCell { .fresh(lifeNS: Self.lifeNS) }

    /// Ending, and renewed in the background: flight 1.
    private func inBackground() -> TokenCell {
        var cell = ending()
        _ = cell.acquire(nowNS: Self.staleNS)
        return cell
    }

    @Test func aStaleTokenIsSentAndRenewedInTheBackground() {
        var cell = ending()
        let (early, nothing) = cell.acquire(nowNS: 80 * secondNS)
        #expect(early == .send(generation: 1) && nothing == TokenCell.Effects())
        let (admission, effects) = cell.acquire(nowNS: Self.staleNS)
        #expect(admission == .send(generation: 1))
        #expect(effects.startsFlight == 1 && !effects.blocks && !effects.wakes)
        let (second, more) = cell.acquire(nowNS: Self.staleNS + 1)
        #expect(second == .send(generation: 1) && more == TokenCell.Effects())
        cell.bring(1, "t2", lifeNS: Self.lifeNS, at: Self.staleNS + 2)
        #expect(cell.generation == 2 && cell.ledger.duplicates == 0)
        #expect(cell.ledger.flightsProactive == 1 && cell.ledger.flightsConverted == 0)
        #expect(cell.ledger.expiries.rows.map(\.cause) == [.proactive])
        #expect(cell.ledger.expiries.rows[0].renewals == 1)
    }

    @Test func theMarginIsRenewBeforeOrAQuarterTimesOneToOneAndAHalf() {
        for seed in UInt64(0)..<200 {
            for (lifeS, marginS) in [(100.0, 10.0), (20.0, 5.0), (1.0, 0.25)] {
                var cell = TokenCell(limits: TokenCell.Limits(), seed: seed)
                cell.begin(
                    Credential("t"), isDummy: false, lifeNS: UInt64(lifeS * 1e9), nowNS: 0)
                let margin = lifeS - Double(cell.actsAtNS) / 1e9
                #expect(margin >= marginS - 1e-6 && margin <= 1.5 * marginS + 1e-6, "\(margin)")
            }
        }
    }

    @Test func theSameTokenInTheBackgroundIsNoNews() {
        var cell = inBackground()
        let (delivery, effects) = cell.bring(1, "t1", at: Self.staleNS + 1)
        #expect(delivery == .kept && effects == TokenCell.Effects())
        #expect(cell.state == .fresh && cell.generation == 1 && cell.flight == nil)
        #expect(cell.actsAtNS == Self.staleNS + 1 + secondNS)
        // Told to live longer, it is not asked for every second.
        _ = cell.acquire(nowNS: cell.actsAtNS)
        cell.bring(2, "t1", lifeNS: Self.lifeNS, at: 97 * secondNS)
        #expect(cell.actsAtNS > 180 * secondNS && cell.actsAtNS < 190 * secondNS)
        // Told to end sooner, it keeps what it was told first.
        _ = cell.acquire(nowNS: cell.actsAtNS)
        cell.bring(3, "t1", lifeNS: secondNS, at: 190 * secondNS)
        let (late, _) = cell.acquire(nowNS: 197 * secondNS - 1)
        #expect(late == .send(generation: 1))
    }

    @Test func aFailureInTheBackgroundHurtsNobody() {
        var transient = inBackground()
        var permanent = transient
        var asked = transient
        let now = Self.staleNS + 1
        let quiet = transient.fail(1, at: now)
        let alsoQuiet = permanent.fail(1, isPermanent: true, at: now)
        asked.fail(1, retryAfterNS: 3 * secondNS, at: now)
        #expect(quiet == TokenCell.Effects() && alsoQuiet == TokenCell.Effects())
        #expect(transient.state == .fresh && permanent.state == .fresh)
        #expect(transient.actsAtNS == now + secondNS)
        #expect(permanent.actsAtNS == Self.lifeNS + 1, "the end comes before the next try")
        #expect(asked.actsAtNS == now + 3 * secondNS)
    }

    @Test func aRefusalMakesTheBackgroundFlightEverybodys() {
        var cell = inBackground()
        let (admission, effects) = cell.refuse(1, at: Self.staleNS + 1)
        #expect(admission == .park(flight: 1))
        #expect(effects.startsFlight == nil && effects.blocks)
        #expect(cell.state == .renewing)
        #expect(cell.ledger.flights == 1 && cell.ledger.flightsConverted == 1)
        cell.bring(1, "t2", at: Self.staleNS + 2)
        #expect(cell.ledger.expiries.rows.map(\.renewals) == [1])
    }

    @Test func theLocalExpiryMakesTheBackgroundFlightEverybodys() {
        var cell = inBackground()
        let (admission, effects) = cell.acquire(nowNS: Self.lifeNS + 1)
        #expect(admission == .park(flight: 1))
        #expect(effects.startsFlight == nil && effects.blocks)
        #expect(cell.ledger.flights == 1 && cell.ledger.flightsConverted == 1)
        #expect(cell.ledger.duplicates == 0 && cell.ledger.expiries.rows.map(\.cause) == [.expired])
        // Its failure is everybody's too.
        let failed = cell.fail(1, at: Self.lifeNS + 2)
        #expect(failed.wakes && cell.end(of: 1) == .failed(.cooling))
    }

    @Test func theLocalExpiryStartsAFlightWhenNoneIsOut() {
        var cell = ending()
        let (admission, effects) = cell.acquire(nowNS: Self.lifeNS + 1)
        #expect(admission == .park(flight: 1) && effects.startsFlight == 1)
        #expect(cell.ledger.duplicates == 0)
    }

    /// The told end was wrong, as nobody refused the token: it goes on, and nobody fails for it.
    @Test(arguments: [nil, 50 * secondNS, 1])
    func theSameTokenAfterItsToldEndGoesOn(lifeNS: UInt64?) {
        var cell = ending()
        let end = Self.lifeNS + 1
        _ = cell.acquire(nowNS: end)
        cell.ledger.seen(generation: 1, isFlight: true, atNS: end)
        let (delivery, effects) = cell.bring(1, "t1", lifeNS: lifeNS, at: end + 1)
        #expect(delivery == .kept && effects.wakes)
        #expect(cell.state == .fresh && cell.generation == 1)
        #expect(cell.end(of: 1) == .ok)
        // Nothing that is sent with it now is a mistake.
        cell.ledger.audit(
            generation: 1, serial: 1, sentNS: end + 2, isAccepted: true, cacheClass: .hit)
        #expect(cell.ledger.knownDeadSends == 0)
        #expect(cell.ledger.acceptedWhileExpired.reduce(0, +) == 0)
        let isToldAgain = (lifeNS ?? 0) > secondNS
        #expect((cell.actsAtNS < .max) == isToldAgain)
    }

    @Test func theSameTokenAfterARefusalIsTheRefusedOne() {
        var cell = ending()
        _ = cell.acquire(nowNS: Self.lifeNS + 1)
        cell.refuse(1, at: Self.lifeNS + 2)
        let (delivery, _) = cell.bring(1, "t1", lifeNS: Self.lifeNS, at: Self.lifeNS + 3)
        #expect(delivery == .same && cell.state == .renewing)
    }

    /// `expires_in` of 0, of less than anybody means, or absurd: not told.
    @Test(arguments: [0, 1, 499_999_999, UInt64.max])
    func livesThatNobodyMeansAreNotTold(lifeNS: UInt64) {
        let cell = TokenCell.fresh(lifeNS: lifeNS)
        #expect(cell.actsAtNS == .max)
    }

    /// A life shorter than the margin does not mean a renewal for each request.
    @Test func aShortLifeIsUsedForThreeQuartersLessTheJitter() {
        let cell = TokenCell.fresh(lifeNS: 2 * secondNS)
        #expect(cell.actsAtNS >= 1_250_000_000 && cell.actsAtNS <= 1_500_000_001)
    }

    @Test func renewBeforeZeroLeavesItToTheServer() {
        let cell = TokenCell.fresh(lifeNS: Self.lifeNS) { $0.renewBeforeNS = 0 }
        #expect(cell.actsAtNS == .max)
    }

    /// The life counts from the moment the renewal was sent; what is left of it is used.
    @Test func aTokenThatLooksOldOnArrivalIsUsedForAWhile() {
        var cell = TokenCell.renewing()
        _ = cell.flightBrought(
            flight: 1, Credential("t2"), sentNS: 20, lifeNS: 10 * secondNS, nowNS: 9 * secondNS + 20
        )
        #expect(cell.actsAtNS == 9 * secondNS + 20 + secondNS / 4)
        var over = TokenCell.renewing()
        _ = over.flightBrought(
            flight: 1, Credential("t2"), sentNS: 20, lifeNS: 10 * secondNS,
            nowNS: 10 * secondNS + 20)
        #expect(over.actsAtNS == .max, "it looks dead: a refusal decides")
    }
}
