import JSONText
import TileModel

extension PlanBuilder {
    mutating func placement(_ token: Section, _ profile: AuthProfile) -> AuthPlan.Placement {
        let hasName = scenario.isWritten(at: token.path + ["name"])
        let name = hasName ? token.text("name") : nil
        if token.has("prefix"), token.text("in") != "header" {
            report(token.path + ["prefix"], "`prefix` is for {\"in\": \"header\"} only")
        }
        if !profile.parts.isEmpty, token.text("in") != "template" {
            return placeParts(token, profile, hasName: hasName)
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
            if hasName { report(token.path + ["name"], "`name` is not for {\"in\": \"template\"}") }
            return .template
        default:
            if let name { return .query(name: name) }
            return profile.placement
        }
    }

    /// Puts each part of a credential of several where the profile has it: the query, or cookies.
    private mutating func placeParts(
        _ token: Section, _ profile: AuthProfile, hasName: Bool
    ) -> AuthPlan.Placement {
        if hasName {
            report(
                token.path + ["name"],
                "the parts have names of their own: "
                    + profile.parts.joined(separator: ", "),
                hint: "leave `name` out, or write each {token.NAME} where it goes, with"
                    + " \"in\": \"template\"")
        }
        switch token.text("in") {
        case "header":
            report(
                token.path + ["in"],
                "a header carries one token, and this profile's credential"
                    + " has several parts",
                hint: "\"query\", \"cookie\", or \"template\" with {token.\(profile.parts[0])}")
        case "cookie":
            for part in profile.parts { removeCookie(profile.cookiePrefix + part) }
            let pairs = profile.parts.map { "\(profile.cookiePrefix)\($0)={token.\($0)}" }
            addCookies(pairs.joined(separator: "; "))
        default:
            partsInQuery = profile.parts
        }
        return .template
    }

    /// The token replaces what the scenario's own headers have in its place.
    mutating func placeInHeaders(_ placement: AuthPlan.Placement) {
        switch placement {
        case .header(let name, _):
            let before = plan.target.headers.count
            plan.target.headers.removeAll { $0.name.lowercased() == name.lowercased() }
            if plan.target.headers.count < before {
                note("the token takes the place of the header `\(name)` in target.headers")
            }
        case .cookie(let name): removeCookie(name)
        case .query, .template: break
        }
        for header in plan.target.headers where header.value.contains("{token") {
            let isPart = header.value.contains("{token.")
            guard placement != .template, isPart || header.value.contains("{token}") else {
                continue
            }
            report(
                ["target", "headers", header.name],
                "`\(isPart ? "{token.NAME}" : "{token}")` stands in a header, but auth.token.in is"
                    + " not \"template\"",
                hint: "\"token\": {\"in\": \"template\"}")
        }
    }

    private mutating func removeCookie(_ name: String) {
        for index in plan.target.headers.indices
        where plan.target.headers[index].name.lowercased() == "cookie" {
            let kept = plan.target.headers[index].value.split(separator: ";")
                .map { String(UnitText.trimmed($0)) }
                .filter { !$0.hasPrefix(name + "=") }
            plan.target.headers[index].value = kept.joined(separator: "; ")
        }
        plan.target.headers.removeAll { $0.name.lowercased() == "cookie" && $0.value.isEmpty }
    }

    private mutating func addCookies(_ pairs: String) {
        if let index = plan.target.headers.firstIndex(where: { $0.name.lowercased() == "cookie" }) {
            plan.target.headers[index].value += "; " + pairs
        } else {
            plan.target.headers.append(HeaderPlan(name: "Cookie", value: pairs))
        }
    }

    // MARK: - Parts

    /// Fills `partNames`, and checks that each part which stands somewhere is given, and each that
    /// is given stands somewhere.
    mutating func finishParts() {
        guard let auth = plan.auth else { return }
        var names = (try? readableTarget.templateSet())?.tokenNames
        for header in plan.target.headers {
            for name in PlanBuilder.partNames(in: header.value)
            where !(names ?? []).contains(name) {
                names?.append(name)
            }
        }
        guard let names else { return }  // The templates have been told of.
        plan.auth?.partNames = names
        checkGiven(names, auth)
        guard let renewal = auth.renewal, scenario.isWritten("auth", "renewal", "parts") else {
            return
        }
        for (index, part) in renewal.parts.enumerated() where !names.contains(part.name) {
            let isList = scenario.written.at(pointer: "/auth/renewal/parts")?.array != nil
            report(
                ["auth", "renewal", "parts", isList ? String(index) : part.name],
                "`{token.\(part.name)}` stands in no URL and no header",
                hint: "write it where the part goes, with auth.token.in \"template\"")
        }
    }

    private mutating func checkGiven(_ names: [String], _ auth: AuthPlan) {
        for name in names {
            if let renewal = auth.renewal {
                // Which queries the URLs of a document have is known when it is fetched.
                if renewal.kind == .document { continue }
                if renewal.parts.contains(where: { $0.name == name }) { continue }
                report(
                    ["auth", "renewal"], "gives no part `\(name)` for `{token.\(name)}`",
                    hint: "\"parts\": [\"\(name)\"], or {\"\(name)\": \"path.in.the.answer\"}")
            } else if auth.staticToken != nil {
                report(
                    ["auth", "static"], "is one token: it has no part `\(name)`",
                    hint: "{token} is the token itself")
            }
        }
    }

    /// The NAMEs of each `{token.NAME}`, in their order.
    static func partNames(in text: String) -> [String] {
        var names: [String] = []
        var rest = Substring(text)
        while let start = rest.firstRange(of: "{token.") {
            rest = rest[start.upperBound...]
            guard let end = rest.firstIndex(where: { "{}".contains($0) }), rest[end] == "}" else {
                continue
            }
            if end != rest.startIndex { names.append(String(rest[..<end])) }
            rest = rest[rest.index(after: end)...]
        }
        return names
    }
}
