import Foundation
import Testing

/// Runs against MapProxy, which `make test-all` installs from PyPI: another reading of the same
/// standards. It refuses tiles outside its grids and boxes in the wrong order of axes.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["TILEBENCH_MAPPROXY"] != nil))
struct MapProxyTests {
    private static let configuration = """
        services:
          wms: {srs: ['EPSG:4326', 'EPSG:3857', 'CRS:84'], md: {title: T}}
          wmts: {restful: true, kvp: true}
          tms: {use_grid_names: true}
        layers:
          - {name: web, title: web, sources: [cweb]}
          - {name: deg, title: deg, sources: [cdeg]}
          - {name: loc, title: loc, sources: [cloc]}
          - {name: low, title: low, sources: [clow]}
        caches:
          cweb: {grids: [webmercator], sources: [d], disable_storage: true}
          cdeg: {grids: [deg], sources: [d], disable_storage: true}
          cloc: {grids: [loc], sources: [d], disable_storage: true}
          clow: {grids: [low], sources: [d]}
        sources:
          d: {type: debug}
        grids:
          webmercator: {base: GLOBAL_WEBMERCATOR}
          deg: {srs: 'EPSG:4326', origin: nw, bbox: [-180, -90, 180, 90], tile_size: [256, 256],
                res: [0.703125, 0.3515625, 0.17578125, 0.087890625]}
          loc: {srs: 'EPSG:3857', origin: nw, num_levels: 8,
                bbox: [500000, 5500000, 1500000, 6500000]}
          low: {base: GLOBAL_MERCATOR}
        globals: {cache: {base_dir: stored}, tiles: {expires_hours: 0}}
        """

    /// The WSGI application on a port of its own choosing. What was asked for is in `asked`.
    private static let server = """
        import sys
        from wsgiref.simple_server import WSGIRequestHandler, make_server
        from mapproxy.wsgiapp import make_wsgi_app

        class Logging(WSGIRequestHandler):
            def log_request(self, code, size):
                print(int(code), self.path, file=asked)

        asked = open("asked", "w", buffering=1)
        server = make_server("127.0.0.1", 0, make_wsgi_app("mapproxy.yaml"), handler_class=Logging)
        print("port", server.server_port, flush=True)
        server.serve_forever()
        """

    private func withMapProxy(_ body: (String) async throws -> Void) async throws {
        try await withMapProxy(in: TemporaryFolder(), body)
    }

    private func withMapProxy(
        in folder: TemporaryFolder, _ body: (String) async throws -> Void
    ) async throws {
        try folder.write("mapproxy.yaml", Self.configuration)
        try folder.write("server.py", Self.server)
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let process = try ChildProcess(
            root.appending(path: ".venv/bin/python").path, ["server.py"],
            environment: ["PYTHONDONTWRITEBYTECODE": "1"], workingFolder: folder.path,
            outputFolder: folder, keepsInputOpen: true)
        defer { process.kill() }
        try await waitUntil(timeoutS: 60) {
            process.output().hasSuffix("\n") || process.poll() != nil
        }
        guard let port = process.output().split(separator: " ").last else {
            throw ProcessFailure(description: "MapProxy: \(process.errorOutput())")
        }
        try await body("http://127.0.0.1:" + port.trimmingCharacters(in: .newlines))
    }

    private func expectTiles(_ target: String, zooms: String = "") async throws {
        let run = try await ScenarioRun.run(
            """
            {"target": {\(target)}, "workload": {\(zooms)}, "on_invalid": "warn",
             "load": {"users": 1, "count": 25, "for": "120s"}, "checks": {"tile": "png"}}
            """, timeoutS: 150)
        #expect(run.result.exitCode == 0, "\(target): \(run.result.errorOutput)")
        #expect(try run.report().int("ledger.ok") == 25, "\(target)")
    }

    @Test func wmts() async throws {
        try await withMapProxy { url in
            for layer in ["web", "deg", "loc"] {
                for capabilities in [
                    "/wmts/1.0.0/WMTSCapabilities.xml", "/service?SERVICE=WMTS",
                ] {
                    try await expectTiles(
                        """
                        "wmts": {"capabilities": "\(url)\(capabilities)", "layer": "\(layer)"}
                        """)
                }
            }
        }
    }

    @Test func wms() async throws {
        try await withMapProxy { url in
            for version in ["1.1.1", "1.3.0"] {
                for crs in ["EPSG:4326", "EPSG:3857", "CRS:84"] {
                    try await expectTiles(
                        """
                        "wms": {"url": "\(url)/service", "version": "\(version)", "crs": "\(crs)",
                                "layers": "web", "format": "image/png"}
                        """, zooms: "\"zooms\": [2, 6]")
                }
            }
        }
    }

    /// Rows from the south, and an ETag that is no quoted string, which comes back as it was.
    @Test func tmsAndAnUnquotedETag() async throws {
        let folder = try TemporaryFolder()
        try await withMapProxy(in: folder) { url in
            let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
            let layer = "/tiles/1.0.0/low/low"
            let path = "\(layer)/3/2/6.png"
            // The same picture as at the WMTS, which counts from the north. The ETag is another
            // once the tile is stored.
            let south = try await LoopbackHTTP.request(port: port, path: path)
            let north = try await LoopbackHTTP.request(
                port: port, path: "/wmts/low/low/3/2/1.png")
            #expect(south.status == 200 && south.body == north.body)
            #expect(south.headers["etag"].map { !$0.contains("\"") } == true)
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(url)\(layer)/{z}/{x}/{y}.png", "scheme": "tms"},
                 "workload": {"kind": "list", "tiles": ["3/2/1"]}, "on_invalid": "warn",
                 "cache": {"client": {"honour": "rfc9111"}},
                 "load": {"users": 1, "count": 3}, "checks": {"tile": "png"}}
                """)
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            #expect(try run.report().int("cache.client.revalidated") == 2)
            #expect(
                try folder.read("asked").split(separator: "\n").suffix(3)
                    == ["200 \(path)", "304 \(path)", "304 \(path)"])
        }
    }
}
