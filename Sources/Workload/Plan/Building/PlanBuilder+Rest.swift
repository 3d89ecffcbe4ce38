import JSONText
import TileModel

extension PlanBuilder {
    mutating func buildCache(_ section: Section) {
        plan.cache.serverHeader = section.text("server_header")?.lowercased()
        if let header = plan.cache.serverHeader {
            _ = checkHeaderName(header, section.path + ["server_header"])
        }
        let client = section.section("client")
        if let size = client.uint("size") { readClient(client, sizeBytes: size) }
        if let strip = client.node["strip"]?.array {
            plan.cache.strip = strip.compactMap { $0.string?.lowercased() }
        }
        // The token is no part of a cache key, whatever its name.
        if case .query(let name)? = plan.auth?.placement,
            !plan.cache.strip.contains(name.lowercased())
        {
            plan.cache.strip.append(name.lowercased())
        }
        plan.secrets.queryNames = plan.cache.strip
    }

    private mutating func readClient(_ client: Section, sizeBytes: UInt64) {
        if sizeBytes == 0 { report(client.path + ["size"], "must be more than 0") }
        let isPerUser = client.text("per").map { $0 == "user" } ?? !plan.load.isOpen
        if isPerUser, plan.load.isOpen {
            report(
                client.path + ["per"],
                "\"user\" is for a closed load only: an open one has no users",
                hint: "\"per\": \"all\"")
        }
        if templates.contains(where: \.usesRandom) {
            note(
                "cache.client knows tiles by zoom, column and row: {random} in a template makes no"
                    + " new entry")
        }
        plan.cache.client = CachePlan.Client(sizeBytes: sizeBytes, isPerUser: isPerUser)
    }

    mutating func buildChecks(_ section: Section) {
        if let statuses = section.node["status"]?.array {
            plan.checks.statuses = statuses.compactMap(\.int)
        }
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

    // MARK: - Injections

    mutating func buildInjections(_ root: Section) {
        for element in root.elements("inject") {
            guard let injection = injection(element) else { continue }
            plan.injections.append(injection)
        }
    }

    private mutating func injection(_ section: Section) -> InjectionPlan? {
        let path = section.path
        // Faults of the origin have been refused already.
        let isFault = ["for", "renewal", "tiles"].contains {
            scenario.isWritten(at: path + [$0])
        }
        guard scenario.isWritten(at: path + ["expire"]) else {
            if !isFault, section.node.members != nil {
                report(
                    path, "`expire` is missing",
                    hint: "as {\"at\": \"10s\", \"expire\": \"poison\"}")
            }
            return nil
        }
        guard let word = section.text("expire"), let at = section.uint("at") else { return nil }
        let kind: InjectionPlan.Kind
        if word == "origin" {
            kind = .origin
            if plan.target.origin?.token == nil {
                report(
                    path + ["expire"], "\"origin\" needs an embedded origin that gives tokens",
                    hint: "\"target\": {\"origin\": {\"token\": {}}}")
            }
            if scenario.isWritten(at: path + ["with"]) {
                report(path + ["with"], "`with` is for \"poison\" only")
            }
        } else {
            kind = .poison(section.word("with", InjectionPlan.Poison.self) ?? .garbage)
        }
        // A problem of `auth` has been told of where it stands.
        if plan.auth?.renewal == nil,
            !scenario.isWritten("auth") || plan.auth?.staticToken != nil
        {
            report(path + ["expire"], "\"\(word)\" needs `auth` with a renewal")
        }
        if let duration = plan.load.durationNS, at >= duration {
            note(
                "\(path.joined(separator: ".")).at lies behind the end of the run:"
                    + " it never happens")
        }
        var injection = InjectionPlan(atNS: at, kind: kind)
        injection.everyNS = section.uint("every")
        return injection
    }
}
