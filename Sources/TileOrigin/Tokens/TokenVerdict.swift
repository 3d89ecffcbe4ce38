/// What the desk thinks of the token of one request.
enum TokenVerdict: Int, CaseIterable {
    case accepted
    case missing
    /// Never issued here.
    case unknown
    case revoked
    case expired
    /// Alive, but not known yet to the part of the servers that was asked
    /// (``OriginOptions/TileFault/replicationLag``).
    case lagging

    /// As the body of a refusal says it: whoever lags does not know that it does.
    var reason: String { self == .lagging ? "unknown" : "\(self)" }
}
