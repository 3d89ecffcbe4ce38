import JSONText

extension Plan {
    /// All values of `auth` that can hold a credential are hidden, whatever they are.
    func authMembers(_ auth: AuthPlan) -> [(String, JSONNode)] {
        var members: [(String, JSONNode)] = [("token", .object(placementMembers(auth.placement)))]
        if auth.staticToken != nil { members.append(("static", .string(Secrets.mask))) }
        if let renewal = auth.renewal {
            members.append(("renewal", .object(renewalMembers(renewal))))
        }
        let json = JSONNode.object([
            ("path", text(auth.rejection.jsonPath.joined(separator: "."))),
            ("values", .array(auth.rejection.jsonValues.map(text))),
        ])
        let statuses = JSONNode.array(auth.rejection.statuses.map { .int($0) })
        members += [
            ("profile", .string("generic")),
            ("rejected_when", .object([("status", statuses), ("json", json)])),
            ("renew_before", .string("0s")), ("sharing", .string("all")),
            ("client", .string("single-flight")),
        ]
        return auth.renewal == nil ? members : members + machineMembers(auth)
    }

    /// How renewals go: not for a token that is not renewed.
    private func machineMembers(_ auth: AuthPlan) -> [(String, JSONNode)] {
        var members = [("start", JSONNode.string(auth.start.rawValue))]
        if let path = auth.storePath { members.append(("store", text(path))) }
        let coolDown =
            UnitText.text(durationNS: auth.coolDownMinNS) + ".."
            + UnitText.text(durationNS: auth.coolDownMaxNS)
        return members + [
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

    private func renewalMembers(_ renewal: RenewalPlan) -> [(String, JSONNode)] {
        let mask = JSONNode.string(Secrets.mask)
        var headers = renewal.headers.map { ($0.name, mask) }
        var members: [(String, JSONNode)] = [
            ("kind", .string("url")), ("url", text(renewal.url)), ("method", text(renewal.method)),
        ]
        var body: JSONNode?
        if let written = renewal.body {
            headers.append(("Content-Type", text(written.contentType)))
            body =
                switch written.kind {
                case .text: mask
                case .json: .object([(Secrets.mask, mask)])
                case .form: .object([("form", .object([(Secrets.mask, mask)]))])
                }
        }
        members.append(("headers", .object(headers)))
        if let body { members.append(("body", body)) }
        if let path = renewal.tokenPath {
            members.append(("token_path", text(path.joined(separator: "."))))
        }
        if let path = renewal.expiresPath {
            members.append(("expires_path", text(path.joined(separator: "."))))
        }
        members.append(("timeout", duration(renewal.timeoutNS)))
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
