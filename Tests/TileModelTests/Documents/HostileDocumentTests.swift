import JSONText
import Testing

@testable import TileModel

/// Documents made to harm: each is refused with a reason, fast and without much memory.
@Suite struct HostileDocumentTests {
    static func refusal(_ text: String) throws -> DocumentRemark {
        try refusal(Array(text.utf8))
    }

    static func refusal(_ bytes: [UInt8]) throws -> DocumentRemark {
        try #require(throws: DocumentRemark.self) {
            _ = try SourceDocument.read(bytes, url: WMTSText.url).sources()
        }
    }

    static let root = "<Capabilities xmlns='http://www.opengis.net/wmts/1.0'>"

    /// The billion laughs, their quadratic sister, and what reads other files.
    @Test(arguments: [
        "<!DOCTYPE C [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]>",
        "<!DOCTYPE C [<!ENTITY % a 'ha'> %a;]>",
        "<!DOCTYPE C [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>",
        "<!DOCTYPE C [<!ENTITY % a SYSTEM 'http://t.test/x.dtd'> %a;]>",
        "<!DOCTYPE C [<!ENTITY a PUBLIC 'x' 'y' NDATA z>]>",
    ])
    func entities(doctype: String) throws {
        for body in ["", "<Contents><Layer>&b;</Layer></Contents>"] {
            let error = try Self.refusal(doctype + Self.root + body + "</Capabilities>")
            #expect(error.message.contains("declares an entity") && error.place != nil, "\(error)")
        }
    }

    /// An external DTD is not read, so its entities are unknown: that is said where it matters.
    @Test func externalDTD() throws {
        var text = WMTSText().text.replacing(
            "<Capabilities",
            with: "<!DOCTYPE Capabilities SYSTEM 'http://t.test/x.dtd'><Capabilities")
        text = text.replacing(
            "A &amp; B", with: "A &amp; B</ows:Title><ows:Abstract>&nbsp;</ows:Abstract><ows:Title>"
        )
        #expect(try SourceDocument.read(Array(text.utf8), url: WMTSText.url).title == "A & B")
        let error = try Self.refusal(text.replacing(">topo<", with: ">to&nbsp;po<"))
        #expect(error.path == "<Identifier>" && error.message.contains("entity"))
        let undeclared = try Self.refusal(WMTSText().text.replacing(">topo<", with: ">&x;<"))
        #expect(undeclared.message.contains("undefined entity"))
    }

    /// Attributes that a DTD gives to every element are no attributes.
    @Test func attributesOfADTD() throws {
        let text = WMTSText().text.replacing(
            "<Capabilities",
            with: "<!DOCTYPE Capabilities [<!ATTLIST Style isDefault CDATA 'true'>]><Capabilities")
        let source = try SourceDocument.read(Array(text.utf8), url: WMTSText.url).sources()[0]
        #expect(source.templates[0].contains("/topo/default/"))
    }

    @Test func depth() throws {
        for name in ["Contents", "x"] {
            let text = Self.root + String(repeating: "<\(name)>", count: 1_000_000)
            let error = try Self.refusal(text)
            #expect(error.message.contains("deep"), "\(error)")
        }
        let deep = try Self.refusal(
            #"{"tilejson": "3.0.0", "x": "# + String(repeating: "[", count: 1_000_000))
        #expect(deep.message.contains("64") && deep.place != nil, "\(deep)")
    }

    @Test func size() throws {
        let large = [UInt8](repeating: UInt8(ascii: " "), count: 100 << 20)
        #expect(try Self.refusal(large).message.contains("104857600 bytes"))
        let start = Array(#"{"tilejson": "3.0.0", "x": ""#.utf8)
        let json = start + [UInt8](repeating: UInt8(ascii: "x"), count: DocumentLimits.jsonBytesMax)
        #expect(try Self.refusal(json).message.contains("at most 8388608"))
    }

    /// Elements of interest, elements of none, much text, a value without end.
    @Test(arguments: [
        ("<Layer/>", 4 << 20, "more than"),
        ("<Style><Identifier>x</Identifier></Style>", 16 << 20, "more than"),
        ("<x/>", 2 << 20, "no element found"), ("xxxxxxxx", 31 << 20, "no element found"),
        ("<Layer a='1' a='2'/>", 1 << 10, "duplicate"), ("<x a='", 6, "unclosed token"),
    ])
    func largeXML(piece: String, bytesMin: Int, word: String) throws {
        var pieces = Array(piece.utf8)
        while pieces.count < bytesMin {
            pieces += pieces.prefix(bytesMin - pieces.count + piece.utf8.count)
        }
        pieces.removeLast(pieces.count % piece.utf8.count)
        let error = try Self.refusal(Array((Self.root + "<Contents>").utf8) + pieces)
        #expect(error.message.contains(word), "\(error)")
    }

    @Test func manyAttributes() throws {
        let attributes = (0..<200_000).map { "p\($0):name='x'" }.joined(separator: " ")
        let error = try Self.refusal(
            Self.root + "<Contents \(attributes)></Contents></Capabilities>")
        #expect(error.path == "<Contents>" && error.message.contains("no <Layer>"))
    }

    /// Millions of layers that nobody wants are refused; thousands are listed, a few in a message.
    @Test func manyLayers() throws {
        var text = WMTSText()
        text.more = (0..<3000).map { "<Layer><ows:Identifier>l\($0)</ows:Identifier></Layer>" }
            .joined()
        #expect(try text.document().layers.count == 3001)
        let error = try Self.refusal(text.text)
        #expect(error.hint?.contains("and 2981 more") == true)
    }

    @Test func manyProblems() throws {
        let sources = (0..<900).map {
            #""s\#($0)": {"type": "raster", "tiles": ["https://t/{z}"], "minzoom": 99}"#
        }
        let document = try SourceDocument.read(
            Array(
                #"{"version": 8, "layers": [], "sources": {\#(sources.joined(separator: ","))}}"#
                    .utf8),
            url: "")
        #expect(document.notes.count == DocumentLimits.notesMax + 1)
        #expect(try document.sources().count == 900)
        let more = try Self.refusal(
            #"{"version": 8, "layers": [], "sources": {\#((0...1000).map { #""s\#($0)": {}"# }.joined(separator: ","))}}"#
        )
        #expect(more.path == "/sources")
        let tiles = (0...100).map { #""https://t\#($0)/{z}""# }.joined(separator: ",")
        #expect(try Self.refusal(#"{"tilejson": "2.2.0", "tiles": [\#(tiles)]}"#).path == "/tiles")
    }

    @Test func longURLs() throws {
        let long = "https://t/{z}/" + String(repeating: "a", count: 1 << 20)
        #expect(
            try Self.refusal(#"{"tilejson": "2.2.0", "tiles": ["\#(long)"]}"#).path == "/tiles/0")
        #expect(
            try Self.refusal(WMTSText().text.replacing("https://w.test", with: long)).path
                == "<ResourceURL>")
    }

    @Test(arguments: [
        "", "<Contents/>", "<Contents><Layer/></Contents>",
        "<Contents><Layer><Identifier>a</Identifier></Layer></Contents>",
    ])
    func nothingToAskFor(body: String) throws {
        let error = try Self.refusal(Self.root + body + "</Capabilities>")
        #expect(error.path.hasPrefix("<") && error.place?.description.hasPrefix("line 1,") == true)
    }

    /// A matrix deeper than any zoom is ignored; a set of such has no tiles.
    @Test func zoom99() throws {
        var text = WMTSText()
        text.sets = WMTSText.set(
            "web", crs: "EPSG:3857",
            (28..<40).map { zoom in
                WMTSText.matrix(
                    "\(zoom)", scale: 559082264.0287178 / Double(1 << zoom),
                    corner: "-20037508.342789244 20037508.342789244", columns: 1 << min(zoom, 30),
                    rows: 1 << min(zoom, 30))
            })
        let source = try text.source()
        #expect(source.maxZoom == 30 && source.matrices.count == 3 && source.notes.count == 9)
        #expect(source.pyramidSize(zoom: 30) == 1 << 60)
    }

    @Test func secretsStayInURLs() throws {
        let texts = [
            #"{"tilejson": "2.2.0", "tiles": ["https://t\\/{z}?key=s3cret"]}"#,
            #"{"tilejson": "2.2.0", "tiles": ["foo://t/{z}?key=s3cret"]}"#,
            #"{"tilejson": "2.2.0", "tiles": ["https://u:s3cret@@t/{z}"]}"#,
        ]
        for text in texts {
            #expect(try !Self.refusal(text).description.contains("s3cret"))
        }
    }
}
