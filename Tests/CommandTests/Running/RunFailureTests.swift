import Foundation
import Glibc
import Testing

/// Servers that break off, are not there or are too slow.
@Suite(.serialized)
struct RunFailureTests {
    @Test func resetConnectionsAmongGoodAnswers() async throws {
        // Rows of the array of templates alternate: half of the asks meet a reset.
        try await withNginx(NginxConfig(.tiles, .reset(at: "/reset/"))) { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": ["\(server.url)/tiles/{z}/{x}/{y}.png",
                                      "\(server.url)/reset/{z}/{x}/{y}.png"]},
                 "workload": {"kind": "pyramid", "zooms": [4, 4],
                              "bounds": [-180, -85.0511, 180, 85.0511]},
                 "load": {"users": 6}, "on_invalid": "warn"}
                """)
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.int("ledger.started") == 256)
            #expect(try report.int("ledger.ok") == 128)
            #expect(try report.failedBy() == ["reset": 128])
            let log = try await server.stopAndReadLog()
            try report.expectRequests(equal: log)
            // A connection that was used before gives one retry, which is a request of its own.
            let resets = log.statuses()["444"] ?? 0
            #expect(try report.int("requests.retried_on_closed") == resets - 128)
            let resetErrors = try report.array("errors").filter {
                $0["cause"] as? String == "reset"
            }
            #expect(resetErrors.reduce(0) { $0 + ($1["count"] as? Int ?? 0) } == 128)
        }
    }

    @Test func nothingButResetsIsNoMeasurement() async throws {
        try await withNginx(NginxConfig(.reset(at: "/r/"))) { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(server.url)/r/{z}/{x}/{y}.png"},
                 "load": {"users": 2, "count": 20}, "on_invalid": "warn"}
                """)
            #expect(run.result.exitCode == 3)
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.failedBy() == ["reset": 20])
            try report.expectRequests(equal: try await server.stopAndReadLog())
        }
    }

    @Test(.enabled(if: descriptorsMax() > 6000, "ulimit -Hn is too low"))
    func fiveThousandUsersAtOnce() async throws {
        var config = NginxConfig(.tiles)
        config.workers = 2
        try await withNginx(config) { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(server.url)/tiles/{z}/{x}/{y}.png"},
                 "workload": {"zooms": [3, 5], "think": "1s"},
                 "load": {"users": 5000, "count": 10000}, "on_invalid": "warn"}
                """)
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.int("ledger.ok") == 10_000, "\(run.result.output)")
            #expect(try report.failedBy() == [:])
            #expect(try report.int("generator.descriptors_used") >= 4_000)
            try report.expectRequests(equal: try await server.stopAndReadLog())
        }
    }

    @Test func aServerThatClosesKeptConnectionsCostsNoAsk() async throws {
        var config = NginxConfig(.tiles)
        config.keepaliveRequests = 10
        try await withNginx(config) { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(server.url)/tiles/{z}/{x}/{y}.png"},
                 "workload": {"zooms": [3, 5]},
                 "load": {"users": 4, "count": 400}, "on_invalid": "warn"}
                """)
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.int("ledger.ok") == 400)
            #expect(try report.int("connections.opened") >= 40)
            try report.expectRequests(equal: try await server.stopAndReadLog())
        }
    }

    @Test func nobodyListens() async throws {
        let port = try LoopbackHTTP.freePort()
        let run = try await ScenarioRun.run(
            """
            {"target": {"tiles": "http://127.0.0.1:\(port)/{z}/{x}/{y}.png"},
             "load": {"users": 5, "for": "200s"}}
            """)
        #expect(run.result.exitCode == 3)
        #expect(run.result.seconds < 60)
        #expect(run.result.errorOutput.contains("127.0.0.1:\(port)"))
        #expect(run.result.errorOutput.contains("Connection refused"))
        let report = try run.report()
        try report.expectLedgerAddsUp()
        #expect(try report.int("requests.sent") == 0)
    }

    @Test(arguments: [#""timeout": "300ms""#, #""timeouts": {"first_byte": "300ms"}"#])
    func aServerTooSlowIsATimeoutByPhase(limit: String) async throws {
        // The embedded origin stalls; nginx has no such thing.
        let run = try await ScenarioRun.run(
            """
            {"target": {"origin": {"faults": [{"share": "10%", "stall": true}]}},
             "load": {"users": 4, "count": 60, \(limit)}, "on_invalid": "warn"}
            """)
        #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
        let report = try run.report()
        try report.expectLedgerAddsUp()
        let timeouts = try report.int("ledger.failed_by.timeout")
        #expect(timeouts > 0)
        #expect(try report.int("ledger.ok") == 60 - timeouts)
        #expect(try report.int("ledger.failed_by_detail.timeout.first_byte") == timeouts)
        #expect(try report.double("latency.response.failed.min_ms") >= 299)
        #expect(try report.double("latency.response.failed.p50_ms") < 20_000)
    }

    @Test func whatIsOnTheWireAtTheEndIsCounted() async throws {
        try await withNginx(NginxConfig(.tiles)) { server in
            server.freeze()
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(server.url)/tiles/{z}/{x}/{y}.png"},
                 "load": {"users": 7, "for": "1s", "grace": "500ms"}, "on_invalid": "warn"}
                """)
            server.thaw()
            // Nothing was answered at all.
            #expect(run.result.exitCode == 3)
            #expect(run.result.seconds < 60)
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.int("ledger.started") == 7)
            #expect(try report.int("ledger.in_flight_at_end") == 7)
            #expect(try report.double("latency.response.all.min_ms") >= 1000)
        }
    }
}

/// What this process and its children may raise their limit of open files to.
private func descriptorsMax() -> UInt64 {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return UInt64(limit.rlim_max)
}
