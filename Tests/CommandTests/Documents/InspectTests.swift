import Foundation
import Testing

@Suite(.serialized)
struct InspectTests {
    private func inspect(_ arguments: [String]) async throws -> CommandResult {
        try await TilebenchBinary.run(["inspect"] + arguments, in: try TemporaryFolder())
    }

    @Test func aTileJSONInWords() async throws {
        try await withDocumentServer { server in
            let result = try await inspect([server.url + "/tiles.json"])
            #expect(result.exitCode == 0, "\(result.errorOutput)")
            for words in [
                "A TileJSON \"Streets\"", "/t/{z}/{x}/{y}.png", "2 to 6", "5, 45, 11, 48",
                "http://127.0.0.1:\(server.port)", "200, tile",
            ] {
                #expect(result.output.contains(words), "\(words): \(result.output)")
            }
        }
    }

    private struct Page: Decodable {
        struct Layer: Decodable { var name: String }
        struct Source: Decodable {
            var name: String
            var tiles: [String]
            var zooms: [Int]
            var tile_url: String?
            var tile_status: Int?
            var pyramid_tiles: UInt64
        }
        var kind: String
        var layers: [Layer]
        var sources: [Source]
        var notes: [String]
    }

    @Test(
        arguments: [
            ("/style.json", "style", 2), ("/wmts/degrees", "wmts", 1), ("/wmts/kvp", "wmts", 1),
            ("/rest/services/A/MapServer", "arcgis", 1),
        ])
    func asJSON(path: String, kind: String, sources: Int) async throws {
        try await withDocumentServer { server in
            let result = try await inspect([server.url + path, "--json"])
            #expect(result.exitCode == 0, "\(result.errorOutput)")
            let page = try JSONDecoder().decode(Page.self, from: Data(result.output.utf8))
            #expect(page.kind == kind)
            #expect(page.sources.count == sources)
            // One tile of each was asked for and is there.
            #expect(page.sources.allSatisfy { $0.tile_status == 200 && $0.pyramid_tiles > 0 })
            #expect(page.sources.allSatisfy { $0.tile_url?.hasPrefix(server.url) == true })
            if kind == "style" {
                #expect(page.notes.contains { $0.contains("third.example.org") })
            }
            if kind == "wmts" { #expect(page.layers.map(\.name) == ["roads"]) }
        }
    }

    @Test func theTokenIsUsedAndNotShown() async throws {
        try await withDocumentServer { server in
            let folder = try TemporaryFolder()
            try folder.write("token", DocumentServer.token)
            let flags = [
                "--token-file", "token", "--set", "auth.token={\"in\":\"query\",\"name\":\"key\"}",
            ]
            let path = server.url + "/locked/tiles.json"
            let result = try await TilebenchBinary.run(["inspect", path] + flags, in: folder)
            #expect(result.exitCode == 0, "\(result.errorOutput)")
            #expect(result.output.contains("200, tile"), "\(result.output)")
            #expect(!result.output.contains("s3cret"))
            let without = try await TilebenchBinary.run(["inspect", path], in: folder)
            #expect(without.exitCode == 3)
        }
    }

    @Test func fencedTilesAreNotAskedFor() async throws {
        try await withDocumentServer { server in
            let result = try await inspect([server.url + "/other.json"])
            #expect(result.exitCode == 0, "\(result.errorOutput)")
            #expect(result.output.contains("https://tiles.example.org/{z}/{x}/{y}.png"))
            #expect(result.output.contains("which the scenario does not name"))
            #expect(!result.output.contains("answer"))
        }
    }

    @Test func noDocument() async throws {
        try await withDocumentServer { server in
            let tile = try await inspect([server.url + "/t/3/4/2.png"])
            #expect(tile.exitCode == 2)
            #expect(tile.errorOutput.contains("PNG"))
            let nobody = try await inspect(["http://127.0.0.1:1/tiles.json"])
            #expect(nobody.exitCode == 3)
            let template = try await inspect([server.url + "/t/{z}/{x}/{y}.png"])
            #expect(template.exitCode == 2)
        }
    }

    /// What `init` writes is taken by `validate` and `run` as it is.
    @Test(
        arguments: [
            "/tiles.json", "/style.json", "/wmts/rest", "/wms13", "/rest/services/A/MapServer",
        ])
    func aScenarioThatRuns(path: String) async throws {
        try await withDocumentServer { server in
            let folder = try TemporaryFolder()
            let kind = path == "/wms13" ? "?service=WMS&request=GetCapabilities" : ""
            let made = try await TilebenchBinary.run(
                ["init", server.url + path + kind], in: folder)
            #expect(made.exitCode == 0, "\(made.errorOutput)")
            #expect(made.output.contains("// "))
            try folder.write("scenario.json", made.output)
            let valid = try await TilebenchBinary.run(["validate", "scenario.json"], in: folder)
            #expect(valid.exitCode == 0, "\(valid.errorOutput)\n\(made.output)")
            let run = try await TilebenchBinary.run(
                [
                    "run", "scenario.json", "--count", "30", "--for", "60s", "--out", "out",
                    "--progress", "none", "--bounds", "5,45,11,48", "--set", "on_invalid=warn",
                    "--set", "gates=[]",
                ], in: folder)
            #expect(run.exitCode == 0, "\(run.errorOutput)\n\(made.output)")
            let report = try ReportJSON(path: folder.path("out/report.json"))
            #expect(try report.int("ledger.ok") == 30)
        }
    }
}
