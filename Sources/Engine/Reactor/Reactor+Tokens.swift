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
        if tokenView.isFresh {
            slot.pointee.generation = tokenView.generation
            return true
        }
        let admission = tokens.acquire(nowNS: nowNS, joins: !slot.pointee.hasJoined)
        return follow(admission, slot, nowNS)
    }

    private func refreshToken(_ tokens: TokenStore) {
        let view = tokens.view()
        if view.token != tokenView.token || tokenView.epoch == 0 {
            token.set(view.token)
            if headers.holdsToken { headers.rebuild(token: view.token, epoch: view.epoch) }
        }
        tokenView = view
    }

    /// Does what the machine said; true: send now.
    func follow(_ admission: TokenCell.Admission, _ slot: SlotPointer, _ nowNS: UInt64) -> Bool {
        switch admission {
        case .send(let generation):
            if let tokens = context.tokens { refreshToken(tokens) }
            slot.pointee.generation = generation
            return true
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

    // MARK: the end of flights

    /// A flight ended somewhere: those who waited for it go on, or fail with it.
    func takeNews(_ nowNS: UInt64) {
        guard let tokens = context.tokens else { return }
        let news = tokens.news.load(ordering: .acquiring)
        guard news != newsSeen else { return }
        newsSeen = news
        var released = 0
        for _ in 0..<parkedList.count {
            guard let slot = parkedList.removeFirst(in: pool) else { break }
            switch tokens.end(of: slot.pointee.flight) {
            case .ok:
                slot.pointee.state = .releasing
                releaseList.append(slot, in: pool)
                released += 1
            case .failed(let reason):
                unpark(slot, tokens, nowNS)
                end(
                    slot, .failed, cause: .unauthorized, detail: UInt16(reason.rawValue),
                    nowNS: nowNS)
            case nil:
                parkedList.append(slot, in: pool)
            }
        }
        if released > 0 { release.begin(count: releaseList.count, nowNS: nowNS) }
    }

    /// Lets the next part of the waiting asks go. Each asks the machine again at hand-over: when
    /// the new token has died meanwhile they wait once more instead of being sent with it.
    func releaseParked(_ nowNS: UInt64) {
        guard !releaseList.isEmpty, let tokens = context.tokens else { return }
        var room = release.step(nowNS: nowNS)
        while room > 0, let slot = releaseList.removeFirst(in: pool) {
            room -= 1
            unpark(slot, tokens, nowNS)
            slot.pointee.hasJoined = false
            enqueue(slot, nowNS)
        }
        if releaseList.isEmpty { release.end() }
    }

    /// The ask leaves the queue of those that wait, whatever becomes of it.
    func unpark(_ slot: SlotPointer, _ tokens: TokenStore, _ nowNS: UInt64) {
        let waited = nowNS &- slot.pointee.parkedNS
        slot.pointee.tokenWaitNS &+= waited
        recorder.parkEnded(waitedNS: waited)
        tokens.leave()
    }

    // MARK: deadlines

    private static let sweepNS: UInt64 = 20_000_000

    /// E7 and the timeouts by phase, looked at fifty times a second.
    func sweepDeadlines(_ nowNS: UInt64) {
        guard nowNS >= nextSweepNS else { return }
        nextSweepNS = nowNS &+ Self.sweepNS
        if let tokens = context.tokens {
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
        if context.plan.load.timeouts.hasPhases { strikePhases(nowNS) }
    }

    private func strikePhases(_ nowNS: UInt64) {
        let timeouts = context.plan.load.timeouts
        // By number: an ask that ends gives its slot back to the pool.
        for index in 0..<Int32(pool.count) {
            let slot = pool[index]
            guard let phase = slot.pointee.overduePhase(timeouts, nowNS: nowNS) else { continue }
            slot.pointee.struckPhase = phase.rawValue
            multis[Int(slot.pointee.shard)].remove(slot.pointee.handle)
            finished(slot, .timedOut)
        }
    }
}
