import Glibc

/// The plain counters of one zoom level, source or row of time, as far as they are alike.
package struct AskCounters: Sendable {
    package var started: UInt64 = 0
    package var ok: UInt64 = 0
    package var failed: UInt64 = 0
    /// Of the failed: see `TimelineRow.isDenial`.
    package var denied: UInt64 = 0
    package var cancelled: UInt64 = 0
    package var inFlightAtEnd: UInt64 = 0
    package var bytes: UInt64 = 0
    package var serverHits: UInt64 = 0
    package var serverKnown: UInt64 = 0
    package var serverUnknown: UInt64 = 0
    package var serverGood: UInt64 = 0

    package init() {}

    /// See `CacheResult.hitRate`.
    package var serverHitRate: Double? {
        CacheResult.hitRate(
            hits: serverHits, known: serverKnown, unknown: serverUnknown, good: serverGood)
    }

    mutating func count(_ end: borrowing AskEnd) {
        switch end.cls {
        case .ok: ok &+= 1
        case .failed:
            failed &+= 1
            if end.cause == .status, TimelineRow.isDenial(status: Int(end.causeDetail)) {
                denied &+= 1
            }
        case .cancelled: cancelled &+= 1
        case .inFlightAtEnd: inFlightAtEnd &+= 1
        }
        bytes &+= end.bodyBytes
    }

    /// A 2xx or 304 answer, by what the server's cache did.
    mutating func countGood(_ cls: CacheClass) {
        serverGood &+= 1
        switch cls {
        case .hit, .staleHit:
            serverHits &+= 1
            serverKnown &+= 1
        case .revalidated, .miss:
            serverKnown &+= 1
        case .unknown:
            serverUnknown &+= 1
        case .bypass, .dynamic, .synthetic, .error:
            break
        }
    }

    mutating func add(_ other: AskCounters) {
        started += other.started
        ok += other.ok
        failed += other.failed
        denied += other.denied
        cancelled += other.cancelled
        inFlightAtEnd += other.inFlightAtEnd
        bytes += other.bytes
        serverHits += other.serverHits
        serverKnown += other.serverKnown
        serverUnknown += other.serverUnknown
        serverGood += other.serverGood
    }
}

/// What a recorder counts with single numbers.
struct RecorderScalars {
    var warmupAsks: UInt64 = 0
    /// The measured part.
    var asks = AskCounters()
    var notStarted: UInt64 = 0
    var attemptsMax: UInt64 = 0

    var requestsFirst: UInt64 = 0
    var requestsReplayed: UInt64 = 0
    var requestsRetried: UInt64 = 0
    var requestsRedirected: UInt64 = 0

    var bytesReceived: UInt64 = 0
    var bytesSent: UInt64 = 0
    var bytesBody: UInt64 = 0

    var connectionsOpened: UInt64 = 0
    var connectionsReused: UInt64 = 0

    var clientHits: UInt64 = 0
    var clientRevalidated: UInt64 = 0
    var clientMisses: UInt64 = 0
    var clientStaleHits: UInt64 = 0
    var clientRefreshes: UInt64 = 0
    var clientHitBytes: UInt64 = 0
    var clientRevalidatedBytes: UInt64 = 0
    var clientStored: UInt64 = 0
    var clientEvicted: UInt64 = 0
    /// Bytes in the client cache now.
    var clientBytes: UInt64 = 0

    var refusals: UInt64 = 0
    var inFlight: UInt64 = 0
    var parked: UInt64 = 0
}

/// What the server's caches did, one class.
struct ServerCacheCounters {
    var count: UInt64 = 0
    var good: UInt64 = 0
    var bytes: UInt64 = 0
    var edge: UInt64 = 0
    var shield: UInt64 = 0
}

/// Where answers came from.
struct ServerPlaces {
    var edges = PlaceTable()
    var addresses = PlaceTable()
}

/// Where a recorder counts: raw tables and histograms with one owner, the recorder.
///
/// Reached through a stored pointer each, an addition is an addition: no check of uniqueness, of
/// exclusivity or of bounds. Every index is an enum's raw value or is limited where it comes in.
struct RecorderTables {
    /// HTTP status codes have three digits (RFC 9110 section 15).
    static let statuses = 1000
    static let zooms = 32

    let scalars = UnsafeMutablePointer<RecorderScalars>.allocate(capacity: 1)
    let zoomCounters: UnsafeMutablePointer<AskCounters> = table(zooms, AskCounters())
    let failedBy: UnsafeMutablePointer<UInt64> = table(FailureCause.allCases.count, 0)
    let failedByStatus: UnsafeMutablePointer<UInt64> = table(statuses, 0)
    let failedByTimeout: UnsafeMutablePointer<UInt64> = table(TimeoutPhase.allCases.count, 0)
    let failedByDefect: UnsafeMutablePointer<UInt64> = table(TileDefect.allCases.count, 0)
    let failedByAuth: UnsafeMutablePointer<UInt64> = table(AuthFailure.allCases.count, 0)
    /// As `failedByAuth`, the warm-up too.
    let allFailedByAuth: UnsafeMutablePointer<UInt64> = table(AuthFailure.allCases.count, 0)
    let lastStatus: UnsafeMutablePointer<UInt64> = table(statuses, 0)
    let answered: UnsafeMutablePointer<UInt64> = table(statuses, 0)
    let outcomes: UnsafeMutablePointer<UInt64> = table(Outcome.allCases.count, 0)
    let protocols: UnsafeMutablePointer<UInt64> = table(WireProtocol.allCases.count, 0)
    let server: UnsafeMutablePointer<ServerCacheCounters> = table(
        CacheClass.allCases.count, ServerCacheCounters())
    /// By `AskWindow.rawValue`.
    let windowOK: UnsafeMutablePointer<UInt64> = table(AskWindow.allCases.count, 0)
    let evidence: UnsafeMutablePointer<UInt64> = table(CacheEvidence.places, 0)

    let places = UnsafeMutablePointer<ServerPlaces>.allocate(capacity: 1)

    let responseOK = RawHistogram.allocate()
    let responseFailed = RawHistogram.allocate()
    let responseOpen = RawHistogram.allocate()
    let serviceOK = RawHistogram.allocate()
    let serviceFailed = RawHistogram.allocate()
    let serviceOpen = RawHistogram.allocate()
    let startLag = RawHistogram.allocate()
    let loopLag = RawHistogram.allocate()
    let parkedTime = RawHistogram.allocate()
    let refusedService = RawHistogram.allocate()
    let phases = histograms(Phase.allCases.count)
    let serverService = histograms(CacheClass.allCases.count)
    let zoomResponse = histograms(zooms)
    /// Bytes of tiles.
    let zoomSizes = histograms(zooms)
    /// By `AskWindow.rawValue`.
    let windowResponse = histograms(AskWindow.allCases.count)

    /// One of each per source; empty in a run without names of sources.
    let sources: Int
    let sourceCounters: UnsafeMutablePointer<AskCounters>
    let sourceResponse: UnsafeMutablePointer<RawHistogram>
    let sourceService: UnsafeMutablePointer<RawHistogram>
    let sourceSizes: UnsafeMutablePointer<RawHistogram>
    /// Good, failed, in flight at the end: so many histograms per source and latency.
    static let sourceParts = 3

    init(sources: Int) {
        self.sources = sources
        sourceCounters = Self.table(sources, AskCounters())
        sourceResponse = Self.histograms(sources * Self.sourceParts)
        sourceService = Self.histograms(sources * Self.sourceParts)
        sourceSizes = Self.histograms(sources)
        scalars.initialize(to: RecorderScalars())
        places.initialize(to: ServerPlaces())
    }

    func deallocate() {
        scalars.deallocate()
        places.pointee.edges.deallocate()
        places.pointee.addresses.deallocate()
        places.deallocate()
        zoomCounters.deallocate()
        sourceCounters.deallocate()
        for counts in [
            failedBy, failedByStatus, failedByTimeout, failedByDefect, failedByAuth,
            allFailedByAuth, lastStatus, answered, outcomes, protocols, windowOK, evidence,
        ] {
            counts.deallocate()
        }
        server.deallocate()
        for histogram in [
            responseOK, responseFailed, responseOpen, serviceOK, serviceFailed, serviceOpen,
            startLag, loopLag, parkedTime, refusedService,
        ] {
            histogram.deallocate()
        }
        for (histograms, count) in [
            (phases, Phase.allCases.count), (serverService, CacheClass.allCases.count),
            (zoomResponse, Self.zooms), (zoomSizes, Self.zooms), (sourceSizes, sources),
            (windowResponse, AskWindow.allCases.count),
            (sourceResponse, sources * Self.sourceParts),
            (sourceService, sources * Self.sourceParts),
        ] {
            for index in 0..<count { histograms[index].deallocate() }
            histograms.deallocate()
        }
    }

    private static func table<Element>(
        _ count: Int, _ element: Element
    ) -> UnsafeMutablePointer<Element> {
        let table = UnsafeMutablePointer<Element>.allocate(capacity: count)
        table.initialize(repeating: element, count: count)
        return table
    }

    private static func histograms(_ count: Int) -> UnsafeMutablePointer<RawHistogram> {
        let table = UnsafeMutablePointer<RawHistogram>.allocate(capacity: count)
        for index in 0..<count { (table + index).initialize(to: .allocate()) }
        return table
    }
}
