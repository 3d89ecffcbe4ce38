/// Where a token goes in the query of a URL.
package enum QueryToken {
    /// The template with `name=value`, by default `{token}`, as its last parameter and no other
    /// parameter of that name: servers that read the first of two would go on with the dead one.
    /// Names are compared decoded and by case. A `#fragment` stays behind the query.
    package static func placing(
        name: String, value: String = "{token}", in template: String
    ) -> String {
        let end = template.firstIndex(of: "#") ?? template.endIndex
        let url = template[..<end]
        let fragment = template[end...]
        let parameter = percentEncoded(name) + "=" + value
        guard let mark = url.firstIndex(of: "?") else {
            return "\(url)?\(parameter)\(fragment)"
        }
        var parameters = url[url.index(after: mark)...]
            .split(separator: "&", omittingEmptySubsequences: false)
            .filter { !isNamed($0, name) }
        while parameters.last?.isEmpty == true { parameters.removeLast() }
        parameters.append(Substring(parameter))
        return "\(url[...mark])\(parameters.joined(separator: "&"))\(fragment)"
    }

    private static func isNamed(_ parameter: Substring, _ name: String) -> Bool {
        let text = parameter.prefix { $0 != "=" }
        return text == name || percentDecoded(text, plusIsBlank: true) == Array(name.utf8)
    }
}

/// The text with everything but RFC 3986's unreserved characters percent-encoded: it can stand in
/// a path segment as well as in a query.
package func percentEncoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            bytes.append(byte)
        default:
            bytes.append(UInt8(ascii: "%"))
            for digit in [byte >> 4, byte & 15] {
                bytes.append(
                    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
            }
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// The bytes of a part of a URL, `%XX` decoded, and in forms `+`; broken escapes stay as they are.
package func percentDecoded(_ text: Substring, plusIsBlank: Bool) -> [UInt8] {
    var decoded: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
        // A sign is no digit.
        if byte == UInt8(ascii: "%"), rest.count >= 2, rest.first ?? 0 >= UInt8(ascii: "0"),
            let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
        {
            decoded.append(value)
            rest = rest.dropFirst(2)
        } else {
            let isBlank = plusIsBlank && byte == UInt8(ascii: "+")
            decoded.append(isBlank ? UInt8(ascii: " ") : byte)
        }
    }
    return decoded
}
