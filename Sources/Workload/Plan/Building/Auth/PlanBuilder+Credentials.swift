import JSONText

extension PlanBuilder {
    /// A key of a renewal that only some kinds use, and those that cannot do without it.
    private struct KindKey {
        var name: String
        var kinds: [RenewalPlan.Kind]
        var needed: [RenewalPlan.Kind] = []
    }

    private static let kindKeys: [KindKey] = [
        KindKey(name: "method", kinds: [.url, .basic]),
        KindKey(name: "body", kinds: RenewalPlan.Kind.allCases.filter { $0 != .document }),
        KindKey(
            name: "client_id", kinds: [.clientCredentials, .password, .refreshToken],
            needed: [.clientCredentials]),
        KindKey(
            name: "client_secret", kinds: [.clientCredentials, .password, .refreshToken],
            needed: [.clientCredentials]),
        KindKey(name: "client_auth", kinds: [.clientCredentials, .password, .refreshToken]),
        KindKey(name: "scope", kinds: [.clientCredentials, .password, .refreshToken]),
        KindKey(
            name: "username", kinds: [.password, .basic, .arcgis],
            needed: [.password, .basic, .arcgis]),
        KindKey(
            name: "password", kinds: [.password, .basic, .arcgis],
            needed: [.password, .basic, .arcgis]),
        KindKey(name: "refresh_token", kinds: [.refreshToken], needed: [.refreshToken]),
        KindKey(name: "referer", kinds: [.arcgis]),
        KindKey(name: "expiration", kinds: [.arcgis]),
        KindKey(name: "token_path", kinds: RenewalPlan.Kind.allCases.filter { $0 != .document }),
        KindKey(name: "expires_path", kinds: RenewalPlan.Kind.allCases.filter { $0 != .document }),
        KindKey(name: "parts", kinds: RenewalPlan.Kind.allCases.filter { $0 != .document }),
    ]

    /// Keys that the kind has no use for, and keys that it lacks.
    mutating func checkKeys(_ section: Section, of kind: RenewalPlan.Kind) {
        guard !isBroken(section.path + ["kind"]) else { return }
        for key in PlanBuilder.kindKeys {
            let path = section.path + [key.name]
            let isWritten = scenario.isWritten(at: path)
            if isWritten, !key.kinds.contains(kind) {
                let kinds = key.kinds.map(\.rawValue).joined(separator: ", ")
                report(
                    path, "`\(key.name)` is not for \"kind\": \"\(kind.rawValue)\"",
                    hint: key.kinds.count > 3 ? "leave it out" : "it is for " + kinds)
            } else if !isWritten, key.needed.contains(kind) {
                report(
                    section.path, "`\(key.name)` is missing",
                    hint: "\"kind\": \"\(kind.rawValue)\" needs it")
            }
        }
    }

    /// Reads what the kind's request is made of, and hides it.
    mutating func credentials(
        _ section: Section, _ kind: RenewalPlan.Kind
    ) -> RenewalPlan.Credentials {
        var credentials = RenewalPlan.Credentials()
        let isOAuth = [.clientCredentials, .password, .refreshToken].contains(kind)
        credentials.clientID = section.text("client_id")
        credentials.clientSecret = section.text("client_secret")
        credentials.usesBasic = section.text("client_auth") != "body"
        credentials.scope = section.text("scope")
        credentials.username = section.text("username")
        credentials.password = section.text("password")
        credentials.refreshToken = section.text("refresh_token")
        credentials.referer = section.text("referer")
        credentials.expirationMinutes = section.int("expiration")
        for name in ["client_secret", "client_auth"]
        where isOAuth && credentials.clientID == nil && kind != .clientCredentials {
            let path = section.path + [name]
            guard scenario.isWritten(at: path) else { continue }
            report(path, "`\(name)` without `client_id`", hint: "give the client's name, too")
        }
        for secret in [
            credentials.clientSecret, credentials.password, credentials.refreshToken,
        ] {
            if let secret { hide(secret) }
        }
        for name in [credentials.clientID, credentials.username] {
            if let name { hideAround(name) }
        }
        return credentials
    }
}
