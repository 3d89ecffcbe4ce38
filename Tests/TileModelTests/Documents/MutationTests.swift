import Testing

@testable import TileModel

/// Good documents spoilt at random: whatever comes of them, it is a refusal or sources that can be
/// asked, and never a trap.
@Suite struct MutationTests {
    static let documents: [String] = {
        var text = WMTSText()
        text.operations = WMTSText.getTile("https://k.test/wmts?x=1&amp;")
        text.link +=
            "<TileMatrixSetLimits>\(WMTSText.limits("04", rows: (4, 7), columns: (8, 9)))</TileMatrixSetLimits>"
        text.layer +=
            "<Dimension><ows:Identifier>Time</ows:Identifier><Default>a</Default></Dimension>"
        var degrees = WMTSText()
        degrees.link = "<TileMatrixSet>deg</TileMatrixSet>"
        degrees.sets = WMTSText.degrees(crs: "EPSG:4326", corner: "90 -180")
        var old = WMSText()
        old.version = "1.1.1"
        return [
            text.text, degrees.text, WMSText().text, old.text, ArcGISTests.Service().text,
            StyleTests.text,
            #"""
            {"tilejson": "3.0.0", "tiles": ["https://a.test/{z}/{x}/{y}.png", "../{z}/{x}/{-y}"],
            "minzoom": 1, "maxzoom": 12, "bounds": [-5, 40, 10.5, 60], "center": [0, 50, 4],
            "scheme": "tms", "fillzoom": 3, "vector_layers": [{"id": "a", "fields": {}, "minzoom": 2}]}
            """#,
        ]
    }()

    /// What breaks readers: ends of numbers, of texts, of nesting.
    static let pieces = [
        "0", "-1", "1e999", "-1e-999", "NaN", "nan", "inf", "99", "4294967296",
        "18446744073709551616", "null",
        "\"", "\\", "{", "}", "[", "]", "<", ">", "/>", "&amp;", "&#0;", "&x;", "]]>", "<![CDATA[",
        "<!--",
        "<!DOCTYPE x [", "\u{0}", "\u{301}", "é", " ", "\r\n", ",", ":", "{z}", "{TileMatrix}",
        "//", "../",
        "https://", "@", "180 90", "90 -180", "-20037508.34 20037508.34", "EPSG:4326", "512",
    ]

    static func mutated(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
            let start = Int.random(in: 0..<bytes.count, using: &generator)
            let end = min(bytes.count, start + Int.random(in: 0...24, using: &generator))
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes[start] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.removeSubrange(start..<end)
            case 2: bytes.insert(contentsOf: bytes[start..<end], at: start)
            case 3:
                bytes.replaceSubrange(
                    start..<end, with: pieces.randomElement(using: &generator)?.utf8 ?? "".utf8)
            case 4: number(&bytes, from: start, &generator)
            default:
                bytes.insert(
                    contentsOf: pieces.randomElement(using: &generator)?.utf8 ?? "".utf8, at: start)
            }
        }
        return bytes
    }

    /// Puts another number where the next one is: spoilt values reach further than spoilt texts.
    static func number(_ bytes: inout [UInt8], from start: Int, _ generator: inout SeededGenerator)
    {
        let isDigit: (UInt8) -> Bool = { (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E }
        guard let first = bytes[start...].firstIndex(where: isDigit) else { return }
        let last = bytes[first...].firstIndex { !isDigit($0) } ?? bytes.count
        let numbers = [
            "0", "1", "-1", "2", "30", "31", "1e9", "1e308", "-180", "90", "0.5", "4294967295",
            "2147483647", "1073741824", "1e-9",
        ]
        bytes.replaceSubrange(
            first..<last, with: numbers.randomElement(using: &generator)?.utf8 ?? "".utf8)
    }

    /// Everything that can be asked of what was read.
    static func use(_ document: SourceDocument, _ place: String) throws {
        _ = document.layers
        _ = document.title
        var choices = [SourceChoice()]
        for encoding in [SourceChoice.Encoding.kvp, .restful] {
            var choice = SourceChoice()
            choice.layer = document.layers.first?.name
            choice.encoding = encoding
            choice.crs = encoding == .kvp ? nil : "EPSG:4326"
            choices.append(choice)
        }
        for source in choices.flatMap({ (try? document.sources($0)) ?? [] }) {
            #expect(
                source.minZoom <= source.maxZoom && source.maxZoom <= TileID.zoomMax, "\(place)")
            #expect(!source.templates.isEmpty && source.tileSize > 0, "\(place)")
            _ = source.pyramidSize
            let area = try GeoBounds(west: 170, south: -60, east: -100, north: 89)
            for zoom in UInt8(0)...31 {
                for range in source.ranges(zoom: zoom, within: area) + source.ranges(zoom: zoom) {
                    #expect(range.z == zoom && range.count > 0, "\(place)")
                    let last = range.tile(at: range.count - 1)
                    #expect(last.x < 1 << UInt64(zoom) && last.y < 1 << UInt64(zoom), "\(place)")
                }
                _ = source.tile(longitude: 179, latitude: -89, zoom: zoom)
            }
            guard let tile = source.sampleTile else { continue }
            #expect(source.ranges(zoom: tile.z).contains { $0.contains(tile) }, "\(place)")
            for unknown in [TemplateOptions.Unknown.error, .keep] {
                guard let set = try? source.templateSet(TemplateOptions(unknown: unknown)) else {
                    continue
                }
                let url = set.url(tile, token: "t", tokenParts: set.tokenNames.map { _ in "p" })
                #expect(
                    url.lowercased().hasPrefix("http")
                        && !url.utf8.contains { $0 <= 0x20 || $0 == 0x7F },
                    "\(place)")
                #expect(!set.hosts().isEmpty, "\(place)")
            }
        }
    }

    @Test(arguments: documents.indices)
    func mutations(index: Int) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let good = Array(Self.documents[index].utf8)
        // The seed is seen even when the process dies.
        print("mutations of document \(index): seed \(seed)")
        var read = 0
        for number in 0..<1000 {
            let bytes = Self.mutated(good, &generator)
            guard let document = try? SourceDocument.read(bytes, url: WMTSText.url) else {
                continue
            }
            read += 1
            try Self.use(document, "document \(index), seed \(seed), mutation \(number)")
        }
        // Or nothing was tried but the reader's refusals.
        #expect(read > 30, "seed \(seed)")
    }

    @Test(arguments: documents)
    func unspoilt(text: String) throws {
        let document = try SourceDocument.read(Array(text.utf8), url: WMTSText.url)
        #expect(try !document.sources().isEmpty)
        try Self.use(document, "unspoilt")
    }
}
