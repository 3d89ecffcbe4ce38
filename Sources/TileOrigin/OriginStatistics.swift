/// The server's own truth about a run, to be held against what a client says of it.
package struct OriginStatistics: Sendable {
    /// Requests but those that are control.
    package var requests: UInt64 = 0
    /// Requests to `/stats`, `/revoke` and `/fault`.
    package var control: UInt64 = 0
    /// Answers by status, ascending; control is left out.
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
    /// Requests that bore a token although their client is proved to have read its refusal.
    package var knownDeadSends: UInt64 = 0
    package var expiries = TokenExpiries()
    /// Of the monotonic clock: what the times of the expiries are told from.
    package var startedAtNS: UInt64 = 0

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
}
