import Testing

@testable import TileModel

@Suite struct RecogniseTests {
    static func recognise(_ text: String, _ contentType: String? = nil)
        -> SourceDocument.Recognition
    {
        SourceDocument.recognise(
            Array(text.utf8), contentType: contentType,
            url: "https://t.test/rest/services/x/MapServer")
    }

    @Test(
        arguments: [
            (#"{"tilejson": "2.2.0", "tiles": []}"#, SourceDocument.Kind.tilejson),
            (" \n\u{FEFF}".dropFirst(2) + #"{"tiles": ["x"]}"#, .tilejson),
            (#"{"version": 8, "sources": {}, "layers": []}"#, .style),
            (#"{"version": 7, "sources": {}}"#, .style),
            (#"{"tileInfo": {}, "tiles": ["tile/{z}/{y}/{x}.pbf"]}"#, .arcgis),
            (#"{"currentVersion": 10.1, "mapName": "x"}"#, .arcgis),
            (
                "<?xml version='1.0'?><!-- x --><Capabilities xmlns='http://www.opengis.net/wmts/1.0'>",
                .wmts
            ),
            (
                "<w:Capabilities xmlns='http://www.opengis.net/ows/1.1' xmlns:w='http://www.opengis.net/wmts/1.0'/>",
                .wmts
            ),
            ("<Capabilities/>", .wmts), ("<WMS_Capabilities version='1.3.0'>", .wms),
            ("<!DOCTYPE WMT_MS_Capabilities SYSTEM 'x.dtd' []><WMT_MS_Capabilities>", .wms),
            ("<wms:WMS_Capabilities>", .wms),
        ] as [(String, SourceDocument.Kind)])
    func documents(text: String, kind: SourceDocument.Kind) {
        // Neither media type nor URL is believed.
        for type in [nil, "text/html", "image/png"] {
            #expect(Self.recognise(text, type) == .document(kind))
        }
    }

    @Test(arguments: [
        ("", "empty"), (" \r\n", "empty"), ("hello", "neither JSON nor XML"), ("[1]", "array"),
        ("{", "line 1"), ("{}", "empty JSON object"), (#"{"a": 1, "b": 2}"#, #""a", "b""#),
        (#"{"error": {"code": 499, "message": "Token Required"}}"#, "499: Token Required"),
        (#"{"message": "Not Found"}"#, "Not Found"), (#"{"type": "FeatureCollection"}"#, "GeoJSON"),
        (#"{"currentVersion": 10, "services": []}"#, "MapServer"), (#"{"links": []}"#, "OGC API"),
        ("<!DOCTYPE HTML><p>", "HTML"), ("<html xmlns='x'>", "f=json"),
        ("<!-- x --><head>", "HTML"), ("<a", "line 1"),
        ("<TileMap/>", "TMS"), ("<rss/>", "<rss>"), ("<WFS_Capabilities/>", "another service"),
        ("<Capabilities xmlns='http://www.opengis.net/wcs/1.1'/>", "another service"),
        ("PMTiles\u{3}", "PMTiles"), ("SQLite format 3\0", "MBTiles"), ("RIFF1234WEBP", "WebP"),
        (
            "<ows:ExceptionReport xmlns:ows='http://www.opengis.net/ows/1.1'><ows:Exception exceptionCode='MissingParameterValue' locator='request'><ows:ExceptionText>no\nrequest</ows:ExceptionText></ows:Exception></ows:ExceptionReport>",
            "MissingParameterValue request: no\u{FFFD}request"
        ),
        (
            "<ServiceExceptionReport version='1.3.0'><ServiceException code='LayerNotDefined'> Unknown </ServiceException></ServiceExceptionReport>",
            "LayerNotDefined: Unknown"
        ), ("<ExceptionReport/>", "an exception of the service"),
    ])
    func others(text: String, word: String) {
        guard case .other(let sentence) = Self.recognise(text, "text/x") else {
            Issue.record("\(text) is a document")
            return
        }
        #expect(sentence.contains(word), "\(sentence)")
        let error = #expect(throws: DocumentRemark.self) {
            _ = try SourceDocument.read(
                Array(text.utf8), url: "https://t.test/rest/services/x/MapServer")
        }
        #expect(error?.description.contains(word) == true)
    }

    @Test func binary() {
        let bytes: [[UInt8]] = [
            [0x1F, 0x8B, 8], [0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF, 0xE0],
        ]
        for (bytes, word) in zip(bytes, ["gzip", "PNG", "JPEG"]) {
            guard case .other(let sentence) = SourceDocument.recognise(bytes, url: "") else {
                Issue.record("\(word) is a document")
                continue
            }
            #expect(sentence.contains(word))
        }
        let utf16: [UInt8] = [0xFF, 0xFE] + "<Capabilities/>".utf8.flatMap { [$0, 0] as [UInt8] }
        #expect(SourceDocument.recognise(utf16, url: "") == .document(.wmts))
    }

    /// What the server says is repeated on one line and not without end.
    @Test func longAnswersAreCut() throws {
        let answer = String(repeating: "a\\n", count: 10_000)
        guard case .other(let sentence) = Self.recognise(#"{"message": "\#(answer)"}"#) else {
            Issue.record("an answer is a document")
            return
        }
        #expect(sentence.count < 200 && !sentence.contains("\n"))
    }
}
