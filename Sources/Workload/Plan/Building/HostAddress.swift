import Glibc

/// The parts of `scheme://host[:port]`.
package struct HostAddress: Hashable {
    let scheme: String
    /// Lower case; an IPv6 address with its brackets.
    let host: String
    /// The scheme's own when none is written; nil when what is written is no number.
    let port: Int?

    /// Reads what `TileModel.origin(of:)` made.
    init(origin: String) {
        var rest = Substring(origin)
        if let colon = rest.firstIndex(of: ":"), rest[colon...].hasPrefix("://") {
            scheme = String(rest[..<colon])
            rest = rest[colon...].dropFirst(3)
        } else {
            scheme = ""
        }
        // The last colon outside brackets begins the port.
        let bracket = rest.lastIndex(of: "]") ?? rest.startIndex
        if let colon = rest[bracket...].lastIndex(of: ":") {
            host = String(rest[..<colon])
            port = Int(rest[rest.index(after: colon)...])
        } else {
            host = String(rest)
            port = ["http": 80, "https": 443][scheme]
        }
    }

    /// As the fence writes it: the port only where it is not the scheme's own.
    var fenceText: String {
        guard let port, port != ["http": 80, "https": 443][scheme] else { return host }
        return "\(host):\(port)"
    }

    /// Whether an entry of the fence, `host` or `host:port`, lets it through.
    func isIn(_ fence: [String]) -> Bool {
        fence.contains { $0 == host || $0 == "\(host):\(port ?? 0)" }
    }

    /// Whether the host is this machine by its own text.
    var isLoopback: Bool {
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        if bare == "localhost" || bare.hasSuffix(".localhost") || bare == "::1" { return true }
        return bare.hasPrefix("127.") && HostAddress.isNumeric(bare)
    }

    /// Whether the text is an IPv4 or IPv6 address.
    static func isNumeric(_ text: String) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16)
        let plain = String(text.prefix { $0 != "%" })
        return inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, plain, &bytes) == 1
    }

    /// The addresses of a name, by the system's resolver.
    package static func addresses(of host: String) -> [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [String] = []
        var next = list
        while let entry = next {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let status = getnameinfo(
                entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil,
                0, NI_NUMERICHOST)
            if status == 0 {
                let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
                found.append(String(decoding: bytes, as: UTF8.self))
            }
            next = entry.pointee.ai_next
        }
        return found
    }
}
