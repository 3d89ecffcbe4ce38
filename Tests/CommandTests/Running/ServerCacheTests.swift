import Foundation
import Testing

/// The server's cache, by what a real one does: all that nginx can say of an answer.
@Suite(.serialized)
struct ServerCacheTests {
    /// Tiles that are fresh for a second at `/short/` and, validated when they are not, at
    /// `/validated/`; for long at `/long/`. The server behind the cache fails while there is a file
    /// `down`, and is slow while there is a file `slow`.
    private static let states = NginxConfig.Part(
        http: """
            proxy_cache_path @PREFIX@/states keys_zone=states:1m;
            server {
                listen unix:@PREFIX@/states.sock;
                access_log off;
                root @PREFIX@/html;
                location /tiles/ {
                    if (-f @PREFIX@/down) { return 503; }
                    if (-f @PREFIX@/slow) { set $limit_rate 120; }
                    add_header Cache-Control max-age=1;
                }
                location /long/ {
                    alias @PREFIX@/html/tiles/;
                    add_header Cache-Control max-age=600;
                }
            }
            """,
        server: ["short": "tiles", "validated": "tiles", "long": "long"].map { path, origin in
            """
            location /\(path)/ {
                proxy_pass http://unix:@PREFIX@/states.sock:/\(origin)/;
                proxy_cache states;
                proxy_cache_key $uri;
                proxy_cache_revalidate \(path == "validated" ? "on" : "off");
                proxy_cache_use_stale error timeout http_503 updating;
                proxy_cache_bypass $arg_nocache;
                add_header X-Cache-Status $upstream_cache_status always;
                add_header X-Served-By cache-fra-etou8220025-FRA;
            }
            """
        }.joined(separator: "\n"))

    /// Classes of the answers to so many asks for one tile.
    private func classes(
        _ server: NginxServer, _ path: String, count: Int, users: Int = 1
    ) async throws -> [String: Int] {
        let run = try await ScenarioRun.run(
            """
            {"target": {"tiles": "\(server.url)\(path)"},
             "workload": {"kind": "list", "tiles": ["2/1/1"]},
             "load": {"users": \(users), "count": \(count)}, "on_invalid": "warn"}
            """)
        #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
        let report = try run.report()
        #expect(try report.int("ledger.ok") == count)
        #expect(try report.counts("cache.server.evidence") == ["X-Cache-Status": count])
        let edge = try #require(try report.array("cache.server.edges").first)
        #expect(edge["name"] as? String == "FRA")
        #expect(edge["count"] as? Int == count)
        let address = try #require(try report.array("cache.server.addresses").first)
        #expect(address["name"] as? String == "127.0.0.1")
        #expect(address["count"] as? Int == count)
        var classes: [String: Int] = [:]
        for (name, value) in try report.dictionary("cache.server") {
            if let value = value as? [String: Any], let count = value["count"] as? Int, count > 0 {
                classes[name] = count
            }
        }
        return classes
    }

    /// nginx counts whole seconds: what is fresh for one may be it for two.
    private func expire() async throws { try await Task.sleep(for: .milliseconds(2_200)) }

    @Test func allSevenStatesOfNginx() async throws {
        try await withNginx(NginxConfig(Self.states)) { server in
            let tile = "{z}/{x}/{y}.png"
            // MISS, HIT, BYPASS.
            #expect(
                try await classes(server, "/long/\(tile)", count: 5) == ["miss": 1, "hit": 4])
            #expect(
                try await classes(server, "/long/\(tile)?nocache=1", count: 3) == ["bypass": 3])
            // EXPIRED is a miss, REVALIDATED is not.
            #expect(try await classes(server, "/short/\(tile)", count: 1) == ["miss": 1])
            #expect(try await classes(server, "/validated/\(tile)", count: 1) == ["miss": 1])
            try await expire()
            #expect(try await classes(server, "/short/\(tile)", count: 1) == ["miss": 1])
            #expect(
                try await classes(server, "/validated/\(tile)", count: 1) == ["revalidated": 1])
            // STALE, while the server behind it is down.
            try server.folder.write("down", "")
            try await expire()
            #expect(try await classes(server, "/short/\(tile)", count: 4) == ["stale_hit": 4])
            try FileManager.default.removeItem(atPath: server.folder.path("down"))
            // One fetches (EXPIRED) for as long as that takes, the others are served (UPDATING).
            try server.folder.write("slow", "")
            #expect(
                try await classes(server, "/short/\(tile)", count: 6, users: 2)
                    == ["miss": 1, "stale_hit": 5])
            try await server.stop()
            #expect(!server.errorLog().contains("[error]"))
        }
    }

    /// A header that the scenario names is believed alone.
    @Test func aHeaderOfItsOwn() async throws {
        let location = NginxConfig.Part(
            server: """
                location /t/ {
                    alias @PREFIX@/html/tiles/;
                    add_header X-Cache "Miss from cloudfront";
                    add_header X-Tier "HIT";
                }
                """)
        try await withNginx(NginxConfig(location)) { server in
            for (header, cls, rate) in [
                ("", "miss", 0.0), (#""cache": {"server_header": "x-tier"},"#, "hit", 1.0),
                (#""cache": {"server_header": "X-None"},"#, "unknown", -1),
            ] {
                let run = try await ScenarioRun.run(
                    """
                    {"target": {"tiles": "\(server.url)/t/{z}/{x}/{y}.png"}, \(header)
                     "workload": {"kind": "pyramid", "zooms": [0, 2]}, "load": {"users": 1},
                     "on_invalid": "warn"}
                    """)
                let report = try run.report()
                #expect(try report.int("cache.server.\(cls).count") == 21)
                // Without evidence no rate is claimed.
                if rate < 0 {
                    #expect(!report.has("cache.server.hit_rate"))
                } else {
                    #expect(try report.double("cache.server.hit_rate") == rate)
                }
            }
        }
    }
}
