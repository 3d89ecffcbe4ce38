import JSONText
import TileModel

extension Plan {
    var targetMembers: [(String, JSONNode)] {
        var members: [(String, JSONNode)] = []
        if let origin = target.origin {
            members.append(("origin", .object(originMembers(origin))))
        } else if let document = target.document {
            members.append((document.kind.rawValue, masked(document.written)))
        } else {
            members.append(("tiles", .array(target.templates.map(text))))
        }
        members +=
            target.document?.overrides.map { ($0.name, $0.node.withoutPlaces) } ?? [
                ("scheme", .string(target.options.scheme.rawValue)),
                ("tile_size", .int(target.sources[0].tileSize)),
                ("max_zoom", .int(Int(target.sources[0].maxZoom))),
            ]
        members += [
            ("ratio", .double(target.options.ratio)),
            ("unknown", .string(target.options.unknown.rawValue)),
            ("compat", .string(target.options.client.rawValue)),
            ("subdomains", .string(target.options.subdomains.joined())),
            ("headers", .object(headerMembers)),
        ]
        if !target.hosts.isEmpty { members.append(("hosts", .array(target.hosts.map(text)))) }
        members.append(("permission", .bool(target.hasPermission)))
        return members
    }

    /// A value as it is written, its texts masked.
    private func masked(_ node: JSONNode) -> JSONNode {
        switch node.value {
        case .string(let string): text(string)
        case .array(let elements): .array(elements.map(masked))
        case .object(let members): .object(members.map { ($0.name, masked($0.node)) })
        default: JSONNode(node.value)
        }
    }

    /// A default header that is not sent stands there as null.
    private var headerMembers: [(String, JSONNode)] {
        var members = target.headers.map { header in
            let isHidden = Secrets.isSecret(header: header.name) && !header.value.contains("{token")
            return (header.name, isHidden ? .string(Secrets.mask) : text(header.value))
        }
        for name in ["User-Agent", "Accept"]
        where !target.headers.contains(where: { $0.name.lowercased() == name.lowercased() }) {
            members.append((name, .null))
        }
        return members
    }

    private func originMembers(_ origin: OriginPlan) -> [(String, JSONNode)] {
        var members: [(String, JSONNode)] = [("tile", .string(origin.format.rawValue))]
        if let bytes = origin.bytes { members.append(("bytes", .int(bytes))) }
        if let value = origin.cacheControl { members.append(("cache_control", text(value))) }
        if let latency = origin.latency {
            let times = [
                ("median", duration(latency.medianNS)), ("p99", duration(latency.p99NS)),
            ]
            members.append(("latency", .object(times)))
        }
        if let token = origin.token {
            var inner: [(String, JSONNode)] = []
            if let ttl = token.ttlNS { inner.append(("ttl", duration(ttl))) }
            inner.append(
                ("advertise", token.advertisedNS.map(duration) ?? .bool(token.advertises)))
            inner.append(("refuse_with", refusal(token.refuseWith)))
            if let late = token.lateNS { inner.append(("late", duration(late))) }
            inner.append(("issue_revokes", .bool(token.issueRevokesOlder)))
            inner.append(("rotate_refresh", .bool(token.rotatesRefreshTokens)))
            members.append(("token", .object(inner)))
        }
        if let rate = origin.edgeHitRate {
            members.append(("edge_cache", .object([("hit_rate", .double(rate))])))
        }
        members.append(("faults", .array(origin.faults.map(fault))))
        members.append(("threads", .int(origin.threads)))
        return members
    }

    private func fault(_ fault: OriginPlan.Fault) -> JSONNode {
        let kind: (String, JSONNode) =
            switch fault.kind {
            case .status(let status): ("status", .int(status))
            case .reset: ("reset", .bool(true))
            case .truncate: ("truncate", .bool(true))
            case .stall: ("stall", .bool(true))
            }
        return .object([("share", .double(fault.share)), kind])
    }

    var connectionMembers: [(String, JSONNode)] {
        var members: [(String, JSONNode)] = [
            ("http", .string(connection.version.rawValue)), ("reuse", .bool(connection.reuses)),
        ]
        if let count = connection.perUser { members.append(("per_user", .int(count))) }
        if let count = connection.maximum { members.append(("max", .int(count))) }
        let dns =
            switch connection.dns {
            case .spread: "spread"
            case .pin: "pin"
            case .ttl: "ttl"
            }
        let resolve = connection.resolve.map { entry in
            (entry.host, JSONNode.array(entry.addresses.map { .string($0) }))
        }
        members += [
            ("streams", .int(connection.streams)), ("ip", .string(connection.family.rawValue)),
            ("resolve", .object(resolve)), ("dns", .string(dns)),
        ]
        if let proxy = connection.proxy { members.append(("proxy", text(proxy))) }
        members.append(("verify", .bool(connection.verifies)))
        for (name, value) in [
            ("ca_file", connection.caFile), ("cert_file", connection.certFile),
            ("key_file", connection.keyFile), ("server_name", connection.serverName),
            ("unix_socket", connection.unixSocket),
        ] {
            if let value { members.append((name, text(value))) }
        }
        return members + [
            ("source_addresses", .array(connection.sourceAddresses.map { .string($0) })),
            ("compression", .bool(connection.compression)),
            ("redirects", .int(connection.redirectsMax)),
        ]
    }

    private func refusal(_ refusal: OriginPlan.Refusal) -> JSONNode {
        switch refusal {
        case .status(let status): .int(status)
        case .bare: .string("bare")
        case .json: .string("json")
        case .html: .string("html")
        case .redirect: .string("redirect")
        }
    }
}
