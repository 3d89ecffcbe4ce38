import Metrics

/// One refusal as the machine needs to know it.
package struct Refusal: Sendable {
    /// Of the token that the request bore.
    package var generation: UInt64
    /// Of the ask, this one included.
    package var refusals: Int
    /// The generation that the ask was refused with before; 0: this is its first refusal.
    package var earlier: UInt64 = 0
    /// The layer of the tile: its template, or its source.
    package var layer: UInt8 = 0
    /// Of the token's text that the request bore, and when the refusal was read: on the clock that
    /// tells when requests were sent (`proved`).
    package var serial: UInt64 = 0
    package var readNS: UInt64 = 0
    /// A request that was sent after this refusal had been read was accepted with the same text of
    /// the token (its serial, as one generation has several when it is spoilt): it works. One that
    /// was merely sent after the refused request proves nothing: requests overtake each other, and
    /// the token may have died between the two.
    package var hasProof = false
    /// It was held long enough.
    package var isOverdue = false
    /// What was seen of the cell before its lock was taken: for `looksOutsideLock` alone.
    package var look: TokenCell.Look?

    package init(generation: UInt64, refusals: Int) {
        self.generation = generation
        self.refusals = refusals
    }
}

extension TokenCell {
    /// Of the deviation `window`.
    static let windowNS: UInt64 = 5_000_000_000

    /// The cell as somebody saw it a moment ago.
    package struct Look: Sendable {
        package let state: State
        package let generation: UInt64
    }

    package var look: Look { Look(state: state, generation: generation) }

    // MARK: E1, E1b, E3, E7

    /// E1: an ask wants to be sent. `joins` is false for an ask that was counted as coalesced
    /// already, by its refusal.
    package mutating func acquire(nowNS: UInt64, joins: Bool = true) -> (Admission, Effects) {
        var effects = Effects()
        let admission = acquire(nowNS, joins: joins, &effects)
        return (admission, effects)
    }

    private mutating func acquire(
        _ nowNS: UInt64, joins: Bool, _ effects: inout Effects
    ) -> Admission {
        if isOver { return .fail(.parkTimeout) }
        switch state {
        case .fresh:
            return admitFresh(nowNS, &effects)
        case .empty:
            startFlight(nowNS, &effects)
            return park()
        case .renewing:
            if sendsFreely { return .send(generation: generation) }
            let admission = park()
            if joins, case .park = admission { ledger.joined += 1 }
            return admission
        case .cooling:
            guard nowNS >= coolsUntilNS else { return .fail(.cooling) }
            startFlight(nowNS, &effects)
            return park()
        case .dead:
            return .fail(.dead)
        }
    }

    private mutating func admitFresh(_ nowNS: UInt64, _ effects: inout Effects) -> Admission {
        if nowNS >= life.endsAtNS {
            ledger.expiredLocally(generation: generation, atNS: nowNS)
            blockOnFlight(nowNS, &effects)
            return park()
        }
        if nowNS >= life.staleAtNS, current == nil, others.isEmpty {
            startInBackground(nowNS, &effects)
        }
        guard awaitsCanary else { return .send(generation: generation) }
        if canary != nil { return park() }
        canariesBegun += 1
        canary = Self.canaryMark | canariesBegun
        changes += 1
        return .canary(generation: generation)
    }

    /// E3: an answer that was no refusal. Confirms the generation it was sent with. `layer` is that
    /// of its tile, `hasHelped` says that its ask had been refused with an older token.
    package mutating func accepted(
        generation accepted: UInt64, layer: UInt8 = 0, hasHelped: Bool = false, atNS: UInt64
    ) -> Effects {
        var effects = Effects()
        guard accepted == generation else { return effects }
        if layer == renewedFor { renewedForUntilNS = 0 }
        if hasHelped { alarms = 0 }
        suspicions = 0
        isConfirmed = true
        barren = 0
        cools = 0
        ledger.expiries.confirmed(generation: accepted, atNS: atNS)
        endCanary(&effects)
        return effects
    }

    /// The ask that tried the new token ended without an answer: the next one tries it.
    package mutating func canaryLost(generation lost: UInt64) -> Effects {
        var effects = Effects()
        if lost == generation { endCanary(&effects) }
        return effects
    }

    /// E7: a waiting ask left, released, cancelled or timed out. The flight is untouched.
    package mutating func leave() {
        parked -= 1
        ledger.parkedLeft += 1
        assert(parked >= 0, "more asks left the queue than entered it")
    }

    // MARK: E2

    /// E2: an ask was refused.
    package mutating func refused(_ refusal: Refusal, nowNS: UInt64) -> (Admission, Effects) {
        ledger.refusalsTotal += 1
        if refusal.generation == generation {
            if refusal.refusals == 1 { suspicions += 1 }
            noteFailed()
        }
        return judge(refusal, isNew: true, nowNS)
    }

    /// The first that is heard of the token in hand is a refusal, whatever that means for its ask.
    private mutating func noteFailed() {
        guard !isConfirmed, !isCold, failedGeneration != generation else { return }
        failedGeneration = generation
        ledger.tokensFailed += 1
    }

    /// E2 again, for an ask that was told to `hold`.
    package mutating func reconsider(_ refusal: Refusal, nowNS: UInt64) -> (Admission, Effects) {
        judge(refusal, isNew: false, nowNS)
    }

    /// A held ask ended with the run before it was known what its refusal meant.
    package mutating func leaveHeld() { ledger.refusalsExhausted += 1 }

    private mutating func judge(
        _ refusal: Refusal, isNew: Bool, _ nowNS: UInt64
    ) -> (Admission, Effects) {
        var effects = Effects()
        let admission = judge(refusal, isNew: isNew, nowNS, &effects)
        return (admission, effects)
    }

    private mutating func judge(
        _ refusal: Refusal, isNew: Bool, _ nowNS: UInt64, _ effects: inout Effects
    ) -> Admission {
        // Only the canary can have been sent with a token that waits for its answer: that answer
        // is here, whatever becomes of the ask.
        let wasCanary = isNew && refusal.generation == generation && canary != nil
        if wasCanary { endCanary(&effects) }
        if isOver {
            ledger.refusalsExhausted += 1
            return .fail(.parkTimeout)
        }
        if deviations.contains(.looksOutsideLock), let look = refusal.look, look.state == .fresh,
            look.generation == refusal.generation
        {
            ledger.refusalsTriggering += 1
            startFlight(nowNS, &effects)
            return park()
        }
        let isLate = refusal.generation < generation
        if isLate, !deviations.contains(.noCompare) {
            return refusedLate(refusal, nowNS, &effects)
        }
        if isSuspect(refusal, nowNS),
            let admission = doubt(refusal, wasCanary: wasCanary, nowNS)
        {
            return admission
        }
        if deviations.contains(.window), state == .fresh, let renewedAtNS,
            nowNS < renewedAtNS + Self.windowNS
        {
            return isLate
                ? refusedLate(refusal, nowNS, &effects) : refusedInVain(refusal, nowNS, &effects)
        }
        isRefused = true
        if isLate {
            ledger.expiries.lateRefusal()
        } else {
            ledger.refusal(generation: generation, isCold: isCold, atNS: nowNS)
        }
        if refusal.refusals > limits.refusalsMax, !deviations.contains(.noRefusalLimit) {
            ledger.refusalsExhausted += 1
            // What it tried the token for goes for all: nobody else need be refused.
            if wasCanary, state == .fresh { _ = replaceToken(nowNS, &effects) }
            return .fail(.authRetries)
        }
        switch state {
        case .fresh:
            guard replaceToken(nowNS, &effects) else {
                ledger.refusalsExhausted += 1
                return .fail(.cooling)
            }
            noteRenewed(for: refusal.layer, nowNS)
            ledger.refusalsTriggering += 1
            return park()
        case .renewing:
            if deviations.contains(.flightPerRefusal) {
                ledger.refusalsTriggering += 1
                startFlight(nowNS, &effects)
            } else {
                ledger.refusalsCoalesced += 1
            }
            return park()
        case .cooling:
            ledger.refusalsExhausted += 1
            return .fail(.cooling)
        case .dead, .empty:
            ledger.refusalsExhausted += 1
            return .fail(.dead)
        }
    }

    /// The token in hand is refused: a flight replaces it. False, and a cool-down instead, when too
    /// many in a row never worked.
    private mutating func replaceToken(_ nowNS: UInt64, _ effects: inout Effects) -> Bool {
        if !isConfirmed && !isCold {
            barren += 1
            if barren >= limits.barrenMax, !deviations.contains(.noBarrenLimit) {
                abandonFlight(nowNS, &effects)
                coolDown(nowNS, &effects)
                return false
            }
        }
        blockOnFlight(nowNS, &effects)
        return true
    }

    /// R1: the refusal speaks of a token that is no longer ours; replay with the current one.
    private mutating func refusedLate(
        _ refusal: Refusal, _ nowNS: UInt64, _ effects: inout Effects
    ) -> Admission {
        ledger.lateRefusal(generation: refusal.generation)
        if refusal.refusals > limits.refusalsMax, !deviations.contains(.noRefusalLimit) {
            return .fail(.authRetries)
        }
        return acquire(nowNS, joins: true, &effects)
    }

    /// Of `window`: the token in hand is refused, and sent again: it is too new to be renewed.
    private mutating func refusedInVain(
        _ refusal: Refusal, _ nowNS: UInt64, _ effects: inout Effects
    ) -> Admission {
        ledger.refusal(generation: generation, isCold: isCold, atNS: nowNS)
        ledger.refusalsExhausted += 1
        if refusal.refusals > limits.refusalsMax, !deviations.contains(.noRefusalLimit) {
            return .fail(.authRetries)
        }
        return acquire(nowNS, joins: true, &effects)
    }

    // MARK: the queue

    mutating func park() -> Admission {
        guard parked < limits.parkedMax else { return .fail(.parkOverflow) }
        parked += 1
        ledger.parkedCount += 1
        ledger.expiries.parked()
        // Without a flight (`noFanOut` after a failure) nothing ever ends the wait.
        return .park(flight: state == .fresh ? canary ?? 0 : flight ?? 0)
    }

    /// Canaries are waited for like flights; their numbers are told apart by this bit.
    static let canaryMark: UInt64 = 1 << 63

    mutating func endCanary(_ effects: inout Effects) {
        guard let number = canary else {
            // Without one out the news of a confirmation still sets the others free.
            if limits.sendsCanary { changes += 1 }
            return
        }
        canary = nil
        changes += 1
        end(number, .ok)
        effects.wakes = true
    }
}
