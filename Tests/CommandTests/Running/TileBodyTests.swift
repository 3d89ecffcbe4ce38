import Foundation
import Testing

/// What tiles weigh, and how they are packed.
@Suite(.serialized)
struct TileBodyTests {
    /// A vector tile of nine bytes in gzip, and that in gzip again.
    private static let packed = "H4sIAAAAAAACA5Ni52JM1GhQqAAAs0a1UQkAAAA="
    private static let packedTwice =
        "H4sIAAAAAAACA5Pv5mAAASbmyUnPk3yuZASsYGDY7LY1kBMoCADYOndOHQAAAA=="

    private static let location = NginxConfig.Part(
        server: """
            location /declared/ { alias @PREFIX@/bodies/; add_header Content-Encoding gzip; }
            location /bare/ { alias @PREFIX@/bodies/; }
            """)

    private func run(
        _ server: NginxServer, _ path: String, _ tiles: String, checks: String,
        transport: String = "auto"
    ) async throws -> ScenarioRun {
        try await ScenarioRun.run(
            """
            {"target": {"tiles": "\(server.url)/\(path)/{z}/{x}/{y}.pbf"},
             "workload": {"kind": "list", "tiles": [\(tiles)]}, "checks": {\(checks)},
             "load": {"users": 1, "transport": "\(transport)"}, "on_invalid": "warn"}
            """)
    }

    @Test(arguments: ["direct", "libcurl"]) func gzipOfEachKind(transport: String) async throws {
        try await withNginx(NginxConfig(Self.location)) { server in
            for (name, text) in [("1/0/0", Self.packed), ("1/0/1", Self.packedTwice)] {
                let body = try #require(Data(base64Encoded: text))
                try server.folder.write("bodies/\(name).pbf", Array(body))
            }
            for (path, tile, outcome, words) in [
                ("declared", "1/0/0", "tile", nil),
                ("declared", "1/0/1", "gzip_twice", "packed twice"),
                ("bare", "1/0/0", "gzip_undeclared", "gzip without"),
            ] {
                let run = try await run(
                    server, path, "\"\(tile)\"", checks: "\"tile\": \"mvt\"",
                    transport: transport)
                let report = try run.report()
                #expect(try report.int("outcomes.\(outcome)") == 1, "\(path) \(tile)")
                #expect(try report.int("ledger.ok") == (outcome == "tile" ? 1 : 0))
                if let words { #expect(run.result.output.contains(words), "\(run.result.output)") }
            }
        }
    }

    @Test func sizesByZoom() async throws {
        try await withNginx(NginxConfig(Self.location)) { server in
            for (name, bytes) in [("1/0/0", 100), ("1/0/1", 300), ("2/0/0", 5_000), ("2/0/1", 7)] {
                try server.folder.write("bodies/\(name).pbf", [UInt8](repeating: 1, count: bytes))
            }
            let run = try await run(
                server, "bare", #""1/0/0", "1/0/1", "2/0/0", "2/0/1""#,
                checks: #""min_bytes": 50, "max_bytes": "4kB""#)
            let report = try run.report()
            #expect(try report.counts("ledger.failed_by_detail.invalid_tile")["min_bytes"] == 1)
            #expect(try report.counts("ledger.failed_by_detail.invalid_tile")["max_bytes"] == 1)
            #expect(try report.int("zooms.0.sizes.min_bytes") == 100)
            #expect(try report.int("zooms.0.sizes.mean_bytes") == 200)
            // What the checks refuse for its size is in the histogram of sizes.
            #expect(try report.int("zooms.1.sizes.min_bytes") == 7)
            #expect(try report.int("zooms.1.sizes.max_bytes") == 5_000)
            let table = try run.folder.read("out/zooms.csv").split(separator: "\r\n")
            #expect(table[0].hasSuffix("sizes.p99_bytes,sizes.max_bytes"))
            #expect(table[2].hasSuffix(",5000"))
        }
    }
}
