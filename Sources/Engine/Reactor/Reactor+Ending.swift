import Metrics
import Synchronization
import TileModel
import Workload

extension Reactor {
    /// The ask is over: one line in the ledger, its place is free, its user is ready.
    func end(
        _ slot: SlotPointer, _ cls: AskClass, cause: FailureCause, detail: UInt16, nowNS: UInt64
    ) {
        let responseNS = UInt64(
            max(0, Int64(bitPattern: nowNS &- context.t0NS) &- slot.pointee.intendedNS))
        assertPartsAddUp(slot, cls, responseNS, nowNS)
        var window: AskWindow?
        if hasTokens {
            let cell = cells.of(slot)
            if slot.pointee.refusals > 0 {
                cell.pointee.store.recovered(slot.pointee.events, nowNS: nowNS)
            }
            recoverWait(slot, cell, next: -1, nowNS)
            let hasMetIt = slot.pointee.refusals > 0 || slot.pointee.tokenWaitNS > 0
            let isOpen = cell.pointee.store.isWindowOpen.load(ordering: .relaxed)
            window = hasMetIt || isOpen ? .inside : .outside
        }
        endCacheUse(slot, cls)
        let isAnswered = cls != .inFlightAtEnd && slot.pointee.lastStatus > 0
        recorder.askEnded(
            AskEnd(
                zoom: slot.pointee.tile.z, intendedNS: slot.pointee.intendedNS,
                endedNS: context.fromT0(nowNS), cls: cls, cause: cause, causeDetail: detail,
                status: slot.pointee.lastStatus,
                outcome: isAnswered ? slot.pointee.lastOutcome : nil, responseNS: responseNS,
                serviceNS: slot.pointee.serviceLastNS, bodyBytes: slot.pointee.bodyBytes,
                requests: UInt16(clamping: slot.pointee.attempts), window: window,
                source: slot.pointee.source, place: slot.pointee.place))
        let user = slot.pointee.user
        if viewers != nil {
            tellViewer(slot, cls, nowNS)
        } else if user >= 0 {
            closed?.ready(user: user, nowNS: nowNS, hasSent: slot.pointee.attempts > 0)
        }
        pool.giveBack(slot)
    }

    /// response = start lag + connection wait + token wait + service, replays added up.
    @inline(__always)
    private func assertPartsAddUp(
        _ slot: SlotPointer, _ cls: AskClass, _ responseNS: UInt64, _ nowNS: UInt64
    ) {
        #if DEBUG
            guard cls == .ok || cls == .failed else { return }
            let intendedNS = context.t0NS &+ UInt64(bitPattern: slot.pointee.intendedNS)
            let parts =
                (slot.pointee.startedNS &- intendedNS) &+ slot.pointee.connectionWaitNS
                &+ slot.pointee.tokenWaitNS &+ slot.pointee.serviceSumNS
            let gap = Int64(bitPattern: responseNS &- parts)
            // Between the parts lies the work of a loop turn each, however long this thread was
            // kept from it. A part that is missing or counted twice is usually longer.
            let turnNS = max(turnLongestNS, MonotonicClock.nowNS() &- turnBeganNS)
            let turns = 2 + UInt64(slot.pointee.attempts) + UInt64(slot.pointee.refusals)
            let limitNS = Int64(clamping: 500_000_000 + turns &* turnNS)
            assert(abs(gap) < limitNS, "parts miss the response time by \(gap) ns")
        #endif
    }

    /// The run is over whatever is open: what is on the wire is cut off, what waits for a token
    /// fails with its waiting.
    func giveUpEverything(_ nowNS: UInt64) {
        giveUpViews(nowNS)
        // By number: each end gives its slot back to the pool.
        for index in 0..<Int32(pool.count) {
            let slot = pool[index]
            switch slot.pointee.state {
            case .free: continue
            case .carried, .queued:
                withdraw(slot, nowNS)
                end(slot, .inFlightAtEnd, cause: .status, detail: 0, nowNS: nowNS)
            case .parked, .releasing, .held:
                withdraw(slot, nowNS)
                let reason = UInt16(AuthFailure.parkTimeout.rawValue)
                end(slot, .failed, cause: .unauthorized, detail: reason, nowNS: nowNS)
            }
        }
    }

    /// Takes an ask out of wherever it is, off the wire too, so that it can be ended.
    func withdraw(_ slot: SlotPointer, _ nowNS: UInt64) {
        loseCanary(slot)
        switch slot.pointee.state {
        case .free: break
        case .carried:
            if slot.pointee.carrier != nil {
                let exchange = transport.cancel(slot)
                recordWire(slot, exchange, nowNS)
                if exchange.hasSent {
                    slot.pointee.serviceLastNS = nowNS &- exchange.sentNS
                    slot.pointee.bodyBytes = exchange.wireBodyBytes
                }
            }
        case .queued:
            if slot.pointee.isToConnect {
                connectQueue.remove(slot, in: pool)
            } else {
                runQueue.remove(slot, in: pool)
            }
        case .parked:
            cells.of(slot).pointee.parked.remove(slot, in: pool)
            unpark(slot, nowNS)
        case .releasing:
            cells.of(slot).pointee.releasing.remove(slot, in: pool)
            unpark(slot, nowNS)
        case .held:
            cells.of(slot).pointee.held.remove(slot, in: pool)
            unhold(slot, nowNS)
            cells.of(slot).pointee.store.leaveHeld()
        }
    }

    /// Asks that were due and never found a place, told once the reactor is done.
    func tellNotStarted() {
        let endNS = min(startEndNS, context.control.startEndNS.load(ordering: .acquiring))
        let nowNS = min(endNS, MonotonicClock.nowNS())
        while let due = open?.next(nowNS: nowNS) {
            if due.intendedNS >= 0 { recorder.askNotStarted(intendedNS: due.intendedNS) }
        }
        while let due = replay?.nextDue(nowNS: nowNS) {
            if due.intendedNS >= 0 { recorder.askNotStarted(intendedNS: due.intendedNS) }
        }
    }

    /// Frees what libcurl still holds; after the thread was joined.
    func tearDown() {
        transport.tearDown()
        pool.drain()
    }

    // MARK: what others may see

    private static let pulseNS: UInt64 = 100_000_000

    func publishPulse(_ nowNS: UInt64) {
        nextPulseNS = nowNS &+ Self.pulseNS
        recorder.gauge(
            inFlight: UInt64(transport.inUse), parked: UInt64(parkedCount),
            atNS: context.fromT0(nowNS))
        publishCacheBytes()
        let totals = recorder.snapshot
        pulse.started.store(totals.started, ordering: .relaxed)
        pulse.ok.store(totals.ok, ordering: .relaxed)
        pulse.failed.store(totals.failed, ordering: .relaxed)
        pulse.requests.store(totals.requests, ordering: .relaxed)
        pulse.refusals.store(totals.refusals, ordering: .relaxed)
        pulse.inFlight.store(UInt64(transport.inUse), ordering: .relaxed)
        pulse.parked.store(UInt64(parkedCount), ordering: .relaxed)
        pulse.accepted.store(acceptedCount, ordering: .relaxed)
    }

    /// A copy of the books for the control thread, when it asked for one.
    func giveBooks() {
        let asked = context.control.booksAsked.load(ordering: .acquiring)
        guard asked != booksGiven else { return }
        booksGiven = asked
        handOver.put(recorder.result)
    }

    func giveRecent(_ nowNS: UInt64) {
        let sinceT0 = context.fromT0(nowNS)
        guard sinceT0 > 1_000_000_000, sinceT0 / 1_000_000_000 != recentGivenS else { return }
        recentGivenS = sinceT0 / 1_000_000_000
        handOver.putRecent(recorder.recentResponse(atNS: sinceT0 - 1_000_000_000))
    }
}
