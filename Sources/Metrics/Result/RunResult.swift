/// Everything a run measured, merged over its reactors: the source of report.json, the CSV files,
/// the summary and the gates. Field meanings are those of the report of the same name.
package struct RunResult: Sendable {
    package var tool = ToolFacts()
    package var machine = MachineFacts()
    package var scenario = ScenarioFacts()
    package var run = RunFacts()
    package var ledger = Ledger()
    package var requests = RequestCounts()
    package var bytes = ByteCounts()
    package var response = LatencyTriple()
    package var service = LatencyTriple()
    /// Indexed by `Phase.rawValue`.
    package var phases = [Histogram](repeating: Histogram(), count: Phase.allCases.count)
    /// Last status of each ended ask; index is the status, 0 none.
    package var statuses: [Int: UInt64] = [:]
    /// Indexed by `Outcome.rawValue`.
    package var outcomes = [UInt64](repeating: 0, count: Outcome.allCases.count)
    package var errors: [ErrorEntry] = []
    package var connections = ConnectionCounts()
    package var cache = CacheResult()
    package var auth: AuthResult?
    /// Nil without viewers.
    package var views: ViewsResult?
    package var replay: ReplayResult?
    package var places: [PlaceRow] = []
    package var zooms: [ZoomRow] = []
    /// In the order of the target; empty when the target has no document that names them.
    package var sources: [SourceRow] = []
    package var timeline: [TimelineRow] = []
    package var generator = GeneratorFacts()
    /// Of a run of several passes, up to this one; else empty.
    package var passes: [PassRow] = []

    package init() {}
}

/// Which build measured.
package struct ToolFacts: Sendable, Hashable {
    package var version = ""
    package var commit = ""
    /// `release` or `debug`.
    package var build = ""
    package var swift = ""
    package var libcurl = ""
    package var jemalloc = ""

    package init() {}
}

/// On what it measured.
package struct MachineFacts: Sendable, Hashable {
    package var cpu = ""
    package var cores = 0
    package var kernel = ""
    package var memoryBytes: UInt64 = 0

    package init() {}
}

/// What was asked for.
package struct ScenarioFacts: Sendable, Hashable {
    package var name = ""
    /// Of the resolved plan without target, secrets and report options, in hex.
    package var sha256 = ""
    package var seed: UInt64 = 1
    /// The resolved plan as compact JSON, secrets masked.
    package var planJSON = "{}"

    package init() {}
}

/// How the run went as a whole.
package struct RunFacts: Sendable, Hashable {
    package enum Validity: String, Sendable { case valid, suspect, invalid }

    /// RFC 3339, UTC, of T0.
    package var startedAt = ""
    package var warmupNS: UInt64 = 0
    package var warmupAsks: UInt64 = 0
    package var measuredNS: UInt64 = 0
    package var drainNS: UInt64 = 0
    package var interrupted = false
    /// `SIGINT` or `SIGTERM`.
    package var signal: String?
    /// The `abort_when` condition that ended the run.
    package var aborted: String?
    package var shard = 0
    package var shards = 1
    package var validity = Validity.valid
    package var reasons: [String] = []
    /// Name of the pass, where a run has several.
    package var pass: String?

    package init() {}
}

/// Asks by the class they ended in; `planned = notStarted + started` and
/// `started = ok + failed + cancelled + inFlightAtEnd`.
package struct Ledger: Sendable, Hashable {
    package var planned: UInt64 = 0
    package var notStarted: UInt64 = 0
    package var started: UInt64 = 0
    package var ok: UInt64 = 0
    package var failed: UInt64 = 0
    package var cancelled: UInt64 = 0
    package var inFlightAtEnd: UInt64 = 0
    /// By `FailureCause.rawValue`.
    package var failedBy = [UInt64](repeating: 0, count: FailureCause.allCases.count)
    /// Parts of `failedBy[.status]`, by status code.
    package var failedByStatus: [Int: UInt64] = [:]
    /// Parts of `failedBy[.timeout]`, by `TimeoutPhase.rawValue`.
    package var failedByTimeout = [UInt64](repeating: 0, count: TimeoutPhase.allCases.count)
    /// Parts of `failedBy[.invalidTile]`, by `TileDefect.rawValue`.
    package var failedByDefect = [UInt64](repeating: 0, count: TileDefect.allCases.count)
    /// Parts of `failedBy[.unauthorized]`, by `AuthFailure.rawValue`.
    package var failedByAuth = [UInt64](repeating: 0, count: AuthFailure.allCases.count)

    package init() {}

    /// True when every planned ask ended in exactly one class and the parts add up.
    package var addsUp: Bool {
        planned == notStarted &+ started
            && started == ok &+ failed &+ cancelled &+ inFlightAtEnd
            && failed == failedBy.reduce(0, &+)
            && failedBy[Int(FailureCause.status.rawValue)] == failedByStatus.values.reduce(0, &+)
            && failedBy[Int(FailureCause.unauthorized.rawValue)] == failedByAuth.reduce(0, &+)
    }
}

/// What went over the wire, the whole process long: `sent = first attempts + replays +
/// retriedOnClosed + redirected`.
package struct RequestCounts: Sendable, Hashable {
    package var sent: UInt64 = 0
    package var replays: UInt64 = 0
    package var retriedOnClosed: UInt64 = 0
    /// Requests that followed a redirect.
    package var redirected: UInt64 = 0
    /// Every answer by status.
    package var answered: [Int: UInt64] = [:]

    package init() {}
}

/// Bytes over the whole process; `body` is the part of `received` that was bodies.
package struct ByteCounts: Sendable, Hashable {
    package var received: UInt64 = 0
    package var sent: UInt64 = 0
    package var body: UInt64 = 0
    /// Body bytes of the measured part's asks: what `rate.bytes_per_s` divides.
    package var measuredBody: UInt64 = 0

    package init() {}
}

/// One latency, three distributions: `all` = ok + failed + in flight at the end.
package struct LatencyTriple: Sendable {
    package var all = Histogram()
    package var ok = Histogram()
    package var failed = Histogram()

    package init() {}
}

/// One kind of failure, however often it happened.
package struct ErrorEntry: Sendable, Hashable {
    /// A key of `ledger.failed_by`, or `renewal`.
    package var cause: String
    package var detail: String
    package var count: UInt64
    package var firstAtNS: Int64

    package init(cause: String, detail: String, count: UInt64, firstAtNS: Int64) {
        self.cause = cause
        self.detail = detail
        self.count = count
        self.firstAtNS = firstAtNS
    }
}

/// Connections over the whole process.
package struct ConnectionCounts: Sendable, Hashable {
    package var opened: UInt64 = 0
    /// Requests that found an open connection.
    package var reused: UInt64 = 0
    /// Requests by protocol: `http/1.1`, `h2`.
    package var byProtocol: [String: UInt64] = [:]
    /// Connections by remote address.
    package var byAddress: [String: UInt64] = [:]

    package init() {}
}

/// What the generator knows of itself.
package struct GeneratorFacts: Sendable {
    package var threads = 0
    /// What carried the requests; empty when nothing was sent.
    package var transport = ""
    /// Why it was not the direct one.
    package var transportReason: String?
    /// CPU time of the whole process, from its start to the end of the drain.
    package var cpuNS: UInt64 = 0
    package var coresUsed = 0.0
    package var coresAvailable = 0.0
    package var throttledNS: UInt64 = 0
    package var peakRSSBytes: UInt64 = 0
    package var jemallocAllocatedBytes: UInt64?
    package var jemallocResidentBytes: UInt64?
    /// Allocated by reactor threads in the measured part, per request sent.
    package var allocatedBytesPerRequest: Double?
    package var descriptorsUsed = 0
    package var descriptorsLimit = 0
    package var portsUsed = 0
    package var portsLimit = 0
    /// Actual minus intended start.
    package var startLag = Histogram()
    /// Time a loop turn ended late against its own timer.
    package var loopLag = Histogram()
    /// Busiest reactor's share of the measured time.
    package var busiestReactor = 0.0
    /// Share of the machine's time that a hypervisor took, 0...1.
    package var stolenShare = 0.0

    package init() {}
}
