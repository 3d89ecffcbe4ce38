extension OriginOptions {
    /// The shape of a refused tile.
    package enum Refusal: Sendable, Hashable {
        /// With a JSON body; 401 with a challenge that names the error (RFC 6750).
        case status(Int)
        /// 401 without a challenge or a body.
        case bare
        /// 200 with `{"error": {"code": 498}}`, as ArcGIS says it.
        case json
        /// 200 with a page that says "Invalid Token".
        case html
        /// 302 to `/login`.
        case redirect
    }

    /// What tokens the server issues and how it refuses a tile without a live one.
    package struct Token: Sendable {
        /// Life of a token in nanoseconds; nil: until it is revoked.
        package var ttlNS: UInt64?
        /// Whether the answer says how long the token lives (`expires_in`).
        package var advertise: Bool
        /// What `expires_in` says instead of the truth, in nanoseconds; nil: the truth.
        package var advertisedNS: UInt64?
        package var refuseWith: Refusal
        /// Refusals, and only they, are answered so much later; nil: at once.
        package var lateNS: UInt64?
        /// A new token kills the older ones of its cell.
        package var issueRevokesOlder = false
        /// Answers to the grants `password` and `refresh_token` bring a refresh token that can be
        /// used once.
        package var rotatesRefreshTokens = false

        package init(
            ttlNS: UInt64? = nil, advertise: Bool = true, refuseWith: Refusal = .status(401)
        ) {
            self.ttlNS = ttlNS
            self.advertise = advertise
            self.refuseWith = refuseWith
        }
    }

    /// What the token endpoint does wrong while it is told to.
    package enum RenewalFault: String, Sendable, CaseIterable {
        /// The answer takes 800 ms.
        case slow
        /// No answer; the connection is closed after a minute.
        case hang
        /// The connection is closed without an answer.
        case close
        case status500 = "500"
        /// With `Retry-After: 1`.
        case status429 = "429"
        /// With the error `invalid_client`.
        case status401 = "401"
        /// JSON that ends in the middle.
        case malformed
        /// The token that the cell was given last, once more.
        case same
        /// A new token that is refused from the start.
        case expired
        /// 200 without a body.
        case empty
    }

    /// What the tiles do wrong while they are told to.
    package enum TileFault: String, Sendable, CaseIterable {
        /// Refusals, and only they, come 5 to 400 ms late.
        case lateRefusals = "late-refusals"
        /// For 300 ms after its issue half of the requests find a token unknown.
        case replicationLag = "replication-lag"
    }
}
