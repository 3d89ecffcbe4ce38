import JSONText
import Metrics

/// Distributions of time.
extension ReportJSON {
    /// The percentiles of a whole distribution, by their names in the report.
    static let percentiles: [(name: String, fraction: Double)] = [
        ("p50_ms", 0.5), ("p75_ms", 0.75), ("p90_ms", 0.9), ("p95_ms", 0.95), ("p99_ms", 0.99),
        ("p99_9_ms", 0.999),
    ]
    /// A percentile with fewer samples above it is marked.
    static let samplesAboveMin: UInt64 = 10

    static func latency(response: LatencyTriple, service: LatencyTriple) -> JSONNode {
        var node = ObjectBuilder()
        node.add("response", triple(response))
        node.add("service", triple(service))
        return node.node
    }

    static func phases(_ phases: [Histogram]) -> JSONNode {
        .object(zip(Phase.allCases, phases).map { ($0.key, distribution($1)) })
    }

    /// Of an empty distribution only the count and the encoding are there.
    static func distribution(_ times: some HistogramReading) -> JSONNode {
        var node = ObjectBuilder()
        node.add("count", count: times.count)
        node.add("min_ms", ms: times.minNS)
        node.add("mean_ms", ms: times.meanNS.map { UInt64($0.rounded()) })
        node.add("stddev_ms", ms: times.stddevNS.map { UInt64($0.rounded()) })
        for percentile in percentiles {
            node.add(percentile.name, ms: times.percentileNS(percentile.fraction))
        }
        node.add("max_ms", ms: times.maxNS)
        node.add("histogram", text: times.encoded)
        let coarse = percentiles.filter { times.samplesAbove($0.fraction) < samplesAboveMin }
        node.add(
            "low_resolution",
            .array(times.isEmpty ? [] : coarse.map { JSONNode.string($0.name) }))
        return node.node
    }

    private static func triple(_ triple: LatencyTriple) -> JSONNode {
        var node = ObjectBuilder()
        node.add("all", distribution(triple.all))
        node.add("ok", distribution(triple.ok))
        node.add("failed", distribution(triple.failed))
        return node.node
    }
}
