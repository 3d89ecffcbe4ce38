/// Users that are to become ready at a time, each at one at most: a binary heap in memory taken
/// once.
struct TimerHeap: ~Copyable {
    private struct Entry {
        var atNS: UInt64
        var user: Int32
    }

    private let entries: UnsafeMutablePointer<Entry>
    /// Where each user's entry is; -1: it has none.
    private let places: UnsafeMutablePointer<Int32>
    private(set) var count = 0

    /// - Parameter capacity: users, numbered from 0.
    init(capacity: Int) {
        entries = .allocate(capacity: max(1, capacity))
        places = .allocate(capacity: max(1, capacity))
        places.initialize(repeating: -1, count: max(1, capacity))
    }

    deinit {
        entries.deallocate()
        places.deallocate()
    }

    /// Monotonic ns of the earliest, or nil.
    var earliestNS: UInt64? { count == 0 ? nil : entries[0].atNS }

    /// The user's time, whether or not it had one.
    mutating func set(user: Int32, atNS: UInt64) {
        let entry = Entry(atNS: atNS, user: user)
        let place = Int(places[Int(user)])
        guard place >= 0 else {
            count += 1
            return rise(entry, from: count - 1)
        }
        if atNS < entries[place].atNS { rise(entry, from: place) } else { sink(entry, from: place) }
    }

    /// The earliest user that is due, with the time it became ready.
    mutating func popDue(nowNS: UInt64) -> (user: Int32, atNS: UInt64)? {
        guard count > 0, entries[0].atNS <= nowNS else { return nil }
        let top = entries[0]
        places[Int(top.user)] = -1
        count -= 1
        if count > 0 { sink(entries[count], from: 0) }
        return (top.user, top.atNS)
    }

    private func put(_ entry: Entry, _ place: Int) {
        entries[place] = entry
        places[Int(entry.user)] = Int32(place)
    }

    private func rise(_ entry: Entry, from place: Int) {
        var hole = place
        while hole > 0 {
            let parent = (hole - 1) / 2
            if entries[parent].atNS <= entry.atNS { break }
            put(entries[parent], hole)
            hole = parent
        }
        put(entry, hole)
    }

    private func sink(_ entry: Entry, from place: Int) {
        var hole = place
        while true {
            var child = 2 * hole + 1
            if child >= count { break }
            if child + 1 < count, entries[child + 1].atNS < entries[child].atNS { child += 1 }
            if entry.atNS <= entries[child].atNS { break }
            put(entries[child], hole)
            hole = child
        }
        put(entry, hole)
    }
}
