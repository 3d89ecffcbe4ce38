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

    /// Nil: there is no fresh one.
    var tokenInUse: TokenCells.Token? {
        cell.withLock { cell in
            cell.state == .fresh
                ? TokenCells.Token(
                    cell: number, generation: cell.generation, serial: cell.serial)
                : nil
        }
    }

    /// Spoils our own token. False: there was no fresh one.
    func poison(_ text: (_ previous: String) -> String, injection: Int, nowNS: UInt64) -> Bool {
        transition { cell in
            let (previous, text) = (cell.previous.text, text(cell.previous.text))
            let isPoisoned = cell.poison(text)
            if isPoisoned {
                // An older token may live yet: only the server knows.
                let isDead = text != previous || previous.isEmpty
                cell.ledger.killed(
                    generation: cell.generation, serial: isDead ? cell.serial : 0,
                    cause: .poisoned, injection: injection, atNS: nowNS)
                if isDead { killedSerial.max(cell.serial, ordering: .relaxed) }
            }
            return (isPoisoned, TokenCell.Effects())
        }
    }

    /// The server has ended that token, which was in use when it was asked to.
    func revoked(_ token: TokenCells.Token, injection: Int, nowNS: UInt64) {
        cell.withLock { cell in
            // It may have refused somebody before it answered us.
            let isSeen = cell.generation > token.generation || cell.state != .fresh
            cell.ledger.killed(
                generation: token.generation, serial: token.serial, cause: .revoked,
                injection: injection, isSeen: isSeen, atNS: nowNS)
        }
        killedSerial.max(token.serial, ordering: .relaxed)
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
