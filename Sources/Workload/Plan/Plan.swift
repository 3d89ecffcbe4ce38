import Metrics
package import TileModel

/// What a run will do: the scenario with every default filled in, every unit normalised and every
/// input read. Immutable once made; times are in nanoseconds, sizes in bytes.
package struct Plan: Sendable {
    /// Words for the origin's address, which is known only once the embedded origin listens.
    package static let originVariable = "${ORIGIN}"

    package var name: String
    package var seed: UInt64 = 1
    package var target: TargetPlan
    package var connection = ConnectionPlan()
    package var auth: AuthPlan?
    package var workload: WorkloadPlan
    package var load: LoadPlan
    package var cache = CachePlan()
    /// Names of the passes: the same asks each time.
    package var passes = ["run"]
    /// Sent before the first pass, in this order.
    package var before: [BeforePlan] = []
    package var injections: [InjectionPlan] = []
    package var checks = ChecksPlan()
    package var gates: [GatePlan] = []
    package var abortWhen: [GatePlan] = []
    /// False (`on_invalid: "warn"`): an invalid measurement does not change the exit code.
    package var failsWhenInvalid = true
    package var report = ReportPlan()
    /// Texts that must never be shown: see `Secrets.masking(_:)`.
    package var secrets = Secrets()
    /// Sentences said before the run, such as "this template has no placeholders".
    package var notes: [String] = []

    package init(name: String, target: TargetPlan, workload: WorkloadPlan, load: LoadPlan) {
        self.name = name
        self.target = target
        self.workload = workload
        self.load = load
    }
}

/// One header of a request; the value may hold `{token}` where `auth.token.in` is `template`.
package struct HeaderPlan: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// Where tiles come from.
package struct TargetPlan: Sendable {
    /// Sets of tiles, at least one: `TileChoice.source` is an index. In their templates a token in
    /// the query already stands as `name={token}`; with an embedded origin they begin with
    /// `Plan.originVariable`.
    package var sources: [TileSource]
    /// What holds for the templates of all sources; a scheme and the names of matrices are each
    /// source's own.
    package var options = TemplateOptions()
    package var origin: OriginPlan?
    /// What the sources were read from; nil when the scenario has their templates itself.
    package var document: DocumentPlan?
    /// Sent with every tile, in this order; User-Agent and Accept are in it unless left out.
    package var headers: [HeaderPlan] = []
    /// The fence: `host` or `host:port`, lower case. No other host gets a request or the token.
    package var hosts: [String] = []
    package var hasPermission = false

    /// The deepest zoom of tiles that are described by nothing but a template.
    package static let zoomMax: UInt8 = 22

    /// One source, which nothing is known of but its templates.
    package init(templates: [String]) {
        sources = [
            TileSource(
                name: "tiles", templates: templates, maxZoom: TargetPlan.zoomMax, tileSize: 256)
        ]
    }

    /// The templates of all sources.
    package var templates: [String] { sources.flatMap(\.templates) }

    /// The templates, compiled.
    package func templateSet() throws(TemplateSetError) -> TileTemplateSet {
        try TileTemplateSet(
            sources: sources.map {
                TileTemplateSet.Source($0.templates, options: $0.templateOptions(options))
            })
    }
}

/// The embedded tile server, as asked for by `target.origin`.
package struct OriginPlan: Sendable {
    package enum Format: String, Sendable { case png, mvt }
    package enum FaultKind: Sendable, Hashable { case status(Int), reset, truncate, stall }
    package struct Fault: Sendable {
        package var share: Double
        package var kind: FaultKind

        package init(share: Double, kind: FaultKind) {
            self.share = share
            self.kind = kind
        }
    }
    package struct Latency: Sendable {
        package var medianNS: UInt64
        package var p99NS: UInt64

        package init(medianNS: UInt64, p99NS: UInt64) {
            self.medianNS = medianNS
            self.p99NS = p99NS
        }
    }
    /// The shape of a refused tile.
    package enum Refusal: Sendable, Hashable {
        /// With a JSON body; 401 with a challenge that names the error.
        case status(Int)
        /// 401 without a challenge or a body.
        case bare
        /// 200 with `{"error": {"code": 498}}`.
        case json
        /// 200 with a page that says "Invalid Token".
        case html
        /// 302 to a login page.
        case redirect
    }
    package struct Token: Sendable {
        /// Nil: lives until it is revoked.
        package var ttlNS: UInt64?
        package var advertises = true
        /// What `expires_in` says instead of the truth; nil: the truth.
        package var advertisedNS: UInt64?
        package var refuseWith = Refusal.status(401)
        /// Refusals, and only they, are answered so much later; nil: at once.
        package var lateNS: UInt64?
        /// A new token ends the older ones of its cell.
        package var issueRevokesOlder = false
        /// Refresh tokens are given, and can be used once.
        package var rotatesRefreshTokens = false

        package init() {}
    }

    package var format = Format.png
    package var bytes: Int?
    package var cacheControl: String?
    package var latency: Latency?
    package var token: Token?
    package var edgeHitRate: Double?
    package var faults: [Fault] = []
    package var threads = 1

    package init() {}
}

/// How connections are made.
package struct ConnectionPlan: Sendable {
    package enum Version: String, Sendable { case auto, http1 = "1.1", http2 = "2" }
    package enum Family: String, Sendable { case any, v4 = "4", v6 = "6" }
    package enum Spread: Sendable, Hashable {
        case spread, pin
        case ttl(seconds: Int)
    }
    package struct FixedAddress: Sendable, Hashable {
        /// `host` or `host:port` as written.
        package var host: String
        package var addresses: [String]
        /// Ports that a `host` without one stands for.
        package var ports = [80, 443]

        package init(host: String, addresses: [String]) {
            self.host = host
            self.addresses = addresses
        }
    }

    package var version = Version.auto
    package var reuses = true
    /// Of a viewer's per host with HTTP/1.1 unless said otherwise; HTTP/2 has one.
    package static let perUserDefault = 6
    /// Connections of a viewer per host at most; nil: as its protocol has them.
    package var perUser: Int?
    /// Connections per host for the whole run at most; nil: as many as needed.
    package var maximum: Int?
    package var streams = 100
    package var family = Family.any
    package var resolve: [FixedAddress] = []
    package var dns = Spread.spread
    package var proxy: String?
    package var verifies = true
    package var caFile: String?
    package var certFile: String?
    package var keyFile: String?
    package var serverName: String?
    package var unixSocket: String?
    package var sourceAddresses: [String] = []
    package var compression = true
    package var redirectsMax = 0

    package init() {}
}
