/// What one reactor knows of one interval.
struct RowCounters: Sendable {
    var asks = AskCounters()
    var notStarted: UInt64 = 0
    var refusals: UInt64 = 0
    var clientHits: UInt64 = 0
    var clientLookups: UInt64 = 0
    var inFlight: UInt64 = 0
    var parked: UInt64 = 0
    /// Whether the two before were told in this interval.
    var hasGauge = false

    mutating func setGauge(inFlight: UInt64, parked: UInt64) {
        self.inFlight = inFlight
        self.parked = parked
        hasGauge = true
    }

    /// Adds an interval of the same reactor that is not earlier: its gauge stands for both.
    mutating func join(_ later: RowCounters) {
        asks.add(later.asks)
        notStarted += later.notStarted
        refusals += later.refusals
        clientHits += later.clientHits
        clientLookups += later.clientLookups
        if later.hasGauge { setGauge(inFlight: later.inFlight, parked: later.parked) }
    }
}

/// One interval of one reactor, packed.
struct PackedRow: Sendable {
    /// Interval number from T0.
    var index: Int
    var counters = RowCounters()
    var response = PackedHistogram()

    mutating func join(_ later: PackedRow) {
        counters.join(later.counters)
        response.add(later.response)
    }
}

/// The timeline of one reactor: rows in the order of time, those without any event left out.
struct TimelinePart: Sendable {
    static let secondNS: UInt64 = 1_000_000_000
    /// Beyond this many rows of a result neighbours are joined.
    static let rowsMax = 3600
    /// Beyond this many intervals a recorder joins neighbours: a little later, since the time after
    /// the measured part, which no result shows, passes here too.
    static let recordedRowsMax = 4096

    /// An interval is 2^shift seconds long, on a grid that begins at T0. Powers of two, so that the
    /// grids of all reactors and shards are refinements of each other.
    var shift = 0
    var rows: [PackedRow] = []

    /// Joins neighbours until an interval is 2^shift seconds long.
    mutating func coarsen(to shift: Int) {
        while self.shift < shift {
            var joined: [PackedRow] = []
            joined.reserveCapacity(rows.count / 2 + 1)
            for var row in rows {
                row.index >>= 1
                if let last = joined.indices.last, joined[last].index == row.index {
                    joined[last].join(row)
                } else {
                    joined.append(row)
                }
            }
            rows = joined
            self.shift += 1
        }
    }

    /// Calls `body` with that interval's row, made if need be.
    mutating func withRow(_ index: Int, _ body: (inout PackedRow) -> Void) {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].index < index { low = middle + 1 } else { high = middle }
        }
        if low == rows.count || rows[low].index != index {
            rows.insert(PackedRow(index: index), at: low)
        }
        body(&rows[low])
    }
}
