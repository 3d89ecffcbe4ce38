import TileModel

/// An ask as its line has it.
struct LoggedAsk {
    /// From whatever the log counts from.
    var timeNS: Int64
    /// Counts the asks in the order of the lines.
    var number: UInt64
    var session: UInt64
    var tile: TileID
    var source: UInt16
}

/// Asks in the order of time, those of one time in the order of their lines, as far as a window of
/// fixed size reaches: a binary heap in memory taken once.
struct TimeOrder: ~Copyable {
    private let asks: UnsafeMutablePointer<LoggedAsk>
    let capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        asks = .allocate(capacity: capacity)
    }

    deinit { asks.deallocate() }

    var isFull: Bool { count == capacity }
    var earliestNS: Int64? { count == 0 ? nil : asks[0].timeNS }

    private static func isBefore(_ one: LoggedAsk, _ other: LoggedAsk) -> Bool {
        (one.timeNS, one.number) < (other.timeNS, other.number)
    }

    mutating func push(_ ask: LoggedAsk) {
        precondition(count < capacity)
        var hole = count
        count += 1
        while hole > 0 {
            let parent = (hole - 1) / 2
            if TimeOrder.isBefore(asks[parent], ask) { break }
            (asks + hole).initialize(to: asks[parent])
            hole = parent
        }
        (asks + hole).initialize(to: ask)
    }

    mutating func popEarliest() -> LoggedAsk? {
        guard count > 0 else { return nil }
        let earliest = asks[0]
        count -= 1
        let last = asks[count]
        var hole = 0
        while true {
            var child = 2 * hole + 1
            if child >= count { break }
            if child + 1 < count, TimeOrder.isBefore(asks[child + 1], asks[child]) { child += 1 }
            if TimeOrder.isBefore(last, asks[child]) { break }
            asks[hole] = asks[child]
            hole = child
        }
        asks[hole] = last
        return earliest
    }
}
