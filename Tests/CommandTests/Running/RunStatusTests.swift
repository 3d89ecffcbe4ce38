import Foundation
import Testing

/// Runs against a real nginx: whatever it answers, the report equals its access log.
@Suite(.serialized)
struct RunStatusTests {
    @Test func aPyramidGoesThroughOnce() async throws {
        try await withNginx(NginxConfig(.tiles)) { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(server.url)/tiles/{z}/{x}/{y}.png"},
                 "workload": {"kind": "pyramid", "zooms": [0, 5],
                              "bounds": [-180, -85.0511, 180, 85.0511]},
                 "load": {"users": 8}, "on_invalid": "warn"}
                """)
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.int("ledger.planned") == 1365)
            #expect(try report.int("ledger.ok") == 1365)
            #expect(try report.counts("status") == ["200": 1365])
            #expect(try report.int("outcomes.tile") == 1365)
            #expect(
                try report.array("zooms").map { $0["started"] as? Int } == [
                    1, 4, 16, 64, 256, 1024,
                ])
            let log = try await server.stopAndReadLog()
            try report.expectRequests(equal: log)
            // Each tile once, over one connection per user and the one that was opened to look.
            #expect(Set(log.entries.map(\.uri)).count == 1365)
            #expect(try report.int("connections.opened") <= 9)
            #expect(
                try report.int("bytes.body") == log.entries.reduce(0) { $0 + $1.bodyBytes })
        }
    }

    @Test func aListOfTilesGoesThroughOnce() async throws {
        try await withNginx(NginxConfig(.tiles)) { server in
            let folder = try TemporaryFolder()
            let tiles = (0..<200).map { "5/\($0 % 32)/\($0 / 32)" }
            try folder.write("tiles.txt", tiles.joined(separator: "\n") + "\n")
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(server.url)/tiles/{z}/{x}/{y}.png"},
                 "workload": {"kind": "list", "tiles": "tiles.txt"},
                 "load": {"users": 3}, "on_invalid": "warn"}
                """, in: folder)
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.int("ledger.started") == 200)
            let log = try await server.stopAndReadLog()
            try report.expectRequests(equal: log)
            let asked = log.entries.map { $0.path.dropFirst("/tiles/".count).dropLast(4) }
            #expect(asked.map(String.init).sorted() == tiles.sorted())
            #expect(log.entries[0].userAgent.hasPrefix("tilebench/"))
        }
    }

    @Test func aRateAsksForExactlyItsPlan() async throws {
        try await withNginx(NginxConfig(.tiles)) { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(server.url)/tiles/{z}/{x}/{y}.png"},
                 "workload": {"zooms": [2, 5]},
                 "load": {"rate": "300/s", "for": "2s", "warmup": "500ms"}, "on_invalid": "warn"}
                """)
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.int("ledger.planned") == 600)
            #expect(try report.int("ledger.ok") == 600)
            // What a busy machine could not start of the warm-up by T0 is let go.
            let warmup = try report.int("run.warmup_asks")
            #expect(warmup > 50 && warmup <= 150)
            #expect(try report.int("requests.sent") == 600 + warmup)
            #expect(try abs(report.double("rate.planned_per_s") - 300) < 3)
            let timeline = try report.array("timeline")
            #expect(timeline.reduce(0) { $0 + ($1["planned"] as? Int ?? 0) } == 600)
            #expect(timeline.reduce(0) { $0 + ($1["ok"] as? Int ?? 0) } == 600)
            try report.expectRequests(equal: try await server.stopAndReadLog())
        }
    }

    struct Answer: Sendable {
        var status: Int
        var ok: Bool
        var outcome: String
    }

    static let answers = [
        Answer(status: 204, ok: true, outcome: "empty_tile"),
        Answer(status: 403, ok: false, outcome: "auth_denied"),
        Answer(status: 404, ok: false, outcome: "no_tile"),
        Answer(status: 429, ok: false, outcome: "rate_limited"),
        Answer(status: 500, ok: false, outcome: "server_error"),
        Answer(status: 503, ok: false, outcome: "overloaded"),
    ]

    @Test(arguments: answers)
    func oneStatusForAll(_ answer: Answer) async throws {
        try await withNginx(NginxConfig(.status(answer.status, at: "/t/"))) { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(server.url)/t/{z}/{x}/{y}.png"},
                 "load": {"users": 5, "count": 250}, "on_invalid": "warn"}
                """)
            // An answer was measured, good or not: without gates that is no failure.
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.int("ledger.started") == 250)
            #expect(try report.int("ledger.ok") == (answer.ok ? 250 : 0))
            #expect(try report.failedBy() == (answer.ok ? [:] : ["status": 250]))
            #expect(try report.counts("status") == ["\(answer.status)": 250])
            #expect(try report.int("outcomes.\(answer.outcome)") == 250)
            try report.expectRequests(equal: try await server.stopAndReadLog())
        }
    }

    @Test func notFoundMayBeFine() async throws {
        try await withNginx(NginxConfig(.tiles)) { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(server.url)/tiles/{z}/{x}/{y}.png"},
                 "workload": {"kind": "list", "tiles": ["5/0/0", "9/1/1", "5/1/1", "9/2/2"]},
                 "load": {"users": 2}, "checks": {"not_found": "ok"}, "on_invalid": "warn"}
                """)
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.int("ledger.ok") == 4)
            #expect(try report.counts("status") == ["200": 2, "404": 2])
            try report.expectRequests(equal: try await server.stopAndReadLog())
        }
    }

    @Test func aRateLimiterIsCountedAnswerByAnswer() async throws {
        try await withNginx(NginxConfig(.limited(at: "/l/", perSecond: 20, burst: 10))) { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(server.url)/l/{z}/{x}/{y}.png"},
                 "workload": {"zooms": [3, 5]},
                 "load": {"rate": "200/s", "for": "1500ms"}, "on_invalid": "warn"}
                """)
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.int("ledger.started") == 300)
            let limited = try report.int("status.429")
            #expect(limited > 200 && limited < 290)
            #expect(try report.failedBy() == ["status": limited])
            #expect(try report.string("run.validity") != "valid")
            #expect(
                (report.value("run.reasons") as? [String] ?? []).contains {
                    $0.contains("429") || $0.contains("rate limit")
                })
            try report.expectRequests(equal: try await server.stopAndReadLog())
        }
    }
}
