/// Users that are to become ready at a time: a binary heap in memory taken once.
struct TimerHeap: ~Copyable {
    private struct Entry {
        var atNS: UInt64
        var user: Int32
    }

    private let entries: UnsafeMutablePointer<Entry>
    private let capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = max(1, capacity)
        entries = .allocate(capacity: self.capacity)
    }

    deinit { entries.deallocate() }

    /// Monotonic ns of the earliest, or nil.
    var earliestNS: UInt64? { count == 0 ? nil : entries[0].atNS }

    mutating func push(user: Int32, atNS: UInt64) {
        precondition(count < capacity, "a user waits in one place only")
        var hole = count
        count += 1
        while hole > 0 {
            let parent = (hole - 1) / 2
            if entries[parent].atNS <= atNS { break }
            entries[hole] = entries[parent]
            hole = parent
        }
        entries[hole] = Entry(atNS: atNS, user: user)
    }

    /// The earliest user that is due, with the time it became ready.
    mutating func popDue(nowNS: UInt64) -> (user: Int32, atNS: UInt64)? {
        guard count > 0, entries[0].atNS <= nowNS else { return nil }
        let top = entries[0]
        count -= 1
        let last = entries[count]
        var hole = 0
        while true {
            var child = 2 * hole + 1
            if child >= count { break }
            if child + 1 < count, entries[child + 1].atNS < entries[child].atNS { child += 1 }
            if last.atNS <= entries[child].atNS { break }
            entries[hole] = entries[child]
            hole = child
        }
        entries[hole] = last
        return (top.user, top.atNS)
    }
}
