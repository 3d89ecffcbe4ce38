import Testing

@testable import TileModel

@Suite struct WMSTests {
    /// The values of a request's parameters, by name in lower case.
    static func parameters(_ source: TileSource, _ tile: TileID) throws -> [String: String] {
        let url = try source.templateSet().url(tile)
        let pairs = url.drop { $0 != "?" }.dropFirst().split(separator: "&").map { pair in
            let name = pair.prefix { $0 != "=" }
            return (name.lowercased(), String(pair[name.endIndex...].dropFirst()))
        }
        return try Dictionary(pairs) { _, _ in
            throw DocumentRemark("a parameter stands twice")
        }
    }

    static let tile = TileID(z: 6, x: 33, y: 22)

    @Test func version130() throws {
        let document = try WMSText().document()
        #expect(document.kind == .wms && document.title == "Maps")
        #expect(document.layers.map(\.name) == ["roads"])
        #expect(document.layers[0].grids == ["EPSG:3857", "EPSG:4326", "CRS:84", "EPSG:2056"])
        #expect(document.layers[0].styles == ["plain", "night"])
        let source = try document.sources()[0]
        #expect(source.templates[0].hasPrefix("https://w.test/service?map=m&"))
        #expect(
            try Self.parameters(source, Self.tile) == [
                "map": "m", "service": "WMS", "version": "1.3.0", "request": "GetMap",
                "layers": "roads", "styles": "", "format": "image%2Fpng", "transparent": "TRUE",
                "crs": "EPSG%3A3857", "width": "256", "height": "256", "exceptions": "XML",
                "bbox": "626172.1357121654,5635549.221409474,1252344.271424327,6261721.357121639",
            ])
        #expect(source.bounds == (try GeoBounds(west: 5, south: 45, east: 11, north: 48)))
        #expect(source.kind == .raster && source.tileSize == 256 && source.notes.isEmpty)
        #expect(source.ranges(zoom: 6) == [TileRange(z: 6, x: 32...33, y: 22...23)])
    }

    @Test func version111() throws {
        var text = WMSText()
        text.version = "1.1.1"
        text.layers = text.layers.replacing(
            "<EX_Geo", with: "<LatLonBoundingBox minx='5' miny='45' maxx='11' maxy='48'/><Old"
        )
        .replacing("/EX_Geo", with: "/Old")
        let source = try text.source(WMTSTests.choice { $0.format = "image/jpeg" })
        let parameters = try Self.parameters(source, Self.tile)
        #expect(parameters["version"] == "1.1.1" && parameters["srs"] == "EPSG%3A3857")
        #expect(parameters["crs"] == nil && parameters["transparent"] == "FALSE")
        #expect(parameters["exceptions"] == "application%2Fvnd.ogc.se_xml")
        #expect(source.bounds.west == 5 && source.bounds.north == 48)
    }

    /// Only 1.3.0 keeps to the order of the axes, and CRS:84 has longitude first.
    @Test(arguments: [
        ("1.3.0", "EPSG:4326", true), ("1.3.0", "CRS:84", false), ("1.1.1", "EPSG:4326", false),
    ])
    func axisOrder(version: String, crs: String, isLatitudeFirst: Bool) throws {
        var text = WMSText()
        text.version = version
        let source = try text.source(WMTSTests.choice { $0.crs = crs })
        let parameters = try Self.parameters(source, Self.tile)
        let numbers = try #require(parameters["bbox"]).split(separator: ",").compactMap {
            Double($0)
        }
        let box = Self.tile.geoBounds
        #expect(
            numbers
                == (isLatitudeFirst
                    ? [box.south, box.west, box.north, box.east]
                    : [box.west, box.south, box.east, box.north]))
        #expect(parameters[version == "1.3.0" ? "crs" : "srs"] == percentEncoded(crs))
        #expect(source.followsWebMercator)
    }

    @Test func severalLayers() throws {
        var text = WMSText()
        text.layers = """
            <Layer><Name>top</Name><CRS>CRS:84</CRS><CRS>EPSG:900913</CRS><CRS>EPSG:3857</CRS>
            <Layer><Name>a b</Name><EX_GeographicBoundingBox>
            <westBoundLongitude>5</westBoundLongitude><eastBoundLongitude>11</eastBoundLongitude>
            <southBoundLatitude>45</southBoundLatitude>
            <northBoundLatitude>48</northBoundLatitude></EX_GeographicBoundingBox></Layer>
            <Layer><Name>c</Name><Style><Name>s</Name></Style><EX_GeographicBoundingBox>
            <westBoundLongitude>7</westBoundLongitude><eastBoundLongitude>12</eastBoundLongitude>
            <southBoundLatitude>40</southBoundLatitude>
            <northBoundLatitude>46</northBoundLatitude></EX_GeographicBoundingBox></Layer></Layer>
            """
        let error = try #require(throws: DocumentRemark.self) { _ = try text.source() }
        #expect(error.hint == "there are \"top\", \"a b\", \"c\"")
        let source = try text.source(
            WMTSTests.choice {
                $0.layer = "a b,c"
                $0.style = ",s"
                $0.tileSize = 512
            })
        let parameters = try Self.parameters(source, Self.tile)
        #expect(parameters["layers"] == "a%20b,c" && parameters["styles"] == ",s")
        #expect(parameters["width"] == "512" && parameters["crs"] == "EPSG%3A3857")
        #expect(source.bounds == (try GeoBounds(west: 5, south: 40, east: 12, north: 48)))
        for (layer, style) in [("a b,d", nil), ("c", "x"), ("a b,c", "s"), ("", nil)]
            as [(String, String?)]
        {
            #expect(throws: DocumentRemark.self) {
                _ = try text.source(
                    WMTSTests.choice {
                        $0.layer = layer
                        $0.style = style
                    })
            }
        }
        text.layers = text.layers.replacing("<CRS>EPSG:3857</CRS>", with: "")
        let top = try text.source(WMTSTests.choice { $0.layer = "top" })
        #expect(!top.stated.contains(.bounds) && top.notes.count == 1)
        #expect(try Self.parameters(top, Self.tile)["crs"] == "EPSG%3A900913")
    }

    /// What a layer does not inherit from another branch it does not have.
    @Test func systemsAreInheritedDownwards() throws {
        var text = WMSText()
        text.layers = """
            <Layer><CRS>EPSG:2056</CRS><Layer><CRS>EPSG:3857</CRS></Layer><Layer><Name>x</Name>
            </Layer></Layer>
            """
        let error = try #require(throws: DocumentRemark.self) { _ = try text.source() }
        #expect(error.path == "<Layer>" && error.hint == "there are \"EPSG:2056\"")
    }

    /// 1:559082264 is zoom 0 with tiles of 256 pixels.
    @Test(arguments: [
        (256, "<MaxScaleDenominator>1e7</MaxScaleDenominator>", 6, 22),
        (512, "<MaxScaleDenominator>1e7</MaxScaleDenominator>", 5, 22),
        (256, "<MinScaleDenominator>34942642</MinScaleDenominator>", 0, 4),
        (256, "<MinScaleDenominator>x</MinScaleDenominator>", 0, 22),
        (
            256,
            "<MinScaleDenominator>1000</MinScaleDenominator><MaxScaleDenominator>2e6</MaxScaleDenominator>",
            9, 19
        ),
        (256, "<MinScaleDenominator>1e-300</MinScaleDenominator>", 0, 30),
    ])
    func scales(pixels: Int, scales: String, low: UInt8, high: UInt8) throws {
        var text = WMSText()
        text.layers = text.layers.replacing(
            "<Name>roads</Name>", with: "<Name>roads</Name>" + scales)
        let source = try text.source(WMTSTests.choice { $0.tileSize = pixels })
        #expect(source.minZoom == low && source.maxZoom == high)
    }

    @Test func refusals() throws {
        func error(_ change: (inout WMSText) -> Void) throws -> DocumentRemark {
            var text = WMSText()
            change(&text)
            return try #require(throws: DocumentRemark.self) { _ = try text.source() }
        }
        #expect(try error { $0.version = "1.0.0" }.message.contains("1.0.0"))
        #expect(try error { $0.layers = "" }.path == "<Capability>")
        #expect(try error { $0.layers = "<Layer><Title>x</Title></Layer>" }.path == "<Capability>")
        #expect(try error { $0.formats = [] }.message.contains("Format"))
        #expect(try error { $0.address = "ftp://w.test/" }.path == "<OnlineResource>")
        #expect(try error { $0.address = "https://w.test\\@u.test/" }.path == "<OnlineResource>")
        #expect(throws: DocumentRemark.self) {
            _ = try WMSText().source(WMTSTests.choice { $0.format = "image/webp" })
        }
        #expect(throws: DocumentRemark.self) {
            _ = try WMSText().source(WMTSTests.choice { $0.crs = "EPSG:900913" })
        }
        #expect(throws: DocumentRemark.self) {
            _ = try WMSText().source(WMTSTests.choice { $0.crs = "EPSG:2056" })
        }
    }

    /// Whatever the address asks for, the tile's own parameters stand once.
    @Test func addressWithParameters() throws {
        var text = WMSText()
        text.address = "service?Request=x&amp;LAYERS=y&amp;bbox=1&amp;key={token}"
        let source = try text.source()
        let parameters = try Self.parameters(source, Self.tile)
        #expect(parameters["request"] == "GetMap" && parameters["layers"] == "roads")
        #expect(source.templates[0].hasPrefix("https://w.test/service?key={token}&"))
    }
}
