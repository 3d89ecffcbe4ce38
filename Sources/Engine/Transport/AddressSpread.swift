import Workload

/// `connection.dns`: with `spread` connections take turns over all addresses of a name, where a
/// resolver's order would send them all to the first; with `pin` they do go to the first. Only
/// addresses of the family that took the first connection count: a name such as localhost has
/// others that nobody listens on.
struct AddressSpread: Sendable {
    /// Lines of libcurl's CONNECT_TO for connection number i mod count; empty: nothing to spread.
    let lines: [[String]]

    init(_ plan: ConnectionPlan, reached: [(origin: String, address: String)]) {
        let isPinned = plan.dns == .pin
        guard isPinned || plan.dns == .spread, plan.proxy == nil, plan.unixSocket == nil else {
            lines = []
            return
        }
        var choices: [(name: String, port: String, addresses: [String])] = []
        for (origin, address) in reached {
            let authority = Preflight.hostAndPort(origin)
            guard let colon = authority.lastIndex(of: ":") else { continue }
            let name = String(authority[..<colon])
            let isFixed = plan.resolve.contains { $0.host == name || $0.host == authority }
            if isFixed || name.hasPrefix("[") { continue }
            let isV6 = address.hasPrefix("[")
            let addresses = HostAddress.addresses(of: name).filter { $0.contains(":") == isV6 }
            if addresses.count > 1 {
                choices.append((name, String(authority[colon...].dropFirst()), addresses))
            }
        }
        let turns = isPinned ? min(1, choices.count) : choices.map(\.addresses.count).max() ?? 0
        lines = (0..<turns).map { turn in
            choices.map { choice in
                let address = choice.addresses[turn % choice.addresses.count]
                let bracketed = address.contains(":") ? "[\(address)]" : address
                return "\(choice.name):\(choice.port):\(bracketed):\(choice.port)"
            }
        }
    }
}
