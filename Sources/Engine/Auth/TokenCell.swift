package import Metrics

/// The renewal machine of one credential: a struct without I/O, clock or lock that returns what
/// its owner must do. Each credential has a generation; a request remembers the generation it was
/// sent with, and only a refusal of the current one may start a renewal.
///
/// Times are nanoseconds of the monotonic clock. `TokenStore` owns it and serialises its events.
package struct TokenCell: Sendable {
    package enum State: UInt8, Sendable { case empty, fresh, renewing, cooling, dead }

    package struct Limits: Sendable {
        /// A: refusals an ask may meet before it fails.
        package var refusalsMax = 2
        /// B: generations in a row refused before an answer confirmed one.
        package var barrenMax = 3
        package var coolDownMinNS: UInt64 = 500_000_000
        package var coolDownMaxNS: UInt64 = 30_000_000_000
        package var parkedMax = 100_000

        package init() {}
    }

    /// What becomes of an ask that wants a token.
    package enum Admission: Sendable, Equatable {
        /// Send with the token of this generation.
        case send(generation: UInt64)
        /// Wait for this flight.
        case park(flight: UInt64)
        case fail(AuthFailure)
    }

    /// Effects for the owner to carry out after the event.
    package struct Effects: Sendable, Equatable {
        package var startsFlight: UInt64?
        package var abortsFlight: UInt64?
        /// Waiting asks have news: their flight ended, or the token changed.
        package var wakes = false

        package init() {}
    }

    /// How one flight ended, for the asks that wait for it.
    package enum FlightEnd: Sendable, Equatable {
        case ok
        case failed(AuthFailure)
    }

    package let limits: Limits
    package private(set) var state = State.empty
    package private(set) var generation: UInt64 = 0
    package private(set) var token = ""
    /// Counts the texts that `token` has had, spoilt ones included.
    package private(set) var tokenSerial: UInt64 = 0
    /// Moves with every change of state, generation or token text.
    package private(set) var changes: UInt64 = 0
    /// The newest token that somebody issued, and the one before it: what `poison` with `old`
    /// sends.
    private var issuedToken = ""
    package private(set) var previousToken = ""
    package private(set) var flight: UInt64?
    package private(set) var isConfirmed = false
    package private(set) var barren = 0
    package private(set) var cools = 0
    package private(set) var coolsUntilNS: UInt64 = 0
    /// The dummy or no token: its end is no expiry event.
    package private(set) var isCold = true
    package var ledger = TokenLedger()

    private var flightsBegun: UInt64 = 0
    private var parked = 0
    private var random: UInt64

    /// The last flights' ends; more than that many ends between two looks of one reactor would need
    /// renewals faster than its loop turns.
    private var ends: [(flight: UInt64, end: FlightEnd)] = []
    private static let endsKept = 64
    private static let retryAfterMaxNS: UInt64 = 3_600_000_000_000

    package init(limits: Limits, seed: UInt64) {
        self.limits = limits
        random = seed | 1
        ends.reserveCapacity(Self.endsKept)
    }

    /// The credential the run begins with. `isDummy`: it was never issued by anybody.
    package mutating func begin(token: String, isDummy: Bool, nowNS: UInt64) {
        precondition(state == .empty, "a cell begins once")
        set(token: token)
        if !isDummy { issuedToken = token }
        generation = 1
        isCold = isDummy
        enter(.fresh, nowNS)
    }

    /// The first token is fetched before any ask wants it; the flight's number.
    package mutating func beginByRenewal(nowNS: UInt64) -> (flight: UInt64, Effects) {
        precondition(state == .empty, "a cell begins once")
        var effects = Effects()
        startFlight(nowNS, &effects)
        return (flightsBegun, effects)
    }

    // MARK: E1, E1b, E3, E7

    /// E1: an ask wants to be sent. `joins` is false for an ask that was counted as coalesced
    /// already, by its refusal.
    package mutating func acquire(nowNS: UInt64, joins: Bool = true) -> (Admission, Effects) {
        var effects = Effects()
        switch state {
        case .fresh:
            return (.send(generation: generation), effects)
        case .empty:
            startFlight(nowNS, &effects)
            return (park(), effects)
        case .renewing:
            let admission = park()
            if joins, case .park = admission { ledger.joined += 1 }
            return (admission, effects)
        case .cooling:
            guard nowNS >= coolsUntilNS else { return (.fail(.cooling), effects) }
            startFlight(nowNS, &effects)
            return (park(), effects)
        case .dead:
            return (.fail(.dead), effects)
        }
    }

    /// E3: an answer that was no refusal. Confirms the generation it was sent with.
    package mutating func accepted(generation accepted: UInt64, atNS: UInt64) {
        guard accepted == generation else { return }
        isConfirmed = true
        barren = 0
        cools = 0
        ledger.expiries.confirmed(generation: accepted, atNS: atNS)
    }

    /// E7: a waiting ask left, released, cancelled or timed out. The flight is untouched.
    package mutating func leave() {
        parked -= 1
        assert(parked >= 0, "more asks left the queue than entered it")
    }

    // MARK: E2

    /// E2: an ask was refused that had been sent with `refused`, for the `refusals`-th time.
    package mutating func refused(
        generation refused: UInt64, refusals: Int, nowNS: UInt64
    ) -> (Admission, Effects) {
        ledger.refusalsTotal += 1
        if refused < generation { return refusedLate(refusals: refusals, nowNS: nowNS) }
        ledger.refusal(generation: refused, isCold: isCold, atNS: nowNS)
        var effects = Effects()
        if refusals > limits.refusalsMax {
            ledger.refusalsExhausted += 1
            return (.fail(.authRetries), effects)
        }
        switch state {
        case .fresh:
            if !isConfirmed && !isCold {
                barren += 1
                ledger.tokensFailed += 1
                if barren >= limits.barrenMax {
                    ledger.refusalsExhausted += 1
                    coolDown(nowNS, &effects)
                    return (.fail(.cooling), effects)
                }
            }
            ledger.refusalsTriggering += 1
            startFlight(nowNS, &effects)
            return (park(), effects)
        case .renewing:
            ledger.refusalsCoalesced += 1
            return (park(), effects)
        case .cooling:
            ledger.refusalsExhausted += 1
            return (.fail(.cooling), effects)
        case .dead, .empty:
            ledger.refusalsExhausted += 1
            return (.fail(.dead), effects)
        }
    }

    /// R1: the refusal speaks of a token that is no longer ours; replay with the current one.
    private mutating func refusedLate(
        refusals: Int, nowNS: UInt64
    ) -> (Admission, Effects) {
        ledger.refusalsLate += 1
        ledger.expiries.lateRefusal()
        if refusals > limits.refusalsMax { return (.fail(.authRetries), Effects()) }
        return acquire(nowNS: nowNS)
    }

    // MARK: E4, E5, E6, E8, E9

    /// E4: the flight brought a token. False when it was the refused one again, which is a failed
    /// try (`same`), or when the flight is no longer ours.
    package mutating func flightBrought(
        flight id: UInt64, token new: String, nowNS: UInt64
    ) -> (isNew: Bool, Effects) {
        var effects = Effects()
        guard id == flight else {
            ledger.tokensLost += 1
            return (false, effects)
        }
        guard new != token || state == .empty else { return (false, effects) }
        flight = nil
        previousToken = issuedToken
        issuedToken = new
        set(token: new)
        generation += 1
        isConfirmed = false
        isCold = false
        ledger.renewed(generation: generation, atNS: nowNS)
        end(id, .ok)
        enter(.fresh, nowNS)
        effects.wakes = true
        return (true, effects)
    }

    /// E5, E6: the flight ended without a token: all who wait fail with it.
    /// The cool-down is at least as long as the endpoint asks for (`Retry-After`).
    package mutating func flightFailed(
        flight id: UInt64, isPermanent: Bool, retryAfterNS: UInt64 = 0, nowNS: UInt64
    ) -> Effects {
        var effects = Effects()
        guard id == flight else { return effects }
        flight = nil
        ledger.flightsFailed += 1
        end(id, .failed(isPermanent ? .dead : .cooling))
        if isPermanent {
            enter(.dead, nowNS)
        } else {
            let askedNS = min(retryAfterNS, Self.retryAfterMaxNS)
            coolsUntilNS = nowNS + max(nextCoolDownNS(), askedNS)
            enter(.cooling, nowNS)
        }
        effects.wakes = true
        return effects
    }

    /// E8: the run ends; what waits fails with it.
    package mutating func shutDown(nowNS: UInt64) -> Effects {
        var effects = Effects()
        if let id = flight {
            effects.abortsFlight = id
            flight = nil
            ledger.flightsAbandoned += 1
            end(id, .failed(.parkTimeout))
            enter(.dead, nowNS)
        }
        effects.wakes = true
        return effects
    }

    /// E9: the token's text is spoilt on purpose; the generation stays. False when there is no
    /// fresh token to spoil.
    package mutating func poison(_ text: String) -> Bool {
        guard state == .fresh else { return false }
        set(token: text)
        return true
    }

    /// How that flight ended; nil while it runs, or when it is too long ago.
    package func end(of flight: UInt64) -> FlightEnd? {
        ends.last { $0.flight == flight }?.end
    }

    // MARK: parts

    private mutating func park() -> Admission {
        guard let flight else { preconditionFailure("asks wait for a flight only") }
        guard parked < limits.parkedMax else { return .fail(.parkOverflow) }
        parked += 1
        ledger.parkedCount += 1
        ledger.parkedMax = max(ledger.parkedMax, UInt64(parked))
        ledger.expiries.parked()
        return .park(flight: flight)
    }

    private mutating func set(token text: String) {
        token = text
        tokenSerial += 1
        changes += 1
    }

    private mutating func startFlight(_ nowNS: UInt64, _ effects: inout Effects) {
        // Concurrent, or needless: the token was neither refused nor missing.
        let isNeedless = state == .fresh && ledger.life(of: generation)?.firstRefusalNS == nil
        if flight != nil || isNeedless { ledger.duplicates += 1 }
        flightsBegun += 1
        flight = flightsBegun
        ledger.flightStarted(generation: generation, atNS: nowNS)
        effects.startsFlight = flightsBegun
        enter(.renewing, nowNS)
    }

    private mutating func coolDown(_ nowNS: UInt64, _ effects: inout Effects) {
        coolsUntilNS = nowNS + nextCoolDownNS()
        enter(.cooling, nowNS)
        effects.wakes = true
    }

    /// min(c * 2^cools, max) within ±10 %, so that many clients do not probe as one.
    private mutating func nextCoolDownNS() -> UInt64 {
        let doubled = limits.coolDownMinNS << UInt64(min(cools, 16))
        cools += 1
        let base = min(doubled, limits.coolDownMaxNS)
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        let jitter = Double(random >> 11) / Double(1 << 53) * 0.2 - 0.1
        return UInt64(Double(base) * (1 + jitter))
    }

    private mutating func end(_ flight: UInt64, _ end: FlightEnd) {
        if ends.count == Self.endsKept { ends.removeFirst() }
        ends.append((flight, end))
    }

    private mutating func enter(_ next: State, _ nowNS: UInt64) {
        ledger.leave(state, atNS: nowNS)
        state = next
        changes += 1
    }
}
