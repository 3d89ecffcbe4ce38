import Testing

@testable import TileModel

/// Several sources in one set of templates: each tile is asked by its source's templates, read by
/// its source's options, and token parts have one order for all.
@Suite struct TemplateSourcesTests {
    private static let sources = [
        TileTemplateSet.Source(
            ["https://a.t/{z}/{x}/{y}?k={token.one}", "https://b.t/{z}/{x}/{y}"]),
        TileTemplateSet.Source(
            ["https://c.t/{quadkey}/{y}?k={token.two}&l={token.one}"],
            options: TemplateOptions(scheme: .tms, client: .standard)),
        TileTemplateSet.Source(
            ["https://d.t/{TileMatrix}/{TileRow}"],
            options: TemplateOptions(matrixNames: ["m0", "m1", "m2", "m3"])),
    ]

    @Test func eachSourceHasItsOwn() throws {
        let set = try TileTemplateSet(sources: Self.sources)
        #expect(set.tokenNames == ["one", "two"])
        #expect(set.hosts() == ["https://a.t", "https://b.t", "https://c.t", "https://d.t"])
        let tile = TileID(z: 3, x: 1, y: 2)
        func url(_ source: UInt16) -> String {
            set.url(tile, source: source, tokenParts: ["1", "2"])
        }
        #expect(url(0) == "https://b.t/3/1/2")
        #expect(url(1) == "https://c.t/021/5?k=2&l=1")
        #expect(url(2) == "https://d.t/m3/2")
        #expect((0..<3).map { set.index(of: tile, source: $0) } == [1, 2, 3])
    }

    /// What is written for a request is what `url` says, and MapLibre Native's flip is that of its
    /// own source.
    @Test func written() throws {
        var sources = Self.sources.map {
            TileTemplateSet.Source([$0.texts[0]], options: $0.options)
        }
        sources.append(
            TileTemplateSet.Source(
                ["https://e.t/{quadkey}", "https://f.t/{quadkey}"],
                options: TemplateOptions(scheme: .tms, client: .maplibreNative)))
        sources.append(TileTemplateSet.Source(["https://g.t/{quadkey}"]))
        let set = try TileTemplateSet(sources: sources)
        let tile = TileID(z: 3, x: 1, y: 2)
        for source in sources.indices {
            let url = set.url(tile, source: UInt16(source), tokenParts: ["1", "2"])
            let text = Array("12".utf8).withUnsafeBufferPointer { bytes in
                let parts = [
                    UnsafeBufferPointer(rebasing: bytes[0..<1]),
                    UnsafeBufferPointer(rebasing: bytes[1..<2]),
                ]
                return parts.withUnsafeBufferPointer { parts in
                    String(unsafeUninitializedCapacity: 200) { buffer in
                        set.write(
                            tile, source: UInt16(source), values: TemplateValues(tokenParts: parts),
                            into: buffer)
                    }
                }
            }
            #expect(text == url)
        }
        #expect(set.url(tile, source: 3) == "https://e.t/203")
        #expect(set.url(tile, source: 4) == "https://g.t/021")
        #expect(set.hosts().contains("https://e.t"))
        #expect(!set.hosts().contains("https://f.t"))
    }

    @Test func problemsTellWhichTemplate() {
        let bad = Self.sources + [TileTemplateSet.Source(["https://x.t/{z", "https://y.t"])]
        #expect(throws: TemplateSetError.self) { _ = try TileTemplateSet(sources: bad) }
        do {
            _ = try TileTemplateSet(sources: bad)
        } catch {
            #expect(error.index == 4)
        }
    }
}
