import Metrics
import Testing

@testable import Engine

/// The renewal machine in random worlds; event by event it is tested in `Machine`.
@Suite struct TokenCellTests {
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
