import Metrics
import Synchronization

/// What the control thread does with a cell: begins and ends it, spoils its token, reads its books.
extension TokenStore {
    /// True while no token was ever issued to it.
    package var isCold: Bool { cell.withLock { $0.isCold } }

    var flightsFailed: UInt64 { cell.withLock { $0.ledger.flightsFailed } }

    package func begin(
        _ credential: Credential, isDummy: Bool, lifeNS: UInt64? = nil, nowNS: UInt64
    ) {
        transition { cell in
            cell.begin(credential, isDummy: isDummy, lifeNS: lifeNS, nowNS: nowNS)
            return ((), TokenCell.Effects())
        }
    }

    /// Fetches the first token before any ask wants it; the flight's number.
    package func beginByRenewal(nowNS: UInt64) -> UInt64 {
        transition { $0.beginByRenewal(nowNS: nowNS) }
    }

    /// Spoils our own token. False: there was no fresh one.
    package func poison(_ text: (_ previous: String) -> String, nowNS: UInt64) -> Bool {
        transition { cell in
            let isPoisoned = cell.poison(text(cell.previous.text))
            if isPoisoned {
                cell.ledger.killed(
                    generation: cell.generation, serial: cell.serial, cause: .poisoned,
                    atNS: nowNS)
                killedSerial.store(cell.serial, ordering: .relaxed)
            }
            return (isPoisoned, TokenCell.Effects())
        }
    }

    /// Runs `revoke`, which makes the server revoke; the token that was current before it is dead
    /// from its return on. False: there was no fresh token.
    package func revoking(_ revoke: () -> Void) -> Bool {
        let before = cell.withLock { ($0.state, $0.generation, $0.serial) }
        revoke()
        let nowNS = MonotonicClock.nowNS()
        guard before.0 == .fresh else { return false }
        cell.withLock {
            $0.ledger.killed(
                generation: before.1, serial: before.2, cause: .revoked, atNS: nowNS)
        }
        killedSerial.store(before.2, ordering: .relaxed)
        return true
    }

    package func shutDown(nowNS: UInt64) {
        transition { ((), $0.shutDown(nowNS: nowNS)) }
    }

    /// The books with the time in the present state added.
    package func closedLedger(nowNS: UInt64) -> (ledger: TokenLedger, generation: UInt64) {
        cell.withLock { cell in
            var ledger = cell.ledger
            ledger.leave(cell.state, atNS: nowNS)
            return (ledger, cell.generation)
        }
    }
}
