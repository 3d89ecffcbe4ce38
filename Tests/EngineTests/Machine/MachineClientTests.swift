import Metrics
import Testing
import Workload

@testable import Engine

/// The machines that clients in the field have instead: what each does wrong, and only that.
@Suite struct MachineClientTests {
    private func cell(_ client: AuthPlan.Client) -> TokenCell { .fresh(Deviations(client)) }

    /// Generation 2 is in hand since 20 and works; a refusal of generation 1 comes late.
    private func lateRefusal(_ client: AuthPlan.Client) -> (TokenCell, TokenCell.Admission) {
        var cell = cell(client)
        cell.refuse(1, at: 10)
        cell.bring(1, "t2", at: 20)
        _ = cell.accepted(generation: 2, atNS: 21)
        let (admission, _) = cell.refuse(1, at: 30)
        return (cell, admission)
    }

    @Test(arguments: AuthPlan.Client.allCases)
    func aLateRefusal(_ client: AuthPlan.Client) {
        let (cell, admission) = lateRefusal(client)
        switch client {
        case .singleFlight, .window, .overlayArticle:
            #expect(admission == .send(generation: 2) && cell.ledger.duplicates == 0)
        case .naive, .lockOnly, .flightOnly:
            #expect(admission == .park(flight: 2) && cell.ledger.duplicates == 1)
            #expect(cell.ledger.expiries.count == 1)
        }
    }

    /// The second expiry, 1 s after the first.
    @Test(arguments: AuthPlan.Client.allCases)
    func anExpirySoonAfterTheLast(_ client: AuthPlan.Client) {
        var (cell, _) = lateRefusal(client)
        if cell.state == .renewing { cell.bring(2, "t3", at: 40) }
        _ = cell.accepted(generation: cell.generation, atNS: 41)
        let flights = cell.ledger.flights
        let (admission, _) = cell.refuse(cell.generation, at: secondNS)
        let isBlind = Deviations(client).contains(.window)
        #expect(cell.ledger.flights == (isBlind ? flights : flights + 1))
        if isBlind { #expect(admission == .send(generation: cell.generation)) }
    }

    @Test(arguments: AuthPlan.Client.allCases)
    func asksWhileARenewalRuns(_ client: AuthPlan.Client) {
        var cell = cell(client)
        cell.refuse(1, at: 10)
        let isRight = client == .singleFlight
        #expect(cell.sendsFreely == !isRight)
        let asked = cell.acquire(nowNS: 11).0
        #expect(asked == (isRight ? .park(flight: 1) : .send(generation: 1)))
    }

    @Test(arguments: AuthPlan.Client.allCases)
    func aSecondRefusalWhileARenewalRuns(_ client: AuthPlan.Client) {
        var cell = cell(client)
        cell.refuse(1, at: 10)
        let (admission, effects) = cell.refuse(1, at: 11)
        let isAlone = Deviations(client).contains(.flightPerRefusal)
        #expect(admission == .park(flight: isAlone ? 2 : 1))
        #expect(effects.startsFlight == (isAlone ? 2 : nil))
        #expect(cell.ledger.duplicates == (isAlone ? 1 : 0))
    }

    /// Each of several flights wakes its own, and the books hold.
    @Test func flightsBesideEachOther() {
        var cell = cell(.naive)
        for at in UInt64(10)..<13 { cell.refuse(1, at: at) }
        let (second, effects) = cell.bring(2, "t2", at: 20)
        #expect(second == .taken && effects.wakes)
        let ends = (UInt64(1)...3).map { cell.end(of: $0) }
        #expect(ends == [nil, .ok, nil])
        cell.fail(3, at: 21)
        #expect(cell.state == .fresh && cell.end(of: 3) == .failed(.cooling))
        cell.bring(1, "t3", at: 22)
        #expect(cell.generation == 3)
        let ledger = cell.ledger
        #expect(ledger.flights == 3 && ledger.flightsOK == 2 && ledger.flightsFailed == 1)
        #expect(ledger.expiries.rows.map(\.renewals) == [2])
    }

    /// An endpoint that gives the living token again: whoever waits for the second answer goes on.
    @Test func flightsThatBringTheSame() {
        var cell = cell(.naive)
        for at in UInt64(10)..<12 { cell.refuse(1, at: at) }
        cell.bring(1, "t2", at: 20)
        let before = cell.changes
        let (delivery, effects) = cell.bring(2, "t2", at: 21)
        #expect(delivery == .kept && effects.wakes && cell.changes != before)
        #expect(cell.end(of: 2) == .ok && cell.flight == nil && cell.generation == 2)
    }

    @Test(arguments: AuthPlan.Client.allCases)
    func aRenewalThatFails(_ client: AuthPlan.Client) {
        var cell = cell(client)
        cell.refuse(1, at: 10)
        let effects = cell.fail(1, at: 20)
        let isMute = client == .overlayArticle
        #expect(effects.wakes == !isMute)
        #expect(cell.end(of: 1) == (isMute ? nil : .failed(.cooling)))
    }

    @Test(arguments: AuthPlan.Client.allCases)
    func anAskThatIsRefusedAgainAndAgain(_ client: AuthPlan.Client) {
        var cell = cell(client)
        let (admission, _) = cell.refuse(1, 3, at: 10 * secondNS)
        let isEndless = client == .overlayArticle
        #expect(admission == (isEndless ? .park(flight: 1) : .fail(.authRetries)))
    }

    @Test(arguments: AuthPlan.Client.allCases)
    func tokensThatNeverWork(_ client: AuthPlan.Client) {
        var cell = cell(client)
        var now: UInt64 = 10
        cell.refuse(1, at: now)
        while cell.state == .renewing, cell.ledger.flights < 10 {
            now += 10 * secondNS
            cell.bring(cell.ledger.flights, "dead \(now)", at: now)
            now += 10 * secondNS
            cell.refuse(cell.generation, at: now)
        }
        let isEndless = client == .overlayArticle
        #expect(cell.ledger.flights == (isEndless ? 10 : 3))
    }

    /// Whoever compares no generations holds nobody back as a suspect.
    @Test(arguments: AuthPlan.Client.allCases)
    func aForbiddenTile(_ client: AuthPlan.Client) {
        var cell = cell(client)
        cell.refuse(1, at: 10)
        cell.bring(1, "t2", at: 20)
        _ = cell.accepted(generation: 2, atNS: 21)
        let (admission, _) = cell.refuse(2, 2, at: 6 * secondNS) { $0.earlier = 1 }
        #expect((admission == .hold) == (client == .singleFlight))
    }

    /// It sends the refused token again: no renewal, but an expiry, and no older token is meant.
    @Test(arguments: [AuthPlan.Client.window, .overlayArticle])
    func whatAWindowHidesIsAnExpiry(_ client: AuthPlan.Client) {
        var cell = TokenCell.renewing(Deviations(client))
        cell.bring(1, "t2", at: 20)
        _ = cell.accepted(generation: 2, atNS: 21)
        let (first, _) = cell.refuse(2, at: 30)
        let (second, _) = cell.refuse(2, 2, at: 40)
        #expect(first == .send(generation: 2) && second == first)
        #expect(cell.ledger.refusalsLate == 0 && cell.ledger.refusalsExhausted == 2)
        #expect(cell.ledger.expiries.count == 2 && cell.ledger.flights == 1)
        #expect(cell.ledger.expiries.rows[1].storm == 2)
        #expect(cell.ledger.expiries.rows[1].renewals == 0)
    }

    /// Who starts a flight of its own has joined none.
    @Test func eachRefusalOfANaiveClientTriggers() {
        var cell = TokenCell.renewing(Deviations(.naive))
        cell.refuse(1, at: 11)
        cell.refuse(1, at: 12)
        #expect(cell.ledger.flights == 3)
        #expect(cell.ledger.refusalsTriggering == 3 && cell.ledger.refusalsCoalesced == 0)
    }
}
