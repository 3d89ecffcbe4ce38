package import JSONText

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

    /// The ledger as `/stats` sends it.
    package var json: JSONNode {
        .object([
            ("requests", .uint(requests)),
            ("answered", .object(answered.map { (String($0.status), .uint($0.count)) })),
            ("unanswered", .uint(unanswered)),
            ("control", .uint(control)),
            (
                "tiles",
                .object([
                    ("ok", .uint(tiles.ok)), ("refused", .uint(tiles.refused)),
                    ("not_modified", .uint(tiles.notModified)),
                    ("not_found", .uint(tiles.notFound)), ("faults", .uint(tiles.faults)),
                ])
            ),
            ("bytes", .uint(bytes)),
            ("edge", .object([("hits", .uint(edge.hits)), ("misses", .uint(edge.misses))])),
            ("token_requests", tokenRequestsJSON),
            (
                "tokens",
                .object([
                    ("live", .int(tokens.live)), ("revoked", .uint(tokens.revoked)),
                    ("never_used", .uint(tokens.neverUsed)),
                    ("rejected_on_first_use", .uint(tokens.rejectedOnFirstUse)),
                ])
            ),
            ("revocations", .uint(tokens.revocations)),
            ("expiry_events", .uint(tokens.expiryEvents)),
            ("refusals", refusalsJSON),
            (
                "storms",
                .object([
                    ("count", .uint(tokens.expiryEvents)), ("max", .uint(tokens.stormMax)),
                    ("late", .uint(tokens.late)),
                ])
            ),
            ("outdated_sends", .uint(outdatedSends)),
        ])
    }

    private var tokenRequestsJSON: JSONNode {
        .object([
            ("attempted", .uint(tokenRequests)), ("issued", .uint(tokens.issued)),
            ("duplicates", .uint(tokens.duplicates)),
        ])
    }

    private var refusalsJSON: JSONNode {
        .object([
            ("missing", .uint(tokens.refusedMissing)), ("unknown", .uint(tokens.refusedUnknown)),
            ("revoked", .uint(tokens.refusedRevoked)), ("expired", .uint(tokens.refusedExpired)),
        ])
    }
}
