import Testing

@testable import TileModel

/// The tile of a URL by a template; nil: it is none's.
private func match(_ matcher: TemplateMatcher, _ url: String) -> TileID? {
    var rest = url.prefix { $0 != "#" }
    if let host = rest.firstRange(of: "://") {
        rest = rest[host.upperBound...].drop { $0 != "/" && $0 != "?" }
    }
    let path = percentDecoded(Array(rest.prefix { $0 != "?" }.utf8))
    let query = rest.drop { $0 != "?" }.dropFirst().split(separator: "&")
    var value: [UInt8] = []
    return path.withUnsafeBufferPointer { path in
        matcher.tile(path: path) { name in
            let name = String(decoding: name, as: UTF8.self)
            guard let found = query.first(where: { $0.lowercased().hasPrefix(name + "=") }) else {
                return nil
            }
            value = percentDecoded(Array(found.dropFirst(name.count + 1).utf8))
            return value.withUnsafeBufferPointer { $0 }
        }
    }
}

private func matcher(
    _ text: String, _ options: TemplateOptions = TemplateOptions()
) throws -> TemplateMatcher? {
    TemplateMatcher(try TileTemplate(text, options: options))
}

@Suite struct TemplateMatcherTests {
    /// Templates of which every URL leads back to its tile.
    static let templates: [(text: String, options: TemplateOptions)] = [
        ("https://t.example/{z}/{x}/{y}.png", TemplateOptions()),
        ("https://t.example/{z}/{x}/{y}.png?key={token}", TemplateOptions(scheme: .tms)),
        ("http://{s}.t.example:8080/a/{z}-{x}-{-y}{r}.webp", TemplateOptions(ratio: 2)),
        ("/tile/{z}/{y}/{x}", TemplateOptions()),
        ("https://t.example/{prefix}/{quadkey}.jpeg", TemplateOptions()),
        ("https://t.example/{run}/{a-c}/{z}/{x}/{y}?r={random}", TemplateOptions()),
        ("https://t.example/{token}/{z}/{x}/{y}", TemplateOptions()),
        ("https://t.example/v1/{token}-x/{z}/{x}/{y}", TemplateOptions()),
        ("https://t.example/{switch:aa,a,b%20c}/{z}/{x}/{y}", TemplateOptions()),
        ("https://w.example/?BBOX={bbox-epsg-3857}&WIDTH=256", TemplateOptions()),
        ("https://w.example/w?tok={token}&z={z}&x={x}&y={y}#{z}", TemplateOptions()),
        ("https://w.example?z={z}&xy={x},{y}", TemplateOptions()),
        (
            "https://w.example/{TileMatrix}/{TileRow}/{TileCol}.png",
            TemplateOptions(matrixNames: (0...30).map { "EPSG:3857:\($0)" })
        ),
        ("https://w.example/{z}/{quadkey}/{x}/{y}", TemplateOptions()),
        ("https://t.example/{quadkey}.png", TemplateOptions(scheme: .tms, client: .maplibreNative)),
        (
            "https://t.example/?b={bbox-epsg-3857}",
            TemplateOptions(scheme: .tms, client: .maplibreNative)
        ),
    ]

    @Test(arguments: templates.indices)
    func everyURLLeadsBackToItsTile(index: Int) throws {
        let (text, options) = Self.templates[index]
        let template = try TileTemplate(text, options: options)
        let matcher = try #require(TemplateMatcher(template))
        var random = SeededGenerator(seed: 31)
        for _ in 0..<300 {
            let tile = random.tile()
            let url = template.url(
                tile, token: "to%2Fken", run: "1f", random: .random(in: 0...(.max), using: &random))
            try #require(match(matcher, url) == tile, "\(url)")
        }
    }

    /// Two numbers side by side have no end of their own.
    @Test(
        arguments: URLVectorTests.all.filter {
            $0.rules != nil && !$0.expected.hasPrefix("ERROR") && !$0.template.contains("{z}{z}")
        })
    func vectorsLeadBack(vector: URLVectorTests.Vector) throws {
        var options = TemplateOptions(
            scheme: vector.scheme == "tms" ? .tms : .xyz, ratio: vector.ratio ?? 1,
            client: try #require(vector.rules))
        options.variables = ["style": "outdoor"]
        if case .list(let list) = vector.options?["subdomains"] { options.subdomains = list }
        guard let matcher = try matcher(vector.template, options) else {
            // `{prefix}/{y}` and the like.
            #expect(!vector.template.contains("{quadkey}") && !vector.template.contains("{bbox"))
            #expect(!["{z}", "{x}", "{y}"].allSatisfy { vector.template.contains($0) })
            return
        }
        #expect(
            match(matcher, vector.expected) == TileID(z: vector.z, x: vector.x, y: vector.y))
    }

    @Test(
        arguments: [
            ("https://t.example/{z}/{x}/{y}.png", "/5/3/2.png", "5/3/2"),
            ("https://t.example/{z}/{x}/{y}.png", "https://other.example/5/3/2.png?any=1", "5/3/2"),
            ("https://t.example/{z}/{x}/{y}.png", "/5/3/2.pngx", nil),
            ("https://t.example/{z}/{x}/{y}.png", "/a/5/3/2.png", nil),
            ("https://t.example/{z}/{x}/{y}.png", "/5/32/2.png", nil),
            ("https://t.example/{z}/{x}/{y}.png", "/31/0/0.png", nil),
            ("https://t.example/{z}/{x}/{y}.png", "/5/12345678901/2.png", nil),
            ("https://t.example/{z}/{x}/{y}.png", "/5/-3/2.png", nil),
            ("https://t.example/{z}/{x}/{y}.png", "/5/3/.png", nil),
            ("https://t.example/{z}/{x}/{y}.png", "", nil),
            ("https://t.example/{z}/{x}/{y}{ratio}.png", "/5/3/2%402x.png", nil),
            ("https://t.example/{z}/{x}/{y}@2x.png", "/5/3/2%402x.png", "5/3/2"),
            ("https://t.example/a%20b/{z}/{x}/{y}", "/a%20b/5/3/2", "5/3/2"),
            ("https://t.example/{z}/{quadkey}/{x}/{y}", "/3/021/1/2", "3/1/2"),
            ("https://t.example/{z}/{quadkey}/{x}/{y}", "/3/021/1/3", nil),
            ("https://t.example/{z}/{x}/{y}/{-y}", "/3/1/2/5", "3/1/2"),
            ("https://t.example/{z}/{x}/{y}/{-y}", "/3/1/2/4", nil),
            ("https://t.example/t?z={z}&x={x}&y={y}", "/t?Y=2&X=1&Z=3&t=9", "3/1/2"),
            ("https://t.example/t?z={z}&x={x}&y={y}", "/t?y=2&x=1", nil),
            ("https://t.example/t?z={z}&x={x}&y={y}", "/u?z=3&y=2&x=1", nil),
            (
                "https://t.example/?b={bbox-epsg-3857}",
                "/?b=-20037508.34,0.001,0,20037508.34", "1/0/0"
            ),
            ("https://t.example/?b={bbox-epsg-3857}", "/?b=-20037508.34,0,500000,20037508.34", nil),
            ("https://t.example/?b={bbox-epsg-3857}", "/?b=0,0,0,0", nil),
            ("https://t.example/?b={bbox-epsg-3857}", "/?b=nan,inf,0,0", nil),
            ("https://t.example/?b={bbox-epsg-3857}", "/?b=1,2,3", nil),
            (
                "https://t.example/?b={bbox-epsg-3857}", "/?b=0%2C0%2C20037508.34%2C20037508.34",
                "1/1/0"
            ),
            ("https://t.example/{quadkey}", "/" + String(repeating: "0", count: 31), nil),
            ("https://t.example/{token}/{z}/{x}/{y}", "/a/b/5/3/2", nil),
            ("https://t.example/{s}/{z}/{x}/{y}", "/d/5/3/2", nil),
        ] as [(String, String, String?)])
    func oneURL(template: String, url: String, expected: String?) throws {
        let matcher = try #require(try matcher(template))
        #expect(match(matcher, url)?.description == expected)
    }

    @Test(arguments: [
        "https://t.example/all.json", "https://t.example/{x}/{y}.png",
        "https://{prefix}.t.example/{z}.png", "https://t.example/a#{z}/{x}/{y}",
        "https://{switch:a,b}.t.example",
    ])
    func templatesThatTellNoTile(template: String) throws {
        #expect(try matcher(template) == nil)
    }
}
