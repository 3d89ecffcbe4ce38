import Testing

@testable import TileModel

@Suite struct TileTemplateTests {
    static let tile = TileID(z: 5, x: 17, y: 11)

    @Test(arguments: [
        ("{z}/{x}/{y}", "5/17/11"), ("{-y}", "20"), ("{quadkey}", "12023"), ("{prefix}", "1b"),
        ("{TILEMATRIX}/{tilerow}/{TileCol}", "5/11/17"), ("{ratio}{r}", "@2x@2x"),
        ("{scale}", "1.5"), ("{s}", "b"), ("{a-c}", "b"), ("{A-D}", "A"), ("{0-3}", "0"),
        ("{8-11}", "8"), ("{switch:t1,t2,t3}", "t2"), ("{switch:only}", "only"),
        ("{token}/{token.Key}/{token.sig}/{token.Key}", "tok/K/S/K"), ("{run}", "r1"),
        ("{random}", "00000000000000ff"), ("no braces", "no braces"), ("", ""),
        (
            "{bbox-epsg-3857}",
            "1252344.271424327,5009377.085697312,2504688.542848654,6261721.357121639"
        ),
    ])
    func standardPlaceholders(text: String, expected: String) throws {
        let template = try TileTemplate(text, options: TemplateOptions(ratio: 1.5))
        let url = template.url(
            Self.tile, token: "tok", tokenParts: ["K", "S"], run: "r1", random: 255)
        #expect(url == expected)
    }

    @Test(arguments: [(1.0, "1"), (2, "2"), (3, "3"), (1.5, "1.5"), (0.5, "0.5")])
    func scaleIsTheNumber(ratio: Double, expected: String) throws {
        let template = try TileTemplate("{scale}{r}", options: TemplateOptions(ratio: ratio))
        #expect(template.url(Self.tile) == expected + (ratio > 1 ? "@2x" : ""))
    }

    /// TMS flips `{y}` alone; only MapLibre Native mirrors everything.
    @Test func tmsFlips() throws {
        let text = "{y} {-y} {quadkey} {prefix} {TileRow} {s}"
        let standard = try TileTemplate(text, options: TemplateOptions(scheme: .tms))
        #expect(standard.url(TileID(z: 3, x: 1, y: 2)) == "5 5 021 12 2 a")
        let native = try TileTemplate(
            "{y} {quadkey} {prefix}",
            options: TemplateOptions(scheme: .tms, client: .maplibreNative))
        #expect(native.url(TileID(z: 3, x: 1, y: 2)) == "5 203 15")
    }

    @Test(
        arguments: [
            ("a{foo}b", 1, nil), ("{Z}", 0, "{z}"), ("{ x }", 0, "{x}"),
            ("x{quadkye}", 1, "{quadkey}"),
            ("{bbox-epsg3857}", 0, "{bbox-epsg-3857}"), ("{zoom}", 0, "{z}"), ("{ty}", 0, "{-y}"),
            ("{tilematrx}", 0, "{TileMatrix}"), ("{}", 0, nil), ("ab{z", 2, nil), ("{{z}}", 0, nil),
            ("{z}}", 3, nil), ("{switch:a,,b}", 0, nil), ("{switch:}", 0, nil), ("{3-0}", 0, nil),
            ("{01-12}", 0, nil), ("{c-a}", 0, nil), ("{a-C}", 0, nil), ("{0-99999}", 0, nil),
            ("é{foo}", 2, nil), ("{token.}", 0, nil), ("https://{z}.t/", 0, nil),
            ("https://{token}@t/", 0, nil),
        ] as [(String, Int, String?)])
    func refusals(text: String, offset: Int, hint: String?) throws {
        let error = try #require(throws: TemplateError.self) { _ = try TileTemplate(text) }
        #expect(error.offset == offset)
        #expect(error.hint == hint, "\(error)")
    }

    @Test func emptySubdomainsAreRefused() {
        #expect(throws: TemplateError.self) {
            _ = try TileTemplate("{s}", options: TemplateOptions(subdomains: []))
        }
    }

    /// `keep` leaves even what the standard rules know.
    @Test func keepLeavesAllButSeven() throws {
        let rest = "{-y}{s}{r}{scale}{switch:a,b}{a-c}{token}{run}{random}{TileRow}{{z}{"
        let template = try TileTemplate("{y}" + rest, options: TemplateOptions(unknown: .keep))
        #expect(template.url(Self.tile) == "11" + rest.replacing("{z}", with: "5"))
        #expect(!template.usesToken && !template.usesRun && !template.usesRandom)
    }

    @Test func properties() throws {
        let plain = try TileTemplate("https://{s}.t/{prefix}?k={random}")
        #expect(!plain.hasTilePlaceholders && plain.usesRandom && !plain.usesToken)
        let full = try TileTemplate("https://t/{quadkey}?a={token.b}&c={token.a}&r={run}")
        #expect(full.hasTilePlaceholders && full.usesToken && full.usesRun)
        #expect(full.tokenNames == ["b", "a"])
        #expect(full.lengthMax(tokenBytes: 100, runBytes: 9) == full.lengthMax + 209)
    }

    /// The text of every buffer size: all or -1, and nothing behind the end.
    @Test func buffersThatAreTooSmall() throws {
        let template = try TileTemplate("https://t/{z}/{x}/{y}/{quadkey}?{bbox-epsg-3857}{random}")
        let url = Array(template.url(Self.tile, random: 7).utf8)
        for capacity in 0...url.count + 2 {
            let guardByte: UInt8 = 0xEE
            var bytes = [UInt8](repeating: guardByte, count: capacity + 4)
            let length = bytes.withUnsafeMutableBufferPointer { buffer in
                template.write(
                    Self.tile, values: TemplateValues(random: 7),
                    into: UnsafeMutableBufferPointer(rebasing: buffer[..<capacity]))
            }
            #expect(length == (capacity < url.count ? -1 : url.count))
            #expect(bytes[capacity...].allSatisfy { $0 == guardByte })
            if length >= 0 { #expect(Array(bytes[..<length]) == url) }
        }
    }

    /// The writer against the plainest reading of the same template.
    @Test func writerEqualsReplacement() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let text =
            "https://{switch:a,b,c,d,e}.t/{z}/{x}/{y}/{-y}/{quadkey}/{prefix}?{bbox-epsg-3857}"
        let template = try TileTemplate(text)
        for _ in 0..<2000 {
            let tile = generator.tile()
            let box = tile.metreBounds
            let numbers = [box.west, box.south, box.east, box.north].map { number in
                let text = number.description
                return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
            }
            let hosts = ["a", "b", "c", "d", "e"]
            let expected =
                text
                .replacing("{switch:a,b,c,d,e}", with: hosts[(Int(tile.x) + Int(tile.y)) % 5])
                .replacing("{z}", with: "\(tile.z)").replacing("{x}", with: "\(tile.x)")
                .replacing("{y}", with: "\(tile.y)").replacing("{-y}", with: "\(tile.flippedY)")
                .replacing("{quadkey}", with: tile.quadkey)
                .replacing(
                    "{prefix}",
                    with: String(tile.x % 16, radix: 16) + String(tile.y % 16, radix: 16)
                )
                .replacing("{bbox-epsg-3857}", with: numbers.joined(separator: ","))
            #expect(template.url(tile) == expected, "seed \(seed)")
            #expect(expected.utf8.count <= template.lengthMax, "seed \(seed)")
        }
    }

    /// A set's writer works on all templates joined into one program.
    @Test func setWritesAsItsTemplates() throws {
        let texts = [
            "https://{s}.t/{z}/{x}/{y}{r}", "https://{switch:p,q}.t/{TileMatrix}/{quadkey}?{token}",
            "https://t/{bbox-epsg-3857}{random}&{token.a}",
        ]
        let set = try TileTemplateSet(
            texts, options: TemplateOptions(scheme: .tms, matrixNames: (0...30).map { "m\($0)" }))
        var generator = SeededGenerator(seed: 7)
        var bytes = [UInt8](repeating: 0, count: set.lengthMax)
        for _ in 0..<200 {
            let tile = generator.tile()
            let written = bytes.withUnsafeMutableBufferPointer { buffer in
                [UnsafeBufferPointer<UInt8>(start: nil, count: 0)].withUnsafeBufferPointer {
                    set.write(
                        tile, values: TemplateValues(tokenParts: $0, random: 9), into: buffer)
                }
            }
            let url = set.url(tile, tokenParts: [""], random: 9)
            #expect(String(decoding: bytes.prefix(max(written, 0)), as: UTF8.self) == url)
        }
    }

    @Test func setSharesTokenNames() throws {
        let set = try TileTemplateSet(["https://a/{token.p}", "https://b/{token.q}/{token.p}"])
        #expect(set.tokenNames == ["p", "q"])
        #expect(set.url(TileID(z: 1, x: 0, y: 1), tokenParts: ["P", "Q"]) == "https://b/Q/P")
        #expect(set.url(TileID(z: 1, x: 1, y: 1), tokenParts: ["P", "Q"]) == "https://a/P")
        #expect(set.hosts() == ["https://a", "https://b"])
        let error = #expect(throws: TemplateSetError.self) {
            _ = try TileTemplateSet(["https://a/", "https://b/{nope}"])
        }
        #expect(error?.index == 1)
        #expect(throws: TemplateSetError.self) { _ = try TileTemplateSet([]) }
    }
}
