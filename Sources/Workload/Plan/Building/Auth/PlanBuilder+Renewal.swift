import JSONText
import TileModel

extension PlanBuilder {
    /// Stands for the number of the cell that renews, in the request for its token.
    static let userPlaceholder = "{user}"

    mutating func renewal(_ authSection: Section, _ auth: AuthPlan) -> RenewalPlan? {
        let isWritten = scenario.isWritten("auth", "renewal")
        let isStatic = scenario.isWritten("auth", "static")
        if isStatic, isWritten {
            report(
                ["auth", "static"], "`static` and `renewal` exclude each other",
                hint: "a token is either fixed or renewed")
            return nil
        }
        if isStatic { return nil }
        let section = authSection.section("renewal")
        let profile = AuthProfile.named(auth.profile)
        let standard = standardURL(auth.sharing, profile)
        guard isWritten || standard != nil else {
            report(
                ["auth"], "needs `renewal` or `static`",
                hint: "as \"renewal\": {\"url\": \"https://backend.example.org/token\"}")
            return nil
        }
        if plan.target.origin != nil, plan.target.origin?.token == nil, !section.has("url") {
            report(
                ["target", "origin"], "`auth` without `token` here: the origin gives no tokens",
                hint: "\"origin\": {\"token\": {}}")
        }
        let document =
            section.text("kind") == RenewalPlan.Kind.document.rawValue ? documentURL : nil
        guard let url = section.text("url") ?? document ?? standard else {
            if !scenario.isWritten("auth", "renewal", "url"), !isBroken(section.path),
                !isBroken(section.path + ["kind"])
            {
                report(section.path, "`url` is missing", hint: "the address of the token endpoint")
            }
            return nil
        }
        return renewal(section, url: url, profile)
    }

    /// Of the embedded origin, or of the profile on the only host that the tiles come from.
    private func standardURL(_ sharing: AuthPlan.Sharing, _ profile: AuthProfile) -> String? {
        if plan.target.origin != nil {
            let query = sharing == .user ? "?cell=" + PlanBuilder.userPlaceholder : ""
            return Plan.originVariable + "/token" + query
        }
        guard let path = profile.renewal.path else { return nil }
        let hosts = Set(templates.flatMap { $0.hosts() } + documentOrigins)
        return hosts.count == 1 ? hosts.first.map { $0 + path } : nil
    }

    private mutating func renewal(
        _ section: Section, url: String, _ profile: AuthProfile
    ) -> RenewalPlan {
        let isLoopback = checkServiceURL(url, section.path + ["url"])
        var renewal = RenewalPlan(
            url: url, timeoutNS: section.uint("timeout") ?? (isLoopback ? 1 : 5) * 1_000_000_000)
        let isKindWritten = scenario.isWritten(at: section.path + ["kind"])
        let kind = isKindWritten ? section.word("kind", RenewalPlan.Kind.self) : nil
        renewal.kind = kind ?? profile.renewal.kind
        // What a profile says of the request is of its own kind of request.
        let standard = renewal.kind == profile.renewal.kind ? profile.renewal : nil
        checkKeys(section, of: renewal.kind)
        renewal.method = method(section, standard?.method) ?? renewal.kind.method
        renewal.headers = headers(section.section("headers"), defaults: [])
        for header in renewal.headers {
            checkPlaceholders(header.value, section.path + ["headers", header.name])
        }
        hideServiceHeaders(renewal.headers)
        renewal.body = body(section, &renewal.headers) ?? standard?.body
        if let body = renewal.body, renewal.kind.sendsForm, body.kind != .form {
            report(
                section.path + ["body"], "\"kind\": \"\(renewal.kind.rawValue)\" sends a form",
                hint: "further fields of it: {\"form\": {\"NAME\": \"value\"}}")
        }
        if renewal.body != nil, renewal.method == "GET" {
            note("auth.renewal.body is sent with GET; \"method\": \"POST\" is the usual one")
        }
        renewal.credentials = credentials(section, renewal.kind)
        renewal.tokenPath = names(section, "token_path") ?? standard?.tokenPath
        renewal.expiresPath = names(section, "expires_path") ?? standard?.expiresPath
        renewal.parts =
            parts(section)
            ?? (renewal.kind == .document
                ? [] : profile.parts.map { RenewalPlan.Part(name: $0, path: [$0]) })
        return renewal
    }

    /// Checks the address of a service that is no tile, of a renewal or a hook.
    ///
    /// - Returns: whether it is on this machine.
    mutating func checkServiceURL(_ url: String, _ path: [String]) -> Bool {
        checkPlaceholders(url, path)
        hideQueryValues(of: url)
        if url.hasPrefix(Plan.originVariable) {
            checkAfterOrigin(url, path)
            return true
        }
        let host = origin(of: url)
        checkURL(url, host.map { [$0] } ?? [], path)
        return host.map { HostAddress(origin: $0).isLoopback } ?? false
    }

    /// `{user}` is known here, and a token is what the request is to bring.
    private mutating func checkPlaceholders(_ text: String, _ path: [String]) {
        guard text.contains("{token}") || text.contains("{token.") else { return }
        report(
            path, "`{token}` has no value here", hint: "{user} is the number of the token's cell")
    }

    /// A method written, or the default.
    mutating func method(_ section: Section, _ standard: String?) -> String? {
        let path = section.path + ["method"]
        guard scenario.isWritten(at: path), let method = section.text("method") else {
            return standard
        }
        if !method.utf8.allSatisfy({ (65...90).contains($0) || (97...122).contains($0) }) {
            report(path, "`\(method)` is no method")
        }
        return method
    }

    /// All of `auth` is secret, but common values of harmless headers stand everywhere.
    mutating func hideServiceHeaders(_ headers: [HeaderPlan]) {
        let harmless = [
            "accept", "accept-language", "cache-control", "content-type", "origin", "referer",
            "user-agent",
        ]
        for header in headers where !harmless.contains(header.name.lowercased()) {
            hideCredential(header.value)
        }
    }

    /// `a.b.0` as its names.
    mutating func names(_ section: Section, _ key: String) -> [String]? {
        guard let text = section.text(key) else { return nil }
        return names(text, section.path + [key])
    }

    private mutating func names(_ text: String, _ path: [String]) -> [String] {
        let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if names.contains("") {
            report(path, "has an empty name", hint: "names joined by dots, as data.token")
        }
        return names
    }

    // MARK: - Parts

    /// The parts as written: a list of names, or an object of names and paths.
    private mutating func parts(_ section: Section) -> [RenewalPlan.Part]? {
        let path = section.path + ["parts"]
        guard let node = section.node["parts"] else { return nil }
        var parts: [RenewalPlan.Part] = []
        for (index, element) in (node.array ?? []).enumerated() {
            guard let name = element.string else { continue }
            let place = path + [String(index)]
            if parts.contains(where: { $0.name == name }) { report(place, "stands twice") }
            checkPartName(name, place)
            parts.append(RenewalPlan.Part(name: name, path: [name]))
        }
        for member in node.members ?? [] {
            guard let text = member.node.string else { continue }
            checkPartName(member.name, path + [member.name])
            let names = names(text, path + [member.name])
            parts.append(RenewalPlan.Part(name: member.name, path: names))
        }
        if parts.isEmpty, node.members != nil { report(path, "names no part") }
        return parts
    }

    private mutating func checkPartName(_ name: String, _ path: [String]) {
        guard name.isEmpty || name.contains(where: { "{}".contains($0) }) else { return }
        report(path, "`\(name)` cannot stand in {token.NAME}")
    }
}

extension RenewalPlan.Kind {
    /// What a request of that kind is sent with unless something else is written.
    var method: String {
        switch self {
        case .url, .basic, .document: "GET"
        case .clientCredentials, .password, .refreshToken, .arcgis: "POST"
        }
    }

    /// Its request is a form, which the kind itself fills in.
    package var sendsForm: Bool { method == "POST" }
}
