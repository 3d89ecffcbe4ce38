import Engine

/// What the renewal desk and the token endpoint do.
extension World {
    private func place(_ index: Int) -> (number: Int, flight: Int) { (index >> 4, index & 15) }

    mutating func send(_ index: Int) {
        let (number, flight) = place(index)
        sites[number].flights[flight].phase = .out
        sites[number].flights[flight].sentNS = nowNS
    }

    mutating func answerRenewal(_ index: Int, _ kind: Choice.Kind) {
        let (number, flight) = place(index)
        nowNS += policy.renewalNS
        let newest = sites[number].issued
        let token: Int
        switch kind {
        case .issueDead:
            troubles.deadTokens -= 1
            token = issue(number, isAlive: false)
        case .issueAgain:
            troubles.sameTokens -= 1
            token = newest
        default:
            let isAgain = policy.givesLivingAgain && newest > 0 && isAlive(newest, sites[number])
            token = isAgain ? newest : issue(number, isAlive: true)
        }
        sites[number].flights[flight].token = token
        sites[number].flights[flight].phase = .bringing
    }

    mutating func failRenewal(_ index: Int, _ kind: Choice.Kind) {
        let (number, flight) = place(index)
        hasFailures = true
        switch kind {
        case .fail:
            troubles.failures -= 1
            sites[number].flights[flight].phase = .failing
        case .failForGood:
            troubles.permanentFailures -= 1
            hasPermanentFailures = true
            sites[number].flights[flight].phase = .failingForGood
        case .hang:
            troubles.hangs -= 1
            sites[number].flights[flight].phase = .hanging
        default:
            sites[number].flights.remove(at: flight)
        }
    }

    mutating func deliver(_ index: Int) {
        let (number, place) = place(index)
        let flight = sites[number].flights[place]
        guard flight.phase == .bringing else { return deliverFailure(number, place, flight) }
        let lifeNS = policy.toldLifeNS
        let isSpoilt = tokenInHand(sites[number]) != sites[number].newestTaken
        let delivery = transition(number) {
            $0.flightBrought(
                flight: flight.number, Self.credential(flight.token), sentNS: flight.sentNS,
                lifeNS: lifeNS, nowNS: $1)
        }
        switch delivery {
        case .taken:
            if flight.token < sites[number].newestTaken
                || flight.token == sites[number].newestTaken && !isSpoilt
            {
                violate(
                    .olderToken, "token \(flight.token) over \(sites[number].newestTaken)")
            }
            sites[number].newestTaken = flight.token
            sites[number].tokenOfSerial.append(UInt8(flight.token))
            sites[number].tokensTaken += 1
            sites[number].flights.remove(at: place)
        case .kept:
            sites[number].begunFor = .max
            sites[number].blockedGeneration = .max
            sites[number].keptGeneration = sites[number].cell.generation
            sites[number].flights.remove(at: place)
        case .same:
            // What nobody refused may be used.
            if sites[number].refusedGeneration == sites[number].cell.generation {
                hasFailures = true
            }
            sites[number].flights[place].phase = .failing
        case .abandoned:
            if !flight.isGivenUp { violate(.structure, "flight \(flight.number) was dropped") }
            sites[number].tokensDropped += 1
            sites[number].flights.remove(at: place)
        }
    }

    private mutating func deliverFailure(_ number: Int, _ place: Int, _ flight: Flight) {
        if flight.phase == .failing, flight.tries < policy.triesMax {
            sites[number].flights[place].tries += 1
            sites[number].flights[place].phase = .pausing
            return
        }
        sites[number].flights.remove(at: place)
        sites[number].begunFor = .max
        let isPermanent = flight.phase == .failingForGood
        let retryAfterNS = policy.retryAfterNS
        transition(number) {
            let effects = $0.flightFailed(
                flight: flight.number, isPermanent: isPermanent, retryAfterNS: retryAfterNS,
                nowNS: $1)
            return ((), effects)
        }
    }

    mutating func watchdog(_ index: Int) {
        let (number, place) = place(index)
        let flight = sites[number].flights[place]
        if flight.phase != .hanging { troubles.hangs -= 1 }
        hasFailures = true
        transition(number) { ((), $0.flightOverdue(flight: flight.number, nowNS: $1)) }
    }

    /// Nobody waits for it any more: what is on its way may come all the same.
    mutating func giveUp(_ number: Int, _ flight: UInt64) {
        guard
            let place = sites[number].flights.firstIndex(where: {
                $0.number == flight && !$0.isGivenUp
            })
        else { return }
        sites[number].begunFor = .max
        switch sites[number].flights[place].phase {
        case .out, .bringing: sites[number].flights[place].isGivenUp = true
        case .waiting, .failing, .failingForGood, .pausing, .hanging:
            sites[number].flights.remove(at: place)
        }
    }
}
