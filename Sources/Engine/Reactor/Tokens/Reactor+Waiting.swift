import Metrics
import Synchronization
import Workload

/// Asks that wait: for the end of a renewal, for their turn after it, or to learn what their
/// refusal means.
extension Reactor {
    // MARK: entering

    func park(_ slot: SlotPointer, _ cell: CellPointer, flight: UInt64, _ nowNS: UInt64) {
        slot.pointee.state = .parked
        slot.pointee.parkedNS = nowNS
        if slot.pointee.firstParkedNS == 0 { slot.pointee.firstParkedNS = nowNS }
        slot.pointee.flight = flight
        cell.pointee.patienceEndNS = min(cell.pointee.patienceEndNS, patienceEndNS(slot))
        cell.pointee.parked.append(slot, in: pool)
        parkedCount &+= 1
        noteWaiting(cell)
    }

    private static let holdMinNS: UInt64 = 50_000_000
    private static let holdMaxNS: UInt64 = 1_000_000_000

    /// The token may work: the ask waits for the answer of a request that is sent from now on, for
    /// about as long as that may take. Time in which this thread was kept from its work does not
    /// count.
    func hold(_ slot: SlotPointer, _ cell: CellPointer, _ nowNS: UInt64) {
        let spanNS = min(
            max(2 &* slot.pointee.serviceLastNS, Self.holdMinNS), Self.holdMaxNS)
        slot.pointee.state = .held
        slot.pointee.holdEndNS = nowNS &- keptNS &+ spanNS
        cell.pointee.held.append(slot, in: pool)
        heldCount &+= 1
        noteWaiting(cell)
    }

    private func noteWaiting(_ cell: CellPointer) {
        guard !cell.pointee.isWaiting else { return }
        cell.pointee.isWaiting = true
        waitingCells.append(cell.pointee.number)
    }

    // MARK: leaving

    /// The ask leaves the queue of those that wait, whatever becomes of it.
    func unpark(_ slot: SlotPointer, _ nowNS: UInt64) {
        let waited = nowNS &- slot.pointee.parkedNS
        slot.pointee.tokenWaitNS &+= waited
        slot.pointee.hasJoined = false
        parkedCount &-= 1
        recorder.parkEnded(waitedNS: waited)
        cells.of(slot).pointee.store.leave()
    }

    /// The ask is not held any longer.
    func unhold(_ slot: SlotPointer, _ nowNS: UInt64) {
        slot.pointee.tokenWaitNS &+= nowNS &- slot.pointee.refusedNS
        heldCount &-= 1
    }

    // MARK: news

    /// Flights or canaries ended: those who waited for them go on, or fail with them.
    func takeNews(_ nowNS: UInt64) {
        guard news.hasNews else { return }
        news.take(into: &newsTaken)
        for number in newsTaken {
            let cell = cells[number]
            takeEnds(cell, nowNS)
            reconsider(cell, nowNS) { _ in true }
        }
        newsTaken.removeAll(keepingCapacity: true)
    }

    private func takeEnds(_ cell: CellPointer, _ nowNS: UInt64) {
        guard !cell.pointee.parked.isEmpty else { return }
        let ends = cell.pointee.store.flightEnds()
        let before = cell.pointee.releasing.count
        var stay = SlotList()
        // They stand in the order of their flights, so one look serves a crowd.
        var known: (flight: UInt64, end: TokenCell.FlightEnd?) = (0, nil)
        while let slot = cell.pointee.parked.first(in: pool) {
            let flight = slot.pointee.flight
            if known.flight != flight {
                guard ends.mayHaveEnded(flight) else { break }
                known = (flight, ends.end(of: flight))
            }
            _ = cell.pointee.parked.removeFirst(in: pool)
            switch known.end {
            case .ok:
                slot.pointee.state = .releasing
                cell.pointee.releasing.append(slot, in: pool)
            case .failed(let reason):
                unpark(slot, nowNS)
                end(
                    slot, .failed, cause: .unauthorized, detail: UInt16(reason.rawValue),
                    nowNS: nowNS)
            case nil:
                stay.append(slot, in: pool)
            }
        }
        cell.pointee.parked.prepend(stay, in: pool)
        guard cell.pointee.releasing.count > before else { return }
        cell.pointee.release.begin(count: cell.pointee.releasing.count, nowNS: nowNS)
        if !cell.pointee.isReleasing {
            cell.pointee.isReleasing = true
            releasingCells.append(cell.pointee.number)
        }
    }

    /// Lets the next part of each cell's waiting asks go. Each asks the machine again at hand-over:
    /// when the new token has died meanwhile they wait once more instead of being sent with it.
    func releaseParked(_ nowNS: UInt64) {
        var index = 0
        while index < releasingCells.count {
            let cell = cells[releasingCells[index]]
            var room = cell.pointee.release.step(nowNS: nowNS)
            while room > 0, let slot = cell.pointee.releasing.removeFirst(in: pool) {
                room -= 1
                unpark(slot, nowNS)
                enqueue(slot, nowNS)
            }
            if cell.pointee.releasing.isEmpty {
                cell.pointee.isReleasing = false
                releasingCells.swapAt(index, releasingCells.count - 1)
                releasingCells.removeLast()
            } else {
                index += 1
            }
        }
    }

    /// When the next asks are let go; `.max`: none is waiting for that.
    var nextReleaseNS: UInt64 {
        releasingCells.reduce(UInt64.max) { min($0, cells[$1].pointee.release.nextNS) }
    }

    // MARK: held asks

    /// An answer to that ask that was no refusal, its request sent at that time.
    func noteProof(_ answered: SlotPointer, _ cell: CellPointer, sentNS: UInt64, _ nowNS: UInt64) {
        cell.pointee.acceptedGeneration = max(
            cell.pointee.acceptedGeneration, answered.pointee.generation)
        let serial = answered.pointee.tokenSerial
        cell.pointee.noteProof(serial: serial, sentNS: sentNS)
        if cell.pointee.store.wantsProof.load(ordering: .relaxed) {
            cell.pointee.store.proved(serial: serial, sentNS: sentNS, nowNS: nowNS)
        }
        // Mostly in the order they were sent in; who stands behind one that is not proven yet has
        // its turn with the next answer, or with the sweep.
        while let slot = cell.pointee.held.first(in: pool), cell.pointee.hasProof(against: slot) {
            _ = cell.pointee.held.removeFirst(in: pool)
            reconsider(slot, cell, nowNS)
        }
    }

    /// Asks the machine again about those held asks of the cell that `isDue` picks.
    private func reconsider(
        _ cell: CellPointer, _ nowNS: UInt64, where isDue: (SlotPointer) -> Bool
    ) {
        var left = cell.pointee.held
        cell.pointee.held = SlotList()
        while let slot = left.removeFirst(in: pool) {
            if isDue(slot) {
                reconsider(slot, cell, nowNS)
            } else {
                cell.pointee.held.append(slot, in: pool)
            }
        }
    }

    private func reconsider(_ slot: SlotPointer, _ cell: CellPointer, _ nowNS: UInt64) {
        var refusal = refusal(slot, cell)
        refusal.isOverdue = isOverdue(slot, nowNS)
        let (admission, event) = cell.pointee.store.reconsider(refusal, nowNS: nowNS)
        if case .hold = admission {
            cell.pointee.held.append(slot, in: pool)
            return
        }
        unhold(slot, nowNS)
        decide(admission, event: event, slot, cell, nowNS)
    }

    private func isOverdue(_ slot: SlotPointer, _ nowNS: UInt64) -> Bool {
        nowNS &- keptNS >= slot.pointee.holdEndNS
    }

    // MARK: deadlines

    private static let sweepNS: UInt64 = 20_000_000

    /// E7, the ends of holds, and the timeouts by phase, looked at fifty times a second.
    func sweepDeadlines(_ nowNS: UInt64) {
        guard nowNS >= nextSweepNS else { return }
        let lateNS = nowNS &- nextSweepNS
        if nextSweepNS > 0, lateNS >= Self.sweepNS { keptNS &+= lateNS }
        nextSweepNS = nowNS &+ Self.sweepNS
        transport.strikeOverdue(nowNS)
        var index = 0
        while index < waitingCells.count {
            let cell = cells[waitingCells[index]]
            timeOutWaiting(cell, nowNS)
            if !cell.pointee.held.isEmpty {
                let proof = cell.pointee.store.proof()
                cell.pointee.noteProof(serial: proof.serial, sentNS: proof.sentNS)
            }
            reconsider(cell, nowNS) { slot in
                isOverdue(slot, nowNS) || cell.pointee.hasProof(against: slot)
            }
            if cell.pointee.parked.isEmpty, cell.pointee.releasing.isEmpty,
                cell.pointee.held.isEmpty
            {
                cell.pointee.isWaiting = false
                waitingCells.swapAt(index, waitingCells.count - 1)
                waitingCells.removeLast()
            } else {
                index += 1
            }
        }
    }

    /// An ask waits for tokens as long as a request may take, however often it is told to go on and
    /// has to wait again.
    private func patienceEndNS(_ slot: SlotPointer) -> UInt64 {
        slot.pointee.firstParkedNS &+ context.plan.load.timeouts.requestNS
    }

    private func timeOutWaiting(_ cell: CellPointer, _ nowNS: UInt64) {
        guard nowNS >= cell.pointee.patienceEndNS else { return }
        cell.pointee.patienceEndNS = .max
        let parked = cell.pointee.parked
        cell.pointee.parked = SlotList()
        cell.pointee.parked.prepend(timeOut(parked, cell, nowNS), in: pool)
        let releasing = cell.pointee.releasing
        cell.pointee.releasing = SlotList()
        cell.pointee.releasing.prepend(timeOut(releasing, cell, nowNS), in: pool)
    }

    /// Fails those that have waited for too long, and gives the others.
    private func timeOut(_ list: SlotList, _ cell: CellPointer, _ nowNS: UInt64) -> SlotList {
        var left = list
        var patient = SlotList()
        while let slot = left.removeFirst(in: pool) {
            let endNS = patienceEndNS(slot)
            if nowNS < endNS {
                cell.pointee.patienceEndNS = min(cell.pointee.patienceEndNS, endNS)
                patient.append(slot, in: pool)
                continue
            }
            unpark(slot, nowNS)
            let reason = UInt16(AuthFailure.parkTimeout.rawValue)
            end(slot, .failed, cause: .unauthorized, detail: reason, nowNS: nowNS)
        }
        return patient
    }
}
