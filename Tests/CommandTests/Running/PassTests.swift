import Foundation
import Testing

/// The same asks again, and what is sent before them.
@Suite(.serialized)
struct PassTests {
    private static func scenario(
        _ server: NginxServer, template: String = "/c/{z}/{x}/{y}.png", more: String = ""
    ) -> String {
        """
        {"target": {"tiles": "\(server.url)\(template)"}, "passes": ["cold", "warm"],
         "workload": {"kind": "pyramid", "zooms": [0, 2]}, "load": {"users": 1},
         "on_invalid": "warn"\(more)}
        """
    }

    @Test func coldAndWarm() async throws {
        try await withNginx(NginxConfig(.cached(at: "/c/", validS: 600))) { server in
            let first = try await ScenarioRun.run(
                Self.scenario(
                    server,
                    more: #", "gates": ["cache.server.hit_rate == 1","#
                        + #" "passes.0.server_hit_rate == 0"]"#))
            #expect(first.result.exitCode == 0, "\(first.result.errorOutput)")
            let report = try first.report()
            #expect(try report.array("passes").map { $0["name"] as? String } == ["cold", "warm"])
            #expect(try report.array("passes").map { $0["ok"] as? Int } == [21, 21])
            #expect(try report.double("passes.0.server_hit_rate") == 0)
            #expect(try report.int("passes.0.foreign_hits") == 0)
            #expect(try report.double("passes.1.server_hit_rate") == 1)
            #expect(try report.string("run.pass") == "warm")
            for (name, cls) in [("cold", "miss"), ("warm", "hit")] {
                let own = try ReportJSON(path: first.folder.path("out/\(name)/report.json"))
                try own.expectLedgerAddsUp()
                #expect(try own.string("run.pass") == name)
                #expect(try own.int("cache.server.\(cls).count") == 21)
                #expect(!own.has("passes"))
            }
            let table = try first.folder.read("out/passes.csv").split(separator: "\r\n")
            #expect(table.count == 3)
            #expect(table[1].hasPrefix("cold,") && table[2].hasPrefix("warm,"))
            let said = first.result.output.split(separator: "\n")
            #expect(said.contains { $0.hasPrefix("cold ") && $0.contains(" 0 %") })
            #expect(said.contains { $0.hasPrefix("warm ") && $0.contains(" 100 %") })
            #expect(!first.result.output.contains("not cold"))

            // Somebody has filled the cache since: what should be cold is not, and is said so.
            let second = try await ScenarioRun.run(Self.scenario(server))
            #expect(try second.report().int("passes.0.foreign_hits") == 21)
            #expect(second.result.output.contains("The pass \"cold\" was not cold: at least 21"))

            // A value of this run's own makes it cold, and stays the same for the second pass.
            let third = try await ScenarioRun.run(
                Self.scenario(server, template: "/c/{z}/{x}/{y}.png?v={run}"))
            #expect(try third.report().double("passes.0.server_hit_rate") == 0)
            #expect(try third.report().double("passes.1.server_hit_rate") == 1)

            let log = try await server.stopAndReadLog()
            #expect(log.entries.count == 3 * 42)
            #expect(log.entries.prefix(21).map(\.uri) == log.entries[21..<42].map(\.uri))
        }
    }

    /// The users of the second pass come back with what they kept in the first.
    @Test func clientCachesAreKept() async throws {
        let location = NginxConfig.Part(
            server: """
                location /c/ { alias @PREFIX@/html/tiles/; add_header Cache-Control no-cache; }
                """)
        try await withNginx(NginxConfig(location)) { server in
            let run = try await ScenarioRun.run(
                Self.scenario(
                    server, more: #", "cache": {"client": {"honour": "rfc9111"}}"#))
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let report = try run.report()
            #expect(try report.int("cache.client.revalidated") == 21)
            #expect(try report.int("cache.client.misses") == 0)
            let log = try await server.stopAndReadLog()
            #expect(log.entries.map(\.status).prefix(21).allSatisfy { $0 == 200 })
            #expect(log.entries.map(\.status).suffix(21).allSatisfy { $0 == 304 })
        }
    }

    private static let purge = NginxConfig.Part(
        server: """
            location = /purge {
                if ($request_method = PURGE) { return 204; }
                return 405;
            }
            """)

    @Test func whatIsSentBeforeComesFirstAndOnce() async throws {
        try await withNginx(NginxConfig(.tiles, Self.purge)) { server in
            let run = try await ScenarioRun.run(
                Self.scenario(
                    server, template: "/tiles/{z}/{x}/{y}.png",
                    more: #", "before": [{"url": "\#(server.url)/purge", "method": "PURGE"},"#
                        + #" {"url": "\#(server.url)/purge", "status": [405]}]"#))
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            #expect(try run.report().int("requests.sent") == 21)
            let log = try await server.stopAndReadLog()
            #expect(log.entries.count == 44)
            #expect(log.entries.prefix(2).map(\.uri) == ["/purge", "/purge"])
            #expect(log.entries.prefix(2).map(\.status) == [204, 405])
        }
    }

    @Test func oneThatFailsEndsTheRun() async throws {
        try await withNginx(NginxConfig(.tiles, Self.purge)) { server in
            let nobody = try LoopbackHTTP.freePort()
            for (before, words) in [
                (
                    #"{"url": "\#(server.url)/purge?key=s3cret", "method": "DELETE"}"#,
                    "before[0], DELETE \(server.url)/purge?key=*** was answered 405, not a 2xx"
                ),
                (
                    #"{"url": "\#(server.url)/purge", "method": "PURGE", "status": [200, 201]}"#,
                    "was answered 204, not 200 or 201"
                ),
                (#"{"url": "http://127.0.0.1:\#(nobody)/"}"#, "got no answer: "),
            ] {
                let run = try await ScenarioRun.run(
                    Self.scenario(server, more: ", \"before\": [\(before)]"))
                #expect(run.result.exitCode == 3)
                #expect(run.result.errorOutput.contains(words), "\(run.result.errorOutput)")
                let said = try run.folder.read("out/report.json") + run.result.errorOutput
                #expect(!said.contains("s3cret"))
                #expect(try run.report().int("requests.sent") == 0)
            }
            let log = try await server.stopAndReadLog()
            #expect(log.entries.allSatisfy { $0.path == "/purge" })
        }
    }
}
