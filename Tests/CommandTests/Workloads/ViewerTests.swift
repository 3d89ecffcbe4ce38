import Foundation
import Testing

/// Viewers of the real binary, as a server sees them.
@Suite(.serialized)
struct ViewerTests {
    private func run(
        _ server: ViewedTiles, workload: String, load: String, more: String = ""
    ) async throws -> ReportJSON {
        let run = try await ScenarioRun.run(
            """
            {"target": {"tiles": "\(server.template)"},
             "workload": {"kind": "viewers", "zooms": [6, 12], \(workload)},
             "load": {\(load), "grace": "60s"}, "on_invalid": "warn"\(more)}
            """, timeoutS: 120)
        #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
        let report = try run.report()
        try report.expectLedgerAddsUp()
        let ends = try ["full", "incomplete", "abandoned", "open_at_end"].map {
            try report.int("views.\($0)")
        }
        #expect(try ends.reduce(0, +) == report.int("views.requested"))
        #expect(try report.int("views.count") == ends[0])
        #expect(try report.int("views.all.count") == ends.reduce(0, +))
        return report
    }

    /// Whoever waits sees all: every view is full, every tile of one is asked for, and the server's
    /// count is the report's.
    @Test(arguments: ["maplibre-gl", "maplibre-native", "leaflet"])
    func patientViewers(client: String) async throws {
        let server = try await ViewedTiles.start()
        let report = try await run(
            server, workload: #""client": "\#(client)", "dwell": "60s""#,
            load: #""users": 4, "count": 4"#, more: #", "cache": {"client": "off"}"#)
        #expect(try report.int("views.requested") == 4)
        #expect(try report.int("views.full") == 4)
        #expect(try report.int("views.sessions") == 4)
        let tiles = try report.int("views.tiles")
        let record = try await server.record()
        #expect(try report.int("ledger.ok") == record.requests.count)
        #expect(record.requests.allSatisfy { $0.end == "answered" })
        if client == "maplibre-native" {
            // It also fetches what lies four zooms up.
            #expect(record.requests.count > tiles)
        } else {
            #expect(record.requests.count == tiles)
        }
        // 1280 x 800 pixels of tiles of 256: 5 to 6 columns, 4 to 5 rows.
        #expect((4 * 20...4 * 30).contains(tiles))
    }

    /// Without the rules of a client's cache either transport can carry viewers.
    static let transports = ["direct", "libcurl"]
    private static let noCache = #", "cache": {"client": "off"}"#

    /// One user's connections, whatever the client would ask for at once.
    @Test(arguments: [(1, 3, "direct"), (4, 1, "direct"), (2, 3, "libcurl")])
    func connectionsOfAUser(perUser: Int, users: Int, transport: String) async throws {
        let server = try await ViewedTiles.start(delayMS: 20)
        let report = try await run(
            server, workload: #""client": "leaflet", "dwell": "60s""#,
            load: "\"users\": \(users), \"count\": \(users), \"transport\": \"\(transport)\"",
            more: ", \"connection\": {\"per_user\": \(perUser)}" + Self.noCache)
        let most = users * perUser
        let record = try await server.record()
        #expect(try report.string("generator.transport") == transport)
        #expect(Set(record.requests.map(\.connection)).count == most)
        // And the one that was opened before the run to see whether the server is there.
        #expect(record.openMax <= most + 1)
        #expect(try report.int("connections.opened") == most + 1)
        #expect(try report.int("views.full") == users)
    }

    /// The limit is one of each host; viewers of an open load have connections of their own, too.
    @Test(arguments: transports)
    func connectionsToEachHost(transport: String) async throws {
        let server = try await ViewedTiles.start(delayMS: 20)
        let tiles = ["127.0.0.1", "localhost"].map {
            "\"http://\($0):\(server.port)/t/{z}/{x}/{y}\""
        }
        let run = try await ScenarioRun.run(
            """
            {"target": {"tiles": [\(tiles.joined(separator: ","))]}, "cache": {"client": "off"},
             "connection": {"per_user": 2, "ip": "4"}, "on_invalid": "warn",
             "workload": {"kind": "viewers", "client": "leaflet", "zooms": [6, 12], "dwell": "300ms"},
             "load": {"rate": "10/s", "count": 3, "grace": "60s", "transport": "\(transport)"}}
            """, timeoutS: 120)
        #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
        let report = try run.report()
        try report.expectLedgerAddsUp()
        #expect(try report.string("generator.transport") == transport)
        let record = try await server.record()
        // Three viewers, two hosts, two connections; and one for each host before the run.
        #expect(Set(record.requests.map(\.connection)).count <= 12)
        #expect(record.openMax <= 14)
        #expect(try report.int("connections.opened") <= 14)
        #expect(try report.int("views.requested") == 3)
        #expect(record.requests.count > 30)
    }

    /// Tiles that left the view are cut off: the server sees its client go.
    @Test(arguments: transports)
    func asksThatLeftTheViewAreCancelled(transport: String) async throws {
        let server = try await ViewedTiles.start(delayMS: 1500, every: 2)
        let report = try await run(
            server,
            workload: #""dwell": "200ms", "moves": {"pan": 0, "zoom_in": 0.5, "zoom_out": 0.5}"#,
            load: "\"users\": 3, \"count\": 18, \"transport\": \"\(transport)\"",
            more: Self.noCache)
        let cancelled = try report.int("ledger.cancelled")
        #expect(cancelled > 0)
        #expect(try report.int("views.abandoned") > 0)
        #expect(try report.int("views.requested") == 18)
        let record = try await server.record()
        let answered = record.requests.count { $0.end == "answered" }
        // An answer may be on its way to a viewer who no longer wants it.
        let ok = try report.int("ledger.ok")
        #expect(ok <= answered)
        #expect(answered - ok <= cancelled)
        #expect(try report.int("ledger.failed") == 0)
        // A cancelled ask may not have been sent yet.
        #expect(record.requests.count { $0.end == "left" } <= cancelled)
        #expect(record.requests.contains { $0.end == "left" })
        #expect(try report.int("requests.sent") >= record.requests.count)
        #expect(try report.int("ledger.in_flight_at_end") == 0)
    }

    @Test func withoutCancellingTilesCome() async throws {
        let server = try await ViewedTiles.start(delayMS: 100)
        let report = try await run(
            server, workload: #""dwell": "100ms", "cancel": false"#,
            load: #""users": 3, "count": 18"#)
        #expect(try report.int("ledger.cancelled") == 0)
        let record = try await server.record()
        #expect(record.requests.allSatisfy { $0.end == "answered" })
        #expect(try report.int("ledger.ok") == record.requests.count)
    }

    /// An open load asks for views at the pacer's times, not for tiles.
    @Test func anOpenLoadCountsViews() async throws {
        let server = try await ViewedTiles.start()
        let report = try await run(
            server, workload: #""client": "leaflet", "viewport": [256, 256]"#,
            load: #""rate": "40/s", "for": "1s""#)
        #expect(try report.int("views.requested") == 40)
        #expect(try report.int("views.abandoned") == 0)
        let started = try report.int("ledger.started")
        let hits = try report.int("cache.client.hits")
        let (tiles, held) = (try report.int("views.tiles"), try report.int("views.tiles_held"))
        // What is under way from the view before is neither held nor asked for again.
        #expect(started + hits <= tiles - held)
        #expect(try await server.record().requests.count == started)
    }

    /// A server that stalls makes views long, not rare.
    @Test func aSlowServerIsNoExcuse() async throws {
        let server = try await ViewedTiles.start(delayMS: 300)
        let report = try await run(
            server,
            workload: #""client": "leaflet", "dwell": "200ms", "viewport": [512, 512]"#,
            load: #""rate": "20/s", "for": "1s""#)
        #expect(try report.int("views.requested") == 20)
        // From the request of the view to where the next one was due, or to its last tile.
        #expect(try report.double("views.all.max_ms") >= 190)
        #expect(try report.double("latency.response.ok.min_ms") >= 290)
        #expect(try report.int("views.abandoned") > 0)
    }

    @Test func gatesOfViewsAndPlaces() async throws {
        let server = try await ViewedTiles.start()
        let run = try await ScenarioRun.run(
            """
            {"target": {"tiles": "\(server.template)"},
             "workload": {"kind": "viewers", "zooms": [6, 12], "dwell": "60s", "places": [
               {"name": "alps", "bounds": [5.9, 45.8, 10.5, 47.8], "weight": 3},
               {"name": "north sea", "bounds": [2, 54, 6, 57]}]},
             "load": {"users": 6, "count": 6}, "on_invalid": "warn",
             "gates": ["views.p99 < 60s", "views.abandoned == 0", "places.alps.views.full >= 0",
               "places.alps.failed == 0", "places.1.cancelled == 0", "views.requested < 6"]}
            """, timeoutS: 120)
        #expect(run.result.exitCode == 99, "\(run.result.errorOutput)")
        let verdicts = try run.report().array("gates").map { $0["verdict"] as? String }
        #expect(verdicts == ["pass", "pass", "pass", "pass", "pass", "fail"])
        let places = try run.report().array("places")
        #expect(places.map { $0["name"] as? String } == ["alps", "north sea"])
        let started = places.compactMap { $0["started"] as? Int }
        #expect(try started.reduce(0, +) == run.report().int("ledger.started"))
        #expect(run.result.output.contains("Time to a full view"))
        #expect(run.result.output.contains("north sea"))
    }

    /// Viewers move on while their asks wait for a new token: each of these is over once, and there
    /// is one renewal for all of them.
    @Test(arguments: [false, true])
    func tokensThatExpire(overHTTP2: Bool) async throws {
        try await withTokenService(ttlS: 1, advertisedS: 3600, delayMS: 400) { service in
            var config = NginxConfig(.protected(by: service))
            (config.tls, config.http2) = (overHTTP2, overHTTP2)
            try await withNginx(config) { server in
                let connection =
                    overHTTP2 ? "\"connection\": {\"ca_file\": \"\(server.certificatePath)\"}," : ""
                let run = try await ScenarioRun.run(
                    """
                    {"target": {"tiles": "\(server.url)/secure/{z}/{x}/{y}.png"}, \(connection)
                     "auth": {"token": {"in": "header", "name": "Authorization", "prefix": "Bearer "},
                              "renewal": {"url": "\(service.tokenURL)"}, "start": "renew",
                              "renew_before": "0s"},
                     "workload": {"kind": "viewers", "zooms": [3, 5], "dwell": "100ms",
                       "moves": {"pan": 0, "zoom_in": 0.5, "zoom_out": 0.5}},
                     "cache": {"client": "off"}, "on_invalid": "warn",
                     "load": {"users": 6, "for": "3s", "grace": "60s"}}
                    """, timeoutS: 120)
                #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
                let report = try run.report()
                try report.expectLedgerAddsUp()
                #expect(try report.int("ledger.failed") == 0)
                #expect(try report.int("ledger.in_flight_at_end") == 0)
                #expect(try report.int("ledger.cancelled") > 0)
                #expect(try report.int("auth.parked.count") > 0)
                let counters = try await service.counters()
                try expectRenewalsEqual(counters, report)
                #expect(counters.concurrentMax == 1)
                #expect(try report.int("auth.expiry_events") >= 1)
                #expect(try report.int("auth.renewals.per_expiry_max") == 1)
                let log = try await server.stopAndReadLog()
                #expect(
                    Set(log.entries.map(\.version)) == [overHTTP2 ? "HTTP/2.0" : "HTTP/1.1"])
                // An answer may be on its way to a viewer who no longer wants it.
                let (ok, good) = (try report.int("ledger.ok"), log.statuses()["200"] ?? 0)
                #expect(ok <= good)
                #expect(try report.int("ledger.cancelled") >= good - ok)
                // Streams share the one connection of a user, and a cancelled one leaves it open.
                if overHTTP2 { #expect(try report.int("connections.opened") == 6 + 1) }
            }
        }
    }
}
