import JSONText

extension Plan {
    /// All values of `auth` that can hold a credential are hidden, whatever they are.
    func authMembers(_ auth: AuthPlan) -> [(String, JSONNode)] {
        var members: [(String, JSONNode)] = [
            ("profile", .string(auth.profile.rawValue)),
            ("token", .object(placementMembers(auth.placement))),
        ]
        if auth.staticToken != nil { members.append(("static", .string(Secrets.mask))) }
        if let renewal = auth.renewal {
            members.append(("renewal", .object(renewalMembers(renewal, auth.profile))))
        }
        members.append(("rejected_when", .object(rejectionMembers(auth.rejection))))
        return auth.renewal == nil ? members : members + machineMembers(auth)
    }

    private func rejectionMembers(_ rejection: RejectionPlan) -> [(String, JSONNode)] {
        let json = JSONNode.object([
            ("path", text(rejection.jsonPath.joined(separator: "."))),
            ("values", .array(rejection.jsonValues.map(text))),
        ])
        return [
            ("status", .array(rejection.statuses.map { .int($0) })), ("json", json),
            ("html", rejection.html.map(text) ?? .bool(false)),
            ("redirect", .bool(rejection.redirect)),
            ("www_authenticate", rejection.wwwAuthenticate.map(text) ?? .bool(false)),
        ]
    }

    /// How renewals go: not for a token that is not renewed.
    private func machineMembers(_ auth: AuthPlan) -> [(String, JSONNode)] {
        var members = [("start", JSONNode.string(auth.start.rawValue))]
        if let path = auth.storePath { members.append(("store", text(path))) }
        let coolDown =
            UnitText.text(durationNS: auth.coolDownMinNS) + ".."
            + UnitText.text(durationNS: auth.coolDownMaxNS)
        return members + [
            ("renew_before", duration(auth.renewBeforeNS)),
            ("sharing", .string(auth.sharing.rawValue)), ("client", .string(auth.client.rawValue)),
            ("release", release(auth.release)), ("max_refusals", .int(auth.refusalsMax)),
            ("max_barren", .int(auth.barrenMax)), ("cool_down", .string(coolDown)),
        ]
    }

    private func placementMembers(_ placement: AuthPlan.Placement) -> [(String, JSONNode)] {
        switch placement {
        case .query(let name): [("in", .string("query")), ("name", text(name))]
        case .header(let name, let prefix):
            [("in", .string("header")), ("name", text(name)), ("prefix", text(prefix))]
        case .cookie(let name): [("in", .string("cookie")), ("name", text(name))]
        case .template: [("in", .string("template"))]
        }
    }

    private func renewalMembers(
        _ renewal: RenewalPlan, _ profile: AuthPlan.Profile
    ) -> [(String, JSONNode)] {
        var members: [(String, JSONNode)] = [
            ("kind", .string(renewal.kind.rawValue)), ("url", text(renewal.url)),
        ]
        if [.url, .basic].contains(renewal.kind) {
            members.append(("method", text(renewal.method)))
        }
        members += requestMembers(
            renewal.headers, renewal.body,
            shown: AuthProfile.named(profile).renewal.body)
        members += credentialMembers(renewal)
        if let path = renewal.tokenPath {
            members.append(("token_path", text(path.joined(separator: "."))))
        }
        if let path = renewal.expiresPath {
            members.append(("expires_path", text(path.joined(separator: "."))))
        }
        if !renewal.parts.isEmpty {
            let parts = renewal.parts.map { ($0.name, text($0.path.joined(separator: "."))) }
            members.append(("parts", .object(parts)))
        }
        return members + [("timeout", duration(renewal.timeoutNS))]
    }

    /// Headers and body of a request to a service, hidden but for a body that is no secret.
    func requestMembers(
        _ headers: [HeaderPlan], _ body: RenewalPlan.Body?, shown: RenewalPlan.Body? = nil
    ) -> [(String, JSONNode)] {
        let mask = JSONNode.string(Secrets.mask)
        var members = headers.map { ($0.name, mask) }
        guard let body else { return [("headers", .object(members))] }
        members.append(("Content-Type", text(body.contentType)))
        let content: JSONNode =
            switch body.kind {
            case _ where body == shown: JSONReader.parse(Array(body.text.utf8)).node ?? mask
            case .text: mask
            case .json: .object([(Secrets.mask, mask)])
            case .form: .object([("form", .object([(Secrets.mask, mask)]))])
            }
        return [("headers", .object(members)), ("body", content)]
    }

    private func credentialMembers(_ renewal: RenewalPlan) -> [(String, JSONNode)] {
        let credentials = renewal.credentials
        var members: [(String, JSONNode)] = []
        for (name, value) in [
            ("client_id", credentials.clientID), ("client_secret", credentials.clientSecret),
            ("scope", credentials.scope), ("username", credentials.username),
            ("password", credentials.password), ("refresh_token", credentials.refreshToken),
            ("referer", credentials.referer),
        ] where value != nil {
            members.append((name, .string(Secrets.mask)))
        }
        if credentials.clientID != nil {
            members.append(("client_auth", .string(credentials.usesBasic ? "basic" : "body")))
        }
        if let minutes = credentials.expirationMinutes {
            members.append(("expiration", .int(minutes)))
        }
        return members
    }

    private func release(_ release: AuthPlan.Release) -> JSONNode {
        switch release {
        case .all: .string("all")
        case .parts: .string("paced")
        case .per5ms(let count): .object([("per_5ms", .int(count))])
        case .canary: .string("canary")
        }
    }
}
