package import Workload

/// A map client's own cache: a user's, or one for all, as large as the scenario says; the answer
/// that was used least recently goes first.
///
/// Only the books are kept: whose answer, how large, how long it is good, how to ask whether it
/// still is. A benchmark needs no pictures. One answer is kept per key: a variant that `Vary` tells
/// apart takes the place of the one before. Owned by one thread.
package final class ClientCache {
    private let sizeBytes: UInt64
    private let isPerUser: Bool
    private let rules: CachePlan.Rules
    private var tiles = KeptTiles()
    private var texts = TextCells()

    /// - Parameters:
    ///   - sizeBytes: Of the bodies that are kept; for each user when `isPerUser`.
    ///   - isPerUser: Whether each user has a cache of its own, or all share one.
    package init(sizeBytes: UInt64, isPerUser: Bool, rules: CachePlan.Rules) {
        self.sizeBytes = sizeBytes
        self.isPerUser = isPerUser
        self.rules = rules
    }

    deinit {
        tiles.deallocate()
        texts.deallocate()
    }

    /// Sum over all users.
    var bytes: UInt64 { tiles.bytes }
    var count: Int { tiles.count }

    private func shelf(_ user: Int32) -> Int { isPerUser ? Int(max(0, user)) : 0 }

    /// What is kept for the key, and whether it may be shown now. One that is found counts as used.
    ///
    /// - Parameter tokenMark: Tells the tokens apart that the request may be sent with.
    package func lookup(user: Int32, key: UInt64, tokenMark: UInt64, nowNS: UInt64) -> CacheFinding
    {
        guard let index = tiles.find(key, shelf(user)) else { return CacheFinding() }
        tiles.touch(index)
        let kept = tiles[index].kept
        guard kept.matches(tokenMark: tokenMark) else { return CacheFinding() }
        let isFresh = nowNS < kept.freshness.freshUntilNS
        if isFresh || nowNS < kept.freshness.showableUntilNS {
            let refreshes = !isFresh && !kept.isRefreshing
            if refreshes { tiles[index].kept.isRefreshing = true }
            return CacheFinding(
                state: refreshes ? .refresh : .hit, isStale: !isFresh, bodyBytes: kept.bodyBytes)
        }
        guard kept.hasValidator else { return CacheFinding() }
        return CacheFinding(state: .revalidate, isStale: true, bodyBytes: kept.bodyBytes)
    }

    /// The validators of the kept answer, by which a server can say that it is still good; false
    /// when there are none.
    package func copyValidators(user: Int32, key: UInt64, into condition: ConditionPointer) -> Bool
    {
        guard let index = tiles.find(key, shelf(user)) else { return false }
        let kept = tiles[index].kept
        guard kept.hasValidator else { return false }
        let tagCount = Int(kept.tagCount)
        let dateCount = Int(kept.dateCount)
        texts.copy(kept.text, count: tagCount + dateCount, into: condition.pointee.text)
        // MapLibre Native sends the date only where it has no tag.
        let needsDate = rules != .maplibreNative || tagCount == 0
        condition.pointee.set(tagCount: tagCount, dateCount: needsDate ? dateCount : 0)
        return true
    }

    /// Keeps a good answer, in place of what was kept for its key before.
    ///
    /// A body of no bytes counts as one, so that the memory of the books is bounded too. What may
    /// not be kept, or is larger than the cache, leaves nothing behind.
    ///
    /// - Parameter notes: Nil when no rules are honoured.
    /// - Returns: How many others had to go; nil when it was not kept.
    package func store(
        user: Int32, key: UInt64, bodyBytes: UInt64, status: Int, tokenMark: UInt64,
        notes: UnsafePointer<AnswerNotes>?, times: AnswerTimes
    ) -> Int? {
        let shelf = shelf(user)
        if let index = tiles.find(key, shelf) { remove(index) }
        var kept = KeptAnswer()
        kept.bodyBytes = bodyBytes
        kept.tokenMark = tokenMark
        kept.status = UInt16(clamping: status)
        if let notes {
            kept.headers = notes.pointee.headers
            guard renew(&kept, times, priorS: -1) else { return nil }
        } else if status != 200 {
            return nil
        }
        let cost = max(1, bodyBytes)
        guard cost <= sizeBytes else { return nil }
        var evicted = 0
        while tiles.bytes(ofShelf: shelf) > sizeBytes - cost,
            let oldest = tiles.oldest(ofShelf: shelf)
        {
            remove(oldest)
            evicted += 1
        }
        if let notes {
            kept.text = texts.store(notes.pointee.tag, notes.pointee.date)
            kept.tagCount = UInt16(notes.pointee.tag.count)
            kept.dateCount = UInt16(notes.pointee.date.count)
        }
        var entry = KeptTiles.Entry(key: key, shelf: shelf, bytes: cost)
        entry.kept = kept
        tiles.insert(entry)
        return evicted
    }

    /// The server has said 304: the kept answer is good for as long as that one says.
    package func freshen(
        user: Int32, key: UInt64, notes: UnsafePointer<AnswerNotes>, times: AnswerTimes
    ) {
        guard let index = tiles.find(key, shelf(user)) else { return }
        var kept = tiles[index].kept
        kept.isRefreshing = false
        var priorS: Int64 = -1
        if rules == .maplibreNative {
            // An end is told anew each time.
            priorS = kept.endS
            let lastModifiedS = kept.headers.lastModifiedS
            kept.headers = notes.pointee.headers
            if kept.headers.lastModifiedS < 0 { kept.headers.lastModifiedS = lastModifiedS }
        } else {
            kept.headers.freshen(with: notes.pointee.headers)
        }
        guard renew(&kept, times, priorS: priorS) else { return remove(index) }
        tiles[index].kept = kept
    }

    /// What was being validated while it was shown has not been: the next look tries again.
    func endRefresh(user: Int32, key: UInt64) {
        if let index = tiles.find(key, shelf(user)) { tiles[index].kept.isRefreshing = false }
    }

    /// Sets how long it is good from its headers; false when it may not be kept.
    private func renew(_ kept: inout KeptAnswer, _ times: AnswerTimes, priorS: Int64) -> Bool {
        let status = Int(kept.status)
        switch rules {
        case .none:
            break
        case .rfc9111:
            guard Freshness.isStorable(kept.headers, status: status) else { return false }
            kept.freshness = Freshness(kept.headers, status: status, times: times)
        case .maplibreNative:
            guard Freshness.isStorableByMapLibreNative(status: status) else { return false }
            kept.freshness = Freshness(
                mapLibreNative: kept.headers, times: times, priorS: priorS)
            kept.endS = Freshness.mapLibreEndS(
                kept.headers, receivedEpochS: times.receivedEpochS)
        }
        return true
    }

    private func remove(_ index: Int32) {
        texts.giveBack(tiles[index].kept.text)
        tiles.remove(index)
    }
}
