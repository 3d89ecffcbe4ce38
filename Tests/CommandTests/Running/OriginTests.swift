import Foundation
import Testing

/// The embedded origin as a target: in the process of the run, and alone as `serve`.
@Suite(.serialized)
struct OriginTests {
    private static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    @Test func theQuickstartPassesItsGates() async throws {
        let folder = try TemporaryFolder()
        // The scenario as it is, but shorter and slower, so that a debug build holds it.
        let result = try await TilebenchBinary.run(
            [
                "run", "\(Self.repository)/Benchmarks/scenarios/quickstart.json", "--out", "out",
                "--set", "load.for=4s", "--set", "load.rate=300/s", "--set", "on_invalid=warn",
                "--set",
                #"inject=[{"at":"1s","expire":"origin"},{"at":"2500ms","expire":"poison"}]"#,
            ], in: folder)
        #expect(result.exitCode == 0, "\(result.output)\n\(result.errorOutput)")
        let report = try ReportJSON(path: folder.path("out/report.json"))
        try report.expectLedgerAddsUp()
        #expect(try report.string("verdict") == "pass")
        #expect(try report.array("gates").count >= 4)
        #expect(try report.int("ledger.planned") == 1200)
        #expect(try report.int("ledger.ok") == 1200)
        #expect(try report.int("auth.injections") == 2)
        #expect(try report.int("auth.expiry_events") == 2)
        #expect(try report.int("auth.renewals.attempted") == 3)
        #expect(
            try report.array("auth.events").map { $0["cause"] as? String }
                == ["revoked", "poisoned"])
        // "token refresh" is the user's word.
        #expect(result.output.contains("token refresh"))
    }

    @Test func theEdgeCacheIsSeenInTheReport() async throws {
        let run = try await ScenarioRun.run(
            """
            {"target": {"origin": {"edge_cache": {"hit_rate": "80%"}}},
             "load": {"users": 4, "count": 3000}, "on_invalid": "warn"}
            """)
        #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
        let report = try run.report()
        try report.expectLedgerAddsUp()
        // 3,000 draws: 0.8 within five standard deviations.
        #expect(try abs(report.double("cache.server.hit_rate") - 0.8) < 0.037)
        let hits = try report.int("cache.server.hit.count")
        #expect(try report.int("cache.server.miss.count") == 3000 - hits)
        #expect(try report.int("cache.server.unknown.count") == 0)
        #expect(try report.counts("cache.server.evidence") == ["X-Cache": 3000])
        #expect(run.result.output.contains("hit rate"))
    }

    @Test func faultsAreTakenForWhatTheyAre() async throws {
        let run = try await ScenarioRun.run(
            """
            {"target": {"origin": {"faults": [
                {"share": "10%", "status": 503}, {"share": "6%", "reset": true},
                {"share": "6%", "truncate": true}, {"share": "3%", "stall": true}]}},
             "load": {"users": 8, "count": 800, "timeout": "400ms"}, "on_invalid": "warn"}
            """)
        #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
        let report = try run.report()
        try report.expectLedgerAddsUp()
        let failed = try report.failedBy()
        #expect(Set(failed.keys) == ["status", "reset", "truncated", "timeout"])
        #expect(try failed["status"] == report.int("status.503"))
        // Shares of 800 within five standard deviations.
        for (cause, share) in [("status", 0.1), ("truncated", 0.06), ("timeout", 0.03)] {
            let spread = 5 * (800 * share * (1 - share)).squareRoot()
            #expect(abs(Double(failed[cause] ?? 0) - 800 * share) <= spread, "\(cause)")
        }
        #expect(try report.int("outcomes.overloaded") == failed["status"])
        let kinds = try report.array("errors").compactMap { $0["cause"] as? String }
        #expect(Set(kinds).isSuperset(of: failed.keys))
    }

    @Test func serveAnswersUntilItIsToldToEnd() async throws {
        let folder = try TemporaryFolder()
        var port = 0
        var run: ScenarioRun?
        let served = try await TilebenchBinary.run(
            ["serve", "--listen", "127.0.0.1:0", "--ttl", "600ms", "--no-advertise"], in: folder
        ) { process in
            try await waitUntil(timeoutS: 60) { process.output().contains("/stats") }
            let template = try #require(process.output().split(separator: "\n").first)
            port = try #require(
                template.split(separator: ":").dropFirst(2).first.flatMap { rest in
                    Int(rest.prefix { $0.isNumber })
                })
            run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(template)"},
                 "auth": {"renewal": {"url": "http://127.0.0.1:\(port)/token"},
                          "start": "renew", "renew_before": "0s"},
                 "load": {"rate": "200/s", "for": "2s"}, "on_invalid": "warn"}
                """)
            process.send(SIGTERM)
        }
        #expect(served.exitCode == 0)
        let ran = try #require(run)
        #expect(ran.result.exitCode == 0, "\(ran.result.errorOutput)")
        let report = try ran.report()
        try report.expectLedgerAddsUp()
        let text = served.output
        let start = try #require(text.range(of: "\n{"))
        let truth = try ReportJSON(text: String(text[start.lowerBound...]))
        var answered = try report.counts("requests.answered")
        let issued = try report.int("auth.renewals.attempted")
        // The server counts the answers of /token among its own.
        answered["200", default: 0] += issued
        #expect(try truth.counts("answered") == answered)
        #expect(try truth.int("token_requests.attempted") == issued)
        #expect(try truth.int("token_requests.duplicates") == 0)
        #expect(try truth.int("outdated_sends") == 0)
        #expect(try truth.int("expiry_events") == report.int("auth.expiry_events"))
        #expect(try report.int("auth.expiry_events") >= 2)
        #expect(!LoopbackHTTP.accepts(port: port))
    }
}
