import Engine

extension World {
    /// One line about the world after a step.
    package func line(after choice: Choice) -> String {
        let place = Int(choice.index)
        let number: Int
        let whose: String
        switch choice.kind {
        case .admit, .admitByOldLook, .handOver, .arrive, .read, .act, .reconsider, .overdue, .lose,
            .cancel, .timeOut:
            number = Int(asks[place].cell)
            let ask = asks[place]
            let end = ask.failure.map { " \($0)" } ?? ""
            whose = "ask \(place) is \(ask.state)\(end), generation \(ask.generation)"
        case .takeNews:
            number = 0
            whose = "reactor \(place)"
        case .send, .issue, .deliver, .deliverLate, .retry, .watchdog, .issueDead, .issueAgain,
            .fail,
            .failForGood, .hang, .vanish:
            number = place >> 4
            whose = "renewal"
        case .tick, .kill, .poison, .poisonOld, .jump, .shutDown:
            number = min(place, sites.count - 1)
            whose = "world"
        }
        let site = sites[number]
        let flights = site.flights.map { flight in
            "\(flight.number) \(flight.phase)\(flight.isGivenUp ? " given up" : "") "
                + "token \(flight.token)"
        }
        let living = (1...Self.tokensMax).filter { isAlive($0, site) }
        return "\(steps) \(choice.kind): \(whose); cell \(number) \(site.cell.state) "
            + "\(site.cell.generation)\(site.cell.isConfirmed ? "" : " untried") "
            + "token \(tokenInHand(site)); flights \(flights); alive \(living)"
    }
}
