import Foundation
import Testing

/// Runs against what a document describes, on a server that checks how it is asked.
@Suite(.serialized)
struct DocumentTargetTests {
    private static let alps = "\"bounds\": [5, 45, 11, 48]"

    private func run(
        _ target: String, _ more: String = "", _ flags: [String] = []
    ) async throws -> ScenarioRun {
        try await ScenarioRun.run(
            """
            {"target": {\(target)}, "workload": {\(Self.alps)\(more)}, "on_invalid": "warn",
             "load": {"users": 3, "count": 60, "for": "60s"}, "checks": {"tile": "png"}}
            """, flags)
    }

    private func expectAllGood(
        _ run: ScenarioRun, asks: Int = 60, _ location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(run.result.exitCode == 0, "\(run.result.errorOutput)", sourceLocation: location)
        let report = try run.report()
        try report.expectLedgerAddsUp(sourceLocation: location)
        #expect(try report.int("ledger.ok") == asks, sourceLocation: location)
    }

    @Test func tileJSONBehindAToken() async throws {
        try await withDocumentServer { server in
            let folder = try TemporaryFolder()
            try folder.write("token", DocumentServer.token)
            let run = try await ScenarioRun.run(
                """
                {"target": {"tilejson": "\(server.url)/locked/tiles.json"},
                 "auth": {"static": {"file": "token"}, "token": {"in": "query", "name": "key"}},
                 "load": {"users": 2, "count": 40, "for": "60s"}, "on_invalid": "warn"}
                """, in: folder)
            try expectAllGood(run, asks: 40)
            let said = try run.everythingSaid()
            #expect(!said.contains("s3cret"))
            let asked = try await server.asked()
            #expect(asked["/locked/tiles.json"] == 1)
            // Zooms and bounds are the document's.
            let zooms = Set(
                asked.keys.filter { $0.hasPrefix("/locked/t/") }
                    .compactMap { Int($0.split(separator: "/")[2]) })
            #expect(zooms.isSubset(of: Set(2...6)) && zooms.count > 1)
        }
    }

    @Test func tileJSONWithoutItsToken() async throws {
        try await withDocumentServer { server in
            let run = try await run("\"tilejson\": \"\(server.url)/locked/tiles.json\"")
            #expect(run.result.exitCode == 3)
            #expect(run.result.errorOutput.contains("status 401"))
            #expect(run.folder.names(in: "out").isEmpty)
        }
    }

    @Test func styleWithAForbiddenHost() async throws {
        try await withDocumentServer { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"style": "\(server.url)/style.json"}, "workload": {\(Self.alps)},
                 "load": {"users": 3, "count": 60, "for": "60s"}, "on_invalid": "warn",
                 "gates": ["sources.streets.latency.response.all.p99 < 60s",
                           "sources.relief.hill.ok == 30", "sources.streets.failed == 0",
                           "sources.streets.latency.service.ok.count == 30"]}
                """)
            try expectAllGood(run)
            #expect(run.result.errorOutput.contains("`third.example.org`"))
            #expect(run.result.errorOutput.contains("target.hosts"))
            let report = try run.report()
            #expect(try report.string("verdict") == "pass")
            #expect(try report.int("sources.streets.started") == 30)
            #expect(run.result.output.contains("relief.hill"))
            // No tile of the deeper zooms is asked from the source that ends at 4.
            let asked = try await server.asked().keys.filter { $0.hasPrefix("/r/") }
            #expect(asked.allSatisfy { (Int($0.split(separator: "/")[1]) ?? 99) <= 4 })
        }
    }

    @Test(arguments: ["kvp", "rest", "degrees"])
    func wmts(kind: String) async throws {
        try await withDocumentServer { server in
            let target =
                "\"wmts\": {\"capabilities\": \"\(server.url)/wmts/\(kind)\", \"layer\": \"roads\"}"
            try expectAllGood(try await run(target))
            // Every tile of the pyramid of a region, once.
            let pyramid = try await ScenarioRun.run(
                """
                {"target": {\(target)}, "on_invalid": "warn", "load": {"users": 2},
                 "workload": {"kind": "pyramid", "order": "hilbert", "zooms": [0, 5], \(Self.alps)}}
                """)
            #expect(pyramid.result.exitCode == 0, "\(pyramid.result.errorOutput)")
            let report = try pyramid.report()
            #expect(try report.int("ledger.ok") == report.int("ledger.started"))
            #expect(try report.int("ledger.ok") > 3)
        }
    }

    @Test func wmtsWithoutCapabilities() async throws {
        try await withDocumentServer { server in
            let template = "\(server.url)/wmts/rest/day/grid/{TileMatrix}/{tilerow}/{TILECOL}.png"
            try expectAllGood(
                try await run(
                    "\"wmts\": {\"template\": \"\(template)\", \"matrix\": \"m:{z:02}\"}",
                    ", \"zooms\": [0, 5]"))
        }
    }

    /// The server looks at the order of the box's numbers.
    @Test(
        arguments: [
            ("wms11", "1.1.1", "EPSG:4326"), ("wms13", "1.3.0", "EPSG:4326"),
            ("wms11", "1.1.1", "EPSG:3857"), ("wms13", "1.3.0", "EPSG:3857"),
        ])
    func wms(path: String, version: String, crs: String) async throws {
        try await withDocumentServer { server in
            let run = try await run(
                """
                "wms": {"url": "\(server.url)/\(path)", "version": "\(version)", "crs": "\(crs)",
                        "layers": "relief", "format": "image/png"}
                """, ", \"zooms\": [4, 10]")
            try expectAllGood(run)
        }
    }

    @Test func arcGIS() async throws {
        try await withDocumentServer { server in
            let run = try await run("\"arcgis\": \"\(server.url)/rest/services/A/MapServer\"")
            try expectAllGood(run)
        }
    }

    @Test func redirectsStayInsideTheFence() async throws {
        try await withDocumentServer { server in
            try expectAllGood(try await run("\"tilejson\": \"\(server.url)/moved.json\""))
            let away = try await run("\"tilejson\": \"\(server.url)/away.json\"")
            #expect(away.result.exitCode == 3)
            #expect(away.result.errorOutput.contains("third.example.org"))
            #expect(away.result.errorOutput.contains("outside the fence"))
        }
    }

    @Test func tilesOnAnotherHostAreListedAndRefused() async throws {
        try await withDocumentServer { server in
            let run = try await run("\"tilejson\": \"\(server.url)/other.json\"")
            #expect(run.result.exitCode == 2)
            #expect(run.result.errorOutput.contains("`tiles.example.org`"))
            #expect(
                run.result.errorOutput.contains(
                    "target.hosts=[\"127.0.0.1:\(server.port)\", \"tiles.example.org\"]"))
        }
    }

    /// In the place of a scenario: by its URL, and as a file beside the scenario and on its own.
    @Test func documentsAreRecognised() async throws {
        try await withDocumentServer { server in
            let folder = try TemporaryFolder()
            let flags =
                ["--count", "20", "--for", "60s", "--out", "out", "--progress", "none"]
                + ["--set", "on_invalid=warn"]
            for path in ["/tiles.json", "/style.json", "/rest/services/A/MapServer"] {
                let result = try await TilebenchBinary.run(
                    ["run", server.url + path] + flags, in: folder)
                #expect(result.exitCode == 0, "\(path): \(result.errorOutput)")
                let probe = try await TilebenchBinary.run(["probe", server.url + path], in: folder)
                #expect(probe.exitCode == 0 && probe.output.contains("image/png"))
            }
            try folder.write(
                "tiles.json",
                "{\"tilejson\": \"3.0.0\", \"tiles\": [\"\(server.url)/t/{z}/{x}/{y}.png\"], \"maxzoom\": 6}"
            )
            let host = ["--set", "target.hosts=[\"127.0.0.1:\(server.port)\"]"]
            let file = try await TilebenchBinary.run(
                ["run", "tiles.json"] + flags + host, in: folder)
            #expect(file.exitCode == 0, "\(file.errorOutput)")
            try folder.write(
                "scenario.json",
                "{\"target\": {\"tilejson\": \"tiles.json\", \"hosts\": [\"127.0.0.1:\(server.port)\"]}}"
            )
            let beside = try await TilebenchBinary.run(
                ["run", "scenario.json"] + flags, in: folder)
            #expect(beside.exitCode == 0, "\(beside.errorOutput)")
        }
    }

    @Test func theAntimeridianInBounds() async throws {
        try await withDocumentServer { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tilejson": "\(server.url)/date.json"}, "on_invalid": "warn",
                 "workload": {"kind": "pyramid", "zooms": [3, 3]}, "load": {"users": 8}}
                """)
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            // The bounds are as if absent.
            #expect(try run.report().int("ledger.ok") == 64)
        }
    }
}
