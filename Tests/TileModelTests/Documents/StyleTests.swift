import JSONText
import Testing

@testable import TileModel

@Suite struct StyleTests {
    static func read(_ text: String, url: String = "https://m.test/styles/a/style.json") throws
        -> SourceDocument
    {
        let document = try SourceDocument.read(Array(text.utf8), url: url)
        #expect(document.kind == .style)
        return document
    }

    static let text = #"""
        {
          "version": 8, "name": "Streets",
          "sources": {
            "v": {"type": "vector", "tiles": ["../tiles/{z}/{x}/{y}"], "minzoom": 2, "maxzoom": 14, "scheme": "tms", "tileSize": 256},
            "r": {"type": "raster", "tiles": ["https://a.test/{z}/{x}/{y}.png", "https://b.test/{z}/{x}/{y}.png"], "tileSize": 256, "bounds": [5, 45, 10, 48]},
            "d": {"type": "raster-dem", "tiles": ["https://d.test/{quadkey}.png"], "encoding": "terrarium", "minzoom": "x"},
            "u": {"type": "vector", "url": "/data/v3.json", "maxzoom": 10},
            "g": {"type": "geojson", "data": {}}, "i": {"type": "image", "url": "x.png"},
            "m": {"type": "vector", "url": "mapbox://mapbox.streets-v8"},
            "p": {"type": "vector", "tiles": ["pmtiles://x/{z}/{x}/{y}"]},
            "n": {"type": "raster"}
          },
          "terrain": {"source": "d"},
          "layers": [
            {"id": "1", "type": "line", "source": "v"}, {"id": "2", "type": "raster", "source": "r", "layout": {"visibility": "none"}},
            {"id": "3", "type": "fill", "source": "u"}
          ]
        }
        """#

    @Test func everySourceOfTiles() throws {
        let document = try Self.read(Self.text)
        #expect(document.title == "Streets")
        let sources = try document.sources()
        #expect(sources.map(\.name) == ["v", "r", "d"])
        #expect(sources.map(\.kind) == [.vector, .raster, .rasterDEM])
        #expect(sources.map(\.tileSize) == [512, 256, 512])
        #expect(sources.map(\.minZoom) == [2, 0, 0] && sources.map(\.maxZoom) == [14, 22, 22])
        #expect(sources.map(\.scheme) == [.tms, .xyz, .xyz])
        #expect(sources[0].templates == ["https://m.test/styles/tiles/{z}/{x}/{y}"])
        #expect(sources[1].bounds.west == 5 && sources[1].stated.contains(.bounds))
        #expect(sources[2].encoding == "terrarium")
        #expect(try sources[1].hosts() == ["https://a.test", "https://b.test"])
        #expect(document.references.map(\.url) == ["https://m.test/data/v3.json"])
    }

    @Test func whatIsIgnoredIsNoted() throws {
        let notes = try Self.read(Self.text).notes
        #expect(
            notes.map(\.path) == [
                "/sources/r", "/sources/d/minzoom", "/sources/g", "/sources/i", "/sources/m/url",
                "/sources/p/tiles/0", "/sources/n",
            ])
        #expect(notes[0].message.contains("no visible layer"))
        #expect(notes[4].message.contains("Mapbox"))
        #expect(notes.allSatisfy { $0.place != nil })
    }

    /// What the style says comes before what the TileJSON says; MapLibre's defaults come last.
    @Test func references() throws {
        let style = try Self.read(Self.text)
        let reference = try #require(style.references.first)
        func source(_ keys: String) throws -> TileSource {
            try reference.source(
                from: SourceDocument.read(
                    Array(#"{"tilejson": "2.2.0", "tiles": ["{z}/{x}/{y}.pbf"]\#(keys)}"#.utf8),
                    url: reference.url))
        }
        let plain = try source("")
        #expect(plain.name == "u" && plain.kind == .vector && plain.tileSize == 512)
        #expect(plain.templates == ["https://m.test/data/{z}/{x}/{y}.pbf"])
        #expect(plain.minZoom == 0 && plain.maxZoom == 10)
        let limited = try source(#", "minzoom": 4, "maxzoom": 12, "scheme": "tms""#)
        #expect(limited.minZoom == 4 && limited.maxZoom == 10 && limited.scheme == .tms)
        #expect(throws: DocumentRemark.self) { _ = try source(#", "minzoom": 11"#) }
        #expect(throws: DocumentRemark.self) { _ = try reference.source(from: style) }
    }

    @Test func aRasterReferenceTakesTheTilesSize() throws {
        let style = try Self.read(
            #"{"version": 8, "layers": [], "sources": {"r": {"type": "raster", "url": "https://t/r.json"}}}"#
        )
        let reference = try #require(style.references.first)
        let sizes = try ["", #", "tileSize": 256"#].map { keys in
            try reference.source(
                from: SourceDocument.read(
                    Array(#"{"tilejson": "2.2.0", "tiles": ["https://t/{z}.png"]\#(keys)}"#.utf8),
                    url: reference.url))
        }
        #expect(sizes.map(\.tileSize) == [512, 256] && sizes.map(\.maxZoom) == [22, 22])
    }

    @Test(arguments: [
        (#"{"version": 7, "layers": [], "sources": {}}"#, "/version", "version 8"),
        (#"{"version": 8, "layers": [], "sources": []}"#, "/sources", "object"),
        (#"{"version": 8, "layers": [], "sources": {}}"#, "/sources", "no vector"),
        (
            #"{"version": 8, "layers": [], "sources": {"a": {"type": "geojson"}}}"#, "/sources",
            "no vector"
        ),
        (#"{"version": 8, "layers": [], "sources": {"a/b": 1}}"#, "/sources/a~1b", "a number"),
        (#"{"version": 8, "layers": [], "sources": {"a": {"type": 1}}}"#, "/sources/a", "type"),
        (
            #"{"version": 8, "layers": [], "sources": {"a": {"type": "vector", "tiles": []}}}"#,
            "/sources/a/tiles", "at least"
        ),
        (
            #"{"version": 8, "layers": [], "sources": {"a": {"type": "vector", "url": 1}}}"#,
            "/sources/a/url", "a number"
        ),
        (
            #"{"version": 8, "layers": [], "sources": {"a": {"type": "raster", "tiles": ["https://t/{z}"], "minzoom": 23}}}"#,
            "", "no zoom"
        ),
    ])
    func refusals(text: String, path: String, word: String) throws {
        let error = try #require(throws: DocumentRemark.self) { _ = try Self.read(text) }
        #expect(error.path == path && error.place?.line == 1, "\(error)")
        #expect(error.message.contains(word), "\(error)")
    }
}
