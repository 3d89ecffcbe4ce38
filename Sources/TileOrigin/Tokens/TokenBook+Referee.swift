import Synchronization

extension TokenBook {
    /// The first so many needless renewals after an expiry are told one by one.
    private static let duplicatesTold = 5
    private static let settledAfterNS: UInt64 = 1_000_000_000

    mutating func tell(_ kind: OriginNotice.Kind, cell: Int?, nowNS: UInt64) {
        guard let count = notices?.count else { return }
        guard count < TokenBook.noticesMax else {
            noticesOmitted += 1
            return
        }
        let subject = cell.map {
            RefereeBook.subject(clients[cells[$0].client].address, cell: cells[$0].name)
        }
        notices?.append(OriginNotice(subject: subject ?? "", kind: kind, atNS: nowNS))
    }

    /// Tells of the expiries that are over. A late refusal can open one again: so not at once,
    /// unless this is the last time.
    mutating func tellRecoveries(nowNS: UInt64, isLast: Bool) {
        var still: [Int] = []
        for expiry in untold {
            let record = expiries[expiry]
            guard let overNS = record.fullRecoveryNS,
                isLast
                    || MonotonicClock.elapsedNS(from: overNS, to: nowNS)
                        >= TokenBook.settledAfterNS
            else {
                still.append(expiry)
                continue
            }
            let afterNS = MonotonicClock.elapsedNS(from: record.firstRefusalNS, to: overNS)
            tell(
                .recovered(refusals: record.refusals, afterNS: afterNS),
                cell: record.cell, nowNS: overNS)
        }
        untold = still
    }

    /// Tells of a token that is about to be issued.
    mutating func tell(_ reason: Reason, _ renewal: OpenRenewal, nowNS: UInt64) {
        guard notices != nil else { return }
        let cell = cells[renewal.cell]
        let last = cell.lastExpiry.map { expiries[$0] }
        let kind: OriginNotice.Kind
        switch reason {
        case .first: kind = .first
        case .proactive: kind = .proactive
        case .start: kind = .start
        case .stranger: kind = .afterStrangers
        case .due where cell.newestFailed:
            kind = .renewed(
                afterNS: last.map {
                    MonotonicClock.elapsedNS(from: $0.firstRefusalNS, to: nowNS)
                })
        case .due: kind = .renewed(afterNS: nil)
        case .concurrent, .needless:
            let told = last?.renewals ?? cell.counts.issued
            guard told <= TokenBook.duplicatesTold else { return }
            kind = reason == .needless ? .needless : .concurrent
        }
        tell(kind, cell: renewal.cell, nowNS: nowNS)
    }

    func refereeBook(startedAtNS: UInt64, nowNS: UInt64) -> RefereeBook {
        var book = RefereeBook()
        book.clients = clients.map { client in
            var recorded = RefereeBook.Client(address: client.address)
            recorded.missing = client.missing
            recorded.unknown = client.unknown
            return recorded
        }
        book.cells = cells.map { recorded($0, nowNS: nowNS) }
        for state in left.values {
            if let cell = state.cell { book.cells[cell].tilesLeft += 1 }
        }
        book.expiries = expiries
        book.expiriesOmitted = expiriesOmitted
        book.cellsOmitted = counts.cellsOmitted
        book.clientsOmitted = counts.clientsOmitted
        book.tilesOmitted = counts.leftOmitted
        book.startedAtNS = startedAtNS
        book.endedAtNS = nowNS
        return book
    }

    private func recorded(_ cell: Cell, nowNS: UInt64) -> RefereeBook.Cell {
        let gauge = cell.handle.gauge
        var recorded = RefereeBook.Cell(client: cell.client, name: cell.name)
        recorded.counts = cell.counts
        recorded.delivered = gauge.pointee.delivered.load(ordering: .relaxed)
        recorded.outdatedSends = gauge.pointee.outdatedSends.load(ordering: .relaxed)
        recorded.knownDeadSends = gauge.pointee.knownDeadSends.load(ordering: .relaxed)
        recorded.attemptsMax = max(cell.attemptsMax, recorded.delivered > 0 ? 1 : 0)
        recorded.isAlive = token(cell.newest).map { !isDead($0, nowNS: nowNS) } ?? false
        recorded.firstRefusalNS = cell.firstRefusalNS
        recorded.triesSinceRefusal = cell.triesSinceRefusal
        return recorded
    }
}

extension TokenDesk {
    func refereeBook(startedAtNS: UInt64, nowNS: UInt64) -> RefereeBook {
        book.withLock { $0.refereeBook(startedAtNS: startedAtNS, nowNS: nowNS) }
    }

    func takeNotices(
        nowNS: UInt64, isLast: Bool
    ) -> (notices: [OriginNotice], omitted: UInt64) {
        book.withLock { book in
            book.tellRecoveries(nowNS: nowNS, isLast: isLast)
            let taken = (notices: book.notices ?? [], omitted: book.noticesOmitted)
            if book.notices != nil { book.notices = [] }
            book.noticesOmitted = 0
            return taken
        }
    }
}
