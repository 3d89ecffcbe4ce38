/// How one ask ended: all that the recorder wants to know of it.
@frozen
public struct AskEnd: Sendable {
    /// Of the tile wanted, 0...31.
    public var zoom: UInt8
    /// From T0; negative in the warm-up.
    public var intendedNS: Int64
    /// From T0.
    public var endedNS: Int64
    /// The class it ended in.
    public var cls: AskClass
    /// Why it failed; counts only when `cls` is failed.
    public var cause: FailureCause
    /// By cause: the status code, or the raw value of a `TimeoutPhase`, `TileDefect` or
    /// `AuthFailure`; 0 for the others.
    public var causeDetail: UInt16
    /// Status of its last answer; 0: none came.
    public var status: UInt16
    /// What the answer means to a map; nil without one.
    public var outcome: Outcome?
    /// From the intended start to the last byte, or to the end of the waiting.
    public var responseNS: UInt64
    /// From the first byte sent to the last received, of the last request; 0: nothing was sent.
    public var serviceNS: UInt64
    /// Of the last answer, as received.
    public var bodyBytes: UInt64
    /// Requests it took.
    public var requests: UInt16
    /// Whether a token was being recovered; nil in a run without tokens.
    public var window: AskWindow?
    /// Of the tile wanted: a number of `Recorder`'s names.
    public var source: UInt16
    /// Number of the place it was drawn for; 0 without places.
    public var place: UInt16

    /// All parts, in their order.
    @inlinable
    public init(
        zoom: UInt8, intendedNS: Int64, endedNS: Int64, cls: AskClass,
        cause: FailureCause = .status, causeDetail: UInt16 = 0, status: UInt16,
        outcome: Outcome?, responseNS: UInt64, serviceNS: UInt64, bodyBytes: UInt64,
        requests: UInt16 = 1, window: AskWindow? = nil, source: UInt16 = 0, place: UInt16 = 0
    ) {
        self.zoom = zoom
        self.intendedNS = intendedNS
        self.endedNS = endedNS
        self.cls = cls
        self.cause = cause
        self.causeDetail = causeDetail
        self.status = status
        self.outcome = outcome
        self.responseNS = responseNS
        self.serviceNS = serviceNS
        self.bodyBytes = bodyBytes
        self.requests = requests
        self.window = window
        self.source = source
        self.place = place
    }
}

/// Where an ask stands to the time between a first refusal and its full recovery.
public enum AskWindow: UInt8, Sendable, CaseIterable {
    /// It was refused or waited itself, or ended while its token was being recovered.
    case inside
    /// Neither.
    case outside
}

/// Why a request went over the wire.
public enum RequestKind: UInt8, Sendable {
    /// The first of its ask.
    case first
    /// After a refusal, with a newer token.
    case replay
    /// The kept-alive connection was closed before any byte of the answer.
    case retriedOnClosed
    /// After a redirect that was followed.
    case redirected
}

/// What a request spoke: the keys of `connections.by_protocol`.
public enum WireProtocol: UInt8, Sendable, CaseIterable {
    /// HTTP/1.0.
    case http10
    /// HTTP/1.1.
    case http11
    /// HTTP/2.
    case http2

    /// Its ALPN name, RFC 7301.
    package var key: String {
        switch self {
        case .http10: "http/1.0"
        case .http11: "http/1.1"
        case .http2: "h2"
        }
    }
}

/// What a look into the client's own cache gave.
public enum ClientCacheAnswer: UInt8, Sendable {
    /// Served without a request.
    case hit
    /// Served as it was although it is no longer fresh: it may be, while it is being validated.
    case staleHit
    /// The server said 304.
    case revalidated
    /// Asked for from the network.
    case miss
}

/// The header that a cache class was read from, by index: the keys of `cache.server.evidence`.
public enum CacheEvidence {
    /// In the order of belief; an index into it is what `Recorder.serverCache` takes.
    public static let names = [
        "Cache-Status", "CF-Cache-Status", "Akamai-Cache-Status", "x-vercel-cache", "CDN-Cache",
        "geowebcache-cache-result", "X-Cache-Status", "X-Proxy-Cache", "X-Nginx-Cache", "X-Cache",
        "X-Cache-Remote", "X-Check-Cacheable", "X-Cache-Detail", "X-Varnish", "Age",
    ]
    /// The header that the scenario names to be believed instead (`cache.server.header`).
    public static let configured: UInt8 = 15
    /// No header told anything.
    public static let none = UInt8.max
    /// Length of a table with a place for each of the names and `configured`.
    static let places = 16
}
