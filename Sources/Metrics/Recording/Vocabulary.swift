/// The class an ask ends in; every started ask ends in exactly one.
public enum AskClass: UInt8, Sendable {
    /// Good by the scenario's checks.
    case ok
    /// Answered badly, or not at all.
    case failed
    /// The viewer moved on.
    case cancelled
    /// Still on the wire when the run ended.
    case inFlightAtEnd
}

/// Why an ask failed: the keys of `ledger.failed_by`.
public enum FailureCause: UInt8, Sendable, CaseIterable {
    /// By status code.
    case status
    /// By phase.
    case timeout
    /// No connection.
    case connect
    /// No TLS session.
    case tls
    /// The host's name has no address.
    case name
    /// The server closed or reset the connection inside an answer.
    case reset
    /// The body ended before its announced length.
    case truncated
    /// An answer that is no HTTP.
    case `protocol`
    /// An answer that is no tile, by check.
    case invalidTile
    /// By reason: see `AuthFailure`.
    case unauthorized
    /// Our own limits: descriptors, ports, memory.
    case generator
}

/// Why an ask failed for want of a token: the keys of `auth.asks_failed`.
public enum AuthFailure: UInt8, Sendable, CaseIterable {
    /// Refused more often than an ask may be.
    case authRetries
    /// Waited for a token until its deadline or the end of the run.
    case parkTimeout
    /// Too many asks were waiting already.
    case parkOverflow
    /// The token endpoint failed a moment ago.
    case cooling
    /// The token endpoint refused for good.
    case dead
    /// Refused although the token works elsewhere.
    case locked
}

/// The phase a timeout struck in.
public enum TimeoutPhase: UInt8, Sendable, CaseIterable {
    /// Name look-up and connect.
    case connect
    /// TLS handshake.
    case tls
    /// Waiting for the first byte.
    case firstByte
    /// Reading the body.
    case body
}

/// What a check found wrong with a tile.
public enum TileDefect: UInt8, Sendable, CaseIterable {
    /// Not of the wanted format.
    case format
    /// Smaller than `checks.min_bytes`.
    case tooSmall
    /// Larger than `checks.max_bytes`.
    case tooLarge
}

/// What an answer means to a map, in words: the keys of `outcomes`. It decides nothing.
public enum Outcome: UInt8, Sendable, CaseIterable {
    /// A usable tile.
    case tile
    /// Success without content.
    case emptyTile
    /// 304.
    case notModified
    /// The tile does not exist.
    case noTile
    /// Renew the token and replay.
    case authExpired
    /// Not allowed; renewing does not help.
    case authDenied
    /// A usage policy answers.
    case blocked
    /// 2xx that is no tile.
    case softError
    /// Other 4xx.
    case clientError
    /// 429 and its family.
    case rateLimited
    /// 503 and 504.
    case overloaded
    /// Other 5xx.
    case serverError
    /// gzip bytes without `Content-Encoding: gzip`.
    case gzipUndeclared
    /// gzip bytes inside of what `Content-Encoding` says; seen where bodies are unpacked.
    case gzipTwice
}

/// What the server's cache did, by its headers: the keys of `cache.server`.
public enum CacheClass: UInt8, Sendable, CaseIterable {
    /// Fresh copy, origin not contacted.
    case hit
    /// Stale copy, served without waiting.
    case staleHit
    /// Origin said 304, stored body served.
    case revalidated
    /// Body came from the origin.
    case miss
    /// The cache was told to stay out.
    case bypass
    /// Not eligible.
    case dynamic
    /// Made by the edge itself.
    case synthetic
    /// The edge answered with an error.
    case error
    /// No evidence.
    case unknown
}

/// Phases of a request: the keys of `phases`.
public enum Phase: UInt8, Sendable, CaseIterable {
    /// DNS; new connections only.
    case nameLookup
    /// TCP; new connections only.
    case connect
    /// TLS handshake; new connections only.
    case tls
    /// From hand-over to the last byte of the request.
    case send
    /// From there to the first byte of the answer.
    case firstByte
    /// From there to the last byte.
    case download
}
