import Testing

@testable import TileModel

/// What the clients make of one placeholder for tile 3/1/2 at ratio 2: where they differ, and where
/// they do not.
@Suite struct CompatTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var placeholder: String
        var scheme: TemplateOptions.Scheme
        /// By client in the order of `clients`; nil where it is an error.
        var texts: [String?]

        init(_ placeholder: String, _ scheme: TemplateOptions.Scheme = .xyz, _ texts: String?...) {
            self.placeholder = placeholder
            self.scheme = scheme
            self.texts = texts
        }

        var testDescription: String { "\(placeholder) \(scheme)" }
    }

    static let clients: [ClientRules] = [.standard, .maplibreNative, .maplibreGL, .leaflet]

    private static let box =
        "-15028131.257091932,5009377.085697312,-10018754.171394622,10018754.17139462"
    private static let mirrored =
        "-15028131.257091932,-10018754.171394622,-10018754.171394622,-5009377.085697312"

    @Test(arguments: [
        Row("{z}/{x}", .tms, "3/1", "3/1", "3/1", "3/1"),
        Row("{y}", .xyz, "2", "2", "2", "2"), Row("{y}", .tms, "5", "5", "5", "5"),
        Row("{-y}", .xyz, "5", "{-y}", "{-y}", "5"), Row("{-y}", .tms, "5", "{-y}", "{-y}", "5"),
        // Native alone flips before everything else.
        Row("{quadkey}", .xyz, "021", "021", "021", nil),
        Row("{quadkey}", .tms, "021", "203", "021", nil),
        Row("{prefix}", .xyz, "12", "12", "12", nil), Row("{prefix}", .tms, "12", "15", "12", nil),
        Row("{bbox-epsg-3857}", .xyz, box, box, box, nil),
        Row("{bbox-epsg-3857}", .tms, box, mirrored, box, nil),
        Row("{ratio}", .xyz, "@2x", "@2x", "@2x", nil),
        Row("{r}", .xyz, "@2x", "{r}", "{r}", "@2x"),
        Row("{scale}", .xyz, "2", "{scale}", "{scale}", nil),
        // (1 + 2) mod 3, by the row from the north whatever the scheme.
        Row("{s}", .xyz, "a", "{s}", "{s}", "a"), Row("{s}", .tms, "a", "{s}", "{s}", "a"),
        Row("{a-b}", .xyz, "b", "{a-b}", "{a-b}", nil),
        Row("{switch:p,q}", .xyz, "q", "{switch:p,q}", "{switch:p,q}", "{switch:p,q}"),
        Row("{ z}", .xyz, nil, "{ z}", "{ z}", "3"), Row("{z }", .xyz, nil, "{z }", "{z }", nil),
        Row("{Z}", .xyz, nil, "{Z}", "{Z}", nil), Row("{}", .xyz, nil, "{}", "{}", "{}"),
        Row("{{z}}", .xyz, nil, "{3}", "{3}", "{3}"), Row("{z", .xyz, nil, "{z", "{z", "{z"),
        Row("{other}", .xyz, nil, "{other}", "{other}", nil),
        Row("{TILEROW}", .tms, "2", "{TILEROW}", "{TILEROW}", nil),
        Row(
            "{bbox-epsg-4326}", .tms, "40.97989806962013,-135,66.51326044311186,-90",
            "{bbox-epsg-4326}", "{bbox-epsg-4326}", nil),
    ])
    func placeholders(row: Row) throws {
        for (client, text) in zip(Self.clients, row.texts) {
            let options = TemplateOptions(scheme: row.scheme, ratio: 2, client: client)
            let template = try? TileTemplate("https://t/" + row.placeholder, options: options)
            let url = template?.url(TileID(z: 3, x: 1, y: 2))
            #expect(url == text.map { "https://t/" + $0 }, "\(client)")
        }
    }

    /// Which of three a tile is asked from, and so which hosts there are: the first for MapLibre
    /// Native, (x + y) mod n for the others, whatever the scheme.
    @Test func arrays() throws {
        let texts = ["a", "b", "c"].map { "https://\($0).t/{z}/{x}/{y}" }
        for client in Self.clients {
            for scheme in [TemplateOptions.Scheme.xyz, .tms] {
                let set = try TileTemplateSet(
                    texts, options: TemplateOptions(scheme: scheme, client: client))
                let isFirst = client == .maplibreNative
                #expect(
                    set.hosts()
                        == (isFirst
                            ? ["https://a.t"] : ["https://a.t", "https://b.t", "https://c.t"]))
                let tiles = (0..<3).map { TileID(z: 3, x: $0, y: 2) }
                #expect(tiles.map { set.index(of: $0) } == (isFirst ? [0, 0, 0] : [2, 0, 1]))
                let host = isFirst ? "a" : "c"
                #expect(set.url(tiles[0]).hasPrefix("https://\(host).t/3/0/"))
            }
        }
    }

    /// A box in degrees, longitude or latitude first; the edges of neighbours meet.
    @Test func boxesInDegrees() throws {
        let template = try TileTemplate("{bbox-crs-84} {bbox-epsg-4326}")
        #expect(
            template.url(TileID(z: 1, x: 0, y: 0))
                == "-180,0,0,85.0511287798066 0,-180,85.0511287798066,0")
        #expect(template.hasTilePlaceholders)
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let tile = generator.tile()
            let url = template.url(tile)
            let numbers = url.split { ", ".contains($0) }.compactMap { Double($0) }
            let box = tile.geoBounds
            #expect(
                numbers == [
                    box.west, box.south, box.east, box.north, box.south, box.west, box.north,
                    box.east,
                ], "\(tile) seed \(seed)")
            #expect(url.utf8.count <= template.lengthMax, "\(tile) seed \(seed)")
        }
    }
}
