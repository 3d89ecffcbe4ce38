import JSONText
import TileModel

extension PlanBuilder {
    private static let injectionKinds = ["expire", "renewal", "tiles"]

    mutating func buildInjections(_ root: Section) {
        for element in root.elements("inject") {
            guard element.node.members != nil else { continue }
            guard let kind = injectionKind(element), let at = element.uint("at") else { continue }
            var injection = InjectionPlan(atNS: at, kind: kind)
            injection.everyNS = element.uint("every")
            injection.durationNS = element.uint("for")
            injection.share = share(element, of: kind)
            checkTimes(element, injection)
            plan.injections.append(injection)
        }
    }

    private mutating func injectionKind(_ section: Section) -> InjectionPlan.Kind? {
        let path = section.path
        let written = PlanBuilder.injectionKinds.filter { scenario.isWritten(at: path + [$0]) }
        guard let key = written.first else {
            report(
                path, "needs one of `expire`, `renewal`, `tiles`",
                hint: "as {\"at\": \"10s\", \"expire\": \"poison\"}")
            return nil
        }
        for extra in written.dropFirst() {
            report(
                path + [extra], "`\(extra)` and `\(key)` exclude each other",
                hint: "each is an entry of `inject` of its own")
        }
        guard let word = section.text(key) else { return nil }
        refuseStrays(section, key, word)
        switch key {
        case "renewal":
            checkOriginHasTokens(path + [key], word)
            return InjectionPlan.RenewalFault(rawValue: word).map { .renewal($0) }
        case "tiles":
            checkOriginHasTokens(path + [key], word)
            return InjectionPlan.TileFault(rawValue: word).map { .tiles($0) }
        default: return expiry(section, word)
        }
    }

    /// Keys that say something about another kind of injection.
    private mutating func refuseStrays(_ section: Section, _ key: String, _ word: String) {
        let strays = [
            ("with", "\"expire\": \"poison\"", word == "poison"),
            ("request", "\"expire\": \"revoke\"", word == "revoke"),
            ("share", "`expire`", key == "expire"),
            ("for", "`renewal` and `tiles`", key != "expire"),
        ]
        for (name, owner, isAtHome) in strays
        where !isAtHome && scenario.isWritten(at: section.path + [name]) {
            report(section.path + [name], "`\(name)` is for \(owner) only")
        }
    }

    private mutating func expiry(_ section: Section, _ word: String) -> InjectionPlan.Kind? {
        let path = section.path + ["expire"]
        // A problem of `auth` has been told of.
        if plan.auth?.renewal == nil,
            !scenario.isWritten("auth") || plan.auth?.staticToken != nil
        {
            report(path, "\"\(word)\" needs `auth` with a renewal")
        }
        switch word {
        case "origin":
            checkOriginHasTokens(path, word)
            return .origin
        case "revoke": return hook(section.section("request")).map { .revoke($0) }
        default:
            return .poison(section.word("with", InjectionPlan.Poison.self) ?? .garbage)
        }
    }

    private mutating func checkOriginHasTokens(_ path: [String], _ word: String) {
        guard plan.target.origin?.token == nil else { return }
        report(
            path, "\"\(word)\" needs an embedded origin that gives tokens",
            hint: "\"target\": {\"origin\": {\"token\": {}}}")
    }

    /// The server's own way to revoke tokens.
    private mutating func hook(_ section: Section) -> HookPlan? {
        guard scenario.isWritten(at: section.path) else {
            report(
                Array(section.path.dropLast()), "`request` is missing",
                hint: "as \"request\": {\"url\": \"http://127.0.0.1:8080/revoke\"}")
            return nil
        }
        return request(section, method: "POST")
    }

    /// A request that is no tile.
    mutating func request(_ section: Section, method standard: String) -> HookPlan? {
        guard let url = section.text("url") else { return nil }
        _ = checkServiceURL(url, section.path + ["url"])
        var hook = HookPlan(url: url)
        hook.method = method(section, standard) ?? standard
        hook.headers = headers(section.section("headers"), defaults: [])
        hideServiceHeaders(hook.headers)
        hook.body = body(section, &hook.headers)
        if let timeout = section.uint("timeout") { hook.timeoutNS = timeout }
        return hook
    }

    /// With one token for all there is one cell, of which no part can be hit.
    private mutating func share(_ section: Section, of kind: InjectionPlan.Kind) -> Double {
        let path = section.path + ["share"]
        guard let share = section.double("share"), scenario.isWritten(at: path) else { return 1 }
        if share == 0 {
            report(path, "a share of 0 hits no token")
        } else if share < 1, plan.auth?.sharing == .all {
            report(
                path, "all users share one token, which is hit or is not",
                hint: "\"auth\": {\"sharing\": \"user\"} gives each user a token")
        } else if share < 1, case .revoke(let hook) = kind, !hook.isPerUser {
            report(
                path, "the server is not told whose tokens it is to revoke",
                hint: "{user} in `request` stands for the number of the token's cell")
        } else if share < 1, kind == .origin, plan.auth?.renewal?.namesCellsByUser == false {
            report(
                path, "the embedded origin cannot say whose tokens it has revoked",
                hint: "with `cell={user}` in the URL of `renewal` it knows each user by number")
        }
        return share
    }

    private mutating func checkTimes(_ section: Section, _ injection: InjectionPlan) {
        if let every = injection.everyNS {
            let isFault =
                switch injection.kind {
                case .renewal, .tiles: true
                case .poison, .revoke, .origin: false
                }
            if isFault, injection.durationNS ?? .max >= every {
                report(
                    section.path + ["every"], "the fault has not ended when it comes again",
                    hint: "give a `for` that is shorter than `every`")
            }
        }
        if let duration = plan.load.durationNS, injection.atNS >= duration {
            note(
                "\(section.path.joined(separator: ".")).at lies behind the end of the run:"
                    + " it never happens")
        }
    }
}

extension RenewalPlan {
    /// The embedded origin, which names a cell after the query, else the form or Basic credentials,
    /// calls it by the number of its user.
    fileprivate var namesCellsByUser: Bool {
        let query = url.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let cell = query.split(separator: "&").first { $0.hasPrefix("cell=") }
        if let cell { return cell.dropFirst(5) == PlanBuilder.userPlaceholder }
        // Fields of its own may take the place of the credentials.
        if kind.sendsForm, body != nil { return false }
        return (credentials.username ?? credentials.clientID) == PlanBuilder.userPlaceholder
    }
}
