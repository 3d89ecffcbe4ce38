import Engine

/// A token expires under load, again and again: of each storm half the asks are refused, half find
/// no token to send, all wait for the one flight, and go on.
struct TokenPath: HotPath {
    struct State {
        var cell: TokenCell
        var nowNS: UInt64 = 1
        /// Longer than the fifteen bytes that need no memory of their own.
        let tokens = ["an access token of usual length", "another access token, as long"]
    }

    private static let storms = 100
    private static let asks = 100

    let operations = storms * asks

    func setUp() -> State {
        var state = State(cell: TokenCell(limits: TokenCell.Limits(), seed: 1))
        state.cell.begin(Credential(state.tokens[0]), isDummy: false, nowNS: 1)
        return state
    }

    func run(_ state: inout State) -> UInt64 {
        for _ in 0..<Self.storms { storm(&state) }
        return state.cell.generation &+ state.cell.ledger.parkedCount
    }

    private func storm(_ state: inout State) {
        let generation = state.cell.generation
        _ = state.cell.accepted(generation: generation, atNS: state.nowNS)
        for _ in 0..<Self.asks / 2 {
            state.nowNS += 1000
            _ = state.cell.refused(
                Refusal(generation: generation, refusals: 1), nowNS: state.nowNS)
            _ = state.cell.acquire(nowNS: state.nowNS)
        }
        if let flight = state.cell.flight {
            state.nowNS += 1_000_000
            let token = state.tokens[Int(generation & 1)]
            _ = state.cell.flightBrought(
                flight: flight, Credential(token), sentNS: state.nowNS, lifeNS: nil,
                nowNS: state.nowNS)
        }
        let event = state.cell.ledger.expiries.number
        for _ in 0..<Self.asks / 2 {
            state.nowNS += 1000
            state.cell.leave()
            state.cell.leave()
            state.cell.ledger.expiries.recovered(event, atNS: state.nowNS)
        }
    }
}
