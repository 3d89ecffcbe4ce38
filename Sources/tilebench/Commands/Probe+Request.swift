import Engine
import TileModel
import Workload

/// A tile's request as a run sends it.
struct ProbeRequest {
    var plan: Plan
    var templates: TileTemplateSet
    /// As issued, not encoded; nil: there is none.
    var credential: Credential?

    /// Enough to tell what a body is.
    private static let bodyBytesMax = 1 << 16

    func of(_ choice: TileChoice) -> OneShot.Request {
        let bearer = credential ?? Credential("", parts: templates.tokenNames.map { _ in "" })
        let parts = bearer.parts.map { percentEncoded($0) }
        var request = OneShot.Request(
            url: templates.url(
                choice.tile, source: choice.source, token: percentEncoded(bearer.text),
                tokenParts: parts, run: "probe"),
            timeoutNS: plan.load.timeouts.requestNS)
        request.bodyMax = Self.bodyBytesMax
        let headers = CredentialHeaders(plan: plan, asksPacked: true)
        request.headers = headers.constant + headers.bearing(bearer)
        return request
    }
}
