import JSONText
import Testing
import TileModel

@testable import Workload

/// Documents as they are answered, and what was asked for.
final class DocumentShelf {
    var documents: [String: String]
    private(set) var asked: [String] = []

    init(_ documents: [String: String]) { self.documents = documents }

    func fetch(_ request: DocumentRequest) -> Result<FetchedDocument, DocumentFailure> {
        asked.append(request.template)
        guard let text = documents[request.url] else {
            return .failure(DocumentFailure("the document was answered with status 404"))
        }
        return .success(FetchedDocument(bytes: Array(text.utf8), url: request.url))
    }
}

@Suite("Targets that a document describes")
struct DocumentTargetTests {
    static let tileJSON = """
        {"tilejson": "3.0.0", "tiles": ["http://127.0.0.1/t/{z}/{x}/{y}.png"], "minzoom": 3,
         "maxzoom": 6, "bounds": [5, 45, 10, 48], "scheme": "tms"}
        """
    static let style = """
        {"version": 8, "sources": {
          "v": {"type": "vector", "url": "http://127.0.0.1/tiles.json"},
          "r": {"type": "raster", "tiles": ["http://127.0.0.1/r/{z}/{x}/{y}.png"], "tileSize": 256, "maxzoom": 4},
          "x": {"type": "raster", "tiles": ["https://third.test/{z}/{x}/{y}.png"]},
          "y": {"type": "vector", "url": "https://fourth.test/tiles.json"}}, "layers": []}
        """

    private func shelf(_ more: [String: String] = [:]) -> DocumentShelf {
        DocumentShelf(
            [
                "http://127.0.0.1/tiles.json": Self.tileJSON,
                "http://127.0.0.1/style.json": Self.style,
            ].merging(more) { $1 })
    }

    private func made(
        _ target: String, _ shelf: DocumentShelf, _ more: String = "",
        _ location: SourceLocation = #_sourceLocation
    ) throws -> Plan {
        let text = "{\"target\": {\(target)}\(more.isEmpty ? "" : ", " + more)}"
        switch load(text, fetch: shelf.fetch) {
        case .success(let plan): return plan
        case .failure(let problems):
            Issue.record("\(problems.formatted)", sourceLocation: location)
            throw problems
        }
    }

    private func refusal(_ target: String, _ shelf: DocumentShelf, _ more: String = "") -> String {
        let text = "{\"target\": {\(target)}\(more.isEmpty ? "" : ", " + more)}"
        switch load(text, fetch: shelf.fetch) {
        case .success: return ""
        case .failure(let problems): return problems.formatted
        }
    }

    @Test("A TileJSON gives templates, scheme, zooms and bounds")
    func tileJSON() throws {
        let shelf = shelf()
        let plan = try made("\"tilejson\": \"http://127.0.0.1/tiles.json\"", shelf)
        #expect(shelf.asked == ["http://127.0.0.1/tiles.json"])
        #expect(plan.target.templates == ["http://127.0.0.1/t/{z}/{x}/{y}.png"])
        #expect(plan.workload.zooms == 3...6)
        #expect(plan.target.hosts == ["127.0.0.1"])
        let set = try plan.target.templateSet()
        #expect(set.url(TileID(z: 3, x: 4, y: 2)) == "http://127.0.0.1/t/3/4/5.png")
        let stream = try RequestStream(
            workload: plan.workload, sources: plan.target.sources, seed: 1)
        for index in UInt64(0)..<200 {
            let tile = stream.tile(at: index)
            #expect((3...6).contains(tile.z))
            let box = tile.geoBounds
            #expect(box.west < 10 && box.east > 5 && box.south < 48 && box.north > 45)
        }
        #expect(plan.json["target"]?["tilejson"]?.string == "http://127.0.0.1/tiles.json")
    }

    @Test("What the scenario says comes before what the document says")
    func overrides() throws {
        let plan = try made(
            "\"tilejson\": \"http://127.0.0.1/tiles.json\", \"scheme\": \"xyz\", \"max_zoom\": 4",
            shelf(), "\"workload\": {\"kind\": \"pyramid\", \"zooms\": [4, 9]}")
        #expect(
            try plan.target.templateSet().url(TileID(z: 3, x: 4, y: 2))
                == "http://127.0.0.1/t/3/4/2.png")
        let stream = try RequestStream(
            workload: plan.workload, sources: plan.target.sources, seed: 1)
        // The tiles of zoom 4 once, for zooms 4 to 9.
        #expect(stream.passCount == 1 * 2 || stream.passCount == 1)
        #expect((0..<stream.passCount!).allSatisfy { stream.tile(at: $0).z == 4 })
        #expect(plan.json["target"]?["max_zoom"]?.int == 4)
    }

    @Test("Hosts of a document that the scenario does not name")
    func fence() throws {
        let elsewhere = shelf([
            "http://127.0.0.1/other.json":
                #"{"tilejson": "2.2.0", "tiles": ["https://a.test/{z}/{x}/{y}", "https://b.test/{z}/{x}/{y}"]}"#
        ])
        let words = refusal("\"tilejson\": \"http://127.0.0.1/other.json\"", elsewhere)
        #expect(words.contains("`a.test`, `b.test`"))
        #expect(words.contains(#"target.hosts=["127.0.0.1", "a.test", "b.test"]"#), "\(words)")
        let allowed = try made(
            "\"tilejson\": \"http://127.0.0.1/other.json\", \"hosts\": [\"127.0.0.1\", \"a.test\", \"b.test\"]",
            elsewhere)
        #expect(allowed.target.templates.count == 2)
        // The document's own host must be there too, and then it is not asked.
        let outside = shelf()
        let refused = refusal(
            "\"tilejson\": \"http://127.0.0.1/tiles.json\", \"hosts\": [\"a.test\"]", outside)
        #expect(refused.contains("`127.0.0.1` is outside the fence"))
        #expect(outside.asked.isEmpty)
    }

    @Test("A style's sources; those of third parties are named and left out")
    func style() throws {
        let shelf = shelf()
        let plan = try made("\"style\": \"http://127.0.0.1/style.json\"", shelf)
        #expect(plan.target.sources.map(\.name).sorted() == ["r", "v"])
        #expect(shelf.asked == ["http://127.0.0.1/style.json", "http://127.0.0.1/tiles.json"])
        for name in ["third.test", "fourth.test"] {
            #expect(plan.notes.contains { $0.contains("`\(name)`") && $0.contains("left out") })
        }
        #expect(!plan.target.hosts.contains("third.test"))
        #expect(plan.workload.zooms == 0...6)
    }

    @Test("A document that cannot be had is no mistake of the scenario")
    func missing() {
        let shelf = shelf()
        let text = "{\"target\": {\"tilejson\": \"http://127.0.0.1/none.json\"}}"
        guard case .failure(let problems) = load(text, fetch: shelf.fetch) else {
            Issue.record("it was taken")
            return
        }
        #expect(problems.isUnreachable)
        #expect(problems.formatted.contains("status 404"))
        // A scenario with another problem asks for nothing.
        let broken = self.shelf()
        let words = refusal(
            "\"tilejson\": \"http://127.0.0.1/tiles.json\", \"ratio\": \"x\"", broken)
        #expect(words.contains("/target/ratio"))
        #expect(broken.asked.isEmpty)
    }

    @Test("Nothing is sent where nothing is to be sent")
    func unread() throws {
        let text = "{\"target\": {\"style\": \"http://127.0.0.1/style.json\"}}"
        let plan = try plan(text)
        #expect(plan.notes.contains { $0.contains("fetched when the run starts") })
        #expect(plan.target.document?.isUnread == true)
    }

    @Test("The wrong kind of document, with the right key")
    func wrongKind() {
        let words = refusal("\"style\": \"http://127.0.0.1/tiles.json\"", shelf())
        #expect(words.contains("is a TileJSON, not a style"))
        #expect(words.contains("target.tilejson"))
    }

    @Test("The token goes where the tiles have it")
    func tokens() throws {
        let shelf = shelf()
        let plan = try made(
            "\"tilejson\": \"http://127.0.0.1/tiles.json\", \"compat\": \"maplibre-gl\"", shelf,
            "\"auth\": {\"static\": \"s3cret-token\", \"token\": {\"in\": \"query\", \"name\": \"k\"}}"
        )
        #expect(shelf.asked == ["http://127.0.0.1/tiles.json?k={token}"])
        #expect(
            try plan.target.templateSet().url(TileID(z: 3, x: 4, y: 2), token: "T")
                == "http://127.0.0.1/t/3/4/5.png?k=T")
    }

    @Test("A renewal of kind document renews by the target's own document")
    func documentRenewal() throws {
        let shelf = DocumentShelf([
            "http://127.0.0.1/signed.json":
                #"{"tilejson": "3.0.0", "tiles": ["http://127.0.0.1/{z}/{x}/{y}?e=1&sig=first"]}"#
        ])
        let plan = try made(
            "\"tilejson\": \"http://127.0.0.1/signed.json\"", shelf,
            """
            "auth": {"token": {"in": "query", "name": "sig"}, "renewal": {"kind": "document"}}
            """)
        #expect(plan.auth?.renewal?.url == "http://127.0.0.1/signed.json")
        #expect(plan.target.templates == ["http://127.0.0.1/{z}/{x}/{y}?e=1&sig={token}"])
    }

    @Test(
        "WMTS without capabilities, and keys of the other form",
        arguments: [
            (
                #"{"template": "http://127.0.0.1/{TileMatrix}/{TileRow}/{TileCol}", "matrix": "m{z:02}"}"#,
                ""
            ), ("{}", "needs `capabilities` or `template`"),
            (
                #"{"template": "http://127.0.0.1/{TileMatrix}", "matrix": "m"}"#,
                "/target/wmts/matrix"
            ),
            (
                #"{"template": "http://127.0.0.1/{TileMatrix}", "layer": "l"}"#,
                "/target/wmts/layer"
            ),
            (
                #"{"template": "http://127.0.0.1/{TileMatrix}", "capabilities": "http://127.0.0.1/"}"#,
                "exclude each other"
            ), (#"{"capabilities": "http://127.0.0.1/", "matrix": "{z}"}"#, "/target/wmts/matrix"),
        ])
    func wmts(value: String, problem: String) throws {
        guard problem.isEmpty else {
            let words = refusal("\"wmts\": \(value)", shelf())
            #expect(words.contains(problem), "\(words)")
            return
        }
        let plan = try made("\"wmts\": \(value)", shelf())
        #expect(
            try plan.target.templateSet().url(TileID(z: 3, x: 4, y: 2))
                == "http://127.0.0.1/m03/2/4")
    }

    @Test("max_zoom of a plain template: above it the parent tile is asked for")
    func overzoom() throws {
        let plan = try plan(
            local(
                #""workload": {"kind": "list", "tiles": ["9/100/200", "4/3/2"]}"#,
                target: #""max_zoom": 7"#))
        let stream = try RequestStream(
            workload: plan.workload, sources: plan.target.sources, seed: 1)
        #expect(stream.tile(at: 0) == TileID(z: 7, x: 25, y: 50))
        #expect(stream.tile(at: 1) == TileID(z: 4, x: 3, y: 2))
    }

    @Test("Viewers and logs are of Web Mercator", arguments: ["viewers", "replay"])
    func ownGrids(kind: String) throws {
        let file = try LogFile("3/1/2\n")
        let workload =
            "\"workload\": {\"kind\": \"\(kind)\""
            + (kind == "replay" ? ", \"file\": \"\(file.path)\"}" : "}")
        for (system, corner, isTaken) in [
            ("EPSG::3857", "-20037508.342789244 20037508.342789244", true),
            ("EPSG::4326", "90 -180", false),
        ] {
            let scale = isTaken ? 559_082_264.0287178 : 279_541_132.0143589
            let matrices = (0..<4).map { zoom in
                """
                <TileMatrix><ows:Identifier>\(zoom)</ows:Identifier>
                <ScaleDenominator>\(scale / Double(1 << zoom))</ScaleDenominator>
                <TopLeftCorner>\(corner)</TopLeftCorner>
                <TileWidth>256</TileWidth><TileHeight>256</TileHeight>
                <MatrixWidth>\((isTaken ? 1 : 2) << zoom)</MatrixWidth>
                <MatrixHeight>\(1 << zoom)</MatrixHeight></TileMatrix>
                """
            }
            let shelf = DocumentShelf([
                "http://127.0.0.1/caps.xml": """
                <Capabilities xmlns="http://www.opengis.net/wmts/1.0"
                 xmlns:ows="http://www.opengis.net/ows/1.1" version="1.0.0"><Contents>
                <Layer><ows:Identifier>roads</ows:Identifier>
                <Style isDefault="true"><ows:Identifier>d</ows:Identifier></Style>
                <Format>image/png</Format>
                <TileMatrixSetLink><TileMatrixSet>g</TileMatrixSet></TileMatrixSetLink>
                <ResourceURL format="image/png" resourceType="tile"
                 template="http://127.0.0.1/{TileMatrix}/{TileRow}/{TileCol}"/></Layer>
                <TileMatrixSet><ows:Identifier>g</ows:Identifier>
                <ows:SupportedCRS>urn:ogc:def:crs:\(system)</ows:SupportedCRS>
                \(matrices.joined())</TileMatrixSet></Contents></Capabilities>
                """
            ])
            let target = "\"wmts\": {\"capabilities\": \"http://127.0.0.1/caps.xml\"}"
            guard !isTaken else {
                _ = try made(target, shelf, workload)
                continue
            }
            let words = refusal(target, shelf, workload)
            #expect(words.contains("/target/wmts"), "\(words)")
            #expect(words.contains("a grid of its own, no Web Mercator"), "\(words)")
        }
    }
}
