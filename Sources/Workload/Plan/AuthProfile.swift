/// What `auth.profile` sets where the scenario itself says nothing: how a kind of service carries,
/// refuses and issues its tokens.
package struct AuthProfile: Sendable {
    /// The request for a new token.
    package struct Renewal: Sendable {
        package var kind = RenewalPlan.Kind.url
        /// Nil: as the kind has it.
        package var method: String?
        package var body: RenewalPlan.Body?
        package var tokenPath: [String]?
        package var expiresPath: [String]?
        /// On the tiles' own host, where `auth.renewal.url` is not written; nil: it must be.
        package var path: String?
    }

    package var placement = AuthPlan.Placement.query(name: "access_token")
    package var rejection = RejectionPlan()
    package var renewal = Renewal()
    /// Names of the parts that make the credential, in the query under these names; empty: one
    /// token. The answer has them under the same names.
    package var parts: [String] = []
    /// Stands before each of these names where the parts are cookies.
    package var cookiePrefix = ""

    package static func named(_ profile: AuthPlan.Profile) -> AuthProfile {
        switch profile {
        case .generic: AuthProfile()
        case .overlayArticle: overlayArticle
        case .arcgis: arcgis
        case .cloudfront: cloudfront
        case .google: google
        case .mapbox: mapbox
        case .signedURL410: signedURL410
        }
    }

    /// A map overlay that renews at its own back end, on 401 and 403 alike.
    private static var overlayArticle: AuthProfile {
        var profile = AuthProfile()
        profile.rejection = .statuses([401, 403])
        profile.renewal.tokenPath = ["token"]
        profile.renewal.path = "/token"
        return profile
    }

    /// Errors inside answers with the status 200, as JSON or as a page; tokens of `generateToken`.
    private static var arcgis: AuthProfile {
        var profile = AuthProfile()
        profile.placement = .query(name: "token")
        profile.renewal.kind = .arcgis
        return profile
    }

    /// Signed URLs or cookies of three parts. A signature that has run out is a 403, as is one that
    /// was never right.
    private static var cloudfront: AuthProfile {
        var profile = AuthProfile()
        profile.rejection = .statuses([403])
        profile.parts = ["Policy", "Signature", "Key-Pair-Id"]
        profile.cookiePrefix = "CloudFront-"
        return profile
    }

    /// Sessions of the Map Tiles API. The API key is no token: it stands in the template, and in
    /// `auth.renewal.url`. The reason of an error says what is wrong, whatever the status.
    private static var google: AuthProfile {
        var profile = AuthProfile()
        profile.placement = .query(name: "session")
        profile.rejection = .statuses([])
        profile.rejection.jsonPath = ["error", "errors", "0", "reason"]
        profile.rejection.jsonValues = ["expired"]
        profile.renewal.method = "POST"
        profile.renewal.body = RenewalPlan.Body(
            contentType: "application/json",
            text: #"{"mapType":"roadmap","language":"en-US","region":"US"}"#, kind: .json)
        profile.renewal.tokenPath = ["session"]
        profile.renewal.expiresPath = ["expiry"]
        return profile
    }

    private static var mapbox: AuthProfile {
        var profile = AuthProfile()
        profile.rejection = .statuses([401])
        return profile
    }

    /// nginx's `secure_link`: 410 says that the link has run out, 403 that it was never right.
    private static var signedURL410: AuthProfile {
        var profile = AuthProfile()
        profile.rejection = .statuses([410])
        profile.parts = ["md5", "expires"]
        return profile
    }
}

extension RejectionPlan {
    /// These statuses and challenges: bodies are not looked at.
    fileprivate static func statuses(_ statuses: [Int]) -> RejectionPlan {
        var plan = RejectionPlan()
        plan.statuses = statuses
        plan.jsonValues = []
        plan.html = nil
        return plan
    }
}
