import Metrics
import TileModel
import Workload

extension Reactor {
    /// What the client's cache says to a tile that is wanted.
    struct CacheLook {
        var use = Slot.CacheUse.none
        var key: UInt64 = 0
        var keptBytes: UInt64 = 0
        /// No request is needed.
        var isAnswered = false
    }

    /// Looks a tile up in the client's cache, and counts what is decided by that alone: a
    /// validation counts when it has ended.
    func lookUp(
        _ choice: TileChoice, index: UInt64, user: Int32, intendedNS: Int64, nowNS: UInt64
    ) -> CacheLook {
        guard let caches, let cacheKeys else { return CacheLook() }
        var look = CacheLook()
        look.key = cacheKeys.key(choice, index: index)
        let tokenMark = tokenMark(user: user)
        let found = caches.use {
            $0.lookup(user: user, key: look.key, tokenMark: tokenMark, nowNS: nowNS)
        }
        look.keptBytes = found.bodyBytes
        switch found.state {
        case .miss:
            look.use = .miss
            recorder.clientCache(.miss, savedBytes: 0, intendedNS: intendedNS)
        case .hit, .refresh:
            look.use = found.state == .refresh ? .refresh : .none
            look.isAnswered = found.state == .hit
            recorder.clientCache(
                found.isStale ? .staleHit : .hit, savedBytes: found.bodyBytes,
                intendedNS: intendedNS)
            if found.state == .refresh { recorder.clientRefresh(intendedNS: intendedNS) }
        case .revalidate:
            look.use = .revalidate
        }
        return look
    }

    /// Tells tokens apart where `Vary` may name the header they are in.
    private func tokenMark(user: Int32) -> UInt64 {
        guard hasTokens, headers.holdsToken else { return 0 }
        let cell = cells.of(user: user)
        return tokenMark(cell, serial: cell.pointee.view.serial)
    }

    private func tokenMark(_ cell: CellPointer, serial: UInt64) -> UInt64 {
        UInt64(cell.pointee.store.number) << 40 ^ serial
    }

    /// Makes the request conditional where it can be; whether it is.
    func setCondition(_ slot: SlotPointer) -> Bool {
        switch slot.pointee.cacheUse {
        case .none, .miss: return false
        case .revalidate, .refresh: break
        }
        // Where a redirect leads is another resource, of which nothing is kept.
        guard slot.pointee.redirectURL == nil, let caches,
            let condition = transport.condition(of: slot)
        else { return false }
        return caches.use {
            $0.copyValidators(
                user: slot.pointee.user, key: slot.pointee.cacheKey, into: condition)
        }
    }

    /// Keeps a good answer in the client's cache.
    func store(_ slot: SlotPointer, _ exchange: Exchange, _ nowNS: UInt64) {
        guard let caches, slot.pointee.cacheUse != .none else { return }
        // By the rules of HTTP the answer is that of another URL.
        if slot.pointee.redirects > 0, context.plan.cache.client?.rules == .rfc9111 { return }
        var mark: UInt64 = 0
        if hasTokens, headers.holdsToken {
            mark = tokenMark(cells.of(slot), serial: slot.pointee.tokenSerial)
        }
        let times = times(exchange, nowNS)
        let evicted = caches.use {
            $0.store(
                user: slot.pointee.user, key: slot.pointee.cacheKey,
                bodyBytes: slot.pointee.bodyBytes, status: exchange.status, tokenMark: mark,
                notes: exchange.notes, times: times)
        }
        guard let evicted else { return }
        recorder.clientStored(evicted: evicted, intendedNS: slot.pointee.intendedNS)
    }

    /// The server has said that the kept answer is still good.
    func freshen(_ slot: SlotPointer, _ exchange: Exchange, _ nowNS: UInt64) {
        guard let caches, let notes = exchange.notes else { return }
        let times = times(exchange, nowNS)
        caches.use {
            $0.freshen(
                user: slot.pointee.user, key: slot.pointee.cacheKey, notes: notes, times: times)
        }
    }

    private func times(_ exchange: Exchange, _ nowNS: UInt64) -> AnswerTimes {
        AnswerTimes(
            sentNS: exchange.sentNS, receivedNS: nowNS,
            receivedEpochS: Int64(MonotonicClock.epochNS() / 1_000_000_000))
    }

    /// The ask is over: what its validation came to.
    func endCacheUse(_ slot: SlotPointer, _ cls: AskClass) {
        switch slot.pointee.cacheUse {
        case .none, .miss:
            break
        case .revalidate:
            let isGood =
                cls == .ok && slot.pointee.isConditional && slot.pointee.lastStatus == 304
            recorder.clientCache(
                isGood ? .revalidated : .miss, savedBytes: isGood ? slot.pointee.keptBytes : 0,
                intendedNS: slot.pointee.intendedNS)
        case .refresh:
            caches?.use {
                $0.endRefresh(user: slot.pointee.user, key: slot.pointee.cacheKey)
            }
        }
    }

    /// One reactor tells of a shared cache.
    func publishCacheBytes() {
        switch caches {
        case .own(let cache): recorder.clientHolds(bytes: cache.bytes)
        case .shared(let shared):
            if number == 0 { recorder.clientHolds(bytes: shared.use { $0.bytes }) }
        case nil: break
        }
    }
}
