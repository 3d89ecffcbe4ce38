import JSONText
import Metrics
import Testing

@testable import Reporting

/// What holds for every report.
@Suite struct ReportJSONTests {
    private static let full = ReportJSON.node(result: SampleResult.full, verdict: Verdict())
    private static let small = ReportJSON.node(result: SampleResult.small, verdict: Verdict())

    private var full: JSONNode { Self.full }
    private var small: JSONNode { Self.small }

    /// The order of the format's definition.
    private static let order: [(path: String, names: String)] = [
        (
            "",
            "schema tool machine scenario run ledger requests rate bytes latency phases status"
                + " outcomes errors connections cache auth views replay places zooms sources timeline"
                + " generator gates verdict passes"
        ),
        ("tool", "version commit build swift libcurl jemalloc"),
        ("machine", "cpu cores kernel memory_bytes"),
        ("scenario", "name sha256 seed plan"),
        (
            "run",
            "started_at warmup_s warmup_asks measured_s drain_s interrupted shard shards"
                + " validity reasons pass"
        ),
        (
            "ledger",
            "planned not_started started ok failed failed_by failed_by_detail cancelled"
                + " in_flight_at_end"
        ),
        (
            "ledger.failed_by",
            "status timeout connect tls name reset truncated protocol"
                + " invalid_tile unauthorized generator"
        ),
        ("requests", "sent replays retried_on_closed redirected answered"),
        ("rate", "planned_per_s started_per_s ok_per_s bytes_per_s"),
        ("bytes", "received sent body"),
        ("latency", "response service"),
        ("latency.response", "all ok failed"),
        (
            "latency.response.all",
            "count min_ms mean_ms stddev_ms p50_ms p75_ms p90_ms p95_ms"
                + " p99_ms p99_9_ms max_ms histogram low_resolution"
        ),
        ("phases", "name_lookup connect tls send first_byte download"),
        (
            "outcomes",
            "tile empty_tile not_modified no_tile auth_expired auth_denied blocked"
                + " soft_error client_error rate_limited overloaded server_error gzip_undeclared"
                + " gzip_twice"
        ),
        ("errors.0", "cause detail count first_at_s samples"),
        ("connections", "opened reused by_protocol by_address"),
        ("cache", "client server"),
        (
            "cache.client",
            "lookups hits revalidated misses stored evicted bytes hit_rate stale_hits refreshes"
                + " hit_bytes revalidated_bytes"
        ),
        (
            "cache.server",
            "hit stale_hit revalidated miss bypass dynamic synthetic error unknown"
                + " hit_rate evidence foreign_hits edges addresses edges_beyond addresses_beyond"
        ),
        ("cache.server.edges.0", "name count bytes hit_rate p50_ms p99_ms"),
        (
            "passes.0",
            "name validity measured_s started ok failed bytes ok_per_s p50_ms p90_ms p99_ms max_ms"
                + " server_hit_rate client_hit_rate foreign_hits"
        ),
        ("cache.server.hit", "count bytes edge shield p50_ms p99_ms"),
        (
            "auth",
            "expiry_events events_dropped injections injections_missed injected renewals refusals"
                + " storm_max parked windows recovery release_peak_per_10ms"
                + " amplification attempts_max success_in_window outdated_sends known_dead_sends"
                + " accepted_while_expired tokens_lost tokens_failed asks_failed time_in_state_s"
                + " cells store_failures events"
        ),
        (
            "auth.renewals",
            "attempted succeeded failed initial same abandoned duplicates flights flights_ok"
                + " flights_failed flights_abandoned proactive converted coalesced"
                + " per_expiry_mean per_expiry_max"
        ),
        ("auth.refusals", "total triggering coalesced late locked exhausted service_ms"),
        ("auth.parked", "count max ms"),
        ("auth.windows", "inside outside"),
        ("auth.windows.inside", "asks ok success response"),
        ("auth.recovery", "first_ok_ms full_ms"),
        ("auth.injected.0", "kind at_s done_s cells observed failed with"),
        ("auth.asks_failed", "auth_retries park_timeout park_overflow cooling dead locked"),
        ("auth.time_in_state_s", "fresh renewing cooling dead"),
        (
            "auth.events.0",
            "cell generation cause first_refusal_s expired_s renewal_start_s renewal_end_s"
                + " first_ok_s full_recovery_s storm parked renewals first_ok_ms"
                + " full_recovery_ms server_hit_rate_before server_hit_rate_after"
                + " client_hit_rate_before client_hit_rate_after"
        ),
        (
            "views",
            "sessions requested full incomplete abandoned open_at_end tiles tiles_held tiles_failed"
                + " tiles_missing tiles_per_view count min_ms mean_ms stddev_ms p50_ms p75_ms p90_ms"
                + " p95_ms p99_ms p99_9_ms max_ms histogram low_resolution all"
        ),
        ("replay", "format lines passes tiles skipped reordered late"),
        ("replay.skipped", "blank no_tile bad_line too_long method time cancelled"),
        (
            "places.alps",
            "name started ok failed cancelled in_flight_at_end bytes p50_ms p90_ms p99_ms max_ms"
                + " views"
        ),
        (
            "zooms.8",
            "z started ok failed cancelled in_flight_at_end bytes p50_ms p90_ms p99_ms"
                + " max_ms server_hit_rate sizes"
        ),
        (
            "zooms.8.sizes",
            "count min_bytes mean_bytes p50_bytes p90_bytes p99_bytes max_bytes histogram"
        ),
        (
            "sources.contours",
            "started ok failed cancelled in_flight_at_end bytes latency server_hit_rate sizes"
        ),
        (
            "timeline.0",
            "t_s interval_s planned started ok failed bytes in_flight parked refusals"
                + " renewals p50_ms p95_ms p99_ms max_ms server_hit_rate client_hit_rate denied"
        ),
        (
            "generator",
            "threads transport transport_reason cpu_s cpu_us_per_request cores_used cores_available"
                + " throttled_s peak_rss_bytes jemalloc_allocated_bytes jemalloc_resident_bytes"
                + " allocated_bytes_per_request descriptors_used descriptors_limit ports_used"
                + " ports_limit start_lag loop_lag"
        ),
    ]

    @Test(arguments: order.indices)
    func names(_ index: Int) throws {
        let (path, names) = Self.order[index]
        let part = try #require(ReportLookup(full).node(path))
        #expect((part.members ?? []).map(\.name).joined(separator: " ") == names)
    }

    @Test func conservation() throws {
        let report = ReportLookup(full)
        func sum(_ path: String) throws -> UInt64 {
            try #require(report.node(path)?.members).reduce(0) { $0 + ($1.node.uint ?? 0) }
        }
        func sum(_ path: String, _ name: String) throws -> UInt64 {
            try #require(report.node(path)?.array).reduce(0) { $0 + ($1[name]?.uint ?? 0) }
        }
        let started = report.count("ledger.started")
        #expect(report.count("ledger.planned") == report.count("ledger.not_started") + started)
        let ends = ["ok", "failed", "cancelled", "in_flight_at_end"]
        #expect(started == ends.reduce(0) { $0 + report.count("ledger.\($1)") })
        #expect(try sum("ledger.failed_by") == report.count("ledger.failed"))
        for cause in ["status", "timeout", "invalid_tile", "unauthorized"] {
            #expect(
                try sum("ledger.failed_by_detail.\(cause)")
                    == report.count("ledger.failed_by.\(cause)"))
        }
        #expect(try sum("zooms", "started") == started)
        #expect(try sum("timeline", "started") == started)
        for latency in ["response", "service"] {
            let all = report.count("latency.\(latency).all.count")
            #expect(
                all == report.count("latency.\(latency).ok.count")
                    + report.count("latency.\(latency).failed.count")
                    + report.count("ledger.in_flight_at_end"))
        }
        #expect(
            report.count("auth.windows.inside.asks") + report.count("auth.windows.outside.asks")
                == report.count("latency.response.all.count"))
        #expect(
            report.count("auth.windows.inside.ok") + report.count("auth.windows.outside.ok")
                == report.count("ledger.ok"))
        #expect(
            report.count("cache.client.lookups") == report.count("cache.client.hits")
                + report.count("cache.client.revalidated") + report.count("cache.client.misses"))
    }

    @Test func histogramHoldsTheCount() throws {
        for path in ["latency.response.all", "phases.send", "auth.parked.ms", "phases.tls"] {
            let node = try #require(ReportLookup(full).node(path))
            let histogram = try Histogram(encoded: try #require(node["histogram"]?.string))
            #expect(histogram.count == node["count"]?.uint)
        }
    }

    @Test func percentilesOfOneSample() throws {
        let all = try #require(ReportLookup(small).node("latency.response.all"))
        for (name, _) in ReportJSON.percentiles { #expect(all[name]?.number?.text == "1.5") }
        #expect(
            all["low_resolution"]?.array?.compactMap(\.string)
                == ["p50_ms", "p75_ms", "p90_ms", "p95_ms", "p99_ms", "p99_9_ms"])
        #expect(all["stddev_ms"]?.number?.text == "0")
    }

    @Test func nanosecondsAreKept() throws {
        var result = SampleResult.small
        result.run.measuredNS = 10_000_000_001
        result.response.failed.record(123_456_789)
        let report = ReportLookup(ReportJSON.node(result: result, verdict: Verdict()))
        #expect(report.node("run.measured_s")?.number?.text == "10.000000001")
        #expect(report.node("latency.response.failed.max_ms")?.number?.text == "123.456789")
    }

    @Test func whatDoesNotApplyIsAbsent() {
        let report = ReportLookup(small)
        for path in [
            "auth", "cache.client", "cache.server.hit_rate", "run.signal", "run.aborted",
            "latency.response.failed.p50_ms", "generator.jemalloc_allocated_bytes",
            "cache.server.hit.p50_ms", "views", "slowest",
        ] {
            #expect(report.node(path) == nil, "\(path)")
        }
        #expect(report.node("cache.server.hit.count")?.uint == 0)
        #expect(report.node("latency.response.failed.count")?.uint == 0)
    }

    @Test func emptyIntervalHasNoPercentiles() throws {
        let row = try #require(ReportLookup(full).node("timeline.9"))
        #expect(row["p50_ms"] == nil && row["max_ms"] == nil && row["server_hit_rate"] == nil)
        #expect(row["planned"]?.uint == 1_000)
    }

    @Test func noNumberIsInfinite() throws {
        var result = SampleResult.small
        result.run.measuredNS = 0
        result.requests.sent = 0
        result.generator.coresUsed = .nan
        result.generator.coresAvailable = .infinity
        let report = ReportJSON.node(result: result, verdict: Verdict())
        #expect(ReportLookup(report).node("rate")?.members?.isEmpty == true)
        #expect(ReportLookup(report).node("generator.cores_used") == nil)
        let (read, problems) = JSONReader.parse(ReportJSON.encode(report), comments: false)
        #expect(problems.isEmpty && read == report)
    }

    @Test func sharesKeepAllDigits() {
        var result = SampleResult.small
        var client = CacheResult.Client()
        client.lookups = 10_000_000
        client.hits = 9_999_999
        result.cache.client = client
        let report = ReportLookup(ReportJSON.node(result: result, verdict: Verdict()))
        #expect(report.number("cache.client.hit_rate") == 0.9999999)
    }

    @Test(arguments: [
        ("", "the file is empty"),
        ("{\"schema\": \"tilebench-report/1.0.0\"", "the text ends inside"),
        ("[]", "expected an object, found an array"),
        ("{}", "there is no `schema`"),
        ("{\"schema\": 1}", "not the format of a tilebench report"),
        ("{\"schema\": \"tilebench-report/1\"}", "not the format of a tilebench report"),
        ("{\"schema\": \"other/1.0.0\"}", "not the format of a tilebench report"),
        ("{\"schema\": \"tilebench-report/2.0.0\"}", "a newer tilebench reads it"),
        ("{\"schema\": \"tilebench-report/0.9.0\"}", "an older tilebench reads it"),
        ("{\"schema\": \"tilebench-report/1.7.0\"}", "there is no `ledger`"),
        ("{\"schema\": \"tilebench-report/1.0.0\", \"zooms\": {}}", "/zooms: expected an array"),
    ])
    func refusedReports(_ text: String, _ message: String) {
        let error = #expect(throws: ReportReadError.self) {
            try ReportJSON.read(Array(text.utf8))
        }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test func laterMinorVersionIsRead() throws {
        let text = String(decoding: ReportJSON.encode(full), as: UTF8.self)
            .replacing("tilebench-report/1.0.0", with: "tilebench-report/1.9.3")
            .replacing("\"verdict\": \"none\"", with: "\"verdict\": \"none\", \"later\": [1]")
        let report = try ReportJSON.read(Array(text.utf8))
        #expect(report["later"]?.array?.count == 1)
    }
}
