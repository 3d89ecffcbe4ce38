import Metrics

/// R12: refusals that may be the tile's own, and what becomes of their asks.
extension TokenCell {
    /// Asks refused in a row after which a suspect's refusal is believed although its layer is
    /// locked or a renewal for a suspect has not helped: so many, and eight times as many after
    /// each further one. Half the tiles of one layer may be refused, and eight of those come in a
    /// row sooner or later.
    static let suspicionsAtFirst = 8
    /// After which the breaker trips on refusals that may be the tile's own: a few asks of one
    /// layer would end the tokens of all others.
    static let suspicionsToTrip = 16
    private static let alarmsMax = 3

    /// A request that was sent at that time was accepted with the text of that serial. Locks
    /// the layers whose refusals this explains, also of asks that have ended.
    package mutating func proved(serial proven: UInt64, sentNS: UInt64, nowNS: UInt64) {
        guard proven == serial else { return }
        suspicions = 0
        if proven != provenSerial { provenSentNS = 0 }
        provenSerial = proven
        provenSentNS = max(provenSentNS, sentNS)
        if locks.prove(serial: proven, sentNS: sentNS, nowNS: nowNS) { alarms = 0 }
    }

    /// The next answer that is no refusal is worth telling (`proved`).
    package var wantsProof: Bool { suspicions > 0 || locks.hasOpen }

    /// This ask was refused with an older token before, or its layer with a good one, or it is the
    /// layer that called for this token: it may be the tile that is not allowed. Also with a token
    /// that nobody has confirmed yet: who was refused stands first in the queue, so such refusals
    /// come before the first good answer. Whoever compares no generations cannot tell.
    func isSuspect(_ refusal: Refusal, _ nowNS: UInt64) -> Bool {
        state == .fresh && !deviations.contains(.noCompare)
            && (refusal.earlier != 0 && refusal.earlier < refusal.generation
                || locks.isSuspect(refusal.layer, nowNS: nowNS)
                || refusal.layer == renewedFor && nowNS < renewedForUntilNS)
    }

    /// What becomes of a suspect; nil: its refusal is believed. A canary's is at once, as the
    /// others wait for it.
    mutating func doubt(
        _ refusal: Refusal, wasCanary: Bool, _ nowNS: UInt64
    ) -> Admission? {
        if refusal.hasProof {
            if locks.lock(refusal.layer, nowNS: nowNS) { alarms = 0 }
            ledger.refusalsLocked += 1
            return .fail(.locked)
        }
        let isLocked = locks.isLocked(refusal.layer, nowNS: nowNS)
        if wasCanary || refusal.isOverdue, isBelieved(refusal, wasCanary, isLocked: isLocked) {
            alarms = min(alarms + 1, Self.alarmsMax)
            return nil
        }
        guard refusal.isOverdue else {
            locks.doubt(refusal.layer, nowNS: nowNS)
            return .hold
        }
        // No proof either way. That the ask ends sets its user free, who may bring it.
        locks.leaveOpen(
            refusal.layer, serial: refusal.serial, readNS: refusal.readNS, nowNS: nowNS)
        if isLocked {
            ledger.refusalsLocked += 1
            return .fail(.locked)
        }
        ledger.refusalsExhausted += 1
        return .fail(.authRetries)
    }

    private func isBelieved(_ refusal: Refusal, _ wasCanary: Bool, isLocked: Bool) -> Bool {
        if deviations.contains(.noRefusalLimit) { return true }
        let isEnough =
            deviations.contains(.noSuspicions)
            || suspicions >= suspicionsNeeded(wasCanary: wasCanary, isLocked: isLocked)
        return isEnough && (wasCanary || refusal.refusals <= limits.refusalsMax)
    }

    private func suspicionsNeeded(wasCanary: Bool, isLocked: Bool) -> Int {
        if isLocked { return Self.suspicionsAtFirst << (3 * alarms) }
        let wouldTrip =
            !isConfirmed && !isCold && barren + 1 >= limits.barrenMax
            && !deviations.contains(.noBarrenLimit)
        if wouldTrip { return Self.suspicionsToTrip }
        // A dead token costs one canary as long as no token has worked since the first alarm: the
        // breaker bounds how many those are.
        if alarms == 0 || wasCanary && alarms <= barren { return 0 }
        return Self.suspicionsAtFirst << (3 * (alarms - 1))
    }

    /// A refusal of that layer has led to a renewal; the dummy's refusals are everybody's.
    mutating func noteRenewed(for layer: UInt8, _ nowNS: UInt64) {
        guard !isCold else { return }
        renewedFor = layer
        renewedForUntilNS = nowNS + LayerLocks.doubtNS
    }
}
