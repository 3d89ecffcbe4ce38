/// One zoom level of the measured part.
package struct ZoomRow: Sendable {
    package var zoom: Int
    package var started: UInt64 = 0
    package var ok: UInt64 = 0
    package var failed: UInt64 = 0
    package var cancelled: UInt64 = 0
    package var inFlightAtEnd: UInt64 = 0
    package var bytes: UInt64 = 0
    /// Response time of all asks.
    package var response = Histogram()
    /// Bytes of tiles as received: of good ones and those that are too small or too large.
    package var sizes = Histogram()
    /// Good answers by what the server's cache did, for `serverHitRate`.
    package var serverHits: UInt64 = 0
    package var serverKnown: UInt64 = 0
    package var serverUnknown: UInt64 = 0
    package var serverGood: UInt64 = 0

    /// See `CacheResult.hitRate`.
    package var serverHitRate: Double? {
        CacheResult.hitRate(
            hits: serverHits, known: serverKnown, unknown: serverUnknown, good: serverGood)
    }

    package init(zoom: Int) {
        self.zoom = zoom
    }
}

/// One source of tiles, the measured part.
package struct SourceRow: Sendable {
    package var name: String
    package var asks = AskCounters()
    package var response = LatencyTriple()
    package var service = LatencyTriple()
    /// As in `ZoomRow`.
    package var sizes = Histogram()

    package init(name: String) {
        self.name = name
    }
}

/// One interval of the measured part; an ask belongs to the row its intended start lies in.
package struct TimelineRow: Sendable {
    package var startNS: UInt64
    package var intervalNS: UInt64
    package var planned: UInt64 = 0
    package var started: UInt64 = 0
    package var ok: UInt64 = 0
    package var failed: UInt64 = 0
    /// Of the failed: those whose status denies the tile, for whatever reason.
    package var denied: UInt64 = 0
    package var bytes: UInt64 = 0
    /// On the wire, and waiting for a token, at the end of the interval.
    package var inFlight: UInt64 = 0
    package var parked: UInt64 = 0
    /// Refusals read, and renewals that succeeded, in the interval.
    package var refusals: UInt64 = 0
    package var renewals: UInt64 = 0
    /// Good answers by what the server's cache did, for `serverHitRate`.
    package var serverHits: UInt64 = 0
    package var serverKnown: UInt64 = 0
    package var serverUnknown: UInt64 = 0
    package var serverGood: UInt64 = 0
    package var clientHits: UInt64 = 0
    package var clientLookups: UInt64 = 0
    /// Response time of all asks of the row.
    package var response = PackedHistogram()

    /// See `CacheResult.hitRate`.
    package var serverHitRate: Double? {
        CacheResult.hitRate(
            hits: serverHits, known: serverKnown, unknown: serverUnknown, good: serverGood)
    }

    /// hits / lookups, or nil without lookups.
    package var clientHitRate: Double? {
        clientLookups == 0 ? nil : Double(clientHits) / Double(clientLookups)
    }

    /// Whether a status may say that whoever asks is not allowed to: a 4xx that speaks neither of a
    /// tile that is not there nor of time.
    package static func isDenial(status: Int) -> Bool {
        switch status {
        case 404, 408, 420, 429: false
        default: (400..<500).contains(status)
        }
    }

    package init(startNS: UInt64, intervalNS: UInt64) {
        self.startNS = startNS
        self.intervalNS = intervalNS
    }
}
