import Metrics
import Synchronization
import TileModel
import Workload

extension Reactor {
    /// Must exceed the events of a turn, or answers would outrun starts and users would wait.
    static let startsPerTurnMax = 2 * EventLoop.eventsMax

    // MARK: starting

    /// Starts the due asks of an open load; false when there will be no more.
    func startOpen(_ nowNS: UInt64) -> Bool {
        for _ in 0..<Self.startsPerTurnMax {
            guard canTakeSlot, let due = open?.next(nowNS: nowNS) else { break }
            begin(
                context.choice(at: due.index), index: due.index, intendedNS: due.intendedNS,
                user: -1, nowNS: nowNS)
        }
        return open?.isExhausted(nowNS: nowNS) == false
    }

    /// One more turn of starting when the time is over: for what was due before the end and waited
    /// for nothing but this thread, which a busy machine let sleep.
    func startLast(_ nowNS: UInt64) {
        if viewers != nil { _ = runViewers(nowNS, isEnding: true) }
        guard !hasStartedLast else { return }
        hasStartedLast = true
        let endNS = min(startEndNS, context.control.startEndNS.load(ordering: .acquiring))
        if replay?.isTimed == true { _ = startTimed(nowNS, untilNS: min(nowNS, endNS)) }
        for _ in 0..<Self.startsPerTurnMax {
            guard canTakeSlot, let due = open?.next(nowNS: min(nowNS, endNS)) else { break }
            begin(
                context.choice(at: due.index), index: due.index, intendedNS: due.intendedNS,
                user: -1, nowNS: nowNS)
        }
    }

    /// Starts the asks of the users that are ready; false when every user has gone home.
    func startClosed(_ nowNS: UInt64) -> Bool {
        closed?.admit(nowNS: nowNS)
        for _ in 0..<Self.startsPerTurnMax {
            // From a log: the ask first, since its reader may be behind.
            if replay?.fill(nowNS: nowNS) == .empty { break }
            guard canTakeSlot, let ready = closed?.nextReady(nowNS: nowNS) else { break }
            let intendedNS = context.fromT0(ready.readyNS)
            let isOver = ready.readyNS >= startEndNS || replay?.isUsedUp == true
            guard !isOver, let index = context.takeIndex(isWarmup: intendedNS < 0) else {
                closed?.retire()
                continue
            }
            let choice = replay?.takeHand() ?? context.choice(at: index)
            begin(choice, index: index, intendedNS: intendedNS, user: ready.user, nowNS: nowNS)
        }
        return closed?.isDone == false
    }

    /// One tile wanted: from the client's cache, or an ask.
    func begin(
        _ choice: TileChoice, index: UInt64, intendedNS: Int64, user: Int32, nowNS: UInt64
    ) {
        let look = lookUp(choice, index: index, user: user, intendedNS: intendedNS, nowNS: nowNS)
        if look.isAnswered {
            if user >= 0 { closed?.ready(user: user, nowNS: nowNS, hasSent: true) }
            return
        }
        guard let slot = pool.take() else {
            preconditionFailure("the pool is as large as what may be open")
        }
        slot.pointee.begin(
            choice: choice, streamIndex: index, intendedNS: intendedNS, user: user, nowNS: nowNS)
        slot.pointee.cacheUse = look.use
        slot.pointee.cacheKey = look.key
        slot.pointee.keptBytes = look.keptBytes
        recorder.askStarted(
            zoom: choice.tile.z, source: choice.source, place: choice.place, intendedNS: intendedNS,
            startedNS: context.fromT0(nowNS))
        enqueue(slot, nowNS)
    }

    // MARK: sending

    /// The ask wants to be sent (again).
    func enqueue(_ slot: SlotPointer, _ nowNS: UInt64) {
        slot.pointee.state = .queued
        slot.pointee.queuedNS = nowNS
        slot.pointee.isToConnect = false
        runQueue.append(slot, in: pool)
    }

    /// Takes asks from the queues while the transport has room. The token is attached here, so that
    /// none of them carries one that was replaced while it waited.
    func handOverQueued(_ nowNS: UInt64) {
        while transport.hasRoom, !transport.isRampFull,
            let slot = connectQueue.removeFirst(in: pool)
        {
            if admit(slot, nowNS) { handOver(slot, nowNS) }
        }
        while transport.hasRoom, let slot = runQueue.removeFirst(in: pool) {
            if transport.mustWaitToConnect(user: slot.pointee.user) {
                slot.pointee.isToConnect = true
                connectQueue.append(slot, in: pool)
            } else if admit(slot, nowNS) {
                handOver(slot, nowNS)
            }
        }
        transport.flush()
    }

    private func handOver(_ slot: SlotPointer, _ nowNS: UInt64) {
        slot.pointee.connectionWaitNS &+= nowNS &- slot.pointee.queuedNS
        slot.pointee.state = .carried
        writeURL(slot, into: transport.take(for: slot, nowNS: nowNS))
        let lines = hasTokens ? cells.of(slot).pointee.lines ?? headers.bare : headers.bare
        slot.pointee.isConditional = setCondition(slot)
        transport.send(slot, headers: lines, isConditional: slot.pointee.isConditional)
    }

    private func writeURL(_ slot: SlotPointer, into url: UnsafeMutablePointer<UInt8>) {
        if let redirect = slot.pointee.redirectURL {
            for (index, byte) in redirect.utf8.enumerated() { url[index] = byte }
            url[redirect.utf8.count] = 0
            return
        }
        let room = UnsafeMutableBufferPointer(start: url, count: Transport.urlMax - 1)
        var values = TemplateValues(random: context.random(index: slot.pointee.streamIndex))
        if hasTokens {
            let cell = cells.of(slot)
            values.token = cell.pointee.text.token
            values.tokenParts = cell.pointee.text.parts
        }
        let length = context.runText.withUnsafeBufferPointer { run in
            values.run = run
            return context.templates.write(
                slot.pointee.tile, source: slot.pointee.source, values: values, into: room)
        }
        precondition(length >= 0, "a URL longer than \(Transport.urlMax) bytes")
        url[length] = 0
    }
}
