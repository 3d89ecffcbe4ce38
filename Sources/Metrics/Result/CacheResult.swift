/// What both sides' caches did.
package struct CacheResult: Sendable {
    package struct Client: Sendable, Hashable {
        package var lookups: UInt64 = 0
        package var hits: UInt64 = 0
        package var revalidated: UInt64 = 0
        package var misses: UInt64 = 0
        package var stored: UInt64 = 0
        package var evicted: UInt64 = 0
        package var bytes: UInt64 = 0
        /// Of the hits: no longer fresh.
        package var staleHits: UInt64 = 0
        /// Asks that validate what was shown stale.
        package var refreshes: UInt64 = 0
        /// Bodies that were not sent because of hits, and because of 304 answers.
        package var hitBytes: UInt64 = 0
        package var revalidatedBytes: UInt64 = 0

        package init() {}

        /// hits / lookups, or nil without lookups.
        package var hitRate: Double? { lookups == 0 ? nil : Double(hits) / Double(lookups) }

        /// Looks that made no ask.
        package var answeredAlone: UInt64 { hits - refreshes }
    }
    package struct ServerClass: Sendable {
        package var count: UInt64 = 0
        package var bytes: UInt64 = 0
        package var edge: UInt64 = 0
        package var shield: UInt64 = 0
        /// Service time.
        package var service = Histogram()

        package init() {}
    }

    /// Nil: no client cache in this run.
    package var client: Client?
    /// By `CacheClass.rawValue`; answers of the measured part.
    package var server = [ServerClass](repeating: ServerClass(), count: CacheClass.allCases.count)
    /// Answers with 2xx or 304 only, by `CacheClass.rawValue`: what the hit rate counts.
    package var serverGood = [UInt64](repeating: 0, count: CacheClass.allCases.count)
    /// Of the first pass of several: hits that no ask of the run can have filled, at least; nil
    /// where that is not known.
    package var foreignHits: UInt64?
    /// By the edge location that answered, and by the address: the busiest first.
    package var edges: [ServerPlace] = []
    package var addresses: [ServerPlace] = []
    /// Answers of places that found no row any more.
    package var edgesBeyond: UInt64 = 0
    package var addressesBeyond: UInt64 = 0
    /// Header believed -> answers.
    package var evidence: [String: UInt64] = [:]

    package init() {}

    /// `hitRate` over all answers.
    package var serverHitRate: Double? {
        func good(_ cls: CacheClass) -> UInt64 { serverGood[Int(cls.rawValue)] }
        let hits = good(.hit) + good(.staleHit)
        return Self.hitRate(
            hits: hits, known: hits + good(.revalidated) + good(.miss), unknown: good(.unknown),
            good: serverGood.reduce(0, +))
    }

    /// hits / known; nil without evidence, or when more than 5 % of the good answers gave none.
    ///
    /// - Parameters:
    ///   - hits: hit + stale hit.
    ///   - known: hit + stale hit + revalidated + miss.
    ///   - unknown: Answers without evidence.
    ///   - good: All answers with 2xx or 304.
    package static func hitRate(
        hits: UInt64, known: UInt64, unknown: UInt64, good: UInt64
    ) -> Double? {
        guard known > 0, unknown * 20 <= good else { return nil }
        return Double(hits) / Double(known)
    }
}
