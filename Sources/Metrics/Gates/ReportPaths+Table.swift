extension ReportPaths {
    static let table: [ReportPattern] =
        wholeRun + asks + latencies + connections + caches + renewal + workload + rows + sources
        + generator + passes

    /// Of an object with the figures of a histogram.
    private static let figures = [
        "count", "min_ms", "mean_ms", "stddev_ms", "p50_ms", "p75_ms", "p90_ms", "p95_ms",
        "p99_ms", "p99_9_ms", "max_ms",
    ]
    private static let asksEnded = [
        "started", "ok", "failed", "cancelled", "in_flight_at_end", "bytes",
    ]

    private static let wholeRun: [ReportPattern] =
        part("machine", ["cores", "memory_bytes"])
        + part("scenario", ["seed"])
        + part(
            "run", ["warmup_s", "warmup_asks", "measured_s", "drain_s", "shard", "shards"])
        + part("rate", ["planned_per_s", "started_per_s", "ok_per_s", "bytes_per_s"])
        + part("bytes", ["received", "sent", "body"], .bytes)

    private static let asks: [ReportPattern] =
        part(
            "ledger",
            ["planned", "not_started", "started", "ok", "failed", "cancelled", "in_flight_at_end"])
        + part("ledger.failed_by", FailureCause.allCases.map(\.key), .count)
        + part("ledger.failed_by.status", [.status], .count)
        + part("ledger.failed_by.timeout", TimeoutPhase.allCases.map(\.key), .count)
        + part("ledger.failed_by.invalid_tile", TileDefect.allCases.map(\.key), .count)
        + part("ledger.failed_by.unauthorized", AuthFailure.allCases.map(\.key), .count)
        + part("requests", ["sent", "replays", "retried_on_closed", "redirected"])
        + part("requests.answered", [.status], .count)
        + part("status", [.status], .count)
        + part("outcomes", Outcome.allCases.map(\.key), .count)

    private static let latencies: [ReportPattern] =
        ["response", "service"].flatMap { latency in
            ["all", "ok", "failed"].flatMap { part("latency.\(latency).\($0)", figures) }
        }
        + Phase.allCases.flatMap { part("phases.\($0.key)", figures) }
        // A part whose fields the report's format leaves open.
        + part("slowest", [.index, .field])

    private static let connections: [ReportPattern] =
        part("connections", ["opened", "reused"])
        + part("connections.by_protocol", [.rest], .count)
        + part("connections.by_address", [.rest], .count)
        + part("errors", [.index, .name("count")])
        + part("errors", [.index, .name("first_at_s")])

    private static let caches: [ReportPattern] =
        part(
            "cache.client",
            [
                "lookups", "hits", "revalidated", "misses", "stored", "evicted", "bytes",
                "hit_rate", "stale_hits", "refreshes", "hit_bytes", "revalidated_bytes",
            ])
        + CacheClass.allCases.flatMap {
            part(
                "cache.server.\($0.key)", ["count", "bytes", "edge", "shield", "p50_ms", "p99_ms"])
        }
        + part("cache.server", ["hit_rate", "foreign_hits", "edges_beyond", "addresses_beyond"])
        + ["edges", "addresses"].flatMap { list in
            ["count", "bytes", "hit_rate", "p50_ms", "p99_ms"].flatMap {
                part("cache.server.\(list)", [.index, .name($0)])
            }
        }
        + part("cache.server.evidence", [.rest], .count)

    private static let renewal: [ReportPattern] =
        part(
            "auth",
            [
                "expiry_events", "events_dropped", "injections", "injections_missed", "storm_max",
                "release_peak_per_10ms", "amplification", "attempts_max", "success_in_window",
                "outdated_sends", "known_dead_sends", "tokens_lost", "tokens_failed", "cells",
                "store_failures",
            ])
        + part(
            "auth.renewals",
            [
                "attempted", "succeeded", "failed", "initial", "same", "abandoned", "duplicates",
                "flights", "flights_ok", "flights_failed", "flights_abandoned", "proactive",
                "converted", "coalesced", "per_expiry_mean", "per_expiry_max",
            ])
        + part(
            "auth.refusals", ["total", "triggering", "coalesced", "late", "locked", "exhausted"])
        + part("auth.refusals.service_ms", figures)
        + part("auth.parked", ["count", "max"])
        + part("auth.parked.ms", figures)
        + ["inside", "outside"].flatMap {
            part("auth.windows.\($0)", ["asks", "ok", "success"])
                + part("auth.windows.\($0).response", figures)
        }
        + part("auth.recovery.first_ok_ms", figures) + part("auth.recovery.full_ms", figures)
        + part("auth.accepted_while_expired", CacheClass.allCases.map(\.key), .count)
        + part("auth.asks_failed", AuthFailure.allCases.map(\.key), .count)
        + part("auth.time_in_state_s", ["fresh", "renewing", "cooling", "dead"], .seconds)
        + ["at_s", "done_s", "cells", "observed", "failed"].flatMap {
            part("auth.injected", [.index, .name($0)])
        }
        + [
            "cell", "generation", "first_refusal_s", "expired_s", "renewal_start_s",
            "renewal_end_s", "first_ok_s", "full_recovery_s", "storm", "parked", "renewals",
            "first_ok_ms", "full_recovery_ms", "server_hit_rate_before", "server_hit_rate_after",
            "client_hit_rate_before", "client_hit_rate_after",
        ].flatMap { part("auth.events", [.index, .name($0)]) }

    private static let sizes = [
        "count", "min_bytes", "mean_bytes", "p50_bytes", "p90_bytes", "p99_bytes", "max_bytes",
    ]

    private static let workload: [ReportPattern] =
        part("views", viewCounts + ["tiles_per_view"] + figures)
        + part("views.all", figures)
        + part("replay", ["lines", "passes", "tiles", "reordered", "late"])
        + part("replay.skipped", ReplayResult.reasons, .count)
        + (asksEnded + ["p50_ms", "p90_ms", "p99_ms", "max_ms"]).flatMap {
            part("places", [.placeName, .name($0)])
        }
        + (viewCounts + ["tiles_per_view"] + figures).flatMap {
            part("places", [.placeName, .name("views"), .name($0)])
        }
        + figures.flatMap {
            part("places", [.placeName, .name("views"), .name("all"), .name($0)])
        }

    private static let viewCounts = [
        "sessions", "requested", "full", "incomplete", "abandoned", "open_at_end", "tiles",
        "tiles_held", "tiles_failed", "tiles_missing",
    ]

    private static let rows: [ReportPattern] =
        (["z"] + asksEnded + ["p50_ms", "p90_ms", "p99_ms", "max_ms", "server_hit_rate"])
        .flatMap { part("zooms", [.zoom, .name($0)]) }
        + sizes.flatMap { part("zooms", [.zoom, .name("sizes"), .name($0)]) }
        + [
            "t_s", "interval_s", "planned", "started", "ok", "failed", "denied", "bytes",
            "in_flight", "parked", "refusals", "renewals", "p50_ms", "p95_ms", "p99_ms", "max_ms",
            "server_hit_rate", "client_hit_rate",
        ].flatMap { part("timeline", [.index, .name($0)]) }

    private static let sources: [ReportPattern] =
        (asksEnded + ["server_hit_rate"]).flatMap { part("sources", [.source, .name($0)]) }
        + sizes.flatMap { part("sources", [.source, .name("sizes"), .name($0)]) }
        + ["response", "service"].flatMap { latency in
            ["all", "ok", "failed"].flatMap { kind in
                figures.flatMap {
                    part(
                        "sources",
                        [
                            .source, .name("latency"), .name(latency), .name(kind), .name($0),
                        ])
                }
            }
        }

    private static let passes: [ReportPattern] =
        [
            "measured_s", "started", "ok", "failed", "bytes", "ok_per_s", "p50_ms", "p90_ms",
            "p99_ms", "max_ms", "server_hit_rate", "client_hit_rate", "foreign_hits",
        ].flatMap { part("passes", [.index, .name($0)]) }

    private static let generator: [ReportPattern] =
        part(
            "generator",
            [
                "threads", "cpu_s", "cpu_us_per_request", "cores_used", "cores_available",
                "throttled_s", "peak_rss_bytes", "jemalloc_allocated_bytes",
                "jemalloc_resident_bytes", "allocated_bytes_per_request", "descriptors_used",
                "descriptors_limit", "ports_used", "ports_limit",
            ])
        + part("generator.start_lag", figures)
        + part("generator.loop_lag", figures)

    private static func part(
        _ path: String, _ names: [String], _ unit: ReportUnit? = nil
    ) -> [ReportPattern] {
        names.flatMap { part(path, [.name($0)], unit) }
    }

    private static func part(
        _ path: String, _ tail: [ReportPattern.Segment], _ unit: ReportUnit? = nil
    ) -> [ReportPattern] {
        let head = path.split(separator: ".").map { ReportPattern.Segment.name(String($0)) }
        return [ReportPattern(segments: head + tail, unit: unit)]
    }
}
