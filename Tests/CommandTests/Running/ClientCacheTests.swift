import Foundation
import Testing

/// The map client's own cache, by what a real server was asked for.
@Suite(.serialized)
struct ClientCacheTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var honour: String
        /// What nginx says of its tiles, as lines of its configuration.
        var says: String
        /// Of twenty looks at one tile; the rest are hits.
        var misses = 1
        var revalidated = 0
        var staleHits = 0

        var testDescription: String { "\(honour): \(name)" }
    }

    private static let looks = 20
    private static let noCache = "add_header Cache-Control no-cache;"
    private static let noValidators = "etag off; add_header Last-Modified '';"

    @Test(arguments: [
        Case(name: "fresh", honour: "rfc9111", says: "add_header Cache-Control max-age=600;"),
        Case(name: "validated by tag and date", honour: "rfc9111", says: noCache, revalidated: 19),
        Case(
            name: "validated by date", honour: "rfc9111", says: "etag off; \(noCache)",
            revalidated: 19),
        Case(
            name: "nothing to validate with", honour: "rfc9111", says: noValidators + noCache,
            misses: 20),
        Case(
            name: "not to be kept", honour: "rfc9111",
            says: "add_header Cache-Control 'no-store, max-age=600';", misses: 20),
        Case(
            name: "varies with everything", honour: "rfc9111",
            says: "add_header Cache-Control max-age=600; add_header Vary *;", misses: 20),
        Case(
            name: "varies with what is the same", honour: "rfc9111",
            says: "add_header Cache-Control max-age=600; add_header Vary Accept-Encoding;"),
        Case(
            name: "shown while it is validated", honour: "rfc9111",
            says: "add_header Cache-Control 'max-age=0, stale-while-revalidate=600';",
            staleHits: 19),
        Case(
            name: "no-store is not read", honour: "maplibre-native",
            says: "add_header Cache-Control 'no-store, max-age=600';"),
        Case(name: "no end told", honour: "maplibre-native", says: ""),
        Case(
            name: "an end that has passed", honour: "maplibre-native",
            says: "add_header Expires 0;", staleHits: 19),
        Case(
            name: "an end that has passed, must-revalidate", honour: "maplibre-native",
            says: "add_header Cache-Control 'max-age=0, must-revalidate';", revalidated: 19),
        Case(name: "whatever it says", honour: "none", says: "add_header Cache-Control no-store;"),
    ])
    func oneTile(_ test: Case) async throws {
        let location = "location /t/ { alias @PREFIX@/html/tiles/; \(test.says) }"
        try await withNginx(NginxConfig(NginxConfig.Part(server: location))) { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(server.url)/t/{z}/{x}/{y}.png"},
                 "workload": {"kind": "list", "tiles": ["2/1/1"]},
                 "load": {"users": 1, "count": \(Self.looks)},
                 "cache": {"client": {"honour": "\(test.honour)"}}, "on_invalid": "warn"}
                """)
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let report = try run.report()
            try report.expectLedgerAddsUp()
            func client(_ name: String) throws -> Int { try report.int("cache.client.\(name)") }
            let hits = Self.looks - test.misses - test.revalidated
            #expect(try client("lookups") == Self.looks)
            #expect(try client("hits") == hits)
            #expect(try client("misses") == test.misses)
            #expect(try client("revalidated") == test.revalidated)
            #expect(try client("stale_hits") == test.staleHits)
            #expect(try client("refreshes") == test.staleHits)
            let log = try await server.stopAndReadLog()
            try report.expectRequests(equal: log)
            // What is validated is answered by 304, in front of the user or behind it.
            let validated = test.revalidated + test.staleHits
            #expect(log.entries.filter { $0.status == 304 }.count == validated)
            #expect(log.entries.filter { $0.status == 200 }.count == test.misses)
            #expect(try report.int("outcomes.not_modified") == validated)
            let size = try #require(log.entries.first?.bodyBytes)
            #expect(try client("hit_bytes") == hits * size)
            #expect(try client("revalidated_bytes") == test.revalidated * size)
        }
    }

    /// The token is no part of the key, wherever in the query it stands; {random} is.
    @Test(arguments: [
        ("?token={run}&v=1", 1), ("?v=1&TOKEN={random}", 1), ("?v={random}", 20), ("?v={run}", 1),
        ("?sig={random}&session={random}", 1),
    ])
    func keys(_ query: String, _ misses: Int) async throws {
        try await withNginx(NginxConfig(.tiles)) { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(server.url)/tiles/{z}/{x}/{y}.png\(query)"},
                 "workload": {"kind": "list", "tiles": ["2/1/1"]},
                 "load": {"users": 1, "count": 20}, "cache": {"client": {}},
                 "on_invalid": "warn"}
                """)
            let report = try run.report()
            #expect(try report.int("cache.client.misses") == misses)
            #expect(try report.int("cache.client.hits") == 20 - misses)
            try report.expectRequests(equal: try await server.stopAndReadLog())
        }
    }
}
