import JSONText
import TileModel

extension PlanBuilder {
    /// Headers whose values are credentials: Authorization, Cookie, `*-Key`, `*-Token`.
    static func isSecret(header name: String) -> Bool { Secrets.isSecret(header: name) }

    /// The headers of an object, in its order, after the defaults that it does not name.
    mutating func headers(_ section: Section, defaults: [HeaderPlan]) -> [HeaderPlan] {
        let members = section.node.members ?? []
        let named = Set(members.map { $0.name.lowercased() })
        var seen: Set<String> = []
        var result = defaults.filter { !named.contains($0.name.lowercased()) }
        for member in members {
            let path = section.path + [member.name]
            guard checkHeaderName(member.name, path) else { continue }
            guard seen.insert(member.name.lowercased()).inserted else {
                report(path, "the header `\(member.name)` stands twice")
                continue
            }
            guard let value = member.node.string else { continue }
            if PlanBuilder.isSecret(header: member.name) { hideCredential(value) }
            result.append(HeaderPlan(name: member.name, value: value))
        }
        return result
    }

    /// Whether a text can be the name of a header that a scenario may set (RFC 9110, 5.1).
    mutating func checkHeaderName(_ name: String, _ path: [String]) -> Bool {
        let allowed = Set("!#$%&'*+-.^_`|~0123456789".utf8)
        let isToken =
            !name.isEmpty
            && name.utf8.allSatisfy { byte in
                allowed.contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            }
        guard isToken else {
            report(path, "`\(name)` is no name of a header")
            return false
        }
        // These two would tell the server of a body that is not there.
        guard !["content-length", "transfer-encoding"].contains(name.lowercased()) else {
            report(path, "`\(name)` is the transport's own")
            return false
        }
        return true
    }

    /// Hides a header's value and, behind a scheme such as `Bearer`, the credential alone; of a
    /// cookie each value.
    mutating func hideCredential(_ value: String) {
        guard !value.contains("{token") else { return }
        hide(value)
        guard !value.contains(PlanBuilder.userPlaceholder) else { return }
        if let blank = value.firstIndex(of: " ") {
            hidePart(String(value[blank...].dropFirst()))
        }
        for pair in value.split(separator: ";") {
            if let equals = pair.firstIndex(of: "=") {
                hidePart(String(UnitText.trimmed(pair[equals...].dropFirst())))
            }
        }
    }

    /// Hides the values of a URL's secret query parameters, and a password before its host.
    mutating func hideQueryValues(of url: String) {
        plan.secrets.queryNames = secretQueryNames
        for value in plan.secrets.credentials(in: url) { hidePart(value) }
    }

    /// Hides a secret; where each user has another one, what they have in common.
    mutating func hide(_ value: String) {
        if value.contains(PlanBuilder.userPlaceholder) {
            hideAround(value)
        } else {
            plan.secrets.add(value)
        }
    }

    /// Hides what stands around each `{user}`.
    mutating func hideAround(_ value: String) {
        for part in value.split(separator: PlanBuilder.userPlaceholder) {
            hidePart(String(UnitText.trimmed(part)))
        }
    }

    /// Hides a part of something that is masked as a whole where it stands. Short parts would be
    /// found by chance in figures and words.
    mutating func hidePart(_ value: String) {
        if value.utf8.count >= 6 { plan.secrets.add(value) }
    }

    /// Names of `cache.client.strip`, and of a token in the query.
    private var secretQueryNames: [String] {
        let client = Section(node: scenario.values, path: []).section("cache").section("client")
        var names = CachePlan.stripDefault
        if let strip = client.node["strip"]?.array {
            names = strip.compactMap { $0.string?.lowercased() }
        }
        return names + tokenQueryNames.filter { !names.contains($0) }
    }

    /// Parameters of the templates that carry the token or a part of it, lower case.
    var tokenQueryNames: [String] {
        var names = partsInQuery.map { $0.lowercased() }
        if case .query(let name)? = plan.auth?.placement { names.append(name.lowercased()) }
        for template in plan.target.templates {
            guard let query = template.firstIndex(of: "?") else { continue }
            for parameter in template[query...].dropFirst().split(separator: "&") {
                guard let equals = parameter.firstIndex(of: "="),
                    parameter[equals...].contains("{token")
                else { continue }
                let name = parameter[..<equals].lowercased()
                if !names.contains(name) { names.append(name) }
            }
        }
        return names
    }
}
