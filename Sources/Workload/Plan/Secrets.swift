import JSONText
import TileModel

/// Texts that no report, log line, error or process list may show.
package struct Secrets: Sendable, Hashable {
    package static let mask = "***"
    /// Values from `${…}`, `{"file"}` and `auth`. Values under 3 characters are not searched for.
    package private(set) var values: [String] = []
    /// Query parameters whose values are never shown, lower case.
    package var queryNames: [String] = CachePlan.stripDefault
    /// What is searched for: the values, percent-encoded and as JSON writes them; longest first.
    private(set) var patterns: [[UInt8]] = []

    package init() {}

    /// Adds a value to hide, longest first so that a value inside another one cannot leave a tail.
    package mutating func add(_ value: String) {
        guard value.utf8.count >= 3, value != Secrets.mask, !values.contains(value) else { return }
        values.append(value)
        values.sort { $0.utf8.count > $1.utf8.count }
        let encoded = percentEncoded(value)
        let json = JSONWriter.encodeText(.string(value)).dropFirst().dropLast()
        for form in [value, encoded, lowerHex(encoded), String(json)] {
            let bytes = Array(form.utf8)
            if !patterns.contains(bytes) { patterns.append(bytes) }
        }
        patterns.sort { $0.count > $1.count }
    }

    /// Headers whose values are credentials: Authorization, Cookie, `*-Key`, `*-Token`.
    package static func isSecret(header name: String) -> Bool {
        let lower = name.lowercased()
        return ["authorization", "proxy-authorization", "cookie", "set-cookie"].contains(lower)
            || lower.hasSuffix("-key") || lower.hasSuffix("-token")
    }

    /// The credentials a URL carries: values of the secret query parameters, and what stands before
    /// its host. Placeholders are none.
    func credentials(in url: String) -> [String] {
        var found: [String] = []
        if let query = url.firstIndex(of: "?") {
            let end = url[query...].firstIndex(of: "#") ?? url.endIndex
            for parameter in url[query..<end].dropFirst().split(separator: "&") {
                guard let equals = parameter.firstIndex(of: "="),
                    queryNames.contains(parameter[..<equals].lowercased())
                else { continue }
                found.append(String(parameter[equals...].dropFirst()))
            }
        }
        if let user = userInfo(of: url) {
            found.append(user)
            if let colon = user.firstIndex(of: ":") {
                found.append(String(user[colon...].dropFirst()))
            }
        }
        return found.filter { !$0.contains("{") }
    }

    /// `user:password` before the host; nil when there is none.
    private func userInfo(of url: String) -> String? {
        guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else {
            return nil
        }
        let authority = url[colon...].dropFirst(3).prefix { !"/?#".contains($0) }
        return authority.lastIndex(of: "@").map { String(authority[..<$0]) }
    }

    private func lowerHex(_ encoded: String) -> String {
        var bytes = Array(encoded.utf8)
        for index in bytes.indices where bytes[index] == UInt8(ascii: "%") {
            for next in [index + 1, index + 2] where next < bytes.count {
                if (65...70).contains(bytes[next]) { bytes[next] += 32 }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
