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
        /// One ask first, the others when it was accepted.
        case canary
    }
    /// Sets the defaults of placement, rejection and renewal.
    package enum Profile: String, Sendable, CaseIterable {
        case generic
        case overlayArticle = "overlay-article"
        case arcgis, cloudfront, google, mapbox
        case signedURL410 = "signed-url-410"
    }
    /// Whose tokens they are.
    package enum Sharing: String, Sendable {
        /// One for all users.
        case all
        /// Each user of a closed load has its own, with a machine of its own.
        case user
    }
    /// The renewal machine, or a flawed one that is met in the field.
    package enum Client: String, Sendable, CaseIterable {
        case singleFlight = "single-flight"
        case naive
        case lockOnly = "lock-only"
        case flightOnly = "flight-only"
        case window
        case overlayArticle = "overlay-article"
    }

    package var profile = Profile.generic
    package var sharing = Sharing.all
    package var client = Client.singleFlight
    package var placement = Placement.query(name: "access_token")
    /// A token that is not renewed.
    package var staticToken: String?
    package var renewal: RenewalPlan?
    package var rejection = RejectionPlan()
    package var start = Start.stored
    /// File that keeps the token between starts.
    package var storePath: String?
    package var release = Release.parts(10)
    /// A token is renewed so long before its told end, at most a quarter of its life; 0: never.
    package var renewBeforeNS: UInt64 = 10_000_000_000
    /// What `{token.NAME}` stands for, in this order: names of the parts of the credential.
    package var partNames: [String] = []
    /// A of the renewal machine: an ask is sent at most A + 1 times.
    package var refusalsMax = 2
    /// B: tokens in a row refused before any answer confirmed one.
    package var barrenMax = 3
    /// Asks that may wait for a token at once; more fail.
    package var parkedMax = 100_000
    package var coolDownMinNS: UInt64 = 500_000_000
    package var coolDownMaxNS: UInt64 = 30_000_000_000

    package init() {}
}

/// The request that fetches a new token, and where its answer keeps it.
package struct RenewalPlan: Sendable {
    package struct Body: Sendable, Hashable {
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

    /// How a token is got.
    package enum Kind: String, Sendable, CaseIterable {
        case url
        case clientCredentials = "client_credentials"
        case password
        case refreshToken = "refresh_token"
        case basic, arcgis
        /// A TileJSON is fetched again: its tile URLs are the credential.
        case document
    }
    /// One part of a credential of several, and where the answer has it.
    package struct Part: Sendable, Hashable {
        package var name: String
        /// Names and indices.
        package var path: [String]

        package init(name: String, path: [String]) {
            self.name = name
            self.path = path
        }
    }
    /// What the kinds but `url` and `document` put into their requests. Secrets all.
    package struct Credentials: Sendable {
        /// `client_id` and `client_secret` stand in an Authorization header (RFC 6749 2.3.1), else
        /// in the form.
        package var usesBasic = true
        package var clientID: String?
        package var clientSecret: String?
        package var scope: String?
        package var username: String?
        package var password: String?
        /// The first one; an answer may bring the next (rotation).
        package var refreshToken: String?
        /// ArcGIS: what the token is bound to, and how long it shall live.
        package var referer: String?
        package var expirationMinutes: Int?

        package init() {}
    }

    package var kind = Kind.url
    package var credentials = Credentials()
    package var parts: [Part] = []
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
package struct RejectionPlan: Sendable, Hashable {
    package var statuses: [Int] = [401, 498, 499]
    package var jsonPath: [String] = ["error", "code"]
    /// Numbers as their text; empty: JSON bodies are not looked at.
    package var jsonValues: [String] = ["498", "499"]
    /// Words in an HTML body where a tile is due; nil: HTML is not looked at.
    package var html: String? = "Invalid Token"
    /// A redirect leads to a login.
    package var redirect = false
    /// The `error` of a `WWW-Authenticate: Bearer` challenge (RFC 6750 section 3.1), whatever the
    /// status; nil: not looked at.
    package var wwwAuthenticate: String? = "invalid_token"

    package init() {}
}
