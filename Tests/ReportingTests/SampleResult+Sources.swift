import Metrics

/// The asks of the full run by the two sources of its style.
extension SampleResult {
    static func fillSources(_ result: inout RunResult) {
        var contours = SourceRow(name: "contours")
        contours.asks.started = 990
        contours.asks.ok = 990
        contours.asks.bytes = 990 * 11_500
        contours.asks.serverHits = 880
        contours.asks.serverKnown = 990
        contours.asks.serverGood = 990
        var roads = SourceRow(name: "roads")
        roads.asks.started = result.ledger.started - 990
        roads.asks.ok = result.ledger.ok - 990
        roads.asks.failed = result.ledger.failed
        roads.asks.cancelled = result.ledger.cancelled
        roads.asks.inFlightAtEnd = result.ledger.inFlightAtEnd
        roads.asks.bytes = result.bytes.measuredBody - contours.asks.bytes
        // More than a twentieth of its answers told nothing: no rate.
        roads.asks.serverHits = 8_150
        roads.asks.serverKnown = 8_200
        roads.asks.serverUnknown = 760
        roads.asks.serverGood = 8_960
        for index in 0..<contours.asks.ok {
            record(800_000 + index * 1_000, to: \.ok, of: &contours)
        }
        for index in 0..<roads.asks.ok { record(900_000 + index * 900, to: \.ok, of: &roads) }
        for index in 0..<roads.asks.failed {
            record(20_000_000 + index * 1_000_001, to: \.failed, of: &roads)
        }
        for index in 0..<contours.asks.ok { contours.sizes.record(11_000 + index) }
        for index in 0..<roads.asks.ok { roads.sizes.record(6_000 + index) }
        result.sources = [contours, roads]
    }

    private static func record(
        _ timeNS: UInt64, to part: WritableKeyPath<LatencyTriple, Histogram>,
        of row: inout SourceRow
    ) {
        for part in [part, \LatencyTriple.all] {
            row.response[keyPath: part].record(timeNS)
            row.service[keyPath: part].record(timeNS - 50_000)
        }
    }
}
