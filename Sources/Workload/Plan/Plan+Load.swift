package import Metrics
package import TileModel

/// What to ask for.
package struct WorkloadPlan: Sendable {
    package enum Order: String, Sendable { case rows, hilbert, random }
    package enum ZoomWeights: Sendable, Hashable {
        /// The published shares of OpenStreetMap's standard layer.
        case osm
        /// One weight per zoom of the range.
        case weights([Double])
    }
    package enum Kind: Sendable {
        /// In the order written.
        case list([TileID])
        /// Every tile of the bounds, zoom by zoom.
        case pyramid(order: Order)
        /// Zipf over the bounded region, or by `tileWeights`.
        case popular(exponent: Double, weights: ZoomWeights)
        /// Sessions of people who look at maps.
        case viewers(ViewerPlan)
        case replay(ReplayPlan)
    }

    package var kind: Kind
    /// Where a list was read from; nil when it stands in the scenario.
    package var tilesFile: String?
    /// Nil: the land, for `popular` and `viewers`; the world, for `pyramid`.
    package var bounds: GeoBounds?
    /// Parts of the map that tiles, or sessions, are drawn from in place of the bounds.
    package var places: [PlacePlan] = []
    /// How often each tile is asked for (`popular`), or where sessions begin (`viewers`); then the
    /// exponent and the weights of the zooms have no meaning.
    package var tileWeights: TileWeights?
    package var zooms: ClosedRange<Int> = 0...WorkloadPlan.zoomLast
    /// Pause of a user between asks.
    package var thinkNS: UInt64 = 0

    /// The last zoom when neither the scenario nor a document says.
    static let zoomLast = 14

    package init(kind: Kind) {
        self.kind = kind
    }
}

/// When to ask.
package struct LoadPlan: Sendable {
    package enum Arrivals: String, Sendable { case constant, poisson }
    /// From one value to another in a straight line.
    package struct Stage: Sendable, Hashable {
        package var durationNS: UInt64
        package var from: Double
        package var to: Double

        package init(durationNS: UInt64, from: Double, to: Double) {
            self.durationNS = durationNS
            self.from = from
            self.to = to
        }
    }
    package enum Shape: Sendable, Hashable {
        /// Closed: that many users, each with one ask at a time.
        case users(Int)
        case userStages([Stage])
        /// Open: asks per second, whatever the answers do.
        case rate(perSecond: Double, arrivals: Arrivals)
        case rateStages([Stage], arrivals: Arrivals)
        /// Open: at the times of the log that is replayed.
        case logged
    }
    package enum Transport: String, Sendable { case auto, direct, libcurl }
    /// Nil: only the whole request's timeout counts.
    package struct Timeouts: Sendable, Hashable {
        package var requestNS: UInt64 = 30_000_000_000
        package var connectNS: UInt64?
        package var tlsNS: UInt64?
        package var firstByteNS: UInt64?
        package var bodyNS: UInt64?

        package init() {}
    }

    package var shape: Shape
    /// Measured time. Nil together with `count` nil: once through the list or pyramid.
    package var durationNS: UInt64?
    /// That many asks.
    package var count: UInt64?
    package var warmupNS: UInt64 = 0
    /// Nil: by CPU quota and affinity.
    package var threads: Int?
    package var transport = Transport.auto
    package var inFlightMax = 10_000
    package var timeouts = Timeouts()
    package var graceNS: UInt64 = 5_000_000_000

    package init(shape: Shape) {
        self.shape = shape
    }

    package var isOpen: Bool {
        switch shape {
        case .users, .userStages: false
        case .rate, .rateStages, .logged: true
        }
    }

    /// The highest rate of an open load; 0 where a log says when.
    package var ratePerSecondMax: Double {
        switch shape {
        case .users, .userStages, .logged: 0
        case .rate(let perSecond, _): perSecond
        case .rateStages(let stages, _): stages.map { max($0.from, $0.to) }.max() ?? 0
        }
    }
}

/// The client's own cache and what to believe of the server's.
package struct CachePlan: Sendable {
    /// Whose rules say how long a kept answer is good.
    package enum Rules: String, Sendable, CaseIterable {
        /// It is good for ever.
        case none
        /// HTTP's own, for a private cache.
        case rfc9111
        case maplibreNative = "maplibre-native"
    }

    package struct Client: Sendable {
        package static let sizeBytesDefault: UInt64 = 64 << 20

        package var sizeBytes: UInt64
        /// One cache per user, or one for all.
        package var isPerUser: Bool
        package var rules: Rules

        package init(sizeBytes: UInt64, isPerUser: Bool, rules: Rules = .none) {
            self.sizeBytes = sizeBytes
            self.isPerUser = isPerUser
            self.rules = rules
        }
    }

    /// Nil: off.
    package var client: Client?
    /// Query parameters that are no part of a cache key and are never shown.
    package var strip = CachePlan.stripDefault
    /// Name of a header to believe instead of the known ones, lower case.
    package var serverHeader: String?

    package static let stripDefault = [
        "access_token", "token", "sig", "signature", "session", "key", "expires", "policy",
        "key-pair-id",
    ]

    package init() {}
}

/// A fault on purpose: tokens stop working, or the embedded origin misbehaves for a while.
package struct InjectionPlan: Sendable {
    package enum Poison: String, Sendable { case garbage, empty, old }
    /// Faults of the embedded origin's token endpoint.
    package enum RenewalFault: String, Sendable, CaseIterable {
        case slow, hang, close
        case status500 = "500"
        case status429 = "429"
        case status401 = "401"
        case malformed, same, expired, empty
    }
    /// Faults of the embedded origin's tiles.
    package enum TileFault: String, Sendable, CaseIterable {
        /// Refusals, and only they, come late.
        case lateRefusals = "late-refusals"
        /// A part of the servers does not know a new token for a moment.
        case replicationLag = "replication-lag"
    }
    package enum Kind: Sendable, Hashable {
        /// Our own token's text is spoilt; works against any server.
        case poison(Poison)
        /// The server's own hook revokes; the event begins with its answer.
        case revoke(HookPlan)
        /// The embedded origin revokes.
        case origin
        case renewal(RenewalFault)
        case tiles(TileFault)
    }

    /// From T0.
    package var atNS: UInt64
    package var everyNS: UInt64?
    /// Of a fault; nil: until the end.
    package var durationNS: UInt64?
    package var kind: Kind
    /// Of the token cells, 0...1.
    package var share = 1.0

    package init(atNS: UInt64, kind: Kind) {
        self.atNS = atNS
        self.kind = kind
    }
}

/// A request of the scenario's own that is no tile: the server's hook that revokes tokens.
package struct HookPlan: Sendable, Hashable {
    package var url: String
    package var method = "POST"
    package var headers: [HeaderPlan] = []
    package var body: RenewalPlan.Body?
    package var timeoutNS: UInt64 = 5_000_000_000

    package init(url: String) {
        self.url = url
    }

    /// It speaks of one token, that of the cell whose number stands in the place of `{user}`.
    package var isPerUser: Bool {
        let texts = [url, body?.text ?? ""] + headers.map(\.value)
        return texts.contains { $0.contains(PlanBuilder.userPlaceholder) }
    }
}

/// What makes an answer good.
package struct ChecksPlan: Sendable {
    package enum TileFormat: String, Sendable { case none, png, jpeg, webp, mvt, auto }

    package var statuses: [Int] = [200, 204]
    package var acceptsNotFound = false
    package var tile = TileFormat.none
    package var bytesMin: Int?
    package var bytesMax: Int?

    package init() {}
}

/// A gate or an `abort_when` condition.
package struct GatePlan: Sendable {
    package enum Level: String, Sendable { case fail, warn }

    package var expression: GateExpression
    package var level = Level.fail
    package var samplesMin: UInt64?
    package var allowsEmpty = false
    /// `abort_when` only: not judged before this time from T0.
    package var afterNS: UInt64 = 0

    package init(expression: GateExpression) {
        self.expression = expression
    }
}

/// Where results go.
package struct ReportPlan: Sendable {
    package var directory = "Reports"

    package init() {}
}
