/// A map client's own cache as the published overlay has it: it keeps what was stored until the
/// space is needed, least recently used first, and asks no server whether it is still good.
///
/// Only the books are kept: which tiles, how large. A benchmark needs no pictures, and the token
/// is no part of a key. Owned by one thread. Memory is taken when it grows, never per look-up.
package final class ClientCache {
    /// One list of tiles by use: a user's, or the one of all.
    struct Shelf {
        var newest: Int32 = -1
        var oldest: Int32 = -1
        var bytes: UInt64 = 0
    }

    struct Entry {
        var tile: UInt64
        var bytes: UInt64
        var shelf: Int32
        var newer: Int32
        /// Of a free entry: the next free one.
        var older: Int32
    }

    private let sizeBytes: UInt64
    private let isPerUser: Bool
    /// Sum over all users.
    package private(set) var bytes: UInt64 = 0
    package private(set) var count = 0

    private var shelves = UnsafeMutableBufferPointer<Shelf>(start: nil, count: 0)
    private var entries = UnsafeMutableBufferPointer<Entry>(start: nil, count: 0)
    private var firstFree: Int32 = -1
    /// Open addressing with linear probing; -1: empty. A power of two, at most half full.
    private var table = UnsafeMutableBufferPointer<Int32>(start: nil, count: 0)

    /// - Parameters:
    ///   - sizeBytes: Of the bodies that are kept; for each user when `isPerUser`.
    ///   - isPerUser: Whether each user has a cache of its own, or all share one.
    package init(sizeBytes: UInt64, isPerUser: Bool) {
        self.sizeBytes = sizeBytes
        self.isPerUser = isPerUser
    }

    deinit {
        shelves.deallocate()
        entries.deallocate()
        table.deallocate()
    }

    /// Whether the tile is kept. One that is found counts as used now.
    package func lookup(user: Int32, tile: UInt64) -> Bool {
        let shelf = shelfIndex(user)
        guard let place = place(of: tile, shelf) else { return false }
        let index = table[place]
        unlink(index)
        linkNewest(index)
        return true
    }

    /// Keeps a tile, in place of what was kept for it before.
    ///
    /// A body of no bytes counts as one, so that the memory of the books is bounded too. One that
    /// is larger than the cache is not kept.
    /// - Returns: How many other tiles had to go.
    package func store(user: Int32, tile: UInt64, bytes: UInt64) -> Int {
        let shelf = shelfIndex(user)
        if let place = place(of: tile, shelf) { remove(at: place) }
        let cost = max(1, bytes)
        guard cost <= sizeBytes else { return 0 }
        growShelves(to: shelf)
        var evicted = 0
        while shelves[shelf].bytes > sizeBytes - cost, shelves[shelf].oldest >= 0 {
            let oldest = entries[Int(shelves[shelf].oldest)]
            guard let place = place(of: oldest.tile, shelf) else { break }
            remove(at: place)
            evicted += 1
        }
        insert(Entry(tile: tile, bytes: cost, shelf: Int32(shelf), newer: -1, older: -1))
        return evicted
    }

    private func shelfIndex(_ user: Int32) -> Int { isPerUser ? Int(max(0, user)) : 0 }

    // MARK: The table

    /// Mixes all bits of both parts (the finalizer of SplitMix64).
    private func home(_ tile: UInt64, _ shelf: Int) -> Int {
        var hash = tile ^ (UInt64(truncatingIfNeeded: shelf) &* 0x9E37_79B9_7F4A_7C15)
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int(truncatingIfNeeded: hash ^ (hash >> 31)) & (table.count - 1)
    }

    private func place(of tile: UInt64, _ shelf: Int) -> Int? {
        guard table.count > 0 else { return nil }
        var place = home(tile, shelf)
        while table[place] >= 0 {
            let entry = entries[Int(table[place])]
            if entry.tile == tile, Int(entry.shelf) == shelf { return place }
            place = (place + 1) & (table.count - 1)
        }
        return nil
    }

    private func insert(_ entry: Entry) {
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

    private func put(_ index: Int32) {
        let entry = entries[Int(index)]
        var place = home(entry.tile, Int(entry.shelf))
        while table[place] >= 0 { place = (place + 1) & (table.count - 1) }
        table[place] = index
    }

    private func remove(at place: Int) {
        let index = table[place]
        let entry = entries[Int(index)]
        unlink(index)
        closeGap(at: place)
        count -= 1
        bytes -= entry.bytes
        shelves[Int(entry.shelf)].bytes -= entry.bytes
        entries[Int(index)].older = firstFree
        firstFree = index
    }

    /// Moves back what stands further from its home than the gap is, so that no marks of removed
    /// entries are needed and probing stays short.
    private func closeGap(at start: Int) {
        let mask = table.count - 1
        var gap = start
        var place = (start + 1) & mask
        while table[place] >= 0 {
            let entry = entries[Int(table[place])]
            let wanted = home(entry.tile, Int(entry.shelf))
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
        let entry = entries[Int(index)]
        let shelf = Int(entry.shelf)
        if entry.newer >= 0 {
            entries[Int(entry.newer)].older = entry.older
        } else {
            shelves[shelf].newest = entry.older
        }
        if entry.older >= 0 {
            entries[Int(entry.older)].newer = entry.newer
        } else {
            shelves[shelf].oldest = entry.newer
        }
    }

    // MARK: Memory

    private func growShelves(to index: Int) {
        guard index >= shelves.count else { return }
        shelves = Self.grown(shelves, to: max(index + 1, shelves.count * 2), with: Shelf())
    }

    private func growEntries() {
        guard firstFree < 0 else { return }
        let old = entries.count
        let new = max(64, old * 2)
        let blank = Entry(tile: 0, bytes: 0, shelf: 0, newer: -1, older: -1)
        entries = Self.grown(entries, to: new, with: blank)
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
