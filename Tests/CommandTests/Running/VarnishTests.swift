import Foundation
import Testing

/// A second dialect of caches, in `make test-all`: it compiles its configuration with gcc, which
/// takes seconds.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["TILEBENCH_VARNISH"] != nil))
struct VarnishTests {
    /// Varnish in front of nginx. It says hit from miss by its numbers alone; BAN empties it.
    private static func configuration(backend: Int) -> String {
        """
        vcl 4.1;
        backend default { .host = "127.0.0.1"; .port = "\(backend)"; }
        sub vcl_recv {
            if (req.method == "BAN") {
                ban("req.url ~ .");
                return (synth(200, "banned"));
            }
        }
        """
    }

    private func withVarnish(
        before server: NginxServer, _ body: (_ url: String) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        try folder.write("tiles.vcl", Self.configuration(backend: server.port))
        let port = try LoopbackHTTP.freePort()
        let process = try ChildProcess(
            "/usr/sbin/varnishd",
            [
                "-F", "-n", folder.path("varnish"), "-a", "127.0.0.1:\(port)", "-f",
                folder.path("tiles.vcl"), "-s", "malloc,16m", "-j", "none",
            ], environment: ["PATH": "/usr/bin:/bin"], workingFolder: folder.path,
            outputFolder: folder)
        defer { process.kill() }
        try await waitUntil(timeoutS: 60) {
            process.poll() != nil || LoopbackHTTP.accepts(port: port)
        }
        try #require(process.poll() == nil, "\(process.errorOutput())")
        try await body("http://127.0.0.1:\(port)")
    }

    @Test func coldWarmAndBanned() async throws {
        try await withNginx(NginxConfig(.tiles)) { server in
            try await withVarnish(before: server) { url in
                func run(_ more: String = "") async throws -> ScenarioRun {
                    try await ScenarioRun.run(
                        """
                        {"target": {"tiles": "\(url)/tiles/{z}/{x}/{y}.png"},
                         "passes": ["cold", "warm"], "load": {"users": 1}, "on_invalid": "warn",
                         "workload": {"kind": "pyramid", "zooms": [0, 3]}\(more)}
                        """)
                }
                func rates(_ run: ScenarioRun) throws -> [Double] {
                    let report = try run.report()
                    #expect(try report.counts("cache.server.evidence") == ["X-Varnish": 85])
                    return try [0, 1].map { try report.double("passes.\($0).server_hit_rate") }
                }
                let first = try await run()
                #expect(first.result.exitCode == 0, "\(first.result.errorOutput)")
                #expect(try rates(first) == [0, 1])
                let second = try await run()
                #expect(try rates(second) == [1, 1])
                #expect(second.result.output.contains("was not cold"))
                let third = try await run(#", "before": [{"url": "\#(url)/", "method": "BAN"}]"#)
                #expect(try rates(third) == [0, 1])
            }
            // The three of 85 that Varnish had to fetch, twice.
            let log = try await server.stopAndReadLog()
            #expect(log.entries.count == 170)
        }
    }
}
