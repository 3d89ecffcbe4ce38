import CCurl
package import Workload

/// One connection to each host before the first request: a host that cannot be reached stops the
/// run with a sentence instead of a million failures.
package struct Preflight: Sendable {
    /// Hosts looked at; a template can spread over hundreds.
    private static let hostsMax = 16
    private static let timeoutMaxNS: UInt64 = 10_000_000_000

    /// What is wrong; nil: every host took a connection.
    package private(set) var problem: String?
    /// `scheme://host[:port]` and the address that took the connection.
    package private(set) var reached: [(origin: String, address: String)] = []
    /// Some host will speak HTTP/2.
    package private(set) var speaksHTTP2 = false

    /// - Parameter origins: `scheme://host[:port]` of each host that will be asked.
    package init(
        origins: [String], connection: ConnectionPlan, timeoutNS: UInt64,
        isCancelled: @escaping @Sendable () -> Bool
    ) {
        let client = OneShot(connection: connection)
        for origin in origins.prefix(Self.hostsMax) {
            var request = OneShot.Request(
                url: origin, timeoutNS: min(timeoutNS, Self.timeoutMaxNS))
            request.connectOnly = true
            let answer = client.fetch(request, isCancelled: isCancelled)
            if let failure = answer.failure {
                let kind = answer.isTLSFailure ? "TLS: " : ""
                problem = "cannot connect to \(Self.hostAndPort(origin)): \(kind)\(failure)"
                return
            }
            reached.append((origin, answer.address))
            if answer.speaksHTTP2 { speaksHTTP2 = true }
        }
    }

    static func hostAndPort(_ origin: String) -> String {
        guard let colon = origin.firstIndex(of: ":") else { return origin }
        let authority = origin[colon...].drop { $0 == ":" || $0 == "/" }.prefix { $0 != "/" }
        let afterBracket = authority.drop { $0 != "]" }
        let isBracketed = authority.first == "["
        let hasPort = (isBracketed ? afterBracket : authority[...]).contains(":")
        return hasPort ? String(authority) : "\(authority):\(origin.hasPrefix("https") ? 443 : 80)"
    }
}
