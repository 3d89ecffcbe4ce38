/// How a token is carried, refused and renewed.
package struct AuthPlan: Sendable {
    package enum Placement: Sendable, Hashable {
        /// As the query parameter of that name; the templates already hold `name={token}`.
        case query(name: String)
        case header(name: String, prefix: String)
        case cookie(name: String)
        /// Where `{token}` stands in the URL or in a header.
        case template
    }
    package enum Start: String, Sendable { case stored, dummy, renew }
    /// How waiting asks are let go after a renewal.
    package enum Release: Sendable, Hashable {
        case all
        /// That many equal parts, 5 ms apart.
        case parts(Int)
        /// That many asks every 5 ms.
        case per5ms(Int)
    }

    package var placement = Placement.query(name: "access_token")
    /// A token that is not renewed.
    package var staticToken: String?
    package var renewal: RenewalPlan?
    package var rejection = RejectionPlan()
    package var start = Start.stored
    /// File that keeps the token between starts.
    package var storePath: String?
    package var release = Release.parts(10)
    /// A of the renewal machine: an ask is sent at most A + 1 times.
    package var refusalsMax = 2
    /// B: tokens in a row refused before any answer confirmed one.
    package var barrenMax = 3
    package var coolDownMinNS: UInt64 = 500_000_000
    package var coolDownMaxNS: UInt64 = 30_000_000_000

    package init() {}
}

/// The request that fetches a new token, and where its answer keeps it.
package struct RenewalPlan: Sendable {
    package struct Body: Sendable {
        /// How it was written, which decides the default of `contentType`.
        package enum Kind: Sendable { case text, json, form }

        /// Sent as `Content-Type`, which is in no `headers`.
        package var contentType: String
        package var text: String
        package var kind: Kind

        package init(contentType: String, text: String, kind: Kind = .text) {
            self.contentType = contentType
            self.text = text
            self.kind = kind
        }
    }

    package var url: String
    package var method = "GET"
    package var headers: [HeaderPlan] = []
    package var body: Body?
    /// Names and indices; nil: the first of token, access_token, accessToken.
    package var tokenPath: [String]?
    /// Nil: the usual names (expires_in, expires, expiry, ...).
    package var expiresPath: [String]?
    /// Of one try. A flight of several tries has four times that.
    package var timeoutNS: UInt64

    package init(url: String, timeoutNS: UInt64) {
        self.url = url
        self.timeoutNS = timeoutNS
    }
}

/// What says that the token has expired.
package struct RejectionPlan: Sendable {
    package var statuses: [Int] = [401, 498, 499]
    package var jsonPath: [String] = ["error", "code"]
    /// Numbers as their text; empty: JSON bodies are not looked at.
    package var jsonValues: [String] = ["498", "499"]

    package init() {}
}
