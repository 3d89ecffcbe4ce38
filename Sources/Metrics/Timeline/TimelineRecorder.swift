/// Counts by time: rows of one second by the *intended* start of an ask.
///
/// The newest rows are dense (raw histograms, nothing allocated per record); a row that leaves the
/// ring is packed, and what still comes for it is inserted there. At `TimelinePart.recordedRowsMax`
/// intervals the interval doubles, so that the memory of a run of any length is bounded.
struct TimelineRecorder {
    /// Answers that take longer than this many intervals go the slower way.
    static let ringRows = 8

    private struct DenseRow {
        /// Interval number; -1 while unused.
        var index = -1
        var counters = RowCounters()
        let response = RawHistogram.allocate()
    }

    private let ring = UnsafeMutablePointer<DenseRow>.allocate(capacity: ringRows)
    private let old = UnsafeMutablePointer<TimelinePart>.allocate(capacity: 1)

    init() {
        for place in 0..<Self.ringRows { (ring + place).initialize(to: DenseRow()) }
        old.initialize(to: TimelinePart())
    }

    func deallocate() {
        for place in 0..<Self.ringRows { ring[place].response.deallocate() }
        ring.deallocate()
        old.deinitialize(count: 1)
        old.deallocate()
    }

    /// Calls `body` with the counters of the row that a time from T0 lies in.
    func row(atNS: Int64, _ body: (inout RowCounters) -> Void) {
        let index = index(atNS: atNS)
        if let dense = dense(index) {
            body(&dense.pointee.counters)
        } else {
            old.pointee.withRow(index) { body(&$0.counters) }
        }
    }

    func count(_ end: borrowing AskEnd) {
        let index = index(atNS: end.intendedNS)
        if let dense = dense(index) {
            dense.pointee.counters.asks.count(end)
            if end.cls != .cancelled { dense.pointee.response.record(end.responseNS) }
            return
        }
        let end = copy end
        old.pointee.withRow(index) { row in
            row.counters.asks.count(end)
            if end.cls != .cancelled { row.response.record(end.responseNS) }
        }
    }

    /// See `Recorder.recentResponse`.
    func recentResponse(atNS: Int64) -> PackedHistogram {
        guard atNS >= 0 else { return PackedHistogram() }
        let now = Int(UInt64(atNS) / TimelinePart.secondNS >> UInt64(old.pointee.shift))
        var newest: UnsafeMutablePointer<DenseRow>?
        for place in 0..<Self.ringRows {
            let row = ring + place
            guard row.pointee.index >= 0, row.pointee.index < now, !row.pointee.response.isEmpty
            else { continue }
            if row.pointee.index > newest?.pointee.index ?? -1 { newest = row }
        }
        guard let newest else { return PackedHistogram() }
        return PackedHistogram(newest.pointee.response)
    }

    /// All rows, packed; the recorder goes on.
    var part: TimelinePart {
        var part = old.pointee
        for place in 0..<Self.ringRows { pack(place, into: &part) }
        return part
    }

    /// The number of the interval a time lies in, after doubling it as often as needed.
    private func index(atNS: Int64) -> Int {
        let second = Int(UInt64(max(0, atNS)) / TimelinePart.secondNS)
        while _slowPath(second >> old.pointee.shift >= TimelinePart.recordedRowsMax) { double() }
        return second >> old.pointee.shift
    }

    /// The dense row of an interval, or nil when it has left the ring.
    private func dense(_ index: Int) -> UnsafeMutablePointer<DenseRow>? {
        let place = index & (Self.ringRows - 1)
        let row = ring + place
        if row.pointee.index == index { return row }
        if row.pointee.index > index { return nil }
        vacate(place)
        row.pointee.index = index
        return row
    }

    private func vacate(_ place: Int) {
        pack(place, into: &old.pointee)
        ring[place].index = -1
        ring[place].counters = RowCounters()
        ring[place].response.reset()
    }

    private func pack(_ place: Int, into part: inout TimelinePart) {
        guard ring[place].index >= 0 else { return }
        part.withRow(ring[place].index) { row in
            row.counters.join(ring[place].counters)
            row.response.add(ring[place].response)
        }
    }

    private func double() {
        for place in 0..<Self.ringRows { vacate(place) }
        old.pointee.coarsen(to: old.pointee.shift + 1)
    }
}
