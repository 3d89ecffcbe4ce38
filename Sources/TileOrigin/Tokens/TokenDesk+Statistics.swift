import Synchronization

extension TokenDesk {
    func statistics(nowNS: UInt64) -> (tokens: TokenStatistics, expiries: TokenExpiries) {
        book.withLock { ($0.statistics(nowNS: nowNS), $0.expiryList) }
    }

    /// Sums of what the hot path counts for each cell.
    func oldSends() -> (outdated: UInt64, knownDead: UInt64) {
        book.withLock { book in
            var sums: (outdated: UInt64, knownDead: UInt64) = (0, 0)
            for cell in book.cells {
                let gauge = cell.handle.gauge
                sums.outdated += gauge.pointee.outdatedSends.load(ordering: .relaxed)
                sums.knownDead += gauge.pointee.knownDeadSends.load(ordering: .relaxed)
            }
            return sums
        }
    }
}

/// The ends of tokens that were seen, up to a limit, in the order of their first refusals.
package struct TokenExpiries: Sendable {
    package var records: [ExpiryRecord] = []
    package var omitted: UInt64 = 0
    /// By the cells' numbers.
    package var cellNames: [String] = []

    package init() {}
}

extension TokenBook {
    func statistics(nowNS: UInt64) -> TokenStatistics {
        var result = counts
        result.live = tokens.count { !isDead($0, nowNS: nowNS) }
        for cell in cells { result.sum += cell.counts }
        result.cells = cells.count
        result.asksLeftRejected = UInt64(left.count)
        return result
    }

    var expiryList: TokenExpiries {
        var list = TokenExpiries()
        list.records = expiries
        list.omitted = expiriesOmitted
        list.cellNames = cells.map { $0.name }
        return list
    }
}
