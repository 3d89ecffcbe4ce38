import JSONText

extension PlanBuilder {
    /// What is written, over what the profile says.
    mutating func rejection(_ section: Section, _ profile: AuthProfile) -> RejectionPlan {
        var rejection = profile.rejection
        if let statuses = written(section, "status")?.array {
            rejection.statuses = statuses.compactMap(\.int)
        }
        let json = section.section("json")
        if written(json, "path") != nil, let path = names(json, "path") {
            rejection.jsonPath = path
        }
        if let values = written(json, "values")?.array {
            rejection.jsonValues = values.compactMap { value in
                value.string ?? value.number?.text ?? value.bool.map { $0 ? "true" : "false" }
            }
        }
        rejection.html = words(section, "html", standard: rejection.html)
        if let flag = written(section, "redirect")?.bool { rejection.redirect = flag }
        rejection.wwwAuthenticate = words(
            section, "www_authenticate", standard: rejection.wwwAuthenticate)
        if rejection.redirect, plan.connection.redirectsMax > 0 {
            report(
                section.path + ["redirect"],
                "a redirect cannot both refuse the token and be followed",
                hint: "leave connection.redirects at 0")
        }
        if rejection.statuses.isEmpty, rejection.jsonValues.isEmpty, rejection.html == nil,
            !rejection.redirect, rejection.wwwAuthenticate == nil
        {
            note("auth.rejected_when is empty: no answer says that the token has expired")
        }
        return rejection
    }

    /// A value that the scenario itself has; nil where only a default stands.
    private func written(_ section: Section, _ key: String) -> JSONNode? {
        scenario.isWritten(at: section.path + [key]) ? section.node[key] : nil
    }

    /// Words to look for; false: they are not looked for.
    private mutating func words(
        _ section: Section, _ key: String, standard: String?
    ) -> String? {
        guard let node = written(section, key) else { return standard }
        if let flag = node.bool {
            if flag { report(section.path + [key], "true says no words to look for") }
            return nil
        }
        let text = node.string ?? ""
        if text.allSatisfy(\.isWhitespace) { report(section.path + [key], "holds no word") }
        return text
    }

    /// An embedded origin that refuses in a way which nobody takes for an expired token.
    mutating func noteUnheardRefusals(_ rejection: RejectionPlan) {
        guard let refusal = plan.target.origin?.token?.refuseWith else { return }
        let (name, isHeard): (String, Bool) =
            switch refusal {
            case .status(let status): ("\(status)", isHeard(status, rejection))
            case .bare: ("a bare 401", rejection.statuses.contains(401))
            case .json:
                (
                    "an error inside JSON",
                    rejection.jsonPath == ["error", "code"] && rejection.jsonValues.contains("498")
                )
            case .html: ("a page", rejection.html?.lowercased() == "invalid token")
            case .redirect: ("a redirect", rejection.redirect)
            }
        guard !isHeard else { return }
        note("the origin refuses with \(name), which auth.rejected_when takes for a tile's own")
    }

    /// The origin's 401 names its error in a challenge.
    private func isHeard(_ status: Int, _ rejection: RejectionPlan) -> Bool {
        rejection.statuses.contains(status)
            || status == 401 && rejection.wwwAuthenticate?.lowercased() == "invalid_token"
    }
}
