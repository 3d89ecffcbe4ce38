import Testing

@testable import TileModel

@Suite struct WMTSTests {
    static func choice(_ change: (inout SourceChoice) -> Void) -> SourceChoice {
        var choice = SourceChoice()
        change(&choice)
        return choice
    }

    @Test func restful() throws {
        let document = try WMTSText().document()
        #expect(document.kind == .wmts && document.title == "A & B")
        let layer = try #require(document.layers.first)
        #expect(layer.name == "topo" && layer.styles == ["grey", "default"])
        #expect(layer.formats == ["image/png"] && layer.grids == ["web"])
        let source = try document.sources()[0]
        #expect(
            source.templates
                == ["https://w.test/topo/default/web/{TileMatrix}/{TileCol}/{TileRow}.png"])
        #expect(source.minZoom == 0 && source.maxZoom == 10 && source.tileSize == 256)
        #expect(source.followsWebMercator && source.kind == .raster && source.notes.isEmpty)
        #expect(source.matrixNames == (0...10).map { $0 < 10 ? "0\($0)" : "\($0)" })
        #expect(
            try source.templateSet().url(TileID(z: 5, x: 17, y: 11))
                == "https://w.test/topo/default/web/05/17/11.png")
        #expect(source.matrix(5)?.identifier == "05" && source.matrix(5)?.columns == 32)
        #expect(source.pyramidSize(zoom: 5) == 1024 && source.pyramidSize(zoom: 11) == 0)
        #expect(try source.hosts() == ["https://w.test"])
    }

    @Test func keyValuePairs() throws {
        var text = WMTSText()
        text.operations = WMTSText.getTile("/cgi?map=/m.map&amp;layer=x&amp;")
        text.resources = ""
        text.sets = WMTSText.web(zooms: 3...5, prefix: "EPSG:3857:")
        let source = try text.source(Self.choice { $0.style = "grey" })
        #expect(
            try source.templateSet().url(TileID(z: 5, x: 17, y: 11))
                == "https://w.test/cgi?map=/m.map&layer=topo&style=grey&tilematrixset=web&Service=WMTS&Request=GetTile&Version=1.0.0&Format=image%2Fpng&TileMatrix=EPSG%3A3857%3A05&TileCol=17&TileRow=11"
        )
        #expect(source.minZoom == 3 && source.maxZoom == 5)
    }

    /// RESTful when both are offered, and the other way when that is chosen; what is chosen must be
    /// offered. An address that does not say takes key-value pairs.
    @Test func encodings() throws {
        var text = WMTSText()
        text.operations = WMTSText.getTile("https://k.test/wmts?", encodings: ["RESTful"])
        #expect(try text.source().templates[0].hasPrefix("https://w.test/topo"))
        #expect(throws: DocumentRemark.self) {
            _ = try text.source(Self.choice { $0.encoding = .kvp })
        }
        text.operations = WMTSText.getTile("https://k.test/wmts?", encodings: ["SOAP", "kvp"])
        let both = try text.source()
        #expect(both.templates[0].hasPrefix("https://w.test/topo"))
        #expect(both.notes.map(\.path) == ["<Layer>"])
        let pairs = try text.source(Self.choice { $0.encoding = .kvp })
        #expect(pairs.templates[0].hasPrefix("https://k.test/wmts?layer=topo"))
        text.resources = ""
        text.operations = text.operations.replacing("GetEncoding", with: "Other")
        #expect(try text.source().templates[0].hasPrefix("https://k.test/wmts?layer=topo"))
        #expect(throws: DocumentRemark.self) {
            _ = try text.source(Self.choice { $0.encoding = .restful })
        }
        text.operations = ""
        #expect(throws: DocumentRemark.self) { _ = try text.source() }
    }

    @Test func severalResourceURLs() throws {
        var text = WMTSText()
        text.layer += "<Format>image/jpeg</Format>"
        text.resources =
            ["a", "b"].map {
                #"<ResourceURL format="image/jpeg" resourceType="tile" template="//\#($0).test/{tilematrix}/{TILEROW}/{TileCol}"/>"#
            }.joined()
            + #"<ResourceURL format="image/jpeg" resourceType="FeatureInfo" template="//c/{I}"/>"#
        let source = try text.source()
        #expect(source.format == "image/jpeg")
        #expect(
            source.templates == [
                "https://a.test/{tilematrix}/{TILEROW}/{TileCol}",
                "https://b.test/{tilematrix}/{TILEROW}/{TileCol}",
            ])
        #expect(throws: DocumentRemark.self) {
            _ = try text.source(Self.choice { $0.format = "image/png" })
        }
    }

    // MARK: - Dimensions

    static func dimensions(_ inner: String) -> WMTSText {
        var text = WMTSText()
        text.layer += "<Dimension><ows:Identifier>Time</ows:Identifier>\(inner)</Dimension>"
        text.resources = text.resources.replacing("{style}", with: "{style}/{Time}")
        return text
    }

    @Test func dimensionsWithDefaults() throws {
        let text = Self.dimensions("<Default>2026-01-31T00:00Z</Default><Value>a b</Value>")
        #expect(
            try text.source().templates[0].hasPrefix(
                "https://w.test/topo/default/2026-01-31T00%3A00Z/"))
        let chosen = try text.source(Self.choice { $0.dimensions["TIME"] = "a b" })
        #expect(chosen.templates[0].hasPrefix("https://w.test/topo/default/a%20b/"))
    }

    @Test func dimensionsWithoutDefault() throws {
        let one = Self.dimensions("<Value>x</Value>")
        #expect(try one.source().templates[0].contains("/default/x/"))
        let two = Self.dimensions("<Default></Default><Value>x</Value><Value>y</Value>")
        let error = try #require(throws: DocumentRemark.self) { _ = try two.source() }
        #expect(error.path == "<Dimension>" && error.hint?.contains("\"x\", \"y\"") == true)
        #expect(throws: DocumentRemark.self) {
            _ = try one.source(Self.choice { $0.dimensions["Elevation"] = "1" })
        }
        var missing = WMTSText()
        missing.resources = missing.resources.replacing("{style}", with: "{Time}")
        let unknown = try #require(throws: DocumentRemark.self) { _ = try missing.source() }
        #expect(unknown.path == "<ResourceURL>" && unknown.message.contains("{Time}"))
    }

    /// Values are written, not read: braces in a name are no placeholder.
    @Test func namesAreEncodedAsNeeded() throws {
        var text = WMTSText()
        text.layer = text.layer.replacing(">topo<", with: ">a {z}/ü?b<")
        #expect(
            try text.source().templates[0].hasPrefix(
                "https://w.test/a%20%7Bz%7D/%C3%BC%3Fb/default"))
    }

    // MARK: - What must be chosen

    @Test func layersMustBeChosen() throws {
        var text = WMTSText()
        text.more =
            "<Layer>\(text.layer.replacing(">topo<", with: ">b<"))<TileMatrixSetLink>\(text.link)</TileMatrixSetLink>\(text.resources)</Layer>"
        let error = try #require(throws: DocumentRemark.self) { _ = try text.source() }
        #expect(error.hint == "there are \"topo\", \"b\"")
        #expect(try text.source(Self.choice { $0.layer = "b" }).name == "b")
        #expect(throws: DocumentRemark.self) {
            _ = try text.source(Self.choice { $0.layer = "B" })
        }
        #expect(throws: DocumentRemark.self) {
            _ = try text.source(
                Self.choice {
                    $0.layer = "b"
                    $0.style = "none"
                })
        }
    }

    /// Web Mercator before degrees before nothing; a system that is not supported is said.
    @Test func matrixSets() throws {
        var text = WMTSText()
        text.link =
            "<TileMatrixSet>deg</TileMatrixSet></TileMatrixSetLink><TileMatrixSetLink><TileMatrixSet>web</TileMatrixSet>"
        text.sets += WMTSText.degrees(crs: "EPSG:4326", corner: "90 -180")
        let best = try text.source()
        #expect(best.followsWebMercator && best.notes.count == 1)
        #expect(try text.source(Self.choice { $0.tileMatrixSet = "deg" }).maxZoom == 5)
        text.sets = text.sets.replacing("EPSG::3857", with: "EPSG::2056")
        #expect(try text.source().coordinateSystem == .latitudeLongitude)
        let error = try #require(throws: DocumentRemark.self) {
            _ = try text.source(Self.choice { $0.tileMatrixSet = "web" })
        }
        #expect(error.message.contains("2056"))
        text.sets = WMTSText.web()
        let missing = try #require(throws: DocumentRemark.self) { _ = try text.source() }
        #expect(missing.path == "<TileMatrixSetLink>" && missing.message.contains("\"deg\""))
    }

    @Test(arguments: [
        "EPSG:3857", "urn:ogc:def:crs:EPSG::3857", "urn:ogc:def:crs:EPSG:6.18:3:3857",
        "urn:ogc:def:crs:EPSG:3857", "http://www.opengis.net/def/crs/EPSG/0/3857", "EPSG:900913",
        "urn:ogc:def:crs:EPSG::900913", "urn:ogc:def:crs:EPSG:6.18.3:3857", "epsg:102100",
    ])
    func webMercatorsNames(name: String) {
        #expect(CoordinateSystem(name: name) == .webMercator)
    }

    @Test(
        arguments: [
            ("EPSG:4326", CoordinateSystem.latitudeLongitude), ("CRS:84", .longitudeLatitude),
            ("urn:ogc:def:crs:EPSG::4326", .latitudeLongitude),
            ("urn:ogc:def:crs:OGC:1.3:CRS84", .longitudeLatitude),
            ("urn:ogc:def:crs:OGC::CRS84", .longitudeLatitude), ("OGC:CRS84", .longitudeLatitude),
            ("http://www.opengis.net/def/crs/OGC/1.3/CRS84", .longitudeLatitude),
            ("urn:ogc:def:crs:OGC:2:84", .longitudeLatitude),
            ("http://www.opengis.net/gml/srs/epsg.xml#4326", .latitudeLongitude),
            ("EPSG:2056", nil), ("EPSG:84", nil), ("4326", nil), ("", nil), ("AUTO:42001", nil),
            ("urn:ogc:def:crs:EPSG::43260", nil),
        ] as [(String, CoordinateSystem?)])
    func otherNames(name: String, system: CoordinateSystem?) {
        #expect(CoordinateSystem(name: name) == system)
    }

    // MARK: - Without capabilities

    @Test(arguments: [
        ("{z}", "5", "10"), ("{z:02}", "05", "10"),
        ("EPSG:900913:{z:03}", "EPSG:900913:005", "EPSG:900913:010"),
        ("a{z}b{z:02}", "a5b05", "a10b10"),
    ])
    func matrixPatterns(pattern: String, five: String, ten: String) throws {
        let names = try WMTSTemplate.matrixNames(pattern: pattern)
        #expect(names.count == 31 && names[5] == five && names[10] == ten)
    }

    @Test(arguments: [
        ("05", 0), ("{z", 0), ("a{x}", 1), ("{z:2}", 0), ("{z:00}", 0), ("{z:0123}", 0),
        ("é{y}", 2),
    ])
    func matrixPatternRefusals(pattern: String, offset: Int) throws {
        let error = try #require(throws: TemplateError.self) {
            _ = try WMTSTemplate.matrixNames(pattern: pattern)
        }
        #expect(error.offset == offset)
    }

    @Test func withoutCapabilities() throws {
        let source = try TileSource(
            wmtsTemplate:
                "https://w.test?TILEMATRIX={TileMatrix}&TILEROW={TileRow}&TILECOL={tilecol}",
            matrix: "g:{z:02}")
        #expect(
            try source.templateSet().url(TileID(z: 5, x: 17, y: 11))
                == "https://w.test?TILEMATRIX=g%3A05&TILEROW=11&TILECOL=17")
        let plain = try TileSource(
            wmtsTemplate: "https://w.test/{TileMatrix}/{TileRow}", matrix: nil)
        #expect(try plain.templateSet().url(TileID(z: 5, x: 17, y: 11)) == "https://w.test/5/11")
        #expect(plain.pyramidSize(zoom: 3) == 64)
    }
}
