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
        if let word = section.word("profile", AuthPlan.Profile.self) { auth.profile = word }
        let profile = AuthProfile.named(auth.profile)
        if let word = section.word("sharing", AuthPlan.Sharing.self) { auth.sharing = word }
        if let word = section.word("client", AuthPlan.Client.self) { auth.client = word }
        auth.placement = placement(section.section("token"), profile)
        auth.staticToken = section.text("static")
        auth.renewal = renewal(section, auth)
        auth.rejection = rejection(section.section("rejected_when"), profile)
        readMachine(section, &auth)
        plan.auth = auth
        checkStatic(section, profile)
        if let token = auth.staticToken { hideStatic(token, section) }
        checkDocument(auth)
        placeInHeaders(auth.placement)
        noteUnheardRefusals(auth.rejection)
    }

    private mutating func readMachine(_ section: Section, _ auth: inout AuthPlan) {
        if let start = section.word("start", AuthPlan.Start.self) { auth.start = start }
        auth.storePath = section.text("store")
        if let before = section.node["renew_before"] {
            if before.bool == true {
                report(
                    section.path + ["renew_before"], "true does not say how long before",
                    hint: ScenarioKind.duration.hint)
            }
            auth.renewBeforeNS = before.uint ?? 0
        }
        auth.release = release(section)
        if let count = section.int("max_refusals") { auth.refusalsMax = count }
        if let count = section.int("max_barren") { auth.barrenMax = count }
        if let span = section.node["cool_down"]?.array?.compactMap(\.uint), span.count == 2 {
            (auth.coolDownMinNS, auth.coolDownMaxNS) = (span[0], span[1])
        }
    }

    private func release(_ section: Section) -> AuthPlan.Release {
        if let count = section.section("release").int("per_5ms") { return .per5ms(count) }
        return switch section.text("release") {
        case "all": .all
        case "canary": .canary
        default: .parts(10)
        }
    }

    /// An open load has no users who could have tokens of their own; and what is one cannot be
    /// each user's own.
    mutating func checkSharing() {
        guard let auth = plan.auth, auth.sharing == .user else { return }
        if plan.load.isOpen {
            report(
                ["auth", "sharing"], "\"user\" is for a closed load only: an open one has no users",
                hint: "give users instead of a rate, or \"sharing\": \"all\"")
        }
        if auth.storePath != nil {
            report(
                ["auth", "store"], "keeps one token, but each user has its own",
                hint: "leave it out, or \"sharing\": \"all\"")
        }
        if auth.renewal?.kind == .refreshToken,
            let token = auth.renewal?.credentials.refreshToken,
            !token.contains(PlanBuilder.userPlaceholder)
        {
            report(
                ["auth", "renewal", "refresh_token"],
                "one refresh token is spent by the first of many users",
                hint: "one with {user} in it, or \"sharing\": \"all\"")
        }
    }

    /// A document gives URLs: what is in them can stand in URLs only.
    private mutating func checkDocument(_ auth: AuthPlan) {
        guard auth.renewal?.kind == .document else { return }
        switch auth.placement {
        case .query, .template: return
        case .header, .cookie:
            report(
                ["auth", "token", "in"], "the token of a document stands in its tile URLs",
                hint: "\"query\", or \"template\" with {token} where it goes")
        }
    }

    // MARK: - A token that is not renewed

    /// Keys that only a renewal uses: beside a token that is not renewed they would do nothing.
    static let renewalKeys = [
        "start", "store", "renew_before", "sharing", "client", "release", "max_refusals",
        "max_barren", "cool_down",
    ]

    private mutating func checkStatic(_ section: Section, _ profile: AuthProfile) {
        // Both are written: that has been told of.
        guard scenario.isWritten("auth", "static"), !scenario.isWritten("auth", "renewal") else {
            return
        }
        for key in PlanBuilder.renewalKeys
        where scenario.isWritten("auth", key) && !isBroken(section.path + [key]) {
            if isDoneAnyway(key) { continue }
            report(
                section.path + [key], "`\(key)` is for a token that is renewed, not for `static`",
                hint: "leave it out, or give auth.renewal instead of auth.static")
        }
        if !profile.parts.isEmpty, plan.auth?.placement != .template || !partsInQuery.isEmpty {
            report(
                section.path + ["static"],
                "one token, but this profile's credential has the parts "
                    + profile.parts.joined(separator: ", "),
                hint: "write them into the template, without `auth`, or give auth.renewal")
        }
    }

    /// Whether a key says what holds for a token that is not renewed, too.
    private func isDoneAnyway(_ key: String) -> Bool {
        switch key {
        case "start": plan.auth?.start == .stored
        case "renew_before": plan.auth?.renewBeforeNS == 0
        case "sharing": plan.auth?.sharing == .all
        case "client": plan.auth?.client == .singleFlight
        default: false
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
}
