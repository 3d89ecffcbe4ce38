import JSONText
import Metrics

/// Rows by zoom and by time.
extension ReportJSON {
    static func zoom(_ row: ZoomRow) -> JSONNode {
        var node = ObjectBuilder()
        node.add("z", count: row.zoom)
        node.add("started", count: row.started)
        node.add("ok", count: row.ok)
        node.add("failed", count: row.failed)
        node.add("cancelled", count: row.cancelled)
        node.add("in_flight_at_end", count: row.inFlightAtEnd)
        node.add("bytes", count: row.bytes)
        node.add("p50_ms", ms: row.response.percentileNS(0.5))
        node.add("p90_ms", ms: row.response.percentileNS(0.9))
        node.add("p99_ms", ms: row.response.percentileNS(0.99))
        node.add("max_ms", ms: row.response.maxNS)
        node.add("server_hit_rate", exact: row.serverHitRate)
        node.add("sizes", sizes(row.sizes))
        return node.node
    }

    static func source(_ row: SourceRow) -> JSONNode {
        var node = ObjectBuilder()
        node.add("started", count: row.asks.started)
        node.add("ok", count: row.asks.ok)
        node.add("failed", count: row.asks.failed)
        node.add("cancelled", count: row.asks.cancelled)
        node.add("in_flight_at_end", count: row.asks.inFlightAtEnd)
        node.add("bytes", count: row.asks.bytes)
        node.add("latency", latency(response: row.response, service: row.service))
        node.add("server_hit_rate", exact: row.asks.serverHitRate)
        node.add("sizes", sizes(row.sizes))
        return node.node
    }

    /// A histogram of bytes; of an empty one only the count and the encoding are there.
    private static func sizes(_ sizes: Histogram) -> JSONNode {
        var node = ObjectBuilder()
        node.add("count", count: sizes.count)
        node.add("min_bytes", count: sizes.minNS)
        node.add("mean_bytes", count: sizes.meanNS.map { UInt64($0.rounded()) })
        for percentile in sizePercentiles {
            node.add(percentile.name, count: sizes.percentileNS(percentile.fraction))
        }
        node.add("max_bytes", count: sizes.maxNS)
        node.add("histogram", text: sizes.encoded)
        return node.node
    }

    /// By their names in the report.
    static let sizePercentiles: [(name: String, fraction: Double)] = [
        ("p50_bytes", 0.5), ("p90_bytes", 0.9), ("p99_bytes", 0.99),
    ]

    static func pass(_ row: PassRow) -> JSONNode {
        var node = ObjectBuilder()
        node.add("name", text: row.name)
        node.add("validity", text: row.validity.rawValue)
        node.add("measured_s", s: row.measuredNS)
        node.add("started", count: row.started)
        node.add("ok", count: row.ok)
        node.add("failed", count: row.failed)
        node.add("bytes", count: row.bytes)
        node.add("ok_per_s", rounded: row.okPerS)
        node.add("p50_ms", ms: row.response.percentileNS(0.5))
        node.add("p90_ms", ms: row.response.percentileNS(0.9))
        node.add("p99_ms", ms: row.response.percentileNS(0.99))
        node.add("max_ms", ms: row.response.maxNS)
        node.add("server_hit_rate", exact: row.serverHitRate)
        node.add("client_hit_rate", exact: row.clientHitRate)
        node.add("foreign_hits", count: row.foreignHits)
        return node.node
    }

    static func interval(_ row: TimelineRow) -> JSONNode {
        var node = ObjectBuilder()
        node.add("t_s", s: row.startNS)
        node.add("interval_s", s: row.intervalNS)
        node.add("planned", count: row.planned)
        node.add("started", count: row.started)
        node.add("ok", count: row.ok)
        node.add("failed", count: row.failed)
        node.add("bytes", count: row.bytes)
        node.add("in_flight", count: row.inFlight)
        node.add("parked", count: row.parked)
        node.add("refusals", count: row.refusals)
        node.add("renewals", count: row.renewals)
        node.add("p50_ms", ms: row.response.percentileNS(0.5))
        node.add("p95_ms", ms: row.response.percentileNS(0.95))
        node.add("p99_ms", ms: row.response.percentileNS(0.99))
        node.add("max_ms", ms: row.response.maxNS)
        node.add("server_hit_rate", exact: row.serverHitRate)
        node.add("client_hit_rate", exact: row.clientHitRate)
        node.add("denied", count: row.denied)
        return node.node
    }
}
