import JSONText
import Testing

@testable import TileModel

@Suite struct TileJSONTests {
    static let url = "https://t.test/maps/tiles.json?v=1"

    static func read(_ text: String, url: String = url) throws -> TileSource {
        let document = try SourceDocument.read(Array(text.utf8), url: url)
        #expect(document.kind == .tilejson)
        #expect(document.layers.isEmpty && document.references.isEmpty)
        return try #require(document.sources().first)
    }

    /// A valid document with some keys more.
    static func read(version: String = "3.0.0", keys: String) throws -> TileSource {
        try read(
            #"{"tilejson": "\#(version)", "tiles": ["https://t.test/{z}/{x}/{y}.png"]\#(keys)}"#)
    }

    @Test func everything() throws {
        let source = try Self.read(
            #"""
            {
              "tilejson": "3.0.0", "name": "Roads", "tiles": ["a/{z}/{x}/{y}.mvt", "//b.test/{z}/{x}/{y}.mvt"],
              "scheme": "tms", "minzoom": 3, "maxzoom": 12, "bounds": [5.9, 45.8, 10.5, 47.8],
              "center": [8, 46.5, 7], "fillzoom": 6, "attribution": "me", "version": "1.2.3",
              "vector_layers": [{"id": "a", "fields": {}}, {"id": "b", "fields": {"x": "Number"}, "minzoom": 4, "maxzoom": 8}],
              "x-more": [1], "generator": "g"
            }
            """#)
        #expect(source.name == "Roads")
        #expect(
            source.templates
                == ["https://t.test/maps/a/{z}/{x}/{y}.mvt", "https://b.test/{z}/{x}/{y}.mvt"])
        #expect(source.scheme == .tms && source.kind == .vector && source.tileSize == 512)
        #expect(source.minZoom == 3 && source.maxZoom == 12 && source.fillZoom == 6)
        #expect(source.bounds == (try GeoBounds(west: 5.9, south: 45.8, east: 10.5, north: 47.8)))
        #expect(source.stated == [.minZoom, .maxZoom, .bounds])
        #expect(source.center == TileSource.Center(longitude: 8, latitude: 46.5, zoom: 7))
        #expect(
            source.vectorLayers == [
                TileSource.VectorLayer(id: "a", minZoom: nil, maxZoom: nil),
                TileSource.VectorLayer(id: "b", minZoom: 4, maxZoom: 8),
            ])
        #expect(source.otherKeys.map(\.name) == ["x-more", "generator"])
        #expect(source.otherKeys.map(\.node) == [.array([.int(1)]), .string("g")])
        #expect(source.notes.isEmpty, "\(source.notes)")
        #expect(try source.hosts() == ["https://t.test", "https://b.test"])
        #expect(try source.templateSet().url(TileID(z: 3, x: 1, y: 2)).hasSuffix("3/1/5.mvt"))
        #expect(source.sampleTile == TileID(z: 7, x: 66, y: 45))
    }

    @Test(arguments: ["1.0.0", "2.0.0", "2.2.0", "3.0.0", "3.0.0-rc.1+b"])
    func defaults(version: String) throws {
        let source = try Self.read(version: version, keys: "")
        #expect(source.minZoom == 0 && source.maxZoom == 30 && source.scheme == .xyz)
        #expect(source.stated == [] && source.notes.isEmpty && source.name == "tiles")
        #expect(source.kind == .raster && source.tileSize == 256)
        let (south, north) = (source.bounds.south, source.bounds.north)
        #expect(south == -north && source.bounds.west == -180 && source.bounds.east == 180)
        #expect(north == (version.hasPrefix("3") ? 85.05112877980659 : GeoBounds.latitudeMax))
        #expect(source.pyramidSize(zoom: 30) == 1 << 60)
    }

    /// An invalid optional key is as if absent, and noted with its place.
    @Test(arguments: [
        (#""minzoom": -1"#, "/minzoom"), (#""minzoom": 31"#, "/minzoom"),
        (#""minzoom": "3""#, "/minzoom"), (#""minzoom": 2.5"#, "/minzoom"),
        (#""maxzoom": 99"#, "/maxzoom"), (#""maxzoom": 1e999"#, "/maxzoom"),
        (#""minzoom": 5, "maxzoom": 4"#, "/minzoom"), (#""scheme": "zyx""#, "/scheme"),
        (#""scheme": 1"#, "/scheme"), (#""bounds": [1, 2, 3]"#, "/bounds"),
        (#""bounds": [1, 2, 3, 4, 5]"#, "/bounds"), (#""bounds": ["1", "2", "3", "4"]"#, "/bounds"),
        (#""bounds": [0, 2, 1, -2]"#, "/bounds"), (#""bounds": [170, -20, -170, -10]"#, "/bounds"),
        (#""bounds": [170, -20, 190, -10]"#, "/bounds"),
        (#""bounds": [0, 0, 1e999, 1]"#, "/bounds"),
        (#""bounds": {"w": 1}"#, "/bounds"), (#""center": [1, 2]"#, "/center"),
        (#""center": [1, 2, 99]"#, "/center"), (#""center": [200, 2, 3]"#, "/center"),
        (#""fillzoom": 31"#, "/fillzoom"), (#""version": "1""#, "/version"),
        (#""name": ["x"]"#, "/name"), (#""tileSize": 0"#, "/tileSize"),
    ])
    func invalidOptionalKeys(keys: String, path: String) throws {
        let source = try Self.read(keys: ", " + keys)
        let plain = try Self.read(keys: "")
        #expect(source.notes.first?.path == path)
        #expect(
            source.notes.allSatisfy { $0.place?.line == 1 && $0.message.contains("as if absent") })
        #expect(source.minZoom == plain.minZoom && source.maxZoom == plain.maxZoom)
        #expect(source.bounds == plain.bounds && source.scheme == plain.scheme)
        #expect(source.stated == [] && source.center == nil && source.fillZoom == nil)
        #expect(source.tileSize == plain.tileSize && source.name == plain.name)
    }

    /// What is valid though it looks odd: a point, null, a number with a fraction of zero, a
    /// rounding error.
    @Test(arguments: [
        (#""bounds": [7, 46, 7, 46]"#, 7.0, 7.0), (#""bounds": null"#, -180, 180),
        (#""bounds": [-180.0000000001, -90, 180, 90], "minzoom": 0.0, "maxzoom": 3e1"#, -180, 180),
        (#""bounds": [-180, -90, 180.0000000001, 90.00000001]"#, -180, 180),
    ])
    func validOptionalKeys(keys: String, west: Double, east: Double) throws {
        let source = try Self.read(keys: ", " + keys)
        #expect(source.notes.isEmpty, "\(source.notes)")
        #expect(source.bounds.west == west && source.bounds.east == east)
    }

    /// An invalid required key is why the document is refused.
    @Test(arguments: [
        (#"{"tiles": ["https://t/{z}/{x}/{y}"]}"#, "", "tilejson"),
        (#"{"tilejson": "3", "tiles": ["https://t/{z}/{x}/{y}"]}"#, "/tilejson", "form"),
        (#"{"tilejson": 3, "tiles": ["https://t/{z}/{x}/{y}"]}"#, "/tilejson", "form"),
        (#"{"tilejson": "03.0.0", "tiles": ["https://t/{z}/{x}/{y}"]}"#, "/tilejson", "form"),
        (#"{"tilejson": "4.0.0", "tiles": ["https://t/{z}/{x}/{y}"]}"#, "/tilejson", "not known"),
        (#"{"tilejson": "3.0.0"}"#, "", "missing"),
        (#"{"tilejson": "3.0.0", "tiles": []}"#, "/tiles", "at least"),
        (#"{"tilejson": "3.0.0", "tiles": "https://t/{z}"}"#, "/tiles", "array"),
        (#"{"tilejson": "3.0.0", "tiles": [1]}"#, "/tiles/0", "a number"),
        (#"{"tilejson": "3.0.0", "tiles": ["https://t/{z}", ""]}"#, "/tiles/1", "empty"),
        (#"{"tilejson": "3.0.0", "tiles": ["mapbox://x"]}"#, "/tiles/0", "mapbox"),
        (#"{"tilejson": "3.0.0", "tiles": ["https://t\\u/{z}"]}"#, "/tiles/0", "stands before"),
        (#"{"tilejson": "3.0.0", "tiles": ["https://{z}.t/"]}"#, "/tiles/0", "host"),
        (
            #"{"tilejson": "3.0.0", "tiles": ["https://t/{z}"], "vector_layers": {}}"#,
            "/vector_layers", "array"
        ),
        (
            #"{"tilejson": "3.0.0", "tiles": ["https://t/{z}"], "vector_layers": [{}]}"#,
            "/vector_layers/0", "id"
        ),
        (
            #"{"tilejson": "3.0.0", "tiles": ["https://t/{z}"], "vector_layers": [{"id": "a"}]}"#,
            "/vector_layers/0", "fields"
        ),
        (#"{"tilejson": "3.0.0", "tiles": ["a", "b"], "tiles": []}"#, "/tiles", "twice"),
    ])
    func refusals(text: String, path: String, word: String) throws {
        let error = try #require(throws: DocumentRemark.self) { _ = try Self.read(text) }
        #expect(error.path == path && error.place?.line == 1, "\(error)")
        #expect(error.message.contains(word), "\(error)")
    }

    /// Version 2 does not know `vector_layers`, so what is wrong with them refuses nothing.
    @Test func vectorLayersOfVersion2() throws {
        let source = try Self.read(version: "2.2.0", keys: #", "vector_layers": [{"fields": 1}]"#)
        #expect(source.vectorLayers.isEmpty)
        #expect(source.notes.map(\.path) == ["/vector_layers/0"])
        let fieldless = try Self.read(version: "2.1.0", keys: #", "vector_layers": [{"id": "a"}]"#)
        #expect(fieldless.vectorLayers.map(\.id) == ["a"] && fieldless.notes.isEmpty)
    }

    /// Images have no such layers, whatever the version.
    @Test func vectorLayersOfImages() throws {
        let source = try Self.read(
            version: "3.0.0", keys: #", "format": "png", "vector_layers": "no""#)
        #expect(source.kind == .raster && source.vectorLayers.isEmpty)
        #expect(source.notes.map(\.path) == ["/vector_layers"])
    }

    @Test func relativeTilesNeedAWebAddress() throws {
        let text = #"{"tilejson": "2.2.0", "tiles": ["{z}/{x}/{y}.png"]}"#
        #expect(try Self.read(text).templates == ["https://t.test/maps/{z}/{x}/{y}.png"])
        let error = try #require(throws: DocumentRemark.self) {
            _ = try Self.read(text, url: "/srv/tiles.json")
        }
        #expect(error.path == "/tiles/0" && error.message.contains("relative"))
    }

    /// A placeholder that only MapLibre's rule leaves alone is noted, and `keep` reads it.
    @Test func unknownPlaceholders() throws {
        let source = try Self.read(
            #"{"tilejson": "2.2.0", "tiles": ["https://t.test/{z}/{x}/{y}?k={key}"]}"#)
        #expect(source.notes.map(\.path) == ["/tiles/0"])
        #expect(throws: TemplateSetError.self) { _ = try source.templateSet() }
        let set = try source.templateSet(TemplateOptions(unknown: .keep))
        #expect(set.url(TileID(z: 1, x: 0, y: 1)) == "https://t.test/1/0/1?k={key}")
    }

    @Test(
        arguments: [
            (#""tiles": ["https://t/{z}.pbf?k=a.png"]"#, TileSource.Kind.vector),
            (#""tiles": ["https://t/{z}.WEBP"]"#, .raster), (#""tiles": ["https://t/{z}"]"#, nil),
            (#""tiles": ["https://t/{z}"], "format": "pbf""#, .vector),
            (#""tiles": ["https://t/{z}"], "format": "png""#, .raster),
            (#""tiles": ["https://t/{z}.png"], "encoding": "terrarium""#, .rasterDEM),
            (#""tiles": ["https://t/{z}"], "encoding": "mlt""#, .vector),
            (#""tiles": ["https://t/{z}"], "vector_layers": [{"id": "a"}]"#, .vector),
        ] as [(String, TileSource.Kind?)])
    func kinds(keys: String, kind: TileSource.Kind?) throws {
        #expect(try Self.read(#"{"tilejson": "2.2.0", \#(keys)}"#).kind == kind)
    }
}
