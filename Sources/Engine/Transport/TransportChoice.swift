import Workload

/// Which transport carries a run, and why: by rule, from the plan and from what the connections
/// before the run agreed on.
struct TransportChoice: Sendable {
    enum Kind: String, Sendable { case direct, libcurl }

    let kind: Kind
    /// A clause for people; nil: the direct one, which is the usual one.
    let reason: String?

    /// - Parameters:
    ///   - cachesByRules: the client's cache validates what it keeps.
    ///   - speaksHTTP2: a host agreed on HTTP/2.
    init(
        _ plan: Plan, origins: [String], viewers: RunParts.Viewers?, cachesByRules: Bool,
        speaksHTTP2: Bool
    ) {
        reason =
            cachesByRules
            ? "the client's cache validates what it keeps"
            : Self.obstacle(plan, origins: origins, speaksHTTP2: speaksHTTP2)
                ?? Self.obstacle(viewers)
        kind = reason == nil ? .direct : .libcurl
    }

    private static let hostsMax = 64

    private static func obstacle(
        _ plan: Plan, origins: [String], speaksHTTP2: Bool
    ) -> String? {
        if plan.load.transport == .libcurl { return "load.transport asks for it" }
        // Asked for by name, it offers HTTP/1.1 alone.
        if speaksHTTP2, plan.load.transport != .direct { return "the server speaks HTTP/2" }
        if plan.connection.proxy != nil { return "a proxy stands between" }
        if plan.connection.redirectsMax > 0 { return "redirects are followed" }
        if plan.connection.maximum != nil, origins.count > 1 {
            return "connection.max is shared by several hosts"
        }
        if origins.count > hostsMax { return "the templates name more than \(hostsMax) hosts" }
        let templates = plan.target.templates
        if templates.contains(where: namesUser) { return "a URL has a user's name in it" }
        if templates.contains(where: hasDots) {
            return "a URL's path has dots to resolve"
        }
        if let auth = plan.auth, Deviations(auth.client).contains(.noRecheck) {
            return "auth.client sends tokens that were replaced"
        }
        return nil
    }

    /// Viewers whose connections it would have to count.
    private static func obstacle(_ viewers: RunParts.Viewers?) -> String? {
        viewers?.rules.countsHosts == false
            ? "the hosts of a viewer's tiles are too many or cannot be told beforehand" : nil
    }

    /// `user:password@` in front of the host, which libcurl makes a header of.
    private static func namesUser(_ template: String) -> Bool {
        guard let mark = template.firstRange(of: "://") else { return false }
        return template[mark.upperBound...].prefix { !"/?#".contains($0) }.contains("@")
    }

    /// `/./` and `/../`, which libcurl resolves (RFC 3986, 5.2.4).
    private static func hasDots(_ template: String) -> Bool {
        let path = template.prefix { $0 != "?" && $0 != "#" }
        return path.split(separator: "/").dropFirst().contains { $0 == "." || $0 == ".." }
    }
}
