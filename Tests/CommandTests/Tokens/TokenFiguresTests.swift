import Foundation
import Testing

/// What an expiry costs the tiles, and what a cache has to do with it, as report and text say it.
@Suite(.serialized)
struct TokenFiguresTests {
    /// Tiles behind nginx's cache. With `checksFirst` the token is checked in front of the cache,
    /// else behind it, as where a CDN was put before a server that checks.
    private static func cached(_ service: TokenService, checksFirst: Bool) -> NginxConfig {
        var part = NginxConfig.Part.protected(by: service, at: "/checked/")
        let cache = NginxConfig.Part.cached(at: "/map/")
        part.http += cache.http
        if checksFirst {
            part.server += cache.server.replacing(
                "location /map/ {", with: "location /map/ { auth_request /_auth;")
        } else {
            part.http += "upstream self { server unix:@PREFIX@/self.sock; }"
            part.server += "listen unix:@PREFIX@/self.sock;"
            part.server += cache.server.replacing(
                "proxy_pass http://unix:@PREFIX@/origin.sock:/tiles/;",
                with: "proxy_pass http://self/checked/; proxy_cache_key $uri;")
        }
        return NginxConfig(part)
    }

    @Test func windowsRecoveryAndHitRates() async throws {
        try await withTokenService(delayMS: 150) { service in
            try await withNginx(Self.cached(service, checksFirst: true)) { server in
                let run = try await ScenarioRun.run(
                    """
                    {"target": {"tiles": "\(server.url)/map/{z}/{x}/{y}.png"},
                     "auth": {"token": {"in": "header", "name": "Authorization"},
                              "renewal": {"url": "\(service.tokenURL)"}, "start": "renew"},
                     "workload": {"zooms": [2, 3]},
                     "cache": {"client": {"size": "4KiB"}},
                     "inject": [{"at": "2300ms", "expire": "poison"}],
                     "load": {"rate": "300/s", "for": "5s"}, "on_invalid": "warn",
                     "gates": ["auth.windows.inside.response.max > 100ms",
                               "auth.windows.inside.success == 1",
                               "auth.recovery.full.max < 5s"]}
                    """)
                #expect(run.result.exitCode == 0, "\(run.result.output)")
                let report = try run.report()
                try report.expectLedgerAddsUp()
                #expect(try report.int("auth.expiry_events") == 1)
                try expectWindows(report)
                try expectEvent(report)
                try expectRow(run, report)
                let text = run.result.output.split { $0.isWhitespace }.joined(separator: " ")
                let sentence = "1 token refresh for 1 expiry, after 1 for the first token"
                let verdict = try #require(text.firstRange(of: sentence))
                let general = try #require(text.firstRange(of: "tiles wanted at 300/s"))
                #expect(verdict.lowerBound < general.lowerBound)
                #expect(text.contains("Token refreshes (renewals); % are cache hits"))
            }
        }
    }

    private func expectWindows(_ report: ReportJSON) throws {
        let inside = try report.int("auth.windows.inside.asks")
        #expect(
            try inside + report.int("auth.windows.outside.asks")
                == report.int("latency.response.all.count"))
        #expect(try inside >= report.int("auth.parked.count"))
        #expect(try report.int("auth.parked.count") > 0)
        #expect(try report.int("auth.windows.inside.response.count") == inside)
        // The renewal takes 150 ms, in which asks go on coming.
        #expect(try report.double("auth.windows.inside.response.max_ms") >= 140)
    }

    private func expectEvent(_ report: ReportJSON) throws {
        let event = "auth.events.0"
        let firstOK = try report.double("\(event).first_ok_ms")
        let full = try report.double("\(event).full_recovery_ms")
        #expect(firstOK >= 140 && full >= firstOK)
        #expect(try report.double("auth.recovery.first_ok_ms.max_ms") == firstOK)
        #expect(try report.double("auth.recovery.full_ms.max_ms") == full)
        let refusal = try report.double("\(event).first_refusal_s")
        #expect(
            abs(try report.double("\(event).full_recovery_s") - refusal - full / 1000) < 0.000_001)
        // Rows of a second: 1 lies before 2.3 s, and the first whole one after the renewal behind.
        let before = Int(refusal) - 1
        let after = Int(try report.double("\(event).renewal_end_s").rounded(.up))
        for cache in ["server", "client"] {
            #expect(
                try report.double("\(event).\(cache)_hit_rate_before")
                    == report.double("timeline.\(before).\(cache)_hit_rate"))
            #expect(
                try report.double("\(event).\(cache)_hit_rate_after")
                    == report.double("timeline.\(after).\(cache)_hit_rate"))
        }
    }

    /// renewals.csv says the same with the same names.
    private func expectRow(_ run: ScenarioRun, _ report: ReportJSON) throws {
        let rows = try run.folder.read("out/renewals.csv").split(separator: "\r\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        #expect(rows.count == 2)
        let event = try report.dictionary("auth.events.0")
        for (name, text) in zip(rows[0], rows[1]) {
            switch event[name] {
            case let number as NSNumber:
                // Foundation does not read every number to its last digit.
                let value = try #require(Double(text), "\(name)")
                #expect(abs(value - number.doubleValue) <= 1e-12 * abs(value), "\(name)")
            case let word as String: #expect(text == word)
            default: #expect(text == "", "\(name)")
            }
        }
        #expect(Set(event.keys).isSubset(of: rows[0]))
    }

    /// The renewal ahead of the told end takes longer than is left: tiles wait, none is refused.
    @Test func aToldEndThatComesFirst() async throws {
        try await withTokenService(ttlS: 60, advertisedS: 1, delayMS: 700) { service in
            try await withNginx(NginxConfig(.protected(by: service))) { server in
                let run = try await ScenarioRun.run(
                    """
                    {"target": {"tiles": "\(server.url)/secure/{z}/{x}/{y}.png"},
                     "auth": {"token": {"in": "header", "name": "Authorization"},
                              "renewal": {"url": "\(service.tokenURL)"}, "start": "renew"},
                     "workload": {"zooms": [2, 3]},
                     "load": {"rate": "100/s", "for": "2500ms"}, "on_invalid": "warn"}
                    """)
                #expect(run.result.exitCode == 0, "\(run.result.output)")
                let report = try run.report()
                #expect(try report.int("ledger.ok") == 250)
                #expect(try report.int("auth.refusals.total") == 0)
                #expect(try report.int("auth.renewals.converted") >= 1)
                let parked = try report.int("auth.parked.count")
                #expect(parked > 0)
                #expect(try report.int("auth.windows.inside.asks") >= parked)
                let expired = try report.array("auth.events").filter {
                    $0["cause"] as? String == "expired"
                }
                #expect(!expired.isEmpty)
                for event in expired {
                    let (began, first, all) = (
                        event["expired_s"] as? Double, event["first_ok_ms"] as? Double,
                        event["full_recovery_ms"] as? Double
                    )
                    #expect(began != nil && event["first_refusal_s"] == nil)
                    #expect(try #require(first) <= #require(all))
                }
                #expect(try report.int("auth.recovery.full_ms.count") == expired.count)
                try expectRenewalsEqual(try await service.counters(), report)
            }
        }
    }

    /// The cache has all five tiles when the token dies, and asks nobody whether it still counts.
    @Test func aCacheBeforeTheCheckServesTheDead() async throws {
        try await withTokenService { service in
            try await withNginx(Self.cached(service, checksFirst: false)) { server in
                let run = try await ScenarioRun.run(
                    """
                    {"target": {"tiles": "\(server.url)/map/{z}/{x}/{y}.png"},
                     "auth": {"token": {"in": "header", "name": "Authorization"},
                              "renewal": {"url": "\(service.tokenURL)"}, "start": "renew"},
                     "workload": {"zooms": [0, 1]},
                     "inject": [{"at": "1s", "expire": "poison"}],
                     "load": {"rate": "200/s", "for": "2s"}, "on_invalid": "warn"}
                    """)
                #expect(run.result.exitCode == 0, "\(run.result.output)")
                let report = try run.report()
                #expect(try report.int("ledger.ok") == 400)
                #expect(try report.int("auth.expiry_events") == 0)
                let served = try report.counts("auth.accepted_while_expired")
                let hits = try #require(served["hit"])
                // Those due from then on; on a busy machine the end comes late, or tiles do.
                #expect(hits > 0 && hits < 400)
                #expect(served.values.reduce(0, +) == hits)
                let text = run.result.output.split { $0.isWhitespace }.joined(separator: " ")
                #expect(
                    text.contains(
                        "\(hits) tiles came from the server's cache for a token known to be dead."))
            }
        }
    }
}
