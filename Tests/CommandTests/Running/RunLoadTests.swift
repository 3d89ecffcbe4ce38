import Foundation
import Testing

/// Shapes of load and what connections carry them, by the log of a real nginx.
@Suite(.serialized)
struct RunLoadTests {
    struct Shape: CustomTestStringConvertible, Sendable {
        var load: String
        /// Asks in the measured time.
        var planned: ClosedRange<Int>

        var testDescription: String { load }
    }

    @Test(arguments: [
        // From 0 to 200/s in 2 s: the area below is 200 asks.
        Shape(
            load: #""stages": [{"for": "2s", "rate": "0/s -> 200/s"}]"#, planned: 199...201),
        Shape(
            load: #""stages": [{"for": "1s", "rate": "100/s"}, {"for": "1s", "rate": "50/s"}]"#,
            planned: 149...151),
        Shape(load: #""rate": "150/s", "count": 200"#, planned: 200...200),
        // A seeded draw of mean 300: five standard deviations.
        Shape(
            load: #""rate": "150/s", "arrivals": "poisson", "for": "2s""#, planned: 213...387),
    ])
    func anOpenLoadAsksAsPlanned(_ shape: Shape) async throws {
        try await withNginx(NginxConfig(.tiles)) { server in
            let report = try await report(server, load: shape.load)
            let planned = try report.int("ledger.planned")
            #expect(shape.planned.contains(planned))
            #expect(try report.int("ledger.ok") == planned)
            try report.expectRequests(equal: try await server.stopAndReadLog())
        }
    }

    @Test func usersComeInStages() async throws {
        try await withNginx(NginxConfig(.tiles)) { server in
            let report = try await report(
                server,
                load: #""stages": [{"for": "1s", "users": "1 -> 5"}, "#
                    + #"{"for": "1s", "users": 5}]"#, workload: #""think": "50ms""#)
            let planned = try report.int("ledger.planned")
            #expect(try planned == report.int("ledger.started"))
            // At most 20/s of each: 60 in the first second, 100 in the other; at least one of each.
            #expect(planned >= 5 && planned <= 165)
            #expect(try report.int("ledger.ok") == planned)
            try report.expectRequests(equal: try await server.stopAndReadLog())
        }
    }

    @Test func aConnectionPerRequest() async throws {
        try await withNginx(NginxConfig(.tiles)) { server in
            let report = try await report(
                server, load: #""users": 4, "count": 100"#,
                more: #", "connection": {"reuse": false}"#)
            #expect(try report.int("ledger.ok") == 100)
            let log = try await server.stopAndReadLog()
            try report.expectRequests(equal: log)
            #expect(log.entries.allSatisfy { $0.requestOfConnection == 1 })
            #expect(try report.int("connections.opened") >= 100)
            #expect(try report.int("connections.reused") == 0)
        }
    }

    @Test func connectionsForTheWholeRun() async throws {
        try await withNginx(NginxConfig(.tiles)) { server in
            let report = try await report(
                server, load: #""users": 20, "count": 300"#,
                more: #", "connection": {"max": 3}"#)
            #expect(try report.int("ledger.ok") == 300)
            let log = try await server.stopAndReadLog()
            try report.expectRequests(equal: log)
            #expect(Set(log.entries.map(\.connection)).count <= 3)
        }
    }

    @Test func aClientCacheAsksForATileOnce() async throws {
        try await withNginx(NginxConfig(.tiles)) { server in
            let report = try await report(
                server, load: #""users": 1, "for": "1s""#, workload: #""think": "2ms""#,
                more: #", "cache": {"client": {"size": "64MiB", "per": "all"}}"#, zooms: "[0, 2]")
            let lookups = try report.int("cache.client.lookups")
            let hits = try report.int("cache.client.hits")
            let misses = try report.int("cache.client.misses")
            #expect(lookups == hits + misses)
            #expect(misses <= 21 && hits > misses)
            #expect(try report.int("ledger.planned") == misses)
            let log = try await server.stopAndReadLog()
            try report.expectRequests(equal: log)
            #expect(log.entries.count == misses)
            #expect(Set(log.entries.map(\.uri)).count == misses)
        }
    }

    @Test func bodiesAreCheckedWhenAskedFor() async throws {
        let page = NginxConfig.Part(
            server: #"location /t/ { default_type text/html; return 200 "<html>sign in</html>"; }"#)
        try await withNginx(NginxConfig(page)) { server in
            for (checks, ok) in [(#"{"tile": "none"}"#, 50), (#"{"tile": "png"}"#, 0)] {
                let run = try await ScenarioRun.run(
                    """
                    {"target": {"tiles": "\(server.url)/t/{z}/{x}/{y}.png"},
                     "load": {"users": 2, "count": 50}, "checks": \(checks), "on_invalid": "warn"}
                    """)
                let report = try run.report()
                try report.expectLedgerAddsUp()
                #expect(try report.int("ledger.ok") == ok)
                #expect(try report.failedBy() == (ok == 0 ? ["invalid_tile": 50] : [:]))
                #expect(try report.int("outcomes.soft_error") == 50)
                #expect(ok == 0 || run.result.output.contains("checks.tile"))
            }
        }
    }

    /// Of a run that could be measured, with a ledger that adds up.
    private func report(
        _ server: NginxServer, load: String, workload: String = #""order": null"#,
        more: String = "", zooms: String = "[2, 5]"
    ) async throws -> ReportJSON {
        let run = try await ScenarioRun.run(
            """
            {"target": {"tiles": "\(server.url)/tiles/{z}/{x}/{y}.png"},
             "workload": {"zooms": \(zooms), \(workload)}, "load": {\(load)},
             "on_invalid": "warn"\(more)}
            """)
        #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
        let report = try run.report()
        try report.expectLedgerAddsUp()
        return report
    }
}
