extension TimelinePart {
    /// The rows of all reactors added up, on the coarsest grid that one of them has or that the
    /// measured time needs. No interval of the measured time is left out, and none behind it is
    /// kept unless an ask belongs to it.
    static func merged(_ parts: [TimelinePart], measuredNS: UInt64) -> [TimelineRow] {
        var shift = parts.map(\.shift).max() ?? 0
        while intervals(measuredNS, shift) > rowsMax { shift += 1 }
        let parts = parts.map { part in
            var part = part
            part.coarsen(to: shift)
            return part
        }
        let used = parts.compactMap { $0.rows.last(where: \.hasAsks)?.index }.max() ?? -1
        let count = max(intervals(measuredNS, shift), used + 1)
        let intervalNS = secondNS << UInt64(shift)
        var rows = (0..<count).map {
            TimelineRow(startNS: UInt64($0) * intervalNS, intervalNS: intervalNS)
        }
        for part in parts { part.add(to: &rows) }
        return rows
    }

    private static func intervals(_ durationNS: UInt64, _ shift: Int) -> Int {
        let intervalNS = secondNS << UInt64(shift)
        return Int((durationNS + intervalNS - 1) / intervalNS)
    }

    private func add(to rows: inout [TimelineRow]) {
        for row in self.rows where row.index < rows.count { rows[row.index].add(row) }
        // A reactor that had nothing to say in an interval has as many asks open as before.
        var gauge = RowCounters()
        var next = 0
        for index in rows.indices {
            if next < self.rows.count, self.rows[next].index == index {
                if self.rows[next].counters.hasGauge { gauge = self.rows[next].counters }
                next += 1
            }
            rows[index].inFlight += gauge.inFlight
            rows[index].parked += gauge.parked
        }
    }
}

extension PackedRow {
    fileprivate var hasAsks: Bool {
        counters.asks.started > 0 || counters.notStarted > 0 || counters.clientLookups > 0
            || response.count > 0
    }
}

extension TimelineRow {
    fileprivate mutating func add(_ row: PackedRow) {
        let counters = row.counters
        planned += counters.asks.started + counters.notStarted
        started += counters.asks.started
        ok += counters.asks.ok
        failed += counters.asks.failed
        bytes += counters.asks.bytes
        refusals += counters.refusals
        renewals += counters.renewals
        serverHits += counters.asks.serverHits
        serverKnown += counters.asks.serverKnown
        serverUnknown += counters.asks.serverUnknown
        serverGood += counters.asks.serverGood
        clientHits += counters.clientHits
        clientLookups += counters.clientLookups
        response.add(row.response)
    }
}
