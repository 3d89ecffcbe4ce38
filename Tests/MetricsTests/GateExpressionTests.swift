import Metrics
import Testing

@Suite struct GateExpressionTests {
    static let good: [(String, String, String?, GateExpression.Comparison, Double)] = [
        ("latency.response.all.p99 < 250ms", "latency.response.all.p99_ms", nil, .less, 250),
        ("latency.response.all.p99_ms<0.25s", "latency.response.all.p99_ms", nil, .less, 250),
        ("  latency.response.p99 <= 250 ", "latency.response.all.p99_ms", nil, .lessOrEqual, 250),
        ("latency.service.p50 < 900us", "latency.service.all.p50_ms", nil, .less, 0.9),
        ("latency.response.ok.p99_9 < 2 s", "latency.response.ok.p99_9_ms", nil, .less, 2000),
        ("latency.response.all.max < 1m", "latency.response.all.max_ms", nil, .less, 60_000),
        ("latency.response.all.min > 100ns", "latency.response.all.min_ms", nil, .greater, 1e-4),
        ("run.measured > 1h", "run.measured_s", nil, .greater, 3600),
        ("run.measured_s >= 250ms", "run.measured_s", nil, .greaterOrEqual, 0.25),
        ("ledger.failed / ledger.started < 0.1%", "ledger.failed", "ledger.started", .less, 0.001),
        ("ledger.failed/ledger.started<0.001", "ledger.failed", "ledger.started", .less, 0.001),
        ("auth.renewals.per_expiry_max == 1", "auth.renewals.per_expiry_max", nil, .equal, 1),
        ("auth.outdated_sends == 0", "auth.outdated_sends", nil, .equal, 0),
        ("cache.server.hit_rate > 90%", "cache.server.hit_rate", nil, .greater, 0.9),
        ("cache.server.hit_rate > 0.9", "cache.server.hit_rate", nil, .greater, 0.9),
        ("failed_by.timeout == 0", "ledger.failed_by.timeout", nil, .equal, 0),
        ("failed_by.status.503 < 5", "ledger.failed_by.status.503", nil, .less, 5),
        ("status.404 != 3", "status.404", nil, .notEqual, 3),
        ("rate.ok_per_s > 500/s", "rate.ok_per_s", nil, .greater, 500),
        ("rate.ok > 500", "rate.ok_per_s", nil, .greater, 500),
        ("rate.bytes_per_s > 2MiB/s", "rate.bytes_per_s", nil, .greater, 2_097_152),
        ("rate.bytes > 3kB/s", "rate.bytes_per_s", nil, .greater, 3000),
        ("bytes.received < 1.5GiB", "bytes.received", nil, .less, 1_610_612_736),
        ("generator.peak_rss < 64MB", "generator.peak_rss_bytes", nil, .less, 64e6),
        ("generator.cpu_us_per_request < 0.02ms", "generator.cpu_us_per_request", nil, .less, 20),
        ("zooms.12.p99 < 300ms", "zooms.12.p99_ms", nil, .less, 300),
        ("auth.time_in_state.dead < 500ms", "auth.time_in_state_s.dead", nil, .less, 0.5),
        ("auth.parked.ms.p99 < 1s", "auth.parked.ms.p99_ms", nil, .less, 1000),
        (
            "latency.response.all.p99 / latency.response.all.p50 < 3",
            "latency.response.all.p99_ms", "latency.response.all.p50_ms", .less, 3
        ),
        ("bytes.received / run.measured_s < 1MB/s", "bytes.received", "run.measured_s", .less, 1e6),
        (
            "connections.by_protocol.http/1.1 == 0", "connections.by_protocol.http/1.1", nil,
            .equal, 0
        ),
        (
            "connections.by_protocol.http/1.1 / requests.sent < 1%",
            "connections.by_protocol.http/1.1", "requests.sent", .less, 0.01
        ),
        ("ledger.started >= 1e6", "ledger.started", nil, .greaterOrEqual, 1_000_000),
        ("phases.tls.p95 < 80ms", "phases.tls.p95_ms", nil, .less, 80),
    ]

    @Test(arguments: good)
    func gatesAreRead(
        text: String, numerator: String, denominator: String?,
        comparison: GateExpression.Comparison, value: Double
    ) throws {
        let gate = try GateExpression.parse(text)
        #expect(gate.numerator.text == numerator)
        #expect(gate.denominator?.text == denominator)
        #expect(gate.comparison == comparison)
        #expect(gate.value == value)
        #expect(!gate.text.hasPrefix(" ") && !gate.text.hasSuffix(" "))
        #expect(try GateExpression.parse(gate.text) == gate)
    }

    static let bad: [(String, String, String?)] = [
        ("", "has no comparison", nil),
        ("latency.response.all.p99", "has no comparison", nil),
        ("latency.response.all.p99 < ", "no value after \"<\"", nil),
        (" < 250ms", "no path before \"<\"", nil),
        ("ledger.failed = 0", "\"=\" is none of < <= > >= == !=", nil),
        ("ledger.failed => 0", "\"=>\" is none of", nil),
        ("ledger.failed < 1 < 2", "is no unit", nil),
        ("ledger.failed < many", "\"many\" is no number", nil),
        ("ledger.failed < -", "\"-\" is no number", nil),
        ("ledger.failed < 1e999", "is no number", nil),
        ("ledger.failed < nan", "is no number", nil),
        ("latency.response.all.p99 < 250msec", "\"msec\" is no unit", nil),
        ("latency.response.all.p99 < 1,000", "\",000\" is no unit", nil),
        (
            "latency.response.all.p98 < 1", "no number \"latency.response.all.p98\"",
            "latency.response.all.p98"
        ),
        ("ledger.faild / ledger.started < 1", "no number \"ledger.faild\"", "ledger.faild"),
        ("ledger.failed / ledger.strated < 1", "no number \"ledger.strated\"", "ledger.strated"),
        ("ledger.failed / < 1", "no path beside \"/\"", nil),
        ("ledger < 1", "no number \"ledger\"", "ledger"),
        ("run.interrupted == 0", "no number \"run.interrupted\"", "run.interrupted"),
        ("status.4xx == 0", "no number \"status.4xx\"", "status.4xx"),
        ("zooms.p99 < 1ms", "no number", "zooms.p99"),
        ("latency.response.all.p99 < 90%", "is a duration, \"90%\" is a share", nil),
        ("latency.response.all.p99 < 5MiB", "is a duration, \"5MiB\" is a size", nil),
        ("ledger.failed < 1%", "is a count, \"1%\" is a share", nil),
        ("ledger.failed < 1s", "is a count, \"1s\" is a duration", nil),
        ("rate.ok_per_s > 5MB/s", "is a rate, \"5MB/s\" is a number of bytes per second", nil),
        ("cache.server.hit_rate > 90ms", "is a share, \"90ms\" is a duration", nil),
        ("bytes.sent > 3/s", "is a size, \"3/s\" is a rate", nil),
    ]

    @Test(arguments: bad)
    func mistakesAreDescribed(text: String, fragment: String, unknown: String?) {
        do throws(GateError) {
            let gate = try GateExpression.parse(text)
            Issue.record("\(text) was read as \(gate)")
        } catch {
            #expect(error.reason.contains(fragment), "\(error.reason)")
            #expect(error.unknownPath == unknown)
        }
    }

    @Test func comparisonsHold() throws {
        let cases: [(String, [Double], [Double])] = [
            ("ledger.ok < 5", [4], [5, 6]), ("ledger.ok <= 5", [4, 5], [6]),
            ("ledger.ok > 5", [6], [4, 5]), ("ledger.ok >= 5", [5, 6], [4]),
            ("ledger.ok == 5", [5], [4, 6]), ("ledger.ok != 5", [4, 6], [5]),
        ]
        for (text, holding, failing) in cases {
            let gate = try GateExpression.parse(text)
            for value in holding { #expect(gate.holds(value), "\(value): \(text)") }
            for value in failing { #expect(!gate.holds(value), "\(value): \(text)") }
            #expect(!gate.holds(.nan) || gate.comparison == .notEqual)
        }
    }

    @Test func unitsTellCounts() throws {
        #expect(try GateExpression.parse("ledger.failed < 1").unit.isCount)
        #expect(try !GateExpression.parse("ledger.failed / ledger.ok < 1").unit.isCount)
        #expect(try !GateExpression.parse("cache.server.hit_rate < 1").unit.isCount)
    }
}
