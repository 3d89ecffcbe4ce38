package import Metrics
package import Synchronization

/// One token cell of a run, shared by the reactors that use it and the renewal thread.
///
/// Reactors look at `epoch` before every send (one atomic load) and take the lock only when it has
/// moved or when an ask is refused or must wait. Nobody waits inside the lock: it guards
/// transitions, never I/O.
package final class TokenStore: Sendable {
    /// What a reactor keeps of the cell while `epoch` stays the same.
    package struct View: Sendable {
        package var epoch: UInt64 = 0
        /// Asks may be sent without asking the cell, until `actsAtNS`.
        package var sendsFreely = false
        package var actsAtNS: UInt64 = .max
        package var isFresh = false
        /// One ask tries the new token, and may be sent.
        package var hasCanary = false
        package var generation: UInt64 = 0
        /// Tells the credential's texts apart, spoilt ones included.
        package var serial: UInt64 = 0
        package var credential = Credential("")
    }

    /// Moves after every change of state, generation or token text; 0 is no published value.
    package let epoch = Atomic<UInt64>(1)
    /// True (1) between a first refusal and its full recovery.
    package let isWindowOpen = Atomic<Bool>(false)
    /// Serial number of the newest text that was spoilt or revoked on purpose; 0: none.
    package let killedSerial = Atomic<UInt64>(0)
    /// The next answer that is no refusal is to be told (`proved`).
    let wantsProof = Atomic<Bool>(false)
    /// Which of the run's cells it is, from 0.
    package let number: Int
    let cell: Mutex<TokenCell>
    private let hub: TokenHub

    init(number: Int = 0, cell: TokenCell, hub: TokenHub) {
        self.number = number
        self.cell = Mutex(cell)
        self.hub = hub
    }

    // MARK: reactors

    /// The cell as it is now, for the sends until `epoch` moves.
    package func view() -> View {
        cell.withLock { cell in
            View(
                epoch: epoch.load(ordering: .acquiring), sendsFreely: cell.sendsFreely,
                actsAtNS: cell.actsAtNS, isFresh: cell.state == .fresh,
                hasCanary: cell.hasCanary, generation: cell.generation, serial: cell.serial,
                credential: cell.credential)
        }
    }

    /// A request with the token of that generation may leave now.
    func allows(generation: UInt64, isCanary: Bool) -> Bool {
        cell.withLock { cell in
            cell.generation == generation && (cell.sendsFreely || isCanary && cell.hasCanary)
        }
    }

    /// Also says which expiry event a wait was counted with; -1: none.
    package func acquire(
        nowNS: UInt64, joins: Bool
    ) -> (admission: TokenCell.Admission, event: Int32) {
        transition { cell in
            let (admission, effects) = cell.acquire(nowNS: nowNS, joins: joins)
            guard case .park = admission else { return ((admission, -1), effects) }
            return ((admission, cell.ledger.expiries.awaited()), effects)
        }
    }

    /// Also says which expiry event the refusal was counted with; -1: none, as of one that speaks
    /// of the tile or is held.
    package func refused(
        _ refusal: Refusal, nowNS: UInt64
    ) -> (admission: TokenCell.Admission, event: Int32) {
        judged { $0.refused(refusal, nowNS: nowNS) }
    }

    /// As `refused`, for an ask that was held.
    package func reconsider(
        _ refusal: Refusal, nowNS: UInt64
    ) -> (admission: TokenCell.Admission, event: Int32) {
        judged { $0.reconsider(refusal, nowNS: nowNS) }
    }

    private func judged(
        _ judge: (inout sending TokenCell) -> (TokenCell.Admission, TokenCell.Effects)
    ) -> (admission: TokenCell.Admission, event: Int32) {
        transition { cell in
            let before = cell.ledger.expiries.refusals
            let (admission, effects) = judge(&cell)
            let isCounted = cell.ledger.expiries.refusals != before
            return ((admission, isCounted ? cell.ledger.expiries.lastRefused : -1), effects)
        }
    }

    /// A held ask ended with the run.
    package func leaveHeld() { cell.withLock { $0.leaveHeld() } }

    /// The ask that tried a new token ended without an answer.
    package func canaryLost(generation: UInt64) {
        transition { ((), $0.canaryLost(generation: generation)) }
    }

    /// A refusal of a token that cannot be renewed.
    package func refusedForGood() {
        cell.withLock { cell in
            cell.ledger.refusalsTotal += 1
            cell.ledger.refusalsExhausted += 1
        }
    }

    /// `hasHelped`: the ask had been refused with an older token.
    package func accepted(
        generation: UInt64, layer: UInt8 = 0, hasHelped: Bool = false, nowNS: UInt64
    ) {
        transition {
            let effects = $0.accepted(
                generation: generation, layer: layer, hasHelped: hasHelped, atNS: nowNS)
            return ((), effects)
        }
    }

    /// A request that was sent at that time was accepted with the text of that serial.
    func proved(serial: UInt64, sentNS: UInt64, nowNS: UInt64) {
        transition {
            $0.proved(serial: serial, sentNS: sentNS, nowNS: nowNS)
            return ((), TokenCell.Effects())
        }
    }

    /// The newest request, of any reactor, that shows that a text of the token works.
    func proof() -> (serial: UInt64, sentNS: UInt64) {
        cell.withLock { ($0.provenSerial, $0.provenSentNS) }
    }

    /// A waiting ask left the queue.
    package func leave() {
        cell.withLock {
            $0.leave()
            hub.noteParked(by: -1)
        }
    }

    /// An ask that was refused in these expiries has ended.
    func recovered(_ events: InlineArray<11, Int32>, nowNS: UInt64) {
        cell.withLock { cell in
            for index in events.indices where events[index] >= 0 {
                cell.ledger.expiries.recovered(events[index], atNS: nowNS)
            }
            isWindowOpen.store(cell.isWindowOpen, ordering: .relaxed)
        }
    }

    /// As the other, for one event: that of a wait, or the oldest of an ask that is refused more
    /// often than it can remember.
    func recovered(_ event: Int32, nowNS: UInt64) {
        cell.withLock { cell in
            cell.ledger.expiries.recovered(event, atNS: nowNS)
            isWindowOpen.store(cell.isWindowOpen, ordering: .relaxed)
        }
    }

    package func end(of flight: UInt64) -> TokenCell.FlightEnd? {
        cell.withLock { $0.flightEnds.end(of: flight) }
    }

    /// What has ended, for all who wait.
    func flightEnds() -> FlightEnds { cell.withLock { $0.flightEnds } }

    /// Looks at an answer again whose token was not the current, confirmed one when it was read.
    package func audit(
        generation: UInt64, serial: UInt64, sentNS: UInt64, isAccepted: Bool,
        cacheClass: CacheClass
    ) {
        cell.withLock {
            $0.ledger.audit(
                generation: generation, serial: serial, sentNS: sentNS, isAccepted: isAccepted,
                cacheClass: cacheClass)
        }
    }

    // MARK: the renewal thread

    /// What a flight brought, by a request sent at `sentNS`; `lifeNS` from then, nil: unknown.
    package func brought(
        flight: UInt64, credential: Credential, sentNS: UInt64, lifeNS: UInt64?, nowNS: UInt64
    ) -> TokenCell.Delivery {
        transition { cell in
            let result = cell.flightBrought(
                flight: flight, credential, sentNS: sentNS, lifeNS: lifeNS, nowNS: nowNS)
            // Nobody waits for a token that is there before the run begins.
            if result.0 == .taken, cell.generation > 1 { hub.releaseWatch.begin(nowNS: nowNS) }
            return result
        }
    }

    /// The flight takes longer than any may; the renewal thread gives it up.
    package func overdue(flight: UInt64, nowNS: UInt64) {
        transition { ((), $0.flightOverdue(flight: flight, nowNS: nowNS)) }
    }

    package func failed(
        flight: UInt64, isPermanent: Bool, retryAfterNS: UInt64, nowNS: UInt64
    ) {
        transition { cell in
            let effects = cell.flightFailed(
                flight: flight, isPermanent: isPermanent, retryAfterNS: retryAfterNS, nowNS: nowNS)
            return ((), effects)
        }
    }

    // MARK: parts

    /// One event: the transition under the lock, its effects after it.
    func transition<Result: Sendable>(
        _ event: (inout sending TokenCell) -> (Result, TokenCell.Effects)
    ) -> Result {
        let (result, effects, generation, isNew) = cell.withLock { cell in
            let before = (
                changes: cell.changes, generation: cell.generation, parked: cell.parked
            )
            let outcome = event(&cell)
            if before.parked != cell.parked { hub.noteParked(by: cell.parked - before.parked) }
            if before.changes != cell.changes {
                epoch.wrappingAdd(2, ordering: .acquiringAndReleasing)
            }
            isWindowOpen.store(cell.isWindowOpen, ordering: .relaxed)
            wantsProof.store(cell.wantsProof, ordering: .relaxed)
            return (
                outcome.0, outcome.1, cell.generation, before.generation != cell.generation
            )
        }
        // Stamped once every thread can see the change, so that a request sent a moment earlier is
        // not accused.
        if isNew || effects.blocks {
            let seenNS = MonotonicClock.nowNS()
            cell.withLock { cell in
                // A flight that found the token still good meanwhile has taken the news back.
                if !isNew, cell.state == .fresh { return }
                cell.ledger.seen(generation: generation, isFlight: !isNew, atNS: seenNS)
            }
        }
        if let flight = effects.abortsFlight { hub.renewal.abort(cell: number, flight: flight) }
        if let flight = effects.startsFlight { hub.renewal.start(cell: number, flight: flight) }
        if effects.wakes { hub.news.tell(cell: number) }
        return result
    }
}
