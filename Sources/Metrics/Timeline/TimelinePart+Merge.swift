extension TimelinePart {
    /// The rows of all reactors added up, on the coarsest grid that one of them has or that the
    /// measured time needs. No interval of the measured time is left out, and none behind it is
    /// kept unless an ask belongs to it.
    static func merged(_ parts: [TimelinePart], measuredNS: UInt64) -> [TimelineRow] {
        let endNS = max(measuredNS, parts.map(\.asksEndNS).max() ?? 0)
        var shift = parts.map(\.shift).max() ?? 0
        while intervals(endNS, shift) > rowsMax { shift += 1 }
        let count = intervals(endNS, shift)
        let intervalNS = secondNS << UInt64(shift)
        var rows = (0..<count).map {
            TimelineRow(startNS: UInt64($0) * intervalNS, intervalNS: intervalNS)
        }
        for var part in parts {
            part.coarsen(to: shift)
            part.add(to: &rows)
        }
        return rows
    }

    /// End of the last interval that an ask belongs to.
    private var asksEndNS: UInt64 {
        guard let last = rows.last(where: \.hasAsks) else { return 0 }
        return UInt64(last.index + 1) * Self.secondNS << UInt64(shift)
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
        denied += counters.asks.denied
        bytes += counters.asks.bytes
        refusals += counters.refusals
        serverHits += counters.asks.serverHits
        serverKnown += counters.asks.serverKnown
        serverUnknown += counters.asks.serverUnknown
        serverGood += counters.asks.serverGood
        clientHits += counters.clientHits
        clientLookups += counters.clientLookups
        response.add(row.response)
    }
}
