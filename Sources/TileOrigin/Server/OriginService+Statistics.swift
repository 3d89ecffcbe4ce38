extension OriginService {
    /// The ledger as it stands.
    func statistics() -> OriginStatistics {
        var result = OriginStatistics()
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
        result.outdatedSends = ledger[.outdatedSends]
        if let desk { result.tokens = desk.statistics(nowNS: MonotonicClock.nowNS()) }
        return result
    }
}
