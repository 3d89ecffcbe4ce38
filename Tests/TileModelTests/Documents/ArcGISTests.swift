import JSONText
import Testing

@testable import TileModel

@Suite struct ArcGISTests {
    static let url = "https://a.test/arcgis/rest/services/World/MapServer?f=json&key=k1"

    /// The description of a service, every part of which a test can replace.
    struct Service {
        var more = ""
        var system = #"{"wkid": 102100, "latestWkid": 3857}"#
        var origin = #"{"x": -2.0037508342787E7, "y": 2.0037508342787E7}"#
        var pixels = 256
        var levels = Array(0...5)
        /// The zoom of level 0.
        var offset = 0
        var extent =
            #", "fullExtent": {"xmin": 0, "ymin": 0, "xmax": 20037507.0671618, "ymax": 19971868.880408604, "spatialReference": {"wkid": 102100}}"#

        var text: String {
            let lods = levels.map { level in
                let resolution =
                    156543.03392800014 * 256 / Double(pixels) / Double(1 << (level + offset))
                return
                    #"{"level": \#(level), "resolution": \#(resolution), "scale": \#(resolution * 3779.527559)}"#
            }
            return #"""
                {"currentVersion": 10.91, "mapName": "Layers", "singleFusedMapCache": true, "layers": [],
                "tileInfo": {"rows": \#(pixels), "cols": \#(pixels), "dpi": 96, "format": "JPEG", "origin": \#(origin),
                "spatialReference": \#(system), "lods": [\#(lods.joined(separator: ","))]}\#(extent)\#(more)}
                """#
        }

        func source(url: String = ArcGISTests.url) throws -> TileSource {
            let document = try SourceDocument.read(Array(text.utf8), url: url)
            #expect(document.kind == .arcgis)
            return try document.sources()[0]
        }
    }

    @Test func mapServer() throws {
        let source = try Service().source()
        #expect(source.name == "World" && source.kind == .raster && source.format == "JPEG")
        #expect(
            try source.templateSet().url(TileID(z: 4, x: 9, y: 6))
                == "https://a.test/arcgis/rest/services/World/MapServer/tile/4/6/9?key=k1")
        #expect(source.minZoom == 0 && source.maxZoom == 5 && source.tileSize == 256)
        #expect(source.bounds.west == 0 && source.bounds.south == 0)
        #expect(abs(source.bounds.east - 180) < 1e-4 && abs(source.bounds.north - 85) < 0.1)
        #expect(source.notes.isEmpty && source.matrixNames.isEmpty)
    }

    @Test(arguments: [
        (#", "minLOD": 2, "maxLOD": 4"#, 2, 4), (#", "maxLOD": 3"#, 0, 3),
        (#", "minScale": 147914382, "maxScale": 36978595"#, 2, 4),
        (#", "minScale": 0, "maxScale": 0"#, 0, 5), (#", "minLOD": "x""#, 0, 5),
        (#", "minLOD": 0, "maxLOD": 99"#, 0, 5),
        (#", "minLOD": 0, "maxLOD": 5, "minScale": 10, "maxScale": 1"#, 0, 5),
    ])
    func servedLevels(more: String, low: UInt8, high: UInt8) throws {
        var service = Service()
        service.more = more
        let source = try service.source()
        #expect(source.minZoom == low && source.maxZoom == high)
    }

    /// Levels need not be zooms: then they are names, as in a service of one country.
    @Test func levelsWithOtherNumbers() throws {
        var service = Service()
        service.offset = 6
        let source = try service.source(url: "http://a.test/x/MapServer/")
        #expect(source.minZoom == 6 && source.maxZoom == 11)
        #expect(
            try source.templateSet().url(TileID(z: 7, x: 66, y: 44))
                == "http://a.test/x/MapServer/tile/1/44/66")
        var large = Service()
        large.pixels = 512
        #expect(try large.source().matrixNames.isEmpty)
        #expect(try large.source().tileSize == 512)
    }

    @Test func vectorTileServer() throws {
        var service = Service()
        service.more = #", "tiles": ["tile/{z}/{y}/{x}.pbf"], "defaultStyles": "resources/styles""#
        let source = try service.source(url: "https://a.test/V/VectorTileServer?f=pjson")
        #expect(source.kind == .vector)
        #expect(source.templates == ["https://a.test/V/VectorTileServer/tile/{z}/{y}/{x}.pbf"])
    }

    @Test func extents() throws {
        var service = Service()
        service.extent =
            #", "fullExtent": {"xmin": 5, "ymin": 45, "xmax": 11, "ymax": 48, "spatialReference": {"wkid": 4326}}"#
        #expect(try service.source().bounds == GeoBounds(west: 5, south: 45, east: 11, north: 48))
        for extent in [
            #"{"xmin": "NaN", "ymin": 45, "xmax": 11, "ymax": 48, "spatialReference": {"wkid": 4326}}"#,
            #"{"xmin": 5, "ymin": 45, "xmax": 11, "ymax": 48, "spatialReference": {"wkid": 2056}}"#,
            #"{"xmin": 5, "ymin": 49, "xmax": 11, "ymax": 48, "spatialReference": {"wkid": 4326}}"#,
            #"{"xmin": 15, "ymin": 45, "xmax": 11, "ymax": 48, "spatialReference": {"wkid": 4326}}"#,
            #"{"xmin": 5e9, "ymin": 45, "xmax": 11, "ymax": 48, "spatialReference": {"wkid": 4326}}"#,
        ] {
            service.extent = ", \"fullExtent\": " + extent
            let source = try service.source()
            #expect(source.bounds == .world && !source.stated.contains(.bounds))
            #expect(source.notes.map(\.path) == ["/fullExtent"], "\(extent)")
        }
    }

    @Test func refusals() throws {
        func error(_ change: (inout Service) -> Void) throws -> DocumentRemark {
            var service = Service()
            change(&service)
            return try #require(throws: DocumentRemark.self) { _ = try service.source() }
        }
        let swiss = try error { $0.system = #"{"wkid": 2056}"# }
        #expect(swiss.path == "/tileInfo/spatialReference" && swiss.message.contains("2056"))
        #expect(
            try error { $0.origin = #"{"x": -5123200, "y": 10002100}"# }.path == "/tileInfo/origin")
        #expect(try error { $0.origin = "null" }.path == "/tileInfo/origin")
        #expect(try error { $0.levels = [] }.path == "/tileInfo/lods")
        #expect(try error { $0.levels = [1, 0] }.path == "/tileInfo/lods/1")
        #expect(try error { $0.offset = -1 }.path.isEmpty == false)
        #expect(try error { $0.pixels = -256 }.path == "/tileInfo")
        #expect(try error { $0.more = #", "minLOD": 9"# }.path == "/tileInfo/lods")
        let dynamic = try #require(throws: DocumentRemark.self) {
            _ = try SourceDocument.read(
                Array(#"{"currentVersion": 10, "mapName": "x", "layers": []}"#.utf8), url: Self.url)
        }
        #expect(dynamic.message.contains("no tile cache"))
        #expect(throws: DocumentRemark.self) { _ = try Service().source(url: "service.json") }
    }

    /// A resolution between two zooms.
    @Test func scalesOfTheirOwn() throws {
        let text = Service().text.replacing(
            "\"resolution\": 156543.03392800014", with: "\"resolution\": 132291.9")
        let error = try #require(throws: DocumentRemark.self) {
            _ = try SourceDocument.read(Array(text.utf8), url: Self.url)
        }
        #expect(error.path == "/tileInfo/lods/0/resolution" && error.place?.line == 3)
    }
}
