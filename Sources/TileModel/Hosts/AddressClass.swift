import Glibc

/// What an address says about whose it is.
package enum AddressClass {
    /// Whether a host, as a URL has it (IPv6 with or without brackets), needs no name lookup to be
    /// known as this machine or a private network: `localhost` and its subdomains (RFC 6761) and
    /// literal addresses. Other names are for who resolves them to judge, by `isPrivate`.
    package static func isLocalOrPrivate(host: String) -> Bool {
        var name = host.lowercased()
        if name.hasPrefix("["), name.hasSuffix("]") {
            name = String(name.dropFirst().dropLast())
        }
        if name.hasSuffix(".") { name.removeLast() }
        return name == "localhost" || name.hasSuffix(".localhost") || isPrivate(address: name)
    }

    /// Whether the text of an IPv4 or IPv6 address is loopback, private, link-local or unique
    /// local. False for any text that is no address.
    package static func isPrivate(address: String) -> Bool {
        if let bytes = parse(address, AF_INET, count: 4) { return isPrivateIPv4(bytes) }
        // A zone (RFC 4007) names an interface of this machine and is no part of the address.
        let plain = String(address.prefix { $0 != "%" })
        guard let bytes = parse(plain, AF_INET6, count: 16) else { return false }
        return isPrivateIPv6(bytes)
    }

    private static func isPrivateIPv4(_ bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1]) {
        case (127, _): true  // RFC 1122: loopback
        case (10, _), (172, 16...31), (192, 168): true  // RFC 1918: private
        case (169, 254): true  // RFC 3927: link-local
        case (0, 0): bytes[2] == 0 && bytes[3] == 0  // connects to this machine
        default: false
        }
    }

    private static func isPrivateIPv6(_ bytes: [UInt8]) -> Bool {
        if bytes[0] & 0xFE == 0xFC { return true }  // RFC 4193: unique local
        if bytes[0] == 0xFE, bytes[1] & 0xC0 == 0x80 { return true }  // RFC 4291: link-local
        guard bytes[0..<10].allSatisfy({ $0 == 0 }) else { return false }
        if bytes[10] == 0xFF, bytes[11] == 0xFF {
            return isPrivateIPv4(Array(bytes[12...]))  // RFC 4291: IPv4-mapped
        }
        return bytes[10..<15].allSatisfy { $0 == 0 } && bytes[15] <= 1  // :: and ::1
    }

    private static func parse(_ text: String, _ family: Int32, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }
}
