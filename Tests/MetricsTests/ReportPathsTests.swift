import Metrics
import Testing

@Suite struct ReportPathsTests {
    private static let figures =
        "{count,min_ms,mean_ms,stddev_ms,p50_ms,p75_ms,p90_ms,p95_ms,p99_ms,p99_9_ms,max_ms}"
    private static let classes =
        "{hit,stale_hit,revalidated,miss,bypass,dynamic,synthetic,error,unknown}"
    private static let reasons =
        "{auth_retries,park_timeout,park_overflow,cooling,dead,locked}"

    private static let views =
        "{sessions,requested,full,incomplete,abandoned,open_at_end,tiles,tiles_held,tiles_failed,"
        + "tiles_missing,tiles_per_view}"

    /// The numbers of the report's format, in its order.
    static let documented = [
        "machine.{cores,memory_bytes}", "scenario.seed",
        "run.{warmup_s,warmup_asks,measured_s,drain_s,shard,shards}",
        "ledger.{planned,not_started,started,ok,failed,cancelled,in_flight_at_end}",
        "ledger.failed_by.{status,timeout,connect,tls,name,reset,truncated,protocol}",
        "ledger.failed_by.{invalid_tile,unauthorized,generator}",
        "{ledger.failed_by,failed_by}.{status.503,timeout.first_byte,unauthorized.dead}",
        "requests.{sent,replays,retried_on_closed,redirected,answered.200}",
        "rate.{planned_per_s,started_per_s,ok_per_s,bytes_per_s}", "bytes.{received,sent,body}",
        "latency.{response,service}.{all,ok,failed}." + figures,
        "phases.{name_lookup,connect,tls,send,first_byte,download}." + figures,
        "status.{200,404}",
        "outcomes.{tile,empty_tile,not_modified,no_tile,auth_expired,auth_denied,blocked}",
        "outcomes.{soft_error,client_error,rate_limited,overloaded,server_error,gzip_undeclared}",
        "outcomes.gzip_twice",
        "errors.0.{count,first_at_s}", "slowest.0.response_ms",
        "connections.{opened,reused,by_protocol.h2,by_protocol.http/1.1,by_address.127.0.0.1}",
        "cache.client.{lookups,hits,revalidated,misses,stored,evicted,bytes,hit_rate}",
        "cache.client.{stale_hits,refreshes,hit_bytes,revalidated_bytes}",
        "cache.server.{foreign_hits,edges_beyond,addresses_beyond}",
        "cache.server.{edges,addresses}.0.{count,bytes,hit_rate,p50_ms,p99_ms}",
        "passes.0.{measured_s,started,ok,failed,bytes,ok_per_s,p50_ms,p90_ms,p99_ms,max_ms}",
        "passes.0.{server_hit_rate,client_hit_rate,foreign_hits}",
        "cache.server." + classes + ".{count,bytes,edge,shield,p50_ms,p99_ms}",
        "cache.server.{hit_rate,evidence.X-Cache}",
        "auth.{expiry_events,injections,injections_missed,release_peak_per_10ms,amplification}",
        "auth.{attempts_max,store_failures,events_dropped,storm_max}",
        "auth.windows.{inside,outside}.{asks,ok,success}",
        "auth.windows.{inside,outside}.response." + figures,
        "auth.recovery.{first_ok_ms,full_ms}." + figures,
        "auth.injected.3.{at_s,done_s,cells,observed,failed}",
        "auth.{success_in_window,outdated_sends,known_dead_sends,tokens_lost,tokens_failed,cells}",
        "auth.renewals.{attempted,succeeded,failed,duplicates,flights,flights_ok,coalesced}",
        "auth.renewals.{flights_failed,flights_abandoned,proactive,converted,same,initial}",
        "auth.renewals.{per_expiry_mean,per_expiry_max,abandoned}",
        "auth.refusals.{total,triggering,coalesced,late,locked,exhausted}",
        "auth.refusals.service_ms." + figures,
        "auth.parked.{count,max}", "auth.parked.ms." + figures,
        "auth.accepted_while_expired." + classes, "auth.asks_failed." + reasons,
        "auth.time_in_state_s.{fresh,renewing,cooling,dead}",
        "auth.events.3.{cell,generation,first_refusal_s,renewal_start_s,renewal_end_s}",
        "auth.events.3.{first_ok_s,full_recovery_s,storm,parked,renewals}",
        "auth.events.3.{expired_s,first_ok_ms,full_recovery_ms}",
        "auth.events.3.{server_hit_rate_before,server_hit_rate_after}",
        "auth.events.3.{client_hit_rate_before,client_hit_rate_after}",
        "views." + views, "views." + figures, "views.all." + figures,
        "replay.{lines,passes,tiles,reordered,late}",
        "replay.skipped.{blank,no_tile,bad_line,too_long,method,time,cancelled}",
        "places.alps.{started,ok,failed,cancelled,in_flight_at_end,bytes}",
        "places.alps.{p50_ms,p90_ms,p99_ms,max_ms}",
        "places.alps.views." + views, "places.alps.views." + figures,
        "places.0.views.all." + figures,
        "zooms.12.{z,started,ok,failed,cancelled,in_flight_at_end,bytes,p50_ms,p90_ms,p99_ms}",
        "zooms.12.{max_ms,server_hit_rate}",
        "zooms.12.sizes.{count,min_bytes,mean_bytes,p50_bytes,p90_bytes,p99_bytes,max_bytes}",
        "timeline.5.{t_s,interval_s,planned,started,ok,failed,denied,bytes,in_flight,parked,refusals}",
        "timeline.5.{renewals,p50_ms,p95_ms,p99_ms,max_ms,server_hit_rate,client_hit_rate}",
        "generator.{threads,cpu_s,cpu_us_per_request,cores_used,cores_available,throttled_s}",
        "generator.{peak_rss_bytes,jemalloc_allocated_bytes,jemalloc_resident_bytes}",
        "generator.{allocated_bytes_per_request,descriptors_used,descriptors_limit}",
        "sources.a.b.{started,ok,failed,cancelled,in_flight_at_end,bytes,server_hit_rate}",
        "sources.a.b.sizes.{count,min_bytes,mean_bytes,p50_bytes,p90_bytes,p99_bytes,max_bytes}",
        "sources.a.b.latency.{response,service}.{all,ok,failed}." + figures,
        "generator.{ports_used,ports_limit}", "generator.{start_lag,loop_lag}." + figures,
    ]

    /// `a.{b,c}` as `a.b` and `a.c`.
    private func expanded(_ text: String) -> [String] {
        guard let open = text.firstIndex(of: "{"), let close = text.firstIndex(of: "}") else {
            return [text]
        }
        return text[text.index(after: open)..<close].split(separator: ",").flatMap {
            expanded(String(text[..<open]) + String($0) + String(text[text.index(after: close)...]))
        }
    }

    private func known(_ path: String) -> ReportPath? {
        ReportPaths.known(path.split(separator: ".").map(String.init))
    }

    @Test(arguments: documented)
    func documentedPathsAreKnown(pattern: String) {
        for path in expanded(pattern) {
            let long = path.hasPrefix("failed_by") ? "ledger." + path : path
            #expect(known(path)?.text == long, "\(path)")
            for suffix in ["_per_s", "_bytes", "_ms", "_us", "_s"] where path.hasSuffix(suffix) {
                let short = String(path.dropLast(suffix.count))
                // A time of the run and a duration differ by the unit alone: the time is meant.
                let meant = short.hasPrefix("auth.events.") ? short + "_s" : path
                #expect([path, short, meant].contains(known(short)?.text), "\(short)")
                break
            }
        }
    }

    @Test func everyPathIsCoveredByTheDocuments() {
        let documented = Set(
            Self.documented.flatMap(expanded).compactMap(known).map(\.text).map(generalized))
        for path in ReportPaths.all {
            // Of these the format names a few only.
            let isOpen = ["<field>", "failed_by.timeout.", "invalid_tile.", "unauthorized."]
                .contains { path.contains($0) }
            #expect(isOpen || documented.contains(path), "\(path)")
        }
        #expect(Set(ReportPaths.all).count == ReportPaths.all.count)
    }

    /// With a place for the variable name, as `ReportPaths.all` has it.
    private func generalized(_ path: String) -> String {
        var parts = path.split(separator: ".").map(String.init)
        switch parts[0] {
        case "zooms": parts[1] = "<z>"
        case "sources": parts.replaceSubrange(1...2, with: ["<name>"])
        case "places": parts[1] = "<place>"
        case "timeline", "errors", "slowest", "passes": parts[1] = "<n>"
        case "status": parts[1] = "<status>"
        default: break
        }
        if path.hasPrefix("auth.events.") || path.hasPrefix("auth.injected.") { parts[2] = "<n>" }
        if path.hasPrefix("requests.answered.") { parts[2] = "<status>" }
        if path.hasPrefix("ledger.failed_by.status."), parts.count == 4 { parts[3] = "<status>" }
        if path.hasPrefix("connections.by_") { parts = Array(parts.prefix(2)) + ["<name>"] }
        if path.hasPrefix("cache.server.edges.") || path.hasPrefix("cache.server.addresses.") {
            parts[3] = "<n>"
        }
        if path.hasPrefix("cache.server.evidence.") { parts[3] = "<name>" }
        return parts.joined(separator: ".")
    }

    @Test func unitsAreThoseOfTheNames() {
        let units: [(String, ReportUnit)] = [
            ("latency.response.all.p99_9_ms", .milliseconds), ("run.measured_s", .seconds),
            ("generator.cpu_us_per_request", .microseconds), ("bytes.sent", .bytes),
            ("requests.sent", .count), ("rate.planned_per_s", .perSecond),
            ("rate.bytes_per_s", .bytesPerSecond), ("zooms.3.server_hit_rate", .ratio),
            ("auth.time_in_state_s.fresh", .seconds), ("cache.client.bytes", .bytes),
            ("auth.release_peak_per_10ms", .count), ("auth.renewals.per_expiry_max", .count),
            ("auth.windows.inside.success", .ratio), ("auth.windows.inside.asks", .count),
            ("auth.recovery.full_ms.max_ms", .milliseconds),
            ("auth.events.0.client_hit_rate_after", .ratio),
            ("auth.renewals.per_expiry_mean", .ratio), ("ledger.failed_by.tls", .count),
            ("generator.allocated_bytes_per_request", .bytes),
        ]
        for (path, unit) in units { #expect(known(path)?.unit == unit, "\(path)") }
    }

    @Test func othersAreUnknown() {
        for path in [
            "", "latency", "latency.response", "latency.p99_ms", "latency.response.all.p99_us",
            "ledger.all", "tool.version", "run.validity", "status.20", "status.2000", "status.abc",
            "zooms.x.ok", "zooms.3", "timeline.ok", "outcomes.tiles", "auth.events.storm",
            "connections.by_address", "ledger.failed_by.tls.5", "gates.0.observed",
        ] {
            #expect(known(path) == nil, "\(path)")
        }
        #expect(ReportPaths.known([]) == nil)
        #expect(ReportPaths.known(["connections", "by_address", ""]) == nil)
    }
}
