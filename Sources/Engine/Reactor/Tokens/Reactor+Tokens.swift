import Metrics
import Synchronization
import TileModel
import Workload

extension Reactor {
    // MARK: E1

    /// May this ask be sent now? False: it waits, or has failed. With a fresh token this is one
    /// atomic load.
    func admit(_ slot: SlotPointer, _ nowNS: UInt64) -> Bool {
        guard hasTokens else { return true }
        let cell = cells.of(slot)
        if cell.pointee.store.epoch.load(ordering: .acquiring) != cell.pointee.view.epoch {
            refresh(cell)
        }
        if cell.pointee.view.sendsFreely, nowNS < cell.pointee.view.actsAtNS {
            stamp(slot, cell)
            return true
        }
        if slot.pointee.isCanary {
            if isItsCanary(slot, cell) {
                stamp(slot, cell)
                return true
            }
            loseCanary(slot)
        }
        let (admission, event) = cell.pointee.store.acquire(
            nowNS: nowNS, joins: !slot.pointee.hasJoined)
        if event >= 0 { recoverWait(slot, cell, next: event, nowNS) }
        // The wait for a connection ends here: what comes now is a wait for the token, or the end.
        slot.pointee.connectionWaitNS &+= nowNS &- slot.pointee.queuedNS
        slot.pointee.queuedNS = nowNS
        return follow(admission, slot, cell, nowNS)
    }

    /// What the ask waited for before is over; `next` is the event it waits in now, -1: none.
    func recoverWait(_ slot: SlotPointer, _ cell: CellPointer, next: Int32, _ nowNS: UInt64) {
        let event = slot.pointee.waitEvent
        slot.pointee.waitEvent = next
        if event >= 0 { cell.pointee.store.recovered(event, nowNS: nowNS) }
    }

    /// The ask goes out with the token as it is now.
    private func stamp(_ slot: SlotPointer, _ cell: CellPointer) {
        if slot.pointee.redirectURL != nil,
            slot.pointee.tokenSerial != cell.pointee.view.serial
        {
            // The target may hold the token that was replaced meanwhile, and its refusal would be
            // taken for the new one's: the tile's own request goes out again.
            forgetRedirect(slot)
        }
        slot.pointee.generation = cell.pointee.view.generation
        slot.pointee.tokenSerial = cell.pointee.view.serial
    }

    private func refresh(_ cell: CellPointer) {
        let view = cell.pointee.store.view()
        if view.serial != cell.pointee.view.serial || cell.pointee.view.epoch == 0 {
            if context.templates.usesToken { cell.pointee.text.set(view.credential) }
            if headers.holdsToken { cell.pointee.lines = headers.lines(view.credential) }
        }
        cell.pointee.view = view
    }

    /// Does what the machine said; true: send now.
    private func follow(
        _ admission: TokenCell.Admission, _ slot: SlotPointer, _ cell: CellPointer,
        _ nowNS: UInt64
    ) -> Bool {
        switch admission {
        case .send, .canary:
            refresh(cell)
            if case .canary(let generation) = admission {
                slot.pointee.isCanary = true
                slot.pointee.generation = generation
            }
            // It may have changed again since the machine spoke; then the next turn asks again.
            guard cell.pointee.view.sendsFreely || isItsCanary(slot, cell) else {
                loseCanary(slot)
                enqueue(slot, nowNS)
                return false
            }
            stamp(slot, cell)
            return true
        case .park(let flight):
            park(slot, cell, flight: flight, nowNS)
            return false
        case .hold:
            hold(slot, cell, nowNS)
            return false
        case .fail(let reason):
            end(slot, .failed, cause: .unauthorized, detail: UInt16(reason.rawValue), nowNS: nowNS)
            return false
        }
    }

    // MARK: canaries

    /// The ask may try the new token, as far as this thread knows.
    private func isItsCanary(_ slot: SlotPointer, _ cell: CellPointer) -> Bool {
        slot.pointee.isCanary && cell.pointee.view.hasCanary
            && cell.pointee.view.generation == slot.pointee.generation
    }

    /// The ask does not try the new token after all.
    func loseCanary(_ slot: SlotPointer) {
        guard slot.pointee.isCanary else { return }
        slot.pointee.isCanary = false
        cells.of(slot).pointee.store.canaryLost(generation: slot.pointee.generation)
    }

    // MARK: hand-over

    /// R7: the token that the request carries is still the one to send.
    func isCurrent(_ slot: SlotPointer) -> Bool {
        guard hasTokens, rechecksTokens else { return true }
        let cell = cells.of(slot)
        let generation = slot.pointee.generation
        if cell.pointee.store.epoch.load(ordering: .acquiring) == cell.pointee.view.epoch {
            return cell.pointee.view.generation == generation
                && (cell.pointee.view.sendsFreely || isItsCanary(slot, cell))
        }
        return cell.pointee.store.allows(
            generation: generation, isCanary: slot.pointee.isCanary)
    }

    // MARK: E2, E3

    func accepted(
        _ slot: SlotPointer, _ exchange: Exchange, _ cls: CacheClass, _ nowNS: UInt64
    ) {
        let cell = cells.of(slot)
        let generation = slot.pointee.generation
        acceptedCount &+= 1
        let hasHelped = slot.pointee.refusals > 0
        if generation > cell.pointee.acceptedGeneration || slot.pointee.isCanary || hasHelped {
            slot.pointee.isCanary = false
            cell.pointee.store.accepted(
                generation: generation, layer: layer(of: slot), hasHelped: hasHelped, nowNS: nowNS)
        }
        noteProof(slot, cell, sentNS: exchange.sentNS, nowNS)
        let store = cell.pointee.store
        if store.epoch.load(ordering: .relaxed) != cell.pointee.view.epoch
            || generation != cell.pointee.view.generation || !cell.pointee.view.isFresh
            || slot.pointee.tokenSerial == store.killedSerial.load(ordering: .relaxed)
        {
            store.audit(
                generation: generation, serial: slot.pointee.tokenSerial, sentNS: exchange.sentNS,
                isAccepted: (200..<300).contains(exchange.status), cacheClass: cls)
        }
    }

    /// E2; true when the machine took the ask over, false when the refusal is its final answer.
    func refused(_ slot: SlotPointer, _ exchange: Exchange, _ nowNS: UInt64) -> Bool {
        recorder.refusal(atNS: context.fromT0(nowNS), serviceNS: slot.pointee.serviceLastNS)
        let cell = cells.of(slot)
        guard context.plan.auth?.renewal != nil else {
            // A static token cannot be renewed: the refusal is the tile's answer.
            cell.pointee.store.refusedForGood()
            return false
        }
        cell.pointee.store.audit(
            generation: slot.pointee.generation, serial: slot.pointee.tokenSerial,
            sentNS: exchange.sentNS, isAccepted: false, cacheClass: .unknown)
        slot.pointee.refusedNS = nowNS
        forgetRedirect(slot)
        slot.pointee.isCanary = false
        let (admission, event) = cell.pointee.store.refused(refusal(slot, cell), nowNS: nowNS)
        decide(admission, event: event, slot, cell, nowNS)
        return true
    }

    func refusal(_ slot: SlotPointer, _ cell: CellPointer) -> Refusal {
        var refusal = Refusal(
            generation: slot.pointee.generation, refusals: Int(slot.pointee.refusals) + 1)
        refusal.earlier = slot.pointee.refusedGeneration
        refusal.layer = layer(of: slot)
        refusal.serial = slot.pointee.tokenSerial
        refusal.readNS = slot.pointee.refusedNS
        refusal.hasProof = cell.pointee.hasProof(against: slot)
        return refusal
    }

    private func layer(of slot: SlotPointer) -> UInt8 {
        UInt8(
            clamping: context.templates.index(
                of: slot.pointee.tile, source: slot.pointee.source))
    }

    /// The machine has said what a refusal means, or to hold the ask until it can.
    func decide(
        _ admission: TokenCell.Admission, event: Int32, _ slot: SlotPointer, _ cell: CellPointer,
        _ nowNS: UInt64
    ) {
        if admission != .hold {
            let forgotten = slot.pointee.note(event: event)
            if forgotten >= 0 { cell.pointee.store.recovered(forgotten, nowNS: nowNS) }
            slot.pointee.refusedGeneration = slot.pointee.generation
        }
        switch admission {
        case .send:
            enqueue(slot, nowNS)
        case .canary(let generation):
            slot.pointee.isCanary = true
            slot.pointee.generation = generation
            enqueue(slot, nowNS)
        case .park:
            slot.pointee.hasJoined = true
            _ = follow(admission, slot, cell, nowNS)
        case .hold, .fail:
            _ = follow(admission, slot, cell, nowNS)
        }
    }

    /// A replay is the tile's own request with the token of now, not the redirect's.
    private func forgetRedirect(_ slot: SlotPointer) {
        slot.pointee.redirects = 0
        slot.pointee.redirectURL = nil
        slot.pointee.nextKind = .replay
    }
}
