import Metrics
import TileModel
package import Workload

/// What a renewal's request depends on beside the plan.
package struct RenewalState: Sendable {
    /// The number of the cell that renews: `{user}`.
    package var user = 0
    /// The newest refresh token; nil: the plan's own is still unused.
    package var refreshToken: String?

    package init(user: Int = 0, refreshToken: String? = nil) {
        self.user = user
        self.refreshToken = refreshToken
    }
}

extension OneShot.Request {
    /// The request that fetches a new token. It asks caches to stay out and names its sender as the
    /// tiles do; a header that the plan has of its own wins.
    package init(
        renewal plan: RenewalPlan, state: RenewalState, userAgent: String, timeoutNS: UInt64
    ) {
        self.init(url: state.filling(plan.url), timeoutNS: timeoutNS)
        method = plan.method
        headers = plan.headers.map {
            HeaderPlan(name: $0.name, value: state.filling($0.value))
        }
        var form: [(name: String, value: String)]?
        switch plan.kind {
        case .url, .document:
            break
        case .basic:
            authorize(
                state.filling(plan.credentials.username ?? ""),
                state.filling(plan.credentials.password ?? ""))
        case .arcgis:
            form = Self.arcGISForm(plan.credentials, state)
        case .clientCredentials, .password, .refreshToken:
            form = grantForm(plan, state)
        }
        if let form {
            method = "POST"
            body = Self.encoded(form, with: plan.body.map { state.filling($0.text) })
            add("Content-Type", "application/x-www-form-urlencoded")
            add("Accept", "application/json")
        } else if let content = plan.body {
            body = state.filling(content.text)
            add("Content-Type", content.contentType)
        }
        add("Cache-Control", "no-cache")
        add("User-Agent", userAgent)
    }

    /// A header that is there already wins.
    mutating func add(_ name: String, _ value: String) {
        let isThere = headers.contains { $0.name.lowercasedASCII == name.lowercasedASCII }
        if !isThere { headers.append(HeaderPlan(name: name, value: value)) }
    }

    /// RFC 7617.
    private mutating func authorize(_ user: String, _ password: String) {
        add("Authorization", "Basic " + Base64.encode(Array("\(user):\(password)".utf8)))
    }

    // MARK: forms

    /// RFC 6749 sections 4.4.2, 4.3.2 and 6. The client says who it is in a header or in the form,
    /// never in both (section 2.3); one without a secret only gives its name (section 3.2.1).
    private mutating func grantForm(
        _ plan: RenewalPlan, _ state: RenewalState
    ) -> [(name: String, value: String)] {
        let credentials = plan.credentials
        var form = [(name: "grant_type", value: plan.kind.rawValue)]
        func add(_ name: String, _ value: String?) {
            if let value { form.append((name, state.filling(value))) }
        }
        if plan.kind == .password {
            add("username", credentials.username)
            add("password", credentials.password)
        } else if plan.kind == .refreshToken {
            let first = state.filling(credentials.refreshToken ?? "")
            form.append(("refresh_token", state.refreshToken ?? first))
        }
        add("scope", credentials.scope)
        if credentials.usesBasic, let id = credentials.clientID,
            let secret = credentials.clientSecret
        {
            // Section 2.3.1 has both form-encoded before they are joined.
            authorize(
                percentEncoded(state.filling(id)), percentEncoded(state.filling(secret)))
        } else {
            add("client_id", credentials.clientID)
            add("client_secret", credentials.clientSecret)
        }
        return form
    }

    /// `generateToken` of the ArcGIS REST API. Without a referer the token is bound to the address
    /// that asks for it.
    private static func arcGISForm(
        _ credentials: RenewalPlan.Credentials, _ state: RenewalState
    ) -> [(name: String, value: String)] {
        var form = [
            (name: "username", value: state.filling(credentials.username ?? "")),
            (name: "password", value: state.filling(credentials.password ?? "")),
            (name: "client", value: credentials.referer == nil ? "requestip" : "referer"),
        ]
        if let referer = credentials.referer {
            form.append(("referer", state.filling(referer)))
        }
        if let minutes = credentials.expirationMinutes {
            form.append(("expiration", String(minutes)))
        }
        form.append(("f", "json"))
        return form
    }

    /// The fields, and those of the plan's own form, which take the place of fields of the same
    /// name: servers refuse a field that stands twice.
    private static func encoded(
        _ form: [(name: String, value: String)], with own: String?
    ) -> String {
        let extra = (own ?? "").split(separator: "&")
        let names = extra.map { field in field.prefix { $0 != "=" } }
        let kept = form.map { (percentEncoded($0.name), percentEncoded($0.value)) }
            .filter { !names.contains(Substring($0.0)) }
            .map { "\($0.0)=\($0.1)" }
        return (kept + extra.map(String.init)).joined(separator: "&")
    }
}

extension RenewalState {
    func filling(_ text: String) -> String {
        text.contains("{user}") ? text.replacing("{user}", with: String(user)) : text
    }
}

extension TargetPlan {
    /// What tiles are asked with; renewals say the same.
    package var userAgent: String {
        headers.first { $0.name.lowercasedASCII == "user-agent" }?.value ?? "tilebench"
    }
}
