import JSONText
import TileModel

extension PlanBuilder {
    private static let usersFree = 100
    private static let ratePerSecondFree = 200.0

    /// The hosts that may get a request, and whether they may get this much.
    mutating func buildFence() {
        let addresses = tileHosts()
        let services = serviceHosts() + documentHosts
        if scenario.isWritten("target", "hosts") {
            plan.target.hosts = explicitHosts()
            for (address, path) in addresses where !address.isIn(plan.target.hosts) {
                reportOutside(address, path)
            }
            for (address, path) in services where !address.isIn(plan.target.hosts) {
                reportOutside(address, path)
            }
        } else {
            var seen: Set<String> = []
            plan.target.hosts = (addresses + services).map(\.0.fenceText)
                .filter { seen.insert($0).inserted }
        }
        addPorts(of: (addresses + services).map(\.0))
        checkPermission(addresses)
    }

    /// A fixed address for a bare host counts on every port that the scenario asks it on.
    private mutating func addPorts(of addresses: [HostAddress]) {
        for index in plan.connection.resolve.indices {
            for address in addresses where address.host == plan.connection.resolve[index].host {
                guard let port = address.port,
                    !plan.connection.resolve[index].ports.contains(port)
                else { continue }
                plan.connection.resolve[index].ports.append(port)
            }
        }
    }

    /// The hosts of the templates and where each is written. `${ORIGIN}` is none.
    private func tileHosts() -> [(HostAddress, [String])] {
        var result: [(HostAddress, [String])] = []
        for source in plan.target.sources {
            for (index, text) in source.templates.enumerated()
            where !text.hasPrefix(Plan.originVariable) {
                guard let template = try? read(text, source) else { continue }
                result += template.hosts().map { (HostAddress(origin: $0), pathOfTemplate(index)) }
            }
        }
        return result
    }

    /// The hosts of the requests that are no tiles. `${ORIGIN}` is none.
    func serviceHosts() -> [(HostAddress, [String])] {
        var urls: [(String, [String])] = []
        if let renewal = plan.auth?.renewal {
            urls.append((renewal.url, ["auth", "renewal", "url"]))
        }
        for (index, injection) in plan.injections.enumerated() {
            guard case .revoke(let hook) = injection.kind else { continue }
            urls.append((hook.url, ["inject", String(index), "request", "url"]))
        }
        for (index, before) in plan.before.enumerated() {
            urls.append((before.request.url, ["before", String(index), "url"]))
        }
        return urls.compactMap { url, path in
            origin(of: url).map { (HostAddress(origin: $0), path) }
        }
    }

    mutating func explicitHosts() -> [String] {
        if let hostsWritten { return hostsWritten }
        var hosts: [String] = []
        let elements = scenario.values["target"]?["hosts"]?.array ?? []
        for (index, element) in elements.enumerated() {
            guard let text = element.string else { continue }
            let bare =
                origin(of: text).map { HostAddress(origin: $0).fenceText } ?? text.lowercased()
            if HostAddress.isNumeric(bare), bare.contains(":") {
                hosts.append("[\(bare)]")
                continue
            }
            let address = HostAddress(origin: bare)
            if bare.contains(where: { "/*@?# ".contains($0) }) || address.host.isEmpty
                || (bare.count > address.host.count && address.port == nil)
            {
                report(
                    ["target", "hosts", String(index)], "`\(text)` is no host",
                    hint: "as tiles.example.org or tiles.example.org:8080")
            }
            hosts.append(bare)
        }
        hostsWritten = hosts
        return hosts
    }

    mutating func reportOutside(_ address: HostAddress, _ path: [String]) {
        report(
            path, "`\(address.fenceText)` is outside the fence",
            hint: "add it to target.hosts, which lists every host that may get a request")
    }

    // MARK: - Permission

    private mutating func checkPermission(_ addresses: [(HostAddress, [String])]) {
        guard !plan.target.hasPermission, plan.connection.unixSocket == nil else { return }
        var others: [String] = []
        for (address, path) in addresses where !isOwn(address) {
            if let reason = PublicTileServices.reason(host: address.host) {
                report(
                    path, "`\(address.host)` is a public tile service: \(reason)",
                    hint: "run against a server of your own; with the operator's consent set"
                        + " target.permission to true")
            } else if !others.contains(address.host) {
                others.append(address.host)
            }
        }
        if !others.isEmpty { checkVolume(others) }
    }

    /// Loopback and private, by its text or by `connection.resolve`.
    private func isOwn(_ address: HostAddress) -> Bool {
        let fixed = plan.connection.resolve.first {
            $0.host == address.host || $0.host == "\(address.host):\(address.port ?? 0)"
        }
        if let fixed { return fixed.addresses.allSatisfy(AddressClass.isPrivate(address:)) }
        return AddressClass.isLocalOrPrivate(host: address.host)
    }

    private mutating func checkVolume(_ hosts: [String]) {
        let (key, volume, isFree): (String, String, Bool)
        switch plan.load.shape {
        case .users(let count):
            (key, volume) = ("users", "\(count) users")
            isFree = count <= PlanBuilder.usersFree
        case .userStages(let stages):
            let most = stages.map { max($0.from, $0.to) }.max() ?? 0
            (key, volume) = ("stages", "up to \(UnitText.plain(most)) users")
            isFree = most <= Double(PlanBuilder.usersFree)
        case .rate(let perSecond, _):
            (key, volume) = ("rate", UnitText.text(perSecond: perSecond))
            isFree = perSecond <= PlanBuilder.ratePerSecondFree
        case .rateStages(let stages, _):
            let most = stages.map { max($0.from, $0.to) }.max() ?? 0
            (key, volume) = ("stages", "up to " + UnitText.text(perSecond: most))
            isFree = most <= PlanBuilder.ratePerSecondFree
        case .logged:
            // How much it is, only the log knows.
            (key, volume, isFree) = ("rate", "a log at its own times", false)
        }
        let strangers = isFree ? hosts : hosts.filter { !resolvesToOwn($0) }
        guard !strangers.isEmpty else { return }
        let names = strangers.prefix(3).joined(separator: ", ") + (strangers.count > 3 ? ", …" : "")
        guard isFree else {
            report(
                ["load", key], "\(volume) against \(names) need permission",
                hint: "set target.permission to true if you may put this load on this server;"
                    + " without it 100 users or 200/s are the most")
            return
        }
        note("\(volume)\(extent) against \(names), without target.permission")
    }

    /// How long or how many, as the end of "50 users".
    private var extent: String {
        if let count = plan.load.count { return ", \(count) tiles" }
        return plan.load.durationNS.map { " for " + UnitText.text(durationNS: $0) } ?? ""
    }

    private func resolvesToOwn(_ host: String) -> Bool {
        let addresses = lookUp(host)
        return !addresses.isEmpty && addresses.allSatisfy(AddressClass.isPrivate(address:))
    }
}
