extension OriginService {
    /// The ledger as it stands.
    func statistics() -> OriginStatistics {
        var result = OriginStatistics()
        result.startedAtNS = startedAtNS
        result.requests = ledger[.requests]
        result.control = ledger[.control]
        result.answered = ledger.answers
        result.unanswered = ledger[.unanswered]
        result.tiles.ok = ledger[.tilesOK]
        result.tiles.refused = ledger[.tilesRefused]
        result.tiles.notModified = ledger[.tilesNotModified]
        result.tiles.notFound = ledger[.tilesNotFound]
        result.tiles.faults = ledger[.faults]
        result.bytes = ledger[.bodyBytes]
        result.edge.hits = ledger[.edgeHits]
        result.edge.misses = ledger[.edgeMisses]
        result.tokenRequests = ledger[.tokenRequests]
        if let desk {
            let nowNS = MonotonicClock.nowNS()
            (result.tokens, result.expiries) = desk.statistics(nowNS: nowNS)
            (result.outdatedSends, result.knownDeadSends) = desk.oldSends()
        }
        return result
    }
}
