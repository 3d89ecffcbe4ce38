import Metrics

extension TokenCell {
    private static let retryAfterMaxNS: UInt64 = 3_600_000_000_000
    /// Pause after a proactive renewal that brought nothing new.
    private static let backOffNS: UInt64 = 1_000_000_000
    private static let permanentBackOffNS: UInt64 = 30_000_000_000

    /// What became of a credential that a flight brought.
    package enum Delivery: Sendable, Equatable {
        case taken
        /// The refused one again: a failed try.
        case same
        /// The one in hand again, which nobody refused: no news, and the flight is over.
        case kept
        /// Nobody waited for it any more.
        case abandoned
    }

    // MARK: E4, E5, E6, E8, E9

    /// E4: the flight brought a credential, by a request sent at `sentNS`, that shall live
    /// `lifeNS` from then on.
    package mutating func flightBrought(
        flight number: UInt64, _ new: Credential, sentNS: UInt64, lifeNS: UInt64?, nowNS: UInt64
    ) -> (Delivery, Effects) {
        var effects = Effects()
        let isOurs = number == flight || others.contains(number)
        guard isOurs || deviations.contains(.noFlightID) else {
            ledger.tokensLost += 1
            return (.abandoned, effects)
        }
        if new == credential, state != .empty {
            guard isOurs, !isRefused else { return (.same, effects) }
            let told = lifetime(sentNS: sentNS, lifeNS: lifeNS, nowNS: nowNS)
            if number == flight, current?.isBackground == true {
                keep(told, nowNS)
            } else {
                goOn(number, told, nowNS, &effects)
            }
            return (.kept, effects)
        }
        remove(number)
        previous = issued
        issued = new
        install(new)
        generation += 1
        isConfirmed = false
        isRefused = false
        isCold = false
        life = lifetime(sentNS: sentNS, lifeNS: lifeNS, nowNS: nowNS)
        renewedAtNS = nowNS
        ledger.renewed(generation: generation, atNS: nowNS)
        endCanary(&effects)
        end(number, .ok)
        enter(.fresh, nowNS)
        effects.wakes = true
        return (.taken, effects)
    }

    /// E5: the flight ended without a token: all who wait fail with it. While the old token still
    /// works nobody is told. The cool-down is at least as long as the endpoint asks for
    /// (`Retry-After`).
    package mutating func flightFailed(
        flight number: UInt64, isPermanent: Bool, retryAfterNS: UInt64 = 0, nowNS: UInt64
    ) -> Effects {
        var effects = Effects()
        let askedNS = min(retryAfterNS, Self.retryAfterMaxNS)
        guard number == flight || others.contains(number) else { return effects }
        if state == .fresh, current?.isBackground == true {
            let pauseNS = isPermanent ? Self.permanentBackOffNS : Self.backOffNS
            dropBackground(pauseNS: max(pauseNS, askedNS), nowNS)
            return effects
        }
        let isBlocking = state == .renewing && number == flight
        remove(number)
        ledger.flightsFailed += 1
        guard isBlocking else {
            // One of several: only those who wait for this one are told.
            changes += 1
            end(number, .failed(isPermanent ? .dead : .cooling))
            effects.wakes = true
            return effects
        }
        // The published code after a status it does not know: nobody is woken, ever.
        if deviations.contains(.noFanOut) { return effects }
        end(number, .failed(isPermanent ? .dead : .cooling))
        if isPermanent {
            enter(.dead, nowNS)
            effects.wakes = true
        } else {
            coolDown(nowNS, &effects, atLeastNS: askedNS)
        }
        return effects
    }

    /// E6: the flight takes longer than any may.
    package mutating func flightOverdue(flight number: UInt64, nowNS: UInt64) -> Effects {
        guard number == flight || others.contains(number), !deviations.contains(.noWatchdog) else {
            return Effects()
        }
        var effects = flightFailed(flight: number, isPermanent: false, nowNS: nowNS)
        effects.abortsFlight = number
        return effects
    }

    /// E8: the run ends; what waits fails with it, and what comes later.
    package mutating func shutDown(nowNS: UInt64) -> Effects {
        var effects = Effects()
        isOver = true
        changes += 1
        for number in others {
            ledger.flightsAbandoned += 1
            end(number, .failed(.parkTimeout))
        }
        others = []
        abandonFlight(nowNS, &effects)
        endCanary(&effects)
        if state == .renewing { enter(.dead, nowNS) }
        effects.wakes = true
        return effects
    }

    /// E9: the credential is spoilt on purpose; the generation stays. False when there is no fresh
    /// one to spoil.
    package mutating func poison(_ text: String) -> Bool {
        guard state == .fresh else { return false }
        install(Credential(text, parts: credential.parts.map { _ in text }))
        return true
    }

    // MARK: parts

    /// Asks wait from now on: for the flight in the background if there is one, else for a new one.
    mutating func blockOnFlight(_ nowNS: UInt64, _ effects: inout Effects) {
        guard current?.isBackground == true else { return startFlight(nowNS, &effects) }
        current?.isBackground = false
        ledger.flightsConverted += 1
        effects.blocks = true
        endCanary(&effects)
        enter(.renewing, nowNS)
    }

    mutating func startFlight(_ nowNS: UInt64, _ effects: inout Effects) {
        // Needless: the token was neither refused nor missing, nor at its end.
        let isNeedless = state == .fresh && ledger.life(of: generation)?.endSeenNS == nil
        if current != nil || !others.isEmpty || isNeedless { ledger.duplicates += 1 }
        if let flight { others.append(flight) }
        begin(isBackground: false, nowNS, &effects)
        effects.blocks = true
        endCanary(&effects)
        enter(.renewing, nowNS)
    }

    mutating func startInBackground(_ nowNS: UInt64, _ effects: inout Effects) {
        ledger.startedProactively(generation: generation, atNS: nowNS)
        begin(isBackground: true, nowNS, &effects)
        changes += 1
    }

    private mutating func begin(isBackground: Bool, _ nowNS: UInt64, _ effects: inout Effects) {
        flightsBegun += 1
        current = Flight(number: flightsBegun, isBackground: isBackground)
        ledger.flightStarted(generation: generation, atNS: nowNS)
        effects.startsFlight = flightsBegun
    }

    private mutating func remove(_ number: UInt64) {
        if number == flight {
            current = others.popLast().map { Flight(number: $0, isBackground: false) }
        } else {
            others.removeAll { $0 == number }
        }
    }

    /// Ahead of its end the token in hand came again: no news, but its told end may be later now.
    private mutating func keep(_ told: TokenLife, _ nowNS: UInt64) {
        let isLater = told.endsAtNS != .max && told.endsAtNS > life.endsAtNS
        dropBackground(pauseNS: Self.backOffNS, nowNS)
        guard isLater else { return }
        life.endsAtNS = told.endsAtNS
        life.staleAtNS = max(life.staleAtNS, told.staleAtNS)
    }

    /// Asks waited for a flight, and it brought the token in hand, which nobody refused: its told
    /// end was wrong, or another flight had brought it before. It goes on, until a refusal if
    /// nothing better is told.
    private mutating func goOn(
        _ number: UInt64, _ told: TokenLife, _ nowNS: UInt64, _ effects: inout Effects
    ) {
        remove(number)
        ledger.flightsFailed += 1
        end(number, .ok)
        changes += 1
        effects.wakes = true
        guard state == .renewing else { return }
        ledger.goesOn(generation: generation)
        life = told
        enter(.fresh, nowNS)
    }

    /// A flight that nobody waits for brought nothing.
    private mutating func dropBackground(pauseNS: UInt64, _ nowNS: UInt64) {
        guard let number = flight else { return }
        remove(number)
        ledger.flightsFailed += 1
        life.staleAtNS = nowNS + pauseNS
        changes += 1
    }

    mutating func abandonFlight(_ nowNS: UInt64, _ effects: inout Effects) {
        guard let number = flight else { return }
        effects.abortsFlight = number
        current = nil
        ledger.flightsAbandoned += 1
        end(number, .failed(state == .renewing ? .parkTimeout : .cooling))
    }

    mutating func coolDown(_ nowNS: UInt64, _ effects: inout Effects, atLeastNS: UInt64 = 0) {
        coolsUntilNS = nowNS + max(nextCoolDownNS(), atLeastNS)
        endCanary(&effects)
        enter(.cooling, nowNS)
        effects.wakes = true
    }

    /// min(c * 2^cools, max) within ±10 %, so that many clients do not probe as one.
    private mutating func nextCoolDownNS() -> UInt64 {
        let doubled = limits.coolDownMinNS << UInt64(min(cools, 16))
        cools += 1
        let base = min(doubled, limits.coolDownMaxNS)
        return UInt64(Double(base) * (0.9 + uniform() * 0.2))
    }
}
