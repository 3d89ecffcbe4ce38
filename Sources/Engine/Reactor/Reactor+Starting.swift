import CCurl
import Metrics
import TileModel
import Workload

extension Reactor {
    /// Asks started in one turn at most, so that answers are read in between.
    /// Must exceed the events of a turn, or answers would outrun starts and users would wait.
    private static let startsPerTurnMax = 2 * EventLoop.eventsMax

    // MARK: starting

    /// Starts the due asks of an open load; false when there will be no more.
    func startOpen(_ nowNS: UInt64) -> Bool {
        for _ in 0..<Self.startsPerTurnMax {
            guard canTakeSlot, let due = open?.next(nowNS: nowNS) else { break }
            begin(index: due.index, intendedNS: due.intendedNS, user: -1, nowNS: nowNS)
        }
        return open?.isExhausted(nowNS: nowNS) == false
    }

    /// Starts the asks of the users that are ready; false when every user has gone home.
    func startClosed(_ nowNS: UInt64) -> Bool {
        closed?.admit(nowNS: nowNS)
        for _ in 0..<Self.startsPerTurnMax {
            guard canTakeSlot, let ready = closed?.nextReady(nowNS: nowNS) else { break }
            let intendedNS = context.fromT0(ready.readyNS)
            let isOver = ready.readyNS >= startEndNS
            guard !isOver, let index = closed?.takeIndex(isWarmup: intendedNS < 0) else {
                closed?.retire()
                continue
            }
            begin(index: index, intendedNS: intendedNS, user: ready.user, nowNS: nowNS)
        }
        return closed?.isDone == false
    }

    /// One tile wanted: from the client's cache, or an ask.
    private func begin(index: UInt64, intendedNS: Int64, user: Int32, nowNS: UInt64) {
        let tile = context.stream.tile(at: index)
        if isCached(tile, user: user, intendedNS: intendedNS) {
            if user >= 0 { closed?.ready(user: user, nowNS: nowNS, hasSent: true) }
            return
        }
        let slot = user >= 0 ? pool.slot(ofUser: user, make: makeSlot) : pool.take(make: makeSlot)
        guard let slot else {
            preconditionFailure("the pool is as large as what may be open")
        }
        if !slot.pointee.isAttached { SlotCallbacks.attach(to: slot) }
        slot.pointee.begin(
            tile: tile, streamIndex: index, intendedNS: intendedNS, user: user, nowNS: nowNS)
        recorder.askStarted(
            zoom: tile.z, intendedNS: intendedNS, startedNS: context.fromT0(nowNS))
        enqueue(slot, nowNS)
    }

    private func isCached(_ tile: TileID, user: Int32, intendedNS: Int64) -> Bool {
        let isHit: Bool
        if let cache {
            isHit = cache.lookup(user: user, tile: tile.packed)
        } else if let shared = context.sharedCache {
            isHit = shared.lookup(tile: tile.packed)
        } else {
            return false
        }
        recorder.clientCache(isHit ? .hit : .miss, intendedNS: intendedNS)
        return isHit
    }

    /// A new slot with a libcurl handle that has all that never changes.
    private func makeSlot(_ index: Int32) -> Slot {
        let shard = Int(index) / slotsPerMulti
        while multis.count <= shard { multis.append(makeMulti(multis.count)) }
        let handle = CurlHandle()
        let serial = Int(index) * context.reactors + number
        connectionOptions.apply(to: handle, index: serial)
        if !spreadLists.isEmpty {
            handle.set(CURLOPT_CONNECT_TO, list: spreadLists[serial % spreadLists.count].head)
        }
        if context.looksAtBodies, context.plan.connection.compression {
            // What is to be looked at must be in its plain form, which libcurl makes.
            handle.set(CURLOPT_ACCEPT_ENCODING, text: ConnectionOptions.acceptEncoding)
        }
        handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
        handle.set(CURLOPT_PROTOCOLS_STR, text: "http,https")
        handle.set(CURLOPT_TIMEOUT_MS, milliseconds(context.plan.load.timeouts.requestNS))
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(context.plan.load.timeouts.requestNS))
        // With streams to share, a second request waits for the first connection's protocol.
        handle.set(CURLOPT_PIPEWAIT, context.plan.load.isOpen)
        var slot = Slot(index: index, reactor: self, handle: handle, shard: Int32(shard))
        slot.facts.cache.believed = context.believedHeader
        return slot
    }

    private func milliseconds(_ ns: UInt64) -> Int { Int(max(1, ns / 1_000_000)) }

    private func makeMulti(_ number: Int) -> CurlMulti {
        let plan = context.plan.connection
        let most = connectionsMax
        return CurlMulti(
            number: number, loop: loop, connectionsPerHostMax: most, streamsMax: plan.streams,
            isMultiplexed: context.plan.load.isOpen || plan.maximum != nil,
            connectionsKept: max(64, min(slotsPerMulti, context.slotsPerReactor) * 4))
    }

    // MARK: sending

    /// The ask wants to be sent (again).
    func enqueue(_ slot: SlotPointer, _ nowNS: UInt64) {
        slot.pointee.state = .queued
        slot.pointee.queuedNS = nowNS
        if slot.pointee.hasConnected {
            runQueue.append(slot, in: pool)
        } else {
            connectQueue.append(slot, in: pool)
        }
    }

    /// Takes asks from the run queue while there is room on the wire. The token is attached here,
    /// so that none of them carries one that was replaced while it waited.
    func handOverQueued(_ nowNS: UInt64) {
        while onWire < onWireMax, let slot = runQueue.removeFirst(in: pool) {
            if admit(slot, nowNS) { handOver(slot, nowNS) }
        }
        while onWire < onWireMax, connecting < connectingMax,
            let slot = connectQueue.removeFirst(in: pool)
        {
            if admit(slot, nowNS) { handOver(slot, nowNS) }
        }
        for number in touchedMultis {
            multis[Int(number)].isTouched = false
            multis[Int(number)].runTimer()
            settle(Int(number))
        }
        touchedMultis.removeAll(keepingCapacity: true)
    }

    private func handOver(_ slot: SlotPointer, _ nowNS: UInt64) {
        let now = nowNS
        slot.pointee.beginRequest(nowNS: now)
        slot.pointee.connectionWaitNS &+= now &- slot.pointee.queuedNS
        slot.pointee.state = .connecting
        slot.pointee.isRamped = !slot.pointee.hasConnected
        if slot.pointee.isRamped { connecting += 1 }
        if slot.pointee.redirects == 0 { writeURL(slot) }
        slot.pointee.handle.set(
            CURLOPT_URL, UnsafeRawPointer(slot.pointee.url).assumingMemoryBound(to: CChar.self))
        if slot.pointee.headersEpoch != headers.current.epoch {
            slot.pointee.setHeaders(headers.current)
        }
        onWire += 1
        let shard = slot.pointee.shard
        multis[Int(shard)].add(slot.pointee.handle)
        if !multis[Int(shard)].isTouched {
            multis[Int(shard)].isTouched = true
            touchedMultis.append(shard)
        }
    }

    private func writeURL(_ slot: SlotPointer) {
        let room = UnsafeMutableBufferPointer(start: slot.pointee.url, count: Slot.urlMax - 1)
        let length = context.runText.withUnsafeBufferPointer { run in
            let values = TemplateValues(
                token: token.buffer, run: run,
                random: SeededRandom.mix(context.plan.seed ^ slot.pointee.streamIndex))
            return context.templates.write(slot.pointee.tile, values: values, into: room)
        }
        precondition(length >= 0, "a URL longer than \(Slot.urlMax) bytes")
        slot.pointee.url[length] = 0
    }
}
