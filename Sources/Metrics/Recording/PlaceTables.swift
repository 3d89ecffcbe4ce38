/// What a recorder counts by place, in raw memory: one owner, the recorder.
struct PlaceTables {
    let count: Int
    private let asks: UnsafeMutablePointer<AskCounters>
    private let response: UnsafeMutablePointer<RawHistogram>
    /// Views by place; nil without viewers.
    private let views: UnsafeMutablePointer<ViewTables>?

    init(count: Int, hasViews: Bool) {
        self.count = count
        asks = .allocate(capacity: max(1, count))
        asks.initialize(repeating: AskCounters(), count: count)
        response = .allocate(capacity: max(1, count))
        views = hasViews ? .allocate(capacity: max(1, count)) : nil
        for place in 0..<count {
            (response + place).initialize(to: .allocate())
            if let views { (views + place).initialize(to: ViewTables()) }
        }
    }

    func deallocate() {
        for place in 0..<count {
            response[place].deallocate()
            views?[place].deallocate()
        }
        asks.deallocate()
        response.deallocate()
        views?.deallocate()
    }

    func started(_ place: UInt16) {
        guard Int(place) < count else { return }
        asks[Int(place)].started &+= 1
    }

    func count(_ end: borrowing AskEnd) {
        guard Int(end.place) < count else { return }
        asks[Int(end.place)].count(end)
        if end.cls != .cancelled { response[Int(end.place)].record(end.responseNS) }
    }

    func count(_ end: ViewOutcome) {
        guard Int(end.place) < count else { return }
        views?[Int(end.place)].count(end)
    }

    var rows: [PlaceRow] {
        (0..<count).map { place in
            let counters = asks[place]
            var row = PlaceRow()
            row.started = counters.started
            row.ok = counters.ok
            row.failed = counters.failed
            row.cancelled = counters.cancelled
            row.inFlightAtEnd = counters.inFlightAtEnd
            row.bytes = counters.bytes
            row.response = PackedHistogram(response[place])
            row.views = views.map { $0[place].result }
            return row
        }
    }
}
