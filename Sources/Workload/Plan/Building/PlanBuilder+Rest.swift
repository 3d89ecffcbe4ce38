import JSONText
import TileModel

extension PlanBuilder {
    mutating func buildCache(_ section: Section) {
        plan.cache.serverHeader = section.text("server_header")?.lowercased()
        if let header = plan.cache.serverHeader {
            _ = checkHeaderName(header, section.path + ["server_header"])
        }
        let client = section.section("client")
        if let size = client.uint("size") {
            readClient(client, sizeBytes: size)
        } else if !scenario.isWritten("cache", "client"), hasViewers {
            plan.cache.client = CachePlan.Client(
                sizeBytes: CachePlan.Client.sizeBytesDefault, isPerUser: true,
                rules: rulesDefault)
        }
        if let strip = client.node["strip"]?.array {
            plan.cache.strip = strip.compactMap { $0.string?.lowercased() }
        }
        // The token is no part of a cache key, whatever its name.
        for name in tokenQueryNames where !plan.cache.strip.contains(name) {
            plan.cache.strip.append(name)
        }
        plan.secrets.queryNames = plan.cache.strip
    }

    private var hasViewers: Bool { if case .viewers = plan.workload.kind { true } else { false } }

    /// As the viewers' client has them.
    private var rulesDefault: CachePlan.Rules {
        guard case .viewers(let viewers) = plan.workload.kind else { return .none }
        return viewers.client == .maplibreNative ? .maplibreNative : .rfc9111
    }

    private mutating func readClient(_ client: Section, sizeBytes: UInt64) {
        if sizeBytes == 0 { report(client.path + ["size"], "must be more than 0") }
        let hasUsers = !plan.load.isOpen || hasViewers
        let isPerUser = client.text("per").map { $0 == "user" } ?? hasUsers
        if isPerUser, !hasUsers {
            report(
                client.path + ["per"],
                "\"user\" is for a closed load only: an open one has no users",
                hint: "\"per\": \"all\"")
        }
        if templates.contains(where: \.usesRandom) {
            note(
                "{random} gives each request a URL of its own, which cache.client never holds:"
                    + " every look-up misses")
        }
        plan.cache.client = CachePlan.Client(
            sizeBytes: sizeBytes, isPerUser: isPerUser,
            rules: client.word("honour", CachePlan.Rules.self) ?? rulesDefault)
    }

    /// A status cannot be that of a good tile and refuse the token.
    private mutating func checkBothWays(_ section: Section) {
        let rejected = plan.auth?.rejection.statuses ?? []
        for status in plan.checks.statuses where rejected.contains(status) {
            let isListed = scenario.isWritten("auth", "rejected_when", "status")
            report(
                isListed ? ["auth", "rejected_when", "status"] : section.path + ["status"],
                "\(status) is both good (checks.status) and a refused token (auth.rejected_when)",
                hint: "take it out of one of them")
        }
    }

    mutating func buildChecks(_ section: Section) {
        if let statuses = section.node["status"]?.array {
            plan.checks.statuses = statuses.compactMap(\.int)
        }
        checkBothWays(section)
        if let word = section.text("not_found") { plan.checks.acceptsNotFound = word == "ok" }
        if let format = section.word("tile", ChecksPlan.TileFormat.self) {
            plan.checks.tile = format
        }
        plan.checks.bytesMin = section.int("min_bytes")
        plan.checks.bytesMax = section.int("max_bytes")
        if let least = plan.checks.bytesMin, let most = plan.checks.bytesMax, least > most {
            report(
                section.path + ["min_bytes"], "`min_bytes` is more than `max_bytes`")
        }
    }
}
