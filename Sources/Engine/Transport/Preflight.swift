import CCurl
package import Workload

/// One connection to each host before the first request: a host that cannot be reached stops the
/// run with a sentence instead of a million failures.
package enum Preflight {
    /// Hosts looked at; a template can spread over hundreds.
    private static let hostsMax = 16

    /// What is wrong, or nil. `urls`: one URL of each `scheme://host:port`.
    package static func problem(
        origins: [String], connection: ConnectionPlan, timeoutNS: UInt64
    ) -> String? {
        let client = OneShot(connection: connection)
        for origin in origins.prefix(hostsMax) {
            var request = OneShot.Request(url: origin, timeoutNS: min(timeoutNS, 10_000_000_000))
            request.connectOnly = true
            let answer = client.fetch(request)
            if let failure = answer.failure {
                return "cannot connect to \(hostAndPort(origin)): \(failure)"
            }
        }
        return nil
    }

    static func hostAndPort(_ origin: String) -> String {
        guard let colon = origin.firstIndex(of: ":") else { return origin }
        let authority = origin[colon...].drop { $0 == ":" || $0 == "/" }.prefix { $0 != "/" }
        let hasPort = authority.last != "]" && authority.split(separator: ":").count > 1
        if hasPort { return String(authority) }
        return "\(authority):\(origin.hasPrefix("https") ? 443 : 80)"
    }
}
