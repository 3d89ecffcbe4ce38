/// Counts what one reactor does. Reactor thread only, in all of its parts.
///
/// After `init` nothing that happens per ask or per request allocates, locks or counts references;
/// what may allocate says so. Results of several recorders are joined by `RecorderResult.merge`.
public final class Recorder {
    let tables: RecorderTables
    let timeline = TimelineRecorder()
    let errors = ErrorTable()
    let places: PlaceTables
    let views: ViewTables?
    let hasClientCache: Bool
    let serverHeader: String?
    /// Of the sources that are reported each; empty: none is.
    let sourceNames: [String]
    /// Connections by remote address, at most `addressesMax` different ones.
    var addresses: [String: UInt64] = [:]
    static let addressesMax = 256

    /// - Parameters:
    ///   - hasClientCache: Whether the run has a client cache to report on.
    ///   - serverHeader: The header that `CacheEvidence.configured` stands for.
    ///   - places: Places that asks are drawn for; 0: the run has none.
    ///   - hasViews: Whether viewers ask.
    ///   - sourceNames: Names of the sources that `source` numbers are of; empty when they are
    ///     not told apart.
    public init(
        hasClientCache: Bool = false, serverHeader: String? = nil, places: Int = 0,
        hasViews: Bool = false, sourceNames: [String] = []
    ) {
        tables = RecorderTables(sources: sourceNames.count)
        self.sourceNames = sourceNames
        self.places = PlaceTables(count: places, hasViews: hasViews)
        views = hasViews ? ViewTables() : nil
        self.hasClientCache = hasClientCache
        self.serverHeader = serverHeader
        // Cold, but a connection can be opened at any time.
        addresses.reserveCapacity(Self.addressesMax + 1)
    }

    deinit {
        tables.deallocate()
        timeline.deallocate()
        errors.deallocate()
        places.deallocate()
        views?.deallocate()
    }

    /// The running totals.
    public var snapshot: RecorderTotals {
        let scalars = tables.scalars.pointee
        var totals = RecorderTotals()
        totals.warmupAsks = scalars.warmupAsks
        totals.started = scalars.asks.started
        totals.ok = scalars.asks.ok
        totals.failed = scalars.asks.failed
        totals.bytes = scalars.asks.bytes
        totals.requests =
            scalars.requestsFirst &+ scalars.requestsReplayed &+ scalars.requestsRetried
            &+ scalars.requestsRedirected
        totals.refusals = scalars.refusals
        totals.inFlight = scalars.inFlight
        totals.parked = scalars.parked
        totals.responseSumNS = UInt64(
            truncatingIfNeeded: tables.responseOK.sumNS &+ tables.responseFailed.sumNS)
        return totals
    }

    /// Response times of the newest row of the timeline that is over and has some: for a display
    /// while the run goes on. Allocates; once per interval.
    package func recentResponse(atNS: Int64) -> PackedHistogram {
        timeline.recentResponse(atNS: atNS)
    }
}

/// Running totals of one recorder, cheap enough to be published several times a second.
public struct RecorderTotals: Sendable, Hashable {
    /// Asks started in the warm-up.
    public var warmupAsks: UInt64 = 0
    /// Measured asks started.
    public var started: UInt64 = 0
    /// Measured asks that ended ok.
    public var ok: UInt64 = 0
    /// Measured asks that failed.
    public var failed: UInt64 = 0
    /// Body bytes of measured asks.
    public var bytes: UInt64 = 0
    /// Requests sent, the warm-up included.
    public var requests: UInt64 = 0
    /// Refusals read, the warm-up included.
    public var refusals: UInt64 = 0
    /// On the wire, as last told by `gauge`.
    public var inFlight: UInt64 = 0
    /// Waiting for a token, as last told by `gauge`.
    public var parked: UInt64 = 0
    /// Sum of the response times of `ok` and `failed`.
    public var responseSumNS: UInt64 = 0

    /// All zero.
    public init() {}

    /// Adds those of another recorder.
    public mutating func add(_ other: RecorderTotals) {
        warmupAsks &+= other.warmupAsks
        started &+= other.started
        ok &+= other.ok
        failed &+= other.failed
        bytes &+= other.bytes
        requests &+= other.requests
        refusals &+= other.refusals
        inFlight &+= other.inFlight
        parked &+= other.parked
        responseSumNS &+= other.responseSumNS
    }
}
