package import Metrics
package import Synchronization

/// The one token cell of a run, shared by every reactor and the renewal thread.
///
/// Reactors look at `epoch` before every send (one atomic load) and take the lock only when it has
/// moved or when an ask is refused or must wait. Nobody waits inside the lock: it guards
/// transitions, never I/O.
package final class TokenStore: Sendable {
    /// What a reactor keeps of the cell while `epoch` stays the same.
    package struct View: Sendable {
        package var epoch: UInt64 = 0
        package var isFresh = false
        package var generation: UInt64 = 0
        package var token = ""
    }

    /// Moves after every change of state, generation or token text; even values only, so that 0
    /// never equals a published one.
    package let epoch = Atomic<UInt64>(1)
    /// Moves after every end of a flight and every cool-down.
    package let news = Atomic<UInt64>(0)
    /// True (1) between a first refusal and its full recovery.
    package let isWindowOpen = Atomic<Bool>(false)
    /// The newest generation that was spoilt or revoked on purpose; 0: none.
    package let killedGeneration = Atomic<UInt64>(0)
    private let cell: Mutex<TokenCell>
    private let renewal: RenewalQueue
    private let wakeReactors: @Sendable () -> Void

    package init(
        cell: TokenCell, renewal: RenewalQueue, wakeReactors: @escaping @Sendable () -> Void
    ) {
        self.cell = Mutex(cell)
        self.renewal = renewal
        self.wakeReactors = wakeReactors
    }

    // MARK: reactors

    /// The cell as it is now, for the sends until `epoch` moves.
    package func view() -> View {
        cell.withLock { cell in
            View(
                epoch: epoch.load(ordering: .acquiring), isFresh: cell.state == .fresh,
                generation: cell.generation, token: cell.token)
        }
    }

    package func acquire(nowNS: UInt64, joins: Bool) -> TokenCell.Admission {
        transition { $0.acquire(nowNS: nowNS, joins: joins) }
    }

    /// Also says which expiry event the refusal belongs to; -1: none.
    package func refused(
        generation: UInt64, refusals: Int, nowNS: UInt64
    ) -> (admission: TokenCell.Admission, event: Int32) {
        var event: Int32 = -1
        let admission = transition { cell in
            let result = cell.refused(generation: generation, refusals: refusals, nowNS: nowNS)
            event = Int32(cell.ledger.openEvent ?? -1)
            return result
        }
        return (admission, event)
    }

    /// A refusal of a token that cannot be renewed.
    package func refusedForGood() {
        cell.withLock { cell in
            cell.ledger.refusalsTotal += 1
            cell.ledger.refusalsExhausted += 1
        }
    }

    package func accepted(generation: UInt64, nowNS: UInt64) {
        cell.withLock { $0.accepted(generation: generation, atNS: nowNS) }
    }

    /// A waiting ask left the queue.
    package func leave() {
        cell.withLock { $0.leave() }
    }

    /// An ask that was refused in these events has ended.
    package func recovered(events: (Int32, Int32, Int32), nowNS: UInt64) {
        cell.withLock { cell in
            for event in [events.0, events.1, events.2] where event >= 0 {
                cell.ledger.recovered(event: Int(event), atNS: nowNS)
            }
            isWindowOpen.store(cell.ledger.isWindowOpen, ordering: .relaxed)
        }
    }

    package func end(of flight: UInt64) -> TokenCell.FlightEnd? {
        cell.withLock { $0.end(of: flight) }
    }

    /// Looks at an answer again whose token was not the current, confirmed one when it was read:
    /// was it sent although a newer token was here, or although its own was known to be dead?
    package func audit(
        generation: UInt64, sentNS: UInt64, isAccepted: Bool, cacheClass: CacheClass
    ) {
        cell.withLock { cell in
            if let next = cell.ledger.life(of: generation + 1)?.installedNS, next < sentNS {
                cell.ledger.outdatedSends += 1
                return
            }
            guard let life = cell.ledger.life(of: generation) else { return }
            if let flightStart = life.flightStartNS, flightStart < sentNS {
                cell.ledger.knownDeadSends += 1
            }
            let deadSince = [life.killedNS, life.firstRefusalNS].compactMap { $0 }.min()
            if isAccepted, let deadSince, deadSince < sentNS {
                cell.ledger.acceptedWhileExpired[Int(cacheClass.rawValue)] += 1
            }
        }
    }

    // MARK: the renewal thread

    package func isCurrent(flight: UInt64) -> Bool {
        cell.withLock { $0.flight == flight }
    }

    package func brought(flight: UInt64, token: String, nowNS: UInt64) -> Bool {
        transition { cell in
            let (isNew, effects) = cell.flightBrought(flight: flight, token: token, nowNS: nowNS)
            return (isNew, effects)
        }
    }

    package func failed(flight: UInt64, isPermanent: Bool, nowNS: UInt64) {
        transition { cell in
            ((), cell.flightFailed(flight: flight, isPermanent: isPermanent, nowNS: nowNS))
        }
    }

    /// True while no token was ever issued to this run.
    package var isCold: Bool { cell.withLock { $0.isCold } }

    // MARK: the control thread

    package func begin(token: String, isDummy: Bool, nowNS: UInt64) {
        transition { cell in
            cell.begin(token: token, isDummy: isDummy, nowNS: nowNS)
            return ((), TokenCell.Effects())
        }
    }

    /// Spoils our own token. False: there was no fresh one.
    package func poison(_ text: (_ previous: String) -> String, nowNS: UInt64) -> Bool {
        transition { cell in
            let isPoisoned = cell.poison(text(cell.previousToken))
            if isPoisoned {
                cell.ledger.killed(generation: cell.generation, cause: .poisoned, atNS: nowNS)
                killedGeneration.store(cell.generation, ordering: .relaxed)
            }
            return (isPoisoned, TokenCell.Effects())
        }
    }

    /// The server was told to revoke; `nowNS` is the time of its answer.
    package func revoked(nowNS: UInt64) {
        cell.withLock {
            $0.ledger.killed(generation: $0.generation, cause: .revoked, atNS: nowNS)
            killedGeneration.store($0.generation, ordering: .relaxed)
        }
    }

    package func shutDown(nowNS: UInt64) {
        transition { ((), $0.shutDown(nowNS: nowNS)) }
    }

    /// The books with the time in the present state added.
    package func closedLedger(nowNS: UInt64) -> TokenLedger {
        cell.withLock { cell in
            var ledger = cell.ledger
            ledger.leave(cell.state, atNS: nowNS)
            return ledger
        }
    }

    package func ledger() -> TokenLedger { cell.withLock { $0.ledger } }

    // MARK: parts

    /// One event: the transition under the lock, its effects after it.
    private func transition<Result: Sendable>(
        _ event: (inout sending TokenCell) -> (Result, TokenCell.Effects)
    ) -> Result {
        let (result, effects) = cell.withLock { cell in
            let before = (cell.state, cell.generation, cell.token)
            let outcome = event(&cell)
            if before != (cell.state, cell.generation, cell.token) {
                epoch.wrappingAdd(2, ordering: .acquiringAndReleasing)
            }
            if cell.ledger.isWindowOpen != isWindowOpen.load(ordering: .relaxed) {
                isWindowOpen.store(cell.ledger.isWindowOpen, ordering: .relaxed)
            }
            return outcome
        }
        if effects.wakes { news.wrappingAdd(1, ordering: .releasing) }
        if let flight = effects.abortsFlight { renewal.abort(flight: flight) }
        if let flight = effects.startsFlight { renewal.start(flight: flight) }
        if effects.wakes { wakeReactors() }
        return result
    }
}
