/// JSON pointers, RFC 6901: "" is the whole value, "/load/rate" a member of a member, "/tiles/0" an
/// element. In a name `~` is written `~0` and `/` is written `~1`.
package enum JSONPointer {
    /// The pointer that leads through `names` (array indices in decimal).
    package static func join(_ names: some Sequence<String>) -> String {
        var pointer = ""
        for name in names {
            pointer += "/"
            pointer += escape(name)
        }
        return pointer
    }

    /// One name as it stands between two slashes.
    package static func escape(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") })
        else { return name }
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// The names a pointer leads through; nil when it is none (it does not begin with `/`, or a `~`
    /// is followed by neither 0 nor 1).
    package static func split(_ pointer: String) -> [String]? {
        if pointer.isEmpty { return [] }
        var names: [String] = []
        var isAfterTilde = false
        for scalar in pointer.unicodeScalars {
            if isAfterTilde {
                guard scalar == "0" || scalar == "1" else { return nil }
                names[names.count - 1] += scalar == "0" ? "~" : "/"
                isAfterTilde = false
            } else if scalar == "/" {
                names.append("")
            } else if names.isEmpty {
                return nil
            } else if scalar == "~" {
                isAfterTilde = true
            } else {
                names[names.count - 1].unicodeScalars.append(scalar)
            }
        }
        return isAfterTilde ? nil : names
    }

    /// The index a name stands for in an array: digits without a leading zero.
    static func index(_ name: String) -> Int? {
        let isCanonical =
            name.utf8.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
            && (name == "0" || !name.hasPrefix("0"))
        return isCanonical ? Int(name) : nil
    }
}
