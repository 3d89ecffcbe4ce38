package import JSONText
import Metrics
import TileModel

extension Plan {
    /// The plan in the words of the scenario file, every default filled in and no secret in it. It
    /// reads again as a scenario for the same run, apart from the secrets.
    package var json: JSONNode {
        var members: [(String, JSONNode)] = [
            ("version", .int(1)), ("name", text(name)), ("seed", .uint(seed)),
            ("target", .object(targetMembers)), ("connection", .object(connectionMembers)),
        ]
        if let auth { members.append(("auth", .object(authMembers(auth)))) }
        members += [
            ("workload", .object(workloadMembers)), ("load", .object(loadMembers)),
            ("cache", .object(cacheMembers)), ("passes", .array(passes.map { .string($0) })),
            ("before", .array(before.map(beforeRequest))),
            ("inject", .array(injections.map(injection))), ("checks", .object(checksMembers)),
            ("gates", .array(gates.map(gate))), ("abort_when", .array(abortWhen.map(condition))),
            ("on_invalid", .string(failsWhenInvalid ? "fail" : "warn")),
            ("report", .object(reportMembers)),
        ]
        return .object(members)
    }

    /// The plan without target, requests to it, secrets and report options: two runs with equal
    /// fingerprints put the same load on whatever they were pointed at. The name is left out
    /// because it is the target's host when a URL stands in place of a scenario.
    package var fingerprintJSON: JSONNode {
        var node = JSONNode.object(
            (json.members ?? []).compactMap { member in
                ["name", "target", "before", "report"].contains(member.name)
                    ? nil : (member.name, member.node)
            })
        node = node.dropping(["auth", "static"])
        // The token endpoint is an address as the target is; the rest of it is secret.
        for name in ["url", "headers", "body"] { node = node.dropping(["auth", "renewal", name]) }
        if case .list(let tiles) = workload.kind, workload.tilesFile != nil {
            node = node.dropping(["workload", "tiles"])
            let members = (node.members ?? []).map { ($0.name, $0.node) }
            node = .object(members + [("tiles_fnv1a", .uint(fnv1a(tiles.map(\.packed))))])
        }
        if let tileWeights = workload.tileWeights {
            node = node.dropping(["workload", "weights_file"])
            let members = (node.members ?? []).map { ($0.name, $0.node) }
            node = .object(members + [("weights_fingerprint", .uint(tileWeights.fingerprint))])
        }
        return node
    }

    // MARK: - Words

    /// Text the user wrote, its secrets masked.
    func text(_ value: String) -> JSONNode { .string(secrets.masking(value)) }

    func duration(_ value: UInt64) -> JSONNode { .string(UnitText.text(durationNS: value)) }

    // MARK: - Parts

    private var reportMembers: [(String, JSONNode)] {
        [
            ("formats", .array([])), ("directory", text(report.directory)),
            ("samples", .int(3)),
        ]
    }

    private var cacheMembers: [(String, JSONNode)] {
        var client = JSONNode.string("off")
        if let own = cache.client {
            client = .object([
                ("size", .string(UnitText.text(bytes: own.sizeBytes))),
                ("per", .string(own.isPerUser ? "user" : "all")),
                ("honour", .string(own.rules.rawValue)),
                ("strip", .array(cache.strip.map { .string($0) })),
            ])
        }
        var members = [("client", client)]
        if let header = cache.serverHeader { members.append(("server_header", text(header))) }
        return members
    }

    private var checksMembers: [(String, JSONNode)] {
        var members: [(String, JSONNode)] = [
            ("status", .array(checks.statuses.map { .int($0) })),
            ("not_found", .string(checks.acceptsNotFound ? "ok" : "fail")),
            ("tile", .string(checks.tile.rawValue)),
        ]
        if let least = checks.bytesMin { members.append(("min_bytes", .int(least))) }
        if let most = checks.bytesMax { members.append(("max_bytes", .int(most))) }
        return members
    }

    private func injection(_ injection: InjectionPlan) -> JSONNode {
        var members: [(String, JSONNode)] = [("at", duration(injection.atNS))]
        if let every = injection.everyNS { members.append(("every", duration(every))) }
        switch injection.kind {
        case .poison(let poison):
            members.append(("expire", .string("poison")))
            members.append(("with", .string(poison.rawValue)))
        case .revoke(let hook):
            members.append(("expire", .string("revoke")))
            members.append(("request", .object(hookMembers(hook))))
        case .origin: members.append(("expire", .string("origin")))
        case .renewal(let fault): members.append(("renewal", .string(fault.rawValue)))
        case .tiles(let fault): members.append(("tiles", .string(fault.rawValue)))
        }
        if let time = injection.durationNS { members.append(("for", duration(time))) }
        switch injection.kind {
        case .poison, .revoke, .origin: members.append(("share", .double(injection.share)))
        case .renewal, .tiles: break
        }
        return .object(members)
    }

    private func hookMembers(_ hook: HookPlan) -> [(String, JSONNode)] {
        [("url", text(hook.url)), ("method", text(hook.method))]
            + requestMembers(hook.headers, hook.body) + [("timeout", duration(hook.timeoutNS))]
    }

    private func beforeRequest(_ before: BeforePlan) -> JSONNode {
        let statuses: [(String, JSONNode)] =
            before.statuses.isEmpty
            ? [] : [("status", .array(before.statuses.map { .int($0) }))]
        return .object(hookMembers(before.request) + statuses)
    }

    private func condition(_ gate: GatePlan) -> JSONNode {
        var expression = gate.expression.text
        if gate.afterNS > 0 { expression += " after \(UnitText.text(durationNS: gate.afterNS))" }
        var members = [("gate", JSONNode.string(expression))]
        if let count = gate.samplesMin { members.append(("min_samples", .uint(count))) }
        return .object(members)
    }

    private func gate(_ gate: GatePlan) -> JSONNode {
        var members: [(String, JSONNode)] = [
            ("gate", .string(gate.expression.text)), ("level", .string(gate.level.rawValue)),
        ]
        if let count = gate.samplesMin { members.append(("min_samples", .uint(count))) }
        members.append(("allow_empty", .bool(gate.allowsEmpty)))
        return .object(members)
    }
}

extension JSONNode {
    /// The object without what stands at the end of the path.
    fileprivate func dropping(_ path: [String]) -> JSONNode {
        guard let first = path.first, let members else { return self }
        let rest = Array(path.dropFirst())
        return .object(
            members.compactMap { member in
                guard member.name == first else { return (member.name, member.node) }
                return rest.isEmpty ? nil : (member.name, member.node.dropping(rest))
            })
    }
}

/// The 64-bit hash of Fowler, Noll and Vo over the bytes of the numbers, lowest first.
private func fnv1a(_ numbers: [UInt64]) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for number in numbers {
        for shift in stride(from: 0, to: 64, by: 8) {
            hash = (hash ^ (number >> UInt64(shift) & 0xFF)) &* 0x100_0000_01b3
        }
    }
    return hash
}
