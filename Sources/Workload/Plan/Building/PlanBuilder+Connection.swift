import JSONText
import TileModel

extension PlanBuilder {
    mutating func buildConnection(_ section: Section) {
        readProtocol(section)
        readAddresses(section)
        if let verifies = section.bool("verify") { plan.connection.verifies = verifies }
        if plan.connection.verifies == false {
            note("TLS certificates are not checked (connection.verify is false)")
        }
        plan.connection.caFile = file(section, "ca_file")
        plan.connection.certFile = file(section, "cert_file")
        plan.connection.keyFile = file(section, "key_file")
        if plan.connection.keyFile != nil, !section.has("cert_file") {
            report(section.path + ["key_file"], "`key_file` without `cert_file`")
        }
        plan.connection.serverName = section.text("server_name")
        plan.connection.unixSocket = section.text("unix_socket")
        readProxy(section)
    }

    private mutating func readProtocol(_ section: Section) {
        if let version = section.word("http", ConnectionPlan.Version.self) {
            plan.connection.version = version
        }
        if let reuses = section.bool("reuse") { plan.connection.reuses = reuses }
        plan.connection.perUser = section.int("per_user")
        plan.connection.maximum = section.int("max")
        if let streams = section.int("streams") { plan.connection.streams = streams }
        if let compression = section.bool("compression") {
            plan.connection.compression = compression
        }
        if let count = section.int("redirects") { plan.connection.redirectsMax = count }
    }

    /// HTTP/2 is agreed upon in the TLS handshake; without one both sides would have to know it.
    mutating func checkVersion() {
        guard plan.connection.version == .http2,
            let plain = templates.lazy.flatMap({ $0.hosts() }).first(where: {
                HostAddress(origin: $0).scheme == "http"
            })
        else { return }
        let shown = plan.target.origin == nil ? plain : "the embedded origin"
        report(
            ["connection", "http"], "HTTP/2 to \(shown), without TLS, is not supported yet",
            hint: "`2` needs https; it would take prior knowledge here, \"auto\" is HTTP/1.1")
    }

    private mutating func readAddresses(_ section: Section) {
        if let family = section.word("ip", ConnectionPlan.Family.self) {
            plan.connection.family = family
        }
        switch section.text("dns") {
        case "pin": plan.connection.dns = .pin
        // The system's resolver does not tell how long an answer holds.
        case "ttl": plan.connection.dns = .ttl(seconds: 60)
        default: plan.connection.dns = .spread
        }
        for member in section.node["resolve"]?.members ?? [] {
            let path = section.path + ["resolve", member.name]
            let addresses =
                member.node.string.map { [$0] } ?? member.node.array?.compactMap(\.string) ?? []
            for address in addresses { checkNumeric(address, path) }
            plan.connection.resolve.append(
                ConnectionPlan.FixedAddress(host: member.name.lowercased(), addresses: addresses))
        }
        plan.connection.sourceAddresses =
            section.node["source_addresses"]?.array?.compactMap(\.string) ?? []
        for (index, address) in plan.connection.sourceAddresses.enumerated() {
            checkNumeric(address, section.path + ["source_addresses", String(index)])
        }
    }

    private mutating func checkNumeric(_ address: String, _ path: [String]) {
        let bare =
            address.hasPrefix("[") && address.hasSuffix("]")
            ? String(address.dropFirst().dropLast()) : address
        if !HostAddress.isNumeric(bare) {
            report(path, "`\(address)` is no IP address", hint: "as 127.0.0.1 or ::1")
        }
    }

    /// An input file, which must be readable.
    private mutating func file(_ section: Section, _ key: String) -> String? {
        guard let path = section.text(key) else { return nil }
        do throws(InputFile.Failure) {
            _ = try InputFile.read(path, bytesMax: 16 << 20)
        } catch {
            report(section.path + [key], "cannot read `\(path)`: \(error.reason)")
        }
        return path
    }

    private mutating func readProxy(_ section: Section) {
        guard let proxy = section.text("proxy") else { return }
        plan.connection.proxy = proxy
        for value in plan.secrets.credentials(in: proxy) { plan.secrets.add(value) }
        let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
        guard let mark = proxy.firstIndex(of: ":"), proxy[mark...].hasPrefix("://") else { return }
        if !schemes.contains(proxy[..<mark].lowercased()) {
            report(
                section.path + ["proxy"], "`\(proxy[..<mark])` is no kind of proxy",
                hint: schemes.joined(separator: ", "))
        }
    }
}
