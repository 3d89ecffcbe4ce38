/// The server's own truth about a run, to be held against what a client says of it.
package struct OriginStatistics: Sendable {
    /// Requests but those to `/stats` and `/revoke`.
    package var requests: UInt64 = 0
    /// Requests to `/stats` and `/revoke`.
    package var control: UInt64 = 0
    /// Answers by status, ascending; `/stats` and `/revoke` are left out.
    package var answered: [(status: Int, count: UInt64)] = []
    /// Requests closed without an answer (resets and stalls).
    package var unanswered: UInt64 = 0
    package var tiles = Tiles()
    /// Body bytes handed to the transport.
    package var bytes: UInt64 = 0
    package var edge = Edge()
    package var tokenRequests: UInt64 = 0
    package var tokens = TokenStatistics()
    /// Requests that bore a token although their client is proved to have had a newer one.
    package var outdatedSends: UInt64 = 0

    /// Tile requests by what became of them.
    package struct Tiles: Sendable {
        package var ok: UInt64 = 0
        package var refused: UInt64 = 0
        package var notModified: UInt64 = 0
        package var notFound: UInt64 = 0
        package var faults: UInt64 = 0
    }

    /// Answers of the simulated edge cache.
    package struct Edge: Sendable {
        package var hits: UInt64 = 0
        package var misses: UInt64 = 0
    }

    /// The ledger as JSON, as `/stats` sends it.
    package var json: String {
        let statuses = answered.map { "\"\($0.status)\":\($0.count)" }.joined(separator: ",")
        let refusals = """
            {"missing":\(tokens.refusedMissing),"unknown":\(tokens.refusedUnknown),\
            "revoked":\(tokens.refusedRevoked),"expired":\(tokens.refusedExpired)}
            """
        return """
            {"requests":\(requests),"answered":{\(statuses)},"unanswered":\(unanswered),\
            "control":\(control),\
            "tiles":{"ok":\(tiles.ok),"refused":\(tiles.refused),\
            "not_modified":\(tiles.notModified),"not_found":\(tiles.notFound),\
            "faults":\(tiles.faults)},\
            "bytes":\(bytes),"edge":{"hits":\(edge.hits),"misses":\(edge.misses)},\
            "token_requests":{"attempted":\(tokenRequests),"issued":\(tokens.issued),\
            "duplicates":\(tokens.duplicates)},\
            "tokens":{"live":\(tokens.live),"revoked":\(tokens.revoked),\
            "never_used":\(tokens.neverUsed),\
            "rejected_on_first_use":\(tokens.rejectedOnFirstUse)},\
            "revocations":\(tokens.revocations),"expiry_events":\(tokens.expiryEvents),\
            "refusals":\(refusals),\
            "storm":{"count":\(tokens.expiryEvents),"max":\(tokens.stormMax),\
            "late":\(tokens.late)},\
            "outdated_sends":\(outdatedSends)}

            """
    }
}
