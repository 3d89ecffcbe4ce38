import Metrics
import Synchronization
import Workload

extension Reactor {
    // MARK: E1

    /// May this ask be sent now? False: it waits, or has failed. With a fresh token this is one
    /// atomic load.
    func admit(_ slot: SlotPointer, _ nowNS: UInt64) -> Bool {
        guard let tokens = context.tokens else { return true }
        if tokens.epoch.load(ordering: .acquiring) != tokenView.epoch { refreshToken(tokens) }
        if tokenView.sendsFreely, nowNS < tokenView.actsAtNS {
            stamp(slot)
            return true
        }
        let admission = tokens.acquire(nowNS: nowNS, joins: !slot.pointee.hasJoined)
        // The wait for a connection ends here: what comes now is a wait for the token, or the end.
        slot.pointee.connectionWaitNS &+= nowNS &- slot.pointee.queuedNS
        slot.pointee.queuedNS = nowNS
        return follow(admission, slot, nowNS)
    }

    /// The ask goes out with the token as it is now.
    private func stamp(_ slot: SlotPointer) {
        if slot.pointee.redirectURL != nil, slot.pointee.tokenSerial != tokenView.serial {
            // The target may hold the token that was replaced meanwhile, and its refusal would be
            // taken for the new one's: the tile's own request goes out again.
            forgetRedirect(slot)
        }
        slot.pointee.generation = tokenView.generation
        slot.pointee.tokenSerial = tokenView.serial
    }

    private func refreshToken(_ tokens: TokenStore) {
        let view = tokens.view()
        if view.serial != tokenView.serial || tokenView.epoch == 0 {
            token.set(view.credential.text)
            if headers.holdsToken {
                headers.rebuild(token: view.credential.text, epoch: view.epoch)
            }
        }
        tokenView = view
    }

    /// Does what the machine said; true: send now.
    private func follow(
        _ admission: TokenCell.Admission, _ slot: SlotPointer, _ nowNS: UInt64
    ) -> Bool {
        switch admission {
        case .send, .canary:
            if let tokens = context.tokens { refreshToken(tokens) }
            // It may have changed again since the machine spoke; then the next turn asks again.
            guard tokenView.sendsFreely else {
                enqueue(slot, nowNS)
                return false
            }
            stamp(slot)
            return true
        case .hold:
            enqueue(slot, nowNS)
            return false
        case .park(let flight):
            slot.pointee.state = .parked
            slot.pointee.parkedNS = nowNS
            slot.pointee.flight = flight
            parkedList.append(slot, in: pool)
            return false
        case .fail(let reason):
            end(slot, .failed, cause: .unauthorized, detail: UInt16(reason.rawValue), nowNS: nowNS)
            return false
        }
    }

    // MARK: E2, E3

    func accepted(
        _ slot: SlotPointer, _ exchange: Exchange, _ tokens: TokenStore, _ cls: CacheClass,
        _ nowNS: UInt64
    ) {
        let generation = slot.pointee.generation
        acceptedCount &+= 1
        if generation > confirmedGeneration {
            confirmedGeneration = generation
            tokens.accepted(generation: generation, nowNS: nowNS)
        }
        if tokens.epoch.load(ordering: .relaxed) != tokenView.epoch
            || generation != tokenView.generation
            || slot.pointee.tokenSerial == tokens.killedSerial.load(ordering: .relaxed)
        {
            tokens.audit(
                generation: generation, serial: slot.pointee.tokenSerial, sentNS: exchange.sentNS,
                isAccepted: (200..<300).contains(exchange.status), cacheClass: cls)
        }
    }

    /// E2; true when the machine took the ask over, false when the refusal is its final answer.
    func refused(
        _ slot: SlotPointer, _ exchange: Exchange, _ tokens: TokenStore, _ nowNS: UInt64
    ) -> Bool {
        recorder.refusal(
            atNS: context.fromT0(nowNS), serviceNS: slot.pointee.serviceLastNS)
        guard context.plan.auth?.renewal != nil else {
            // A static token cannot be renewed: the refusal is the tile's answer.
            tokens.refusedForGood()
            return false
        }
        let generation = slot.pointee.generation
        tokens.audit(
            generation: generation, serial: slot.pointee.tokenSerial, sentNS: exchange.sentNS,
            isAccepted: false, cacheClass: .unknown)
        var refusal = Refusal(
            generation: generation, refusals: Int(slot.pointee.refusals) + 1)
        refusal.isOverdue = true
        let (admission, event) = tokens.refused(refusal, nowNS: nowNS)
        slot.pointee.note(event: event)
        forgetRedirect(slot)
        if case .park = admission {
            slot.pointee.hasJoined = true
            _ = follow(admission, slot, nowNS)
        } else if case .fail = admission {
            _ = follow(admission, slot, nowNS)
        } else {
            enqueue(slot, nowNS)
        }
        return true
    }

    /// A replay is the tile's own request with the token of now, not the redirect's.
    private func forgetRedirect(_ slot: SlotPointer) {
        slot.pointee.redirects = 0
        slot.pointee.redirectURL = nil
        slot.pointee.nextKind = .replay
    }

    // MARK: the end of flights

    /// A flight ended somewhere: those who waited for it go on, or fail with it.
    func takeNews(_ nowNS: UInt64) {
        guard let tokens = context.tokens else { return }
        let news = tokens.news.load(ordering: .acquiring)
        guard news != newsSeen else { return }
        newsSeen = news
        // Those who wait stand in the order of their flights, so one look serves a crowd.
        var known: (flight: UInt64, end: TokenCell.FlightEnd?) = (0, nil)
        for _ in 0..<parkedList.count {
            guard let slot = parkedList.removeFirst(in: pool) else { break }
            let flight = slot.pointee.flight
            if known.flight != flight { known = (flight, tokens.end(of: flight)) }
            switch known.end {
            case .ok:
                slot.pointee.state = .releasing
                releaseList.append(slot, in: pool)
            case .failed(let reason):
                unpark(slot, tokens, nowNS)
                end(
                    slot, .failed, cause: .unauthorized, detail: UInt16(reason.rawValue),
                    nowNS: nowNS)
            case nil:
                parkedList.append(slot, in: pool)
            }
        }
        if !releaseList.isEmpty { release.begin(count: releaseList.count, nowNS: nowNS) }
    }

    /// Lets the next part of the waiting asks go. Each asks the machine again at hand-over: when
    /// the new token has died meanwhile they wait once more instead of being sent with it.
    func releaseParked(_ nowNS: UInt64) {
        guard !releaseList.isEmpty, let tokens = context.tokens else { return }
        var room = release.step(nowNS: nowNS)
        while room > 0, let slot = releaseList.removeFirst(in: pool) {
            room -= 1
            unpark(slot, tokens, nowNS)
            enqueue(slot, nowNS)
        }
    }

    /// The ask leaves the queue of those that wait, whatever becomes of it.
    func unpark(_ slot: SlotPointer, _ tokens: TokenStore, _ nowNS: UInt64) {
        let waited = nowNS &- slot.pointee.parkedNS
        slot.pointee.tokenWaitNS &+= waited
        slot.pointee.hasJoined = false
        recorder.parkEnded(waitedNS: waited)
        tokens.leave()
    }

    // MARK: deadlines

    private static let sweepNS: UInt64 = 20_000_000

    /// E7 and the timeouts by phase, looked at fifty times a second.
    func sweepDeadlines(_ nowNS: UInt64) {
        guard nowNS >= nextSweepNS else { return }
        nextSweepNS = nowNS &+ Self.sweepNS
        transport.strikeOverdue(nowNS)
        guard let tokens = context.tokens else { return }
        let patienceNS = context.plan.load.timeouts.requestNS
        while let slot = parkedList.first(in: pool),
            nowNS &- slot.pointee.parkedNS >= patienceNS
        {
            _ = parkedList.removeFirst(in: pool)
            unpark(slot, tokens, nowNS)
            let reason = UInt16(AuthFailure.parkTimeout.rawValue)
            end(slot, .failed, cause: .unauthorized, detail: reason, nowNS: nowNS)
        }
    }
}
