/// The books of client caches: which answers are kept, in the order of their last use, found by
/// user and key. Memory is taken when it grows, never per look-up. Owned by one thread.
struct KeptTiles {
    /// One list by use: a user's, or the one of all.
    private struct Shelf {
        var newest: Int32 = -1
        var oldest: Int32 = -1
        var bytes: UInt64 = 0
    }

    struct Entry {
        let key: UInt64
        let shelf: Int32
        let bytes: UInt64
        var kept = KeptAnswer()
        fileprivate var newer: Int32 = -1
        /// Of a free entry: the next free one.
        fileprivate var older: Int32 = -1

        init(key: UInt64, shelf: Int, bytes: UInt64) {
            self.key = key
            self.shelf = Int32(shelf)
            self.bytes = bytes
        }
    }

    /// Sum over all shelves.
    private(set) var bytes: UInt64 = 0
    private(set) var count = 0

    private var shelves = UnsafeMutableBufferPointer<Shelf>(start: nil, count: 0)
    private var entries = UnsafeMutableBufferPointer<Entry>(start: nil, count: 0)
    private var firstFree: Int32 = -1
    /// Open addressing with linear probing; -1: empty. A power of two, at most half full.
    private var table = UnsafeMutableBufferPointer<Int32>(start: nil, count: 0)

    func deallocate() {
        shelves.deallocate()
        entries.deallocate()
        table.deallocate()
    }

    /// Of an entry in use.
    subscript(index: Int32) -> Entry {
        get { entries[Int(index)] }
        nonmutating set { entries[Int(index)] = newValue }
    }

    func find(_ key: UInt64, _ shelf: Int) -> Int32? {
        place(of: key, shelf).map { table[$0] }
    }

    /// It was used just now.
    mutating func touch(_ index: Int32) {
        unlink(index)
        linkNewest(index)
    }

    func bytes(ofShelf shelf: Int) -> UInt64 { shelf < shelves.count ? shelves[shelf].bytes : 0 }

    /// The one least recently used; nil when the shelf is empty.
    func oldest(ofShelf shelf: Int) -> Int32? {
        guard shelf < shelves.count, shelves[shelf].oldest >= 0 else { return nil }
        return shelves[shelf].oldest
    }

    /// Of a key that is not there yet.
    mutating func insert(_ entry: Entry) {
        growShelves(to: Int(entry.shelf))
        growEntries()
        let index = firstFree
        firstFree = entries[Int(index)].older
        entries[Int(index)] = entry
        put(index)
        linkNewest(index)
        count += 1
        bytes += entry.bytes
        shelves[Int(entry.shelf)].bytes += entry.bytes
    }

    mutating func remove(_ index: Int32) {
        let entry = entries[Int(index)]
        guard let place = place(of: entry.key, Int(entry.shelf)) else {
            preconditionFailure("an entry that cannot be found")
        }
        unlink(index)
        closeGap(at: place)
        count -= 1
        bytes -= entry.bytes
        shelves[Int(entry.shelf)].bytes -= entry.bytes
        entries[Int(index)].older = firstFree
        firstFree = index
    }

    // MARK: The table

    /// Mixes all bits of both parts (the finalizer of SplitMix64).
    private func home(_ key: UInt64, _ shelf: Int) -> Int {
        var hash = key ^ (UInt64(truncatingIfNeeded: shelf) &* 0x9E37_79B9_7F4A_7C15)
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int(truncatingIfNeeded: hash ^ (hash >> 31)) & (table.count - 1)
    }

    private func place(of key: UInt64, _ shelf: Int) -> Int? {
        guard table.count > 0 else { return nil }
        var place = home(key, shelf)
        while table[place] >= 0 {
            let index = Int(table[place])
            if entries[index].key == key, Int(entries[index].shelf) == shelf { return place }
            place = (place + 1) & (table.count - 1)
        }
        return nil
    }

    private func put(_ index: Int32) {
        var place = home(entries[Int(index)].key, Int(entries[Int(index)].shelf))
        while table[place] >= 0 { place = (place + 1) & (table.count - 1) }
        table[place] = index
    }

    /// Moves back what stands further from its home than the gap is, so that no marks of removed
    /// entries are needed and probing stays short.
    private func closeGap(at start: Int) {
        let mask = table.count - 1
        var gap = start
        var place = (start + 1) & mask
        while table[place] >= 0 {
            let index = Int(table[place])
            let wanted = home(entries[index].key, Int(entries[index].shelf))
            if (place - wanted) & mask >= (place - gap) & mask {
                table[gap] = table[place]
                gap = place
            }
            place = (place + 1) & mask
        }
        table[gap] = -1
    }

    // MARK: The lists

    private func linkNewest(_ index: Int32) {
        let shelf = Int(entries[Int(index)].shelf)
        let before = shelves[shelf].newest
        entries[Int(index)].newer = -1
        entries[Int(index)].older = before
        if before >= 0 {
            entries[Int(before)].newer = index
        } else {
            shelves[shelf].oldest = index
        }
        shelves[shelf].newest = index
    }

    private func unlink(_ index: Int32) {
        let shelf = Int(entries[Int(index)].shelf)
        let (newer, older) = (entries[Int(index)].newer, entries[Int(index)].older)
        if newer >= 0 { entries[Int(newer)].older = older } else { shelves[shelf].newest = older }
        if older >= 0 { entries[Int(older)].newer = newer } else { shelves[shelf].oldest = newer }
    }

    // MARK: Memory

    private mutating func growShelves(to index: Int) {
        guard index >= shelves.count else { return }
        shelves = Self.grown(shelves, to: max(index + 1, shelves.count * 2), with: Shelf())
    }

    private mutating func growEntries() {
        guard firstFree < 0 else { return }
        let old = entries.count
        let new = max(64, old * 2)
        entries = Self.grown(entries, to: new, with: Entry(key: 0, shelf: 0, bytes: 0))
        for index in old..<new {
            entries[index].older = index + 1 < new ? Int32(index + 1) : -1
        }
        firstFree = Int32(old)
        table.deallocate()
        table = .allocate(capacity: new * 2)
        table.initialize(repeating: -1)
        // All of the old entries are in use, or there would have been a free one.
        for index in 0..<old { put(Int32(index)) }
    }

    private static func grown<T>(
        _ old: UnsafeMutableBufferPointer<T>, to count: Int, with value: T
    ) -> UnsafeMutableBufferPointer<T> {
        let new = UnsafeMutableBufferPointer<T>.allocate(capacity: count)
        new.initialize(repeating: value)
        for index in 0..<old.count { new[index] = old[index] }
        old.deallocate()
        return new
    }
}
