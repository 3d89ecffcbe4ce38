import Glibc

/// Where a URL leads, read as RFC 3986 section 3.2 and libcurl read it.
///
/// A fence that reads another host than the one which is connected to is none. Whatever parsers are
/// known to disagree about is therefore refused instead of read: all of it has a plain spelling.
/// The text is looked at byte by byte, since a combining mark behind a `/` makes another
/// `Character` of it.
package enum URLOrigin {
    /// Why no host can be read, as the end of a sentence that begins with the place. It holds
    /// nothing of a user's name and password.
    package struct Problem: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    /// libcurl stores so much of a zone (RFC 6874).
    private static let zoneBytesMax = 15

    /// `scheme://host[:port]` in lower case, without user and default port; nil when the text does
    /// not begin with a scheme and `://`.
    ///
    /// - Throws: when it does, but what follows is no host and port that can be read one way only.
    package static func read(_ url: some StringProtocol) throws(Problem) -> String? {
        let bytes = Array(url.utf8)
        guard let colon = schemeEnd(bytes) else { return nil }
        let rest = bytes[(colon + 3)...]
        let authority = rest[..<(rest.firstIndex(where: isAuthorityEnd) ?? rest.endIndex)]
        let place = try withoutUser(authority)
        let isBracketed = place.first == UInt8(ascii: "[")
        let (host, port) = try isBracketed ? bracketed(place) : named(place)
        let scheme = lowercased(bytes[..<colon])
        guard let port, port != ["http": 80, "https": 443][scheme] else {
            return "\(scheme)://\(host)"
        }
        return "\(scheme)://\(host):\(port)"
    }

    /// Whether a text begins with a scheme and `://`, whatever follows.
    package static func isAbsolute(_ text: String) -> Bool { schemeEnd(Array(text.utf8)) != nil }

    /// Whether a byte ends the authority: `/`, `?` and `#` alone do.
    static func isAuthorityEnd(_ byte: UInt8) -> Bool {
        [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains(byte)
    }

    /// The colon of the `://` behind a scheme (RFC 3986, 3.1) at the start; nil without.
    static func schemeEnd(_ bytes: [UInt8]) -> Int? {
        guard let first = bytes.first, isLetter(first),
            let colon = bytes.firstIndex(where: { byte in
                !isLetter(byte) && !isDigit(byte) && !"+-.".utf8.contains(byte)
            }), bytes[colon...].starts(with: "://".utf8)
        else { return nil }
        return colon
    }

    // MARK: - The parts of an authority

    private static func withoutUser(
        _ authority: ArraySlice<UInt8>
    ) throws(Problem) -> ArraySlice<UInt8> {
        for byte in authority {
            if byte <= 0x20 || byte == 0x7F {
                throw Problem(description: "a blank or control character stands before the path")
            }
            if byte == UInt8(ascii: "\\") {
                throw Problem(description: "a \\ stands before the path")
            }
        }
        guard let at = authority.firstIndex(of: UInt8(ascii: "@")) else { return authority }
        let place = authority[(at + 1)...]
        guard !place.contains(UInt8(ascii: "@")) else {
            throw Problem(description: "more than one @ stands before the path; write %40")
        }
        let isPlain = authority[..<at].allSatisfy { byte in
            isLetter(byte) || isDigit(byte) || "-._~%!$&'()*+,;=:".utf8.contains(byte)
        }
        guard isPlain else {
            throw Problem(
                description: "the user before the @ holds a character that must be percent-encoded")
        }
        return place
    }

    /// `[address]` or `[address%25zone]`, and a port.
    private static func bracketed(
        _ place: ArraySlice<UInt8>
    ) throws(Problem) -> (host: String, port: Int?) {
        guard let close = place.firstIndex(of: UInt8(ascii: "]")) else {
            throw Problem(description: "a [ is not closed")
        }
        let inside = place[(place.startIndex + 1)..<close]
        let address = inside.prefix { $0 != UInt8(ascii: "%") }
        let zone = inside[address.endIndex...]
        guard isAddress(address, AF_INET6) else {
            throw Problem(description: "no IPv6 address stands between [ and ]")
        }
        if !zone.isEmpty {
            let name = zone.dropFirst(3)
            let isName = name.allSatisfy {
                isLetter($0) || isDigit($0) || "-._~".utf8.contains($0)
            }
            guard zone.starts(with: "%25".utf8), isName, (1...zoneBytesMax).contains(name.count)
            else { throw Problem(description: "a zone is written as [fe80::1%25eth0]") }
        }
        // The name of an interface is told apart by case.
        let host = "[" + lowercased(address) + String(decoding: zone, as: UTF8.self) + "]"
        return (host, try port(place[(close + 1)...]))
    }

    private static func named(
        _ place: ArraySlice<UInt8>
    ) throws(Problem) -> (host: String, port: Int?) {
        let name = place.prefix { $0 != UInt8(ascii: ":") }
        let rest = place[name.endIndex...]
        guard !rest.dropFirst().contains(UInt8(ascii: ":")) else {
            throw Problem(
                description: "more than one colon; an IPv6 address stands in brackets, as [::1]")
        }
        guard !name.isEmpty else { throw Problem(description: "the host is missing") }
        guard name.allSatisfy({ $0 < 0x80 }) else {
            throw Problem(description: "other letters than ASCII's are written as xn--… in a host")
        }
        guard !name.contains(UInt8(ascii: "%")) else {
            throw Problem(description: "a host is written without percent-encoding")
        }
        guard name.allSatisfy({ isLetter($0) || isDigit($0) || "-._".utf8.contains($0) }) else {
            throw Problem(description: "the host holds a character that no host has")
        }
        var labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // One dot at the end makes the name absolute.
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        guard !labels.contains(where: \.isEmpty) else {
            throw Problem(description: "the host has an empty part between dots")
        }
        if let last = labels.last, isNumber(last), !isAddress(name, AF_INET) {
            throw Problem(description: "an IPv4 address is written as four decimal numbers")
        }
        return (lowercased(name), try port(rest))
    }

    /// The number behind the colon; nil when there is no colon.
    private static func port(_ text: ArraySlice<UInt8>) throws(Problem) -> Int? {
        guard let colon = text.first else { return nil }
        let digits = text.dropFirst()
        guard colon == UInt8(ascii: ":"), digits.allSatisfy(isDigit),
            let port = Int(String(decoding: digits, as: UTF8.self)), (1...65_535).contains(port)
        else { throw Problem(description: "no valid port stands behind the host") }
        return port
    }

    // MARK: - Bytes

    /// Whether resolvers take a name that ends so for a number, be it octal or hexadecimal.
    private static func isNumber(_ label: ArraySlice<UInt8>) -> Bool {
        if label.allSatisfy(isDigit) { return true }
        return lowercased(label.prefix(2)) == "0x"
            && label.dropFirst(2).allSatisfy {
                isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0 | 0x20)
            }
    }

    private static func isAddress(_ text: ArraySlice<UInt8>, _ family: Int32) -> Bool {
        var address = in6_addr()
        return inet_pton(family, String(decoding: text, as: UTF8.self), &address) == 1
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).lowercased()
    }
}

/// `scheme://host[:port]` of an absolute URL, in lower case, without user and default port; nil
/// when it is none, or leads to no host that can be read one way only.
package func origin(of url: some StringProtocol) -> String? {
    // A URL without a host and one with a doubtful host are alike to who asks for the host alone.
    guard let origin = try? URLOrigin.read(url) else { return nil }
    return origin
}
