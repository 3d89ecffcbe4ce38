import Metrics
import TileModel
import Workload

extension LoadRun {
    /// Asks that are looked at again, at most.
    private static let asksMax: UInt64 = 2_000_000

    /// Hits of the server's cache that no ask of this run can have filled: at least so many. Nil
    /// where that is not known, and in other passes than the first of several.
    ///
    /// Which tiles were asked for is a function of the seed, so they are asked for again here: the
    /// first answer for each of them cannot be a hit of a cache that this run has filled.
    func foreignHits(_ result: RunResult) -> UInt64? {
        guard plan.passes.count > 1, isFirstPass, end.signal == nil, let stream = parts.stream
        else {
            return nil
        }
        let asks = result.ledger.started + (result.cache.client?.answeredAlone ?? 0)
        guard asks + result.run.warmupAsks <= Self.asksMax else { return nil }
        func good(_ cls: CacheClass) -> UInt64 { result.cache.serverGood[Int(cls.rawValue)] }
        let hits = good(.hit) + good(.staleHit) + good(.revalidated)
        let answers = result.cache.serverGood.reduce(0, +)
        let isOthers = result.ledger.started - min(result.ledger.started, result.ledger.ok)
        let first = firstAsks(stream, asks, afterWarmup: result.run.warmupAsks)
        let repeated = answers - min(answers, first - min(first, isOthers))
        return hits - min(hits, repeated)
    }

    /// How many of the measured asks were the first for their tile.
    private func firstAsks(
        _ stream: RequestStream, _ asks: UInt64, afterWarmup warmupAsks: UInt64
    ) -> UInt64 {
        if parts.templates.usesRandom { return asks }
        var seen: Set<TileChoice> = []
        func isNew(_ index: UInt64) -> Bool {
            let choice = stream.choice(at: index)
            // Whichever place it was chosen for.
            return seen.insert(TileChoice(tile: choice.tile, source: choice.source)).inserted
        }
        for index in 0..<warmupAsks { _ = isNew(RequestStream.warmupFirst | index) }
        var count: UInt64 = 0
        for index in 0..<asks where isNew(index) { count += 1 }
        return count
    }
}
