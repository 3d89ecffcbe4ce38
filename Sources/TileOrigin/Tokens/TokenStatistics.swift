/// What became of the tokens of all cells.
package struct TokenStatistics: Sendable {
    /// Alive now: neither expired nor revoked.
    package var live = 0
    /// Tokens that a revocation, or the issue of a newer one, killed while they lived.
    package var revoked: UInt64 = 0
    package var revocations: UInt64 = 0
    /// Issued and never shown with success.
    package var neverUsed: UInt64 = 0
    /// Refused before any request with it was accepted.
    package var rejectedOnFirstUse: UInt64 = 0
    /// Tokens that were refused at least once: each is one storm of refusals.
    package var expiryEvents: UInt64 = 0
    /// Most refusals of one token.
    package var stormMax: UInt64 = 0
    /// Refusals of a token that were written when a newer one of its cell had been issued.
    package var late: UInt64 = 0
    package var refusedMissing: UInt64 = 0
    package var refusedUnknown: UInt64 = 0
    package var refusedRevoked: UInt64 = 0
    package var refusedExpired: UInt64 = 0
    /// Refusals of living tokens while replication lagged.
    package var refusedLagging: UInt64 = 0
    /// Most requests for one tile address of one client until it was handed out.
    package var attemptsMax: UInt64 = 0
    /// Tile addresses that were refused and not handed out since.
    package var asksLeftRejected: UInt64 = 0
    /// Sums over the cells.
    package var sum = TokenCellCounts()
    package var cells = 0
    /// What there was no room for: requests for a token of a cell too many, clients, refused tiles.
    package var cellsOmitted: UInt64 = 0
    package var clientsOmitted: UInt64 = 0
    package var leftOmitted: UInt64 = 0

    /// Tokens issued.
    package var issued: UInt64 { sum.issued }
    /// Requests for a token that were concurrent, and tokens issued needlessly.
    package var duplicates: UInt64 { sum.duplicates }

    package init() {}
}

/// What became of the tokens of one cell.
package struct TokenCellCounts: Sendable, Equatable {
    /// Requests for a token.
    package var requests: UInt64 = 0
    /// New tokens, those dead from the start included.
    package var issued: UInt64 = 0
    /// Requests that got the token given last once more.
    package var same: UInt64 = 0
    /// Requests that got no token.
    package var failed: UInt64 = 0
    /// Requests whose client went away before the answer.
    package var abandoned: UInt64 = 0
    /// Requests that came while another one was open.
    package var concurrent: UInt64 = 0
    /// Tokens issued although the newest one lived, was not refused, no request had come without a
    /// known token, and more than half of its life was left.
    package var needless: UInt64 = 0
    /// Tokens issued when less than half of the life of the newest one was left.
    package var proactive: UInt64 = 0
    /// Tokens issued after requests without a token, or with one that was not issued here.
    package var afterStrangers: UInt64 = 0
    /// Tokens issued to a client that had been started anew, as none of its connections was left.
    /// Known only where clients are told apart.
    package var starts: UInt64 = 0
    /// Requests that showed a refresh token a second time.
    package var refreshTokenReuse: UInt64 = 0
    /// Tokens that were refused at least once.
    package var expiries: UInt64 = 0
    /// Tokens that were renewed after their end although none of their requests was refused.
    package var unseenExpiries: UInt64 = 0
    package var refusals: UInt64 = 0
    package var late: UInt64 = 0

    package var duplicates: UInt64 { concurrent + needless }

    package init() {}

    static func += (sum: inout TokenCellCounts, cell: TokenCellCounts) {
        sum.requests += cell.requests
        sum.issued += cell.issued
        sum.same += cell.same
        sum.failed += cell.failed
        sum.abandoned += cell.abandoned
        sum.concurrent += cell.concurrent
        sum.needless += cell.needless
        sum.proactive += cell.proactive
        sum.afterStrangers += cell.afterStrangers
        sum.starts += cell.starts
        sum.refreshTokenReuse += cell.refreshTokenReuse
        sum.expiries += cell.expiries
        sum.unseenExpiries += cell.unseenExpiries
        sum.refusals += cell.refusals
        sum.late += cell.late
    }
}

/// The end of one token as the server saw it: its first refusal and what came of that. Times are of
/// the monotonic clock, in nanoseconds.
package struct ExpiryRecord: Sendable, Equatable {
    package enum Cause: String, Sendable {
        case expired, revoked
        /// The token lived, but a part of the servers did not know it yet.
        case replicationLag = "replication-lag"
    }

    /// Number of the cell.
    package var cell: Int
    /// The generation that ended.
    package var generation: UInt64
    package var cause: Cause
    package var firstRefusalNS: UInt64
    package var refusals: UInt64 = 0
    /// Tokens issued for it: those that were due, and those needless or concurrent after it.
    package var renewals: UInt64 = 0
    /// When the first of those was asked for, and when it was issued.
    package var renewalStartNS: UInt64?
    package var renewalEndNS: UInt64?
    /// The first tile handed out for a newer token.
    package var firstOKNS: UInt64?
    /// When the last of the tiles refused in it was handed out.
    package var fullRecoveryNS: UInt64?
    /// Tiles refused in it and not handed out since.
    package var tilesLeft: UInt64 = 0

    package init(cell: Int, generation: UInt64, cause: Cause, firstRefusalNS: UInt64) {
        self.cell = cell
        self.generation = generation
        self.cause = cause
        self.firstRefusalNS = firstRefusalNS
    }
}
