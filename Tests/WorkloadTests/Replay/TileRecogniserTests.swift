import Testing
import TileModel

@testable import Workload

struct TileRecogniserTests {
    private func found(_ url: String, _ templates: [String] = []) throws -> String? {
        let recogniser = TileRecogniser(templates: try templates.map { try TileTemplate($0) })
        return withBytes(url) { recogniser.tile(url: $0) }.map { "\($0.form) \($0.tile)" }
    }

    @Test(
        arguments: [
            // Path and suffixes.
            ("/5/3/2.png", "path 5/3/2"), ("/5/3/2", "path 5/3/2"),
            ("/a/b/5/3/2.mvt", "path 5/3/2"),
            ("5/3/2.png", "path 5/3/2"), ("/5/3/2@2x.png", "path 5/3/2"),
            ("/5/3/2%402x.png?k=1", "path 5/3/2"), ("/5/3/2.vector.pbf", "path 5/3/2"),
            ("/5/3/2.png8", "path 5/3/2"), ("https://a.b:80/t/5/3/2.png#x", "path 5/3/2"),
            ("http://a.b/5/3/2", "path 5/3/2"), ("/05/03/02.png", "path 5/3/2"),
            ("/20/5/3/2.png", "path 5/3/2"), ("/5/3/2.png?x=9&y=9&z=4", "path 5/3/2"),
            ("/a%2F5/3/2.png", nil), ("/5/3/32.png", nil), ("/5/32/3.png", nil),
            ("/31/0/0.png", nil),
            ("/5/3/2.png/status", nil), ("/5/3/2-1.png", nil), ("/5/3/2@2.png", nil),
            ("/5/3/.png", nil), ("/5/x/2.png", nil), ("/3/2.png", nil), ("/5/3/2.", nil),
            ("/5/3/2.p-g", nil), ("//5//3//2.png", nil), ("/", nil), ("", nil),
            ("/favicon.ico", nil),
            ("https://a.b", nil), ("https://a.b?z=1&x=0&y=1", "query 1/0/1"),
            ("/5/99999999999999999999/2.png", nil),
            // ArcGIS has the row first.
            ("/arcgis/rest/services/A/MapServer/tile/5/12/9", "path 5/9/12"),
            ("/A/ImageServer/tile/5/12/9?token=x", "path 5/9/12"), ("/tile/5/12/9", "path 5/12/9"),
            // Quadkeys.
            ("/tiles/a0230132213.jpeg?g=1", "path 10/179/413"), ("/0230132213", "path 10/179/413"),
            ("/a02301.jpeg", nil), ("/12301.png", nil), ("/a023013224.jpeg", nil),
            ("/x0230132213.jpeg", nil), ("/t?quadkey=021", "query 3/1/2"), ("/t?quadkey=04", nil),
            ("/" + String(repeating: "1", count: 31), nil),
            // WMTS and parameters.
            (
                "/wmts?SERVICE=WMTS&REQUEST=GetTile&TILEMATRIX=EPSG%3A3857%3A5&TILEROW=12&TILECOL=9",
                "query 5/9/12"
            ),
            ("/wmts?tilematrix=05&tilecol=9&tilerow=12", "query 5/9/12"),
            ("/wmts?TileMatrix=big&TileCol=9&TileRow=12", nil),
            ("/wmts?TileMatrix=5&TileCol=9", nil), ("/wmts?TileMatrix=5&TileCol=99&TileRow=1", nil),
            ("/vt?lyrs=m&x=9&y=12&z=5", "query 5/9/12"), ("/vt?x=9&y=12", nil),
            ("/vt?x&y=12&z=5", nil),
            ("/vt?&&=&x=9&&y=12&z=5&", "query 5/9/12"), ("/vt?xx=9&y=12&z=5", nil),
            // What decoding meets.
            ("/%", nil), ("/%2", nil), ("/%zz/5/3/2.png", "path 5/3/2"), ("/5/3/2.png%", nil),
            ("/%35/3/2.png", "path 5/3/2"),
        ] as [(String, String?)])
    func commonForms(url: String, expected: String?) throws {
        #expect(try found(url) == expected)
    }

    @Test func templatesComeFirst() throws {
        let templates = [
            "https://t.example/tiles.json", "https://t.example/roads/{z}/{y}/{x}.png",
            "https://t.example/flipped/{z}/{x}/{-y}.png",
        ]
        #expect(try found("/roads/5/12/9.png", templates) == "template 5/9/12")
        #expect(try found("/roads/5/12/9.webp", templates) == "path 5/12/9")
        #expect(try found("/other/5/12/9.png", templates) == "path 5/12/9")
        #expect(try found("http://x/flipped/5/9/12.png?a", templates) == "template 5/9/19")
    }

    @Test func longURLs() throws {
        let filler = String(repeating: "%41", count: 20_000)
        #expect(try found("/\(filler)/5/3/2.png") == "path 5/3/2")
        #expect(try found("/t?a=\(filler)&z=5&x=3&y=2") == "query 5/3/2")
    }

    /// Whatever the bytes, no crash; what is found is a tile.
    @Test func anyBytes() throws {
        var random = TestRandom(seed: 41)
        let recogniser = TileRecogniser(templates: [
            try TileTemplate("https://t.example/{token}/{z}/{x}/{y}.png?b={bbox-epsg-3857}"),
            try TileTemplate("https://t.example/{prefix}{quadkey}{s}"),
            try TileTemplate("https://t.example/t?b={bbox-epsg-3857}"),
        ])
        let words = [
            "/", "/", "5", "3", "2", ".png", "?", "&", "=", "%", "%2", "%41", "@2x", "x", "y", "z",
            "tilematrix", "b=", "-", ",", "1e308", "0", "://", "#", "quadkey", "a", "\u{0}", "é",
        ]
        var tiles = 0
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in
                words.randomElement(using: &random) ?? ""
            }.joined()
            guard let tile = withBytes(text, { recogniser.tile(url: $0) })?.tile else { continue }
            tiles += 1
            try #require(tile.z <= 30 && tile.x < tile.side && tile.y < tile.side, "\(text)")
        }
        #expect(tiles > 3)
    }
}

struct LogTimeTests {
    @Test(
        arguments: [
            ("10/Oct/2000:13:55:36 -0700", 971_211_336), ("01/Jan/1970:00:00:00 +0000", 0),
            ("29/Feb/2024:23:59:59 +0530", 1_709_231_399),
            ("31/Dec/1999:23:59:60 +0000", 946_684_800),
            ("01/Mar/2100:00:00:00 +0000", 4_107_542_400), ("29/Feb/2100:00:00:00 +0000", nil),
            ("30/Feb/2024:00:00:00 +0000", nil), ("00/Jan/2024:00:00:00 +0000", nil),
            ("10/oct/2000:13:55:36 -0700", nil), ("10/Oct/2000:24:00:00 -0700", nil),
            ("10/Oct/2000:13:60:36 -0700", nil), ("10/Oct/2000:13:55:36 0700 ", nil),
            ("10/Oct/2000:13:55:36 -07:0", nil), ("10/Oct/2000 13:55:36 -0700", nil),
            ("10/Oct/1969:13:55:36 -0700", nil), ("", nil), ("10/Oct/2000:13:55:36 -0700 ", nil),
        ] as [(String, Int64?)])
    func commonLogTimes(text: String, seconds: Int64?) {
        #expect(withBytes(text, LogTime.common) == seconds.map { $0 * 1_000_000_000 })
    }

    @Test(
        arguments: [
            ("2019-12-04", "21:02:31", 1_575_493_351), ("1970-01-01", "00:00:00", 0),
            ("2000-02-29", "12:00:00", 951_825_600), ("1900-01-01", "00:00:00", nil),
            ("2019-13-04", "21:02:31", nil), ("2019-12-4", "21:02:31", nil),
            ("2019-12-04", "21:02", nil), ("2019/12/04", "21:02:31", nil), ("", "", nil),
        ] as [(String, String, Int64?)])
    func cloudFrontTimes(date: String, time: String, seconds: Int64?) {
        let found = withBytes(date) { date in withBytes(time) { LogTime.iso(date: date, time: $0) }
        }
        #expect(found == seconds.map { $0 * 1_000_000_000 })
    }
}
