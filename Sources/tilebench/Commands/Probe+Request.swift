import Engine
import TileModel
import Workload

/// A tile's request as a run sends it.
struct ProbeRequest {
    var plan: Plan
    var templates: TileTemplateSet
    /// As issued, not encoded.
    var token: String?

    /// Enough to tell what a body is.
    private static let bodyBytesMax = 1 << 16

    func of(_ tile: TileID) -> OneShot.Request {
        let encoded = percentEncoded(token ?? "")
        let parts = templates.tokenNames.map { _ in encoded }
        var request = OneShot.Request(
            url: templates.url(tile, token: encoded, tokenParts: parts, run: "probe"),
            timeoutNS: plan.load.timeouts.requestNS)
        request.bodyMax = Self.bodyBytesMax
        request.headers = headers()
        return request
    }

    private func headers() -> [HeaderPlan] {
        var headers = plan.target.headers
        if plan.connection.compression, !headers.contains(where: { has($0, "accept-encoding") }) {
            headers.append(
                HeaderPlan(name: "Accept-Encoding", value: ConnectionOptions.acceptEncoding))
        }
        guard let token, let placement = plan.auth?.placement else { return headers }
        switch placement {
        case .query:
            break
        case .template:
            for index in headers.indices {
                headers[index].value = headers[index].value.split(
                    separator: "{token}", omittingEmptySubsequences: false
                ).joined(separator: token)
            }
        case .header(let name, let prefix):
            headers.removeAll { has($0, name.lowercased()) }
            headers.append(HeaderPlan(name: name, value: prefix + token))
        case .cookie(let name):
            let cookie = "\(name)=\(token)"
            if let index = headers.firstIndex(where: { has($0, "cookie") }) {
                headers[index].value += "; " + cookie
            } else {
                headers.append(HeaderPlan(name: "Cookie", value: cookie))
            }
        }
        return headers
    }

    private func has(_ header: HeaderPlan, _ name: String) -> Bool {
        header.name.lowercased() == name
    }
}
