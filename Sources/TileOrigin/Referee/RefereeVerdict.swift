/// What the referee says of every client, and of all together.
package struct RefereeVerdict: Sendable {
    package enum Outcome: String, Sendable {
        /// Every expiry it met was renewed once, and it sent no token that it knew to be dead.
        case pass
        case fail
        /// It met no expiry.
        case notJudged = "none"
    }

    package enum Charge: String, Sendable {
        /// Tokens asked for while another request for one was open.
        case concurrent
        /// Tokens asked for while the last one was good.
        case needless
        /// Refresh tokens that it used a second time.
        case refreshTokenReuse = "refresh_token_reuse"
        /// A refused token that it never tried to renew.
        case neverRenewed = "never_renewed"
        /// Requests with a token whose refusal it had read.
        case knownDead = "known_dead_sends"
        /// Requests with a token although it had used a newer one.
        case outdated = "outdated_sends"
    }

    package struct Row: Sendable {
        /// The place of its cell in the book.
        package var cell: Int
        package var outcome: Outcome
        package var charges: [Charge]
        package var sentence: String
    }

    package var rows: [Row]
    /// Of clients that have no cell, as they never asked for a token.
    package var strangers: [String]
    package var outcome: Outcome
    /// The outcome in words.
    package var sentence: String
}

extension RefereeBook {
    /// A token that was refused for the first time so shortly before the end may yet be renewed.
    private static let patienceNS: UInt64 = 5_000_000_000

    /// Judges what was recorded; a pure function of it.
    package func judge() -> RefereeVerdict {
        let rows = cells.indices.filter { cells[$0].counts.requests > 0 }.map(judge)
        let withCells = Set(cells.map { $0.client })
        let strangers = clients.indices.filter { !withCells.contains($0) }.compactMap(stranger)
        let outcome: RefereeVerdict.Outcome =
            if rows.contains(where: { $0.outcome == .fail }) {
                .fail
            } else {
                rows.contains { $0.outcome == .pass } ? .pass : .notJudged
            }
        return RefereeVerdict(
            rows: rows, strangers: strangers, outcome: outcome,
            sentence: sentence(outcome, rows: rows, strangers: strangers))
    }

    private func judge(_ index: Int) -> RefereeVerdict.Row {
        let cell = cells[index]
        var charges: [RefereeVerdict.Charge] = []
        if cell.counts.concurrent > 0 { charges.append(.concurrent) }
        if cell.counts.needless > 0 { charges.append(.needless) }
        if cell.counts.refreshTokenReuse > 0 { charges.append(.refreshTokenReuse) }
        if neverRenewed(cell) { charges.append(.neverRenewed) }
        if cell.knownDeadSends > 0 { charges.append(.knownDead) }
        if cell.outdatedSends > 0 { charges.append(.outdated) }
        let outcome: RefereeVerdict.Outcome =
            if !charges.isEmpty {
                .fail
            } else {
                cell.renewedExpiries + cell.counts.proactive > 0 ? .pass : .notJudged
            }
        return RefereeVerdict.Row(
            cell: index, outcome: outcome, charges: charges,
            sentence: subject(index) + " " + sentence(cell, neverRenewed: neverRenewed(cell)))
    }

    private func neverRenewed(_ cell: Cell) -> Bool {
        guard !cell.isAlive, let firstNS = cell.firstRefusalNS, cell.triesSinceRefusal == 0 else {
            return false
        }
        return MonotonicClock.elapsedNS(from: firstNS, to: endedAtNS) >= RefereeBook.patienceNS
    }
}

extension RefereeBook.Cell {
    /// Tokens that had an end: refused, or renewed after it although no request met it.
    var expiries: UInt64 { counts.expiries + counts.unseenExpiries }

    /// Those of them that a newer token followed.
    var renewedExpiries: UInt64 {
        let isOpen = !isAlive && firstRefusalNS != nil
        return expiries - (isOpen ? min(expiries, 1) : 0)
    }

    /// Tokens after the first one, but those of clients started anew.
    var renewals: UInt64 { counts.issued > counts.starts ? counts.issued - 1 - counts.starts : 0 }
}
