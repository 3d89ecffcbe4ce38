import JSONText
import TileModel

extension PlanBuilder {
    mutating func buildAuth(_ section: Section) {
        guard scenario.isWritten("auth"), section.node.members != nil else {
            if plan.target.origin?.token != nil {
                note("the origin asks for a token, but there is no `auth`: it refuses every tile")
            }
            return
        }
        var auth = AuthPlan()
        auth.placement = placement(section.section("token"))
        auth.staticToken = section.text("static")
        auth.renewal = renewal(section.section("renewal"), isStatic: section.has("static"))
        auth.rejection = rejection(section.section("rejected_when"))
        if let start = section.word("start", AuthPlan.Start.self) { auth.start = start }
        auth.storePath = section.text("store")
        auth.release = release(section)
        if let count = section.int("max_refusals") { auth.refusalsMax = count }
        if let count = section.int("max_barren") { auth.barrenMax = count }
        if let span = section.node["cool_down"]?.array?.compactMap(\.uint), span.count == 2 {
            (auth.coolDownMinNS, auth.coolDownMaxNS) = (span[0], span[1])
        }
        plan.auth = auth
        checkStatic(section)
        if let token = auth.staticToken { hideStatic(token, section) }
        placeInHeaders(auth.placement)
    }

    // MARK: - Placement

    private mutating func placement(_ token: Section) -> AuthPlan.Placement {
        let name = token.text("name")
        if token.has("prefix"), token.text("in") != "header" {
            report(token.path + ["prefix"], "`prefix` is for {\"in\": \"header\"} only")
        }
        switch token.text("in") {
        case "header":
            let header = name ?? "Authorization"
            if checkHeaderName(header, token.path + ["name"]),
                ["host", "user-agent", "accept-encoding"].contains(header.lowercased())
            {
                report(token.path + ["name"], "`\(header)` cannot carry a token")
            }
            let isAuthorization = header.lowercased() == "authorization"
            return .header(
                name: header, prefix: token.text("prefix") ?? (isAuthorization ? "Bearer " : ""))
        case "cookie":
            let cookie = name ?? "access_token"
            if cookie.contains(where: { "=;, \"\\".contains($0) }) {
                report(token.path + ["name"], "`\(cookie)` is no name of a cookie")
            }
            return .cookie(name: cookie)
        case "template":
            if name != nil, scenario.isWritten("auth", "token", "name") {
                report(token.path + ["name"], "`name` is not for {\"in\": \"template\"}")
            }
            return .template
        default:
            return .query(name: name ?? "access_token")
        }
    }

    /// The token replaces what the scenario's own headers have in its place.
    private mutating func placeInHeaders(_ placement: AuthPlan.Placement) {
        switch placement {
        case .header(let name, _):
            let before = plan.target.headers.count
            plan.target.headers.removeAll { $0.name.lowercased() == name.lowercased() }
            if plan.target.headers.count < before {
                note("the token takes the place of the header `\(name)` in target.headers")
            }
        case .cookie(let name):
            for index in plan.target.headers.indices
            where plan.target.headers[index].name.lowercased() == "cookie" {
                let kept = plan.target.headers[index].value.split(separator: ";")
                    .map { String(UnitText.trimmed($0)) }
                    .filter { !$0.hasPrefix(name + "=") }
                plan.target.headers[index].value = kept.joined(separator: "; ")
            }
            plan.target.headers.removeAll { $0.name.lowercased() == "cookie" && $0.value.isEmpty }
        case .query, .template: break
        }
        for header in plan.target.headers {
            let path = ["target", "headers", header.name]
            if header.value.contains("{token."), placement == .template {
                report(path, "`{token.NAME}` is not supported yet")
            } else if header.value.contains("{token}"), placement != .template {
                report(
                    path, "`{token}` stands in a header, but auth.token.in is not \"template\"",
                    hint: "\"token\": {\"in\": \"template\"}")
            }
        }
    }

    /// Keys that only a renewal uses: beside a token that is not renewed they would do nothing.
    static let renewalKeys = [
        "start", "store", "release", "max_refusals", "max_barren", "cool_down",
    ]

    private mutating func checkStatic(_ section: Section) {
        // Both are written: that has been told of.
        guard scenario.isWritten("auth", "static"), !scenario.isWritten("auth", "renewal") else {
            return
        }
        for key in PlanBuilder.renewalKeys
        where scenario.isWritten("auth", key) && !isBroken(section.path + [key]) {
            // What is stored is what there is.
            if key == "start", section.text(key) == "stored" { continue }
            report(
                section.path + [key], "`\(key)` is for a token that is renewed, not for `static`",
                hint: "leave it out, or give auth.renewal instead of auth.static")
        }
    }

    private mutating func hideStatic(_ token: String, _ section: Section) {
        plan.secrets.add(token)
        if case .header(_, let prefix) = plan.auth?.placement, !prefix.isEmpty {
            plan.secrets.add(prefix + token)
        }
        if !token.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
            report(
                section.path + ["static"], "holds a character that no header or URL can carry")
        }
    }

    // MARK: - Renewal

    private mutating func renewal(_ section: Section, isStatic: Bool) -> RenewalPlan? {
        let isWritten = scenario.isWritten("auth", "renewal")
        if isStatic, isWritten {
            report(
                ["auth", "static"], "`static` and `renewal` exclude each other",
                hint: "a token is either fixed or renewed")
            return nil
        }
        if isStatic || scenario.isWritten("auth", "static") { return nil }
        let hasOrigin = plan.target.origin != nil
        guard isWritten || hasOrigin else {
            report(
                ["auth"], "needs `renewal` or `static`",
                hint: "as \"renewal\": {\"url\": \"https://backend.example.org/token\"}")
            return nil
        }
        if hasOrigin, plan.target.origin?.token == nil, !section.has("url") {
            report(
                ["target", "origin"], "`auth` without `token` here: the origin gives no tokens",
                hint: "\"origin\": {\"token\": {}}")
        }
        let standard = hasOrigin ? Plan.originVariable + "/token" : nil
        guard let url = section.text("url") ?? standard else {
            if !scenario.isWritten("auth", "renewal", "url"), !isBroken(section.path),
                !isBroken(section.path + ["kind"])
            {
                report(section.path, "`url` is missing", hint: "the address of the token endpoint")
            }
            return nil
        }
        return renewal(section, url: url)
    }

    private mutating func renewal(_ section: Section, url: String) -> RenewalPlan {
        let isEmbedded = url.hasPrefix(Plan.originVariable)
        let host = origin(of: url)
        if isEmbedded {
            checkAfterOrigin(url, section.path + ["url"])
        } else {
            checkURL(url, host.map { [$0] } ?? [], section.path + ["url"])
        }
        let isLoopback = isEmbedded || host.map { HostAddress(origin: $0).isLoopback } ?? false
        var renewal = RenewalPlan(
            url: url, timeoutNS: section.uint("timeout") ?? (isLoopback ? 1 : 5) * 1_000_000_000)
        hideQueryValues(of: url)
        if let method = section.text("method") {
            if !method.utf8.allSatisfy({ (65...90).contains($0) || (97...122).contains($0) }) {
                report(section.path + ["method"], "`\(method)` is no method")
            }
            renewal.method = method
        }
        renewal.headers = headers(section.section("headers"), defaults: [])
        hideRenewalHeaders(renewal.headers)
        renewal.body = body(section, &renewal.headers)
        if renewal.body != nil, renewal.method == "GET" {
            note("auth.renewal.body is sent with GET; \"method\": \"POST\" is the usual one")
        }
        renewal.tokenPath = names(section, "token_path")
        if section.text("expires_path") == "jwt" {
            report(section.path + ["expires_path"], "\"jwt\" is not supported yet")
        }
        renewal.expiresPath = names(section, "expires_path")
        return renewal
    }

    /// All of `auth` is secret, but common values of harmless headers stand everywhere.
    private mutating func hideRenewalHeaders(_ headers: [HeaderPlan]) {
        let harmless = [
            "accept", "accept-language", "cache-control", "content-type", "origin", "referer",
            "user-agent",
        ]
        for header in headers where !harmless.contains(header.name.lowercased()) {
            hideCredential(header.value)
        }
    }

    /// `a.b.0` as its names.
    private mutating func names(_ section: Section, _ key: String) -> [String]? {
        guard let text = section.text(key) else { return nil }
        let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if names.contains("") {
            report(
                section.path + [key], "has an empty name",
                hint: "names joined by dots, as data.token")
        }
        return names
    }

    // MARK: - Refusal and release

    private mutating func rejection(_ section: Section) -> RejectionPlan {
        var rejection = RejectionPlan()
        if let statuses = section.node["status"]?.array {
            rejection.statuses = statuses.compactMap(\.int)
        }
        let json = section.section("json")
        if let path = names(json, "path") { rejection.jsonPath = path }
        if let values = json.node["values"]?.array {
            rejection.jsonValues = values.compactMap { $0.string ?? $0.number?.text }
        }
        if rejection.statuses.isEmpty, rejection.jsonValues.isEmpty {
            note("auth.rejected_when is empty: no answer says that the token has expired")
        }
        return rejection
    }

    private func release(_ section: Section) -> AuthPlan.Release {
        if let count = section.section("release").int("per_5ms") { return .per5ms(count) }
        return section.text("release") == "all" ? .all : .parts(10)
    }
}
