import Testing

@testable import TileModel

@Suite struct HostTests {
    @Test(arguments: [
        ("https://t.example/{z}", ["https://t.example"]),
        ("HTTP://User:pw@T.Example:8080?{z}", ["http://t.example:8080"]),
        ("http://t:80/{z}", ["http://t"]), ("https://t:443#", ["https://t"]),
        ("https://t:80/", ["https://t:80"]), ("http://t:0081/", ["http://t:81"]),
        ("http://[::1]:9000/{z}", ["http://[::1]:9000"]), ("http://[::1]/", ["http://[::1]"]),
        ("https://{s}.t/{z}", ["https://a.t", "https://b.t", "https://c.t"]),
        ("https://t{0-1}.{switch:x,y}.t/", ["https://t0.x.t", "https://t1.y.t"]),
        ("{switch:http,https}://t/", ["http://t", "https://t"]),
        ("https://t{ratio}.e", ["https://t.e"]), ("/{z}/{x}", []), ("{z}/{x}", []),
        ("/proxy?u=https://t/", []), ("https://a?@b", ["https://a"]),
        ("https://t./", ["https://t."]), ("http://t_1-x.e/\\@b", ["http://t_1-x.e"]),
        ("http://[FE80::1%25Eth0]:81/", ["http://[fe80::1%25Eth0]:81"]),
        ("http://@t/", ["http://t"]), ("http://0x7f.example/", ["http://0x7f.example"]),
    ])
    func everyHostOfATemplate(text: String, expected: [String]) throws {
        #expect(try TileTemplate(text).hosts() == expected)
    }

    /// Each of these leads one parser of URLs to another host than the next one.
    @Test(arguments: [
        "http://127.0.0.1:1\\@127.0.0.1:2/{z}", "http://a\\b/", "http://a\\/",
        "http://a{ratio}\\@b",
        "http://{switch:a,b\\@c}/", "http://a@b@c/", "http://a:1@b:2@c/", "http://[a]@b/",
        "http://a b/", "http://a\t/", "http://a\n.b/", "http://a\u{7F}/", "http://\0a/", "http://",
        "http:///a/", "http://?a", "http://#a", "http://u:p@/", "http://:80/", "http://a:/",
        "http://a:0/", "http://a:65536/", "http://a:8o/", "http://a:+80/", "http://a:-1/",
        "http://a:99999999999999999999/", "http://a:80:80/", "http://::1/", "http://[::1/{z}",
        "http://[]/", "http://[127.0.0.1]/", "http://[::1]a/", "http://[::1]:/", "http://[::1]]/",
        "http://[::1%eth0]/", "http://[::1%25]/", "http://[::1%2541/]", "http://a%2eb/",
        "http://%61/", "http://a%00b/", "http://a<b/", "http://a;b/",
        "http://a,b/", "http://a*/", "http://a..b/", "http://.a/", "http://./", "http://a../",
        "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/",
        "http://127.0.0.1./", "http://1.2.3.4.5/", "http://256.1.1.1/", "http://0x/",
        "http://m\u{FC}ller.e/", "http://\u{2461}.e/", "http://a\u{FF0F}b/", "http://\u{212A}/",
    ])
    func aHostThatCanBeReadInTwoWaysIsNone(url: String) {
        #expect(origin(of: url) == nil)
        #expect(throws: TemplateError.self) { try TileTemplate(url) }
    }

    /// To `Character` a slash with a combining mark is no slash; to every parser of URLs it is.
    @Test func aCombiningMarkDoesNotHideTheEndOfTheAuthority() throws {
        let url = "http://127.0.0.1:1/\u{301}@127.0.0.1:2/{z}"
        #expect(origin(of: url) == "http://127.0.0.1:1")
        #expect(try TileTemplate(url).hosts() == ["http://127.0.0.1:1"])
        #expect(origin(of: "http://a?\u{301}@b/") == "http://a")
        #expect(origin(of: "http:/\u{301}/b/") == nil)
    }

    @Test func aTemplateIsAbsoluteOrNot() throws {
        #expect(throws: TemplateError.self) { try TileTemplate("{switch:http,1}://a/{z}") }
        #expect(try TileTemplate("{switch:1,2}://a/{z}").hosts() == [])
    }

    @Test func prefixesMakeHosts() throws {
        let all = try TileTemplate("https://{prefix}.t/{z}").hosts()
        #expect(Set(all).count == 256)
        #expect(all.first == "https://00.t" && all.last == "https://ff.t")
        #expect(try TileTemplate("https://{prefix}.{0-1}.t/").hosts().count == 256)
        #expect(try TileTemplate("https://{prefix}.{a-c}.t/").hosts().count == 768)
        #expect(throws: TemplateError.self) {
            _ = try TileTemplate("https://{0-999}.{0-996}.t/")
        }
    }

    /// No URL leaves the listed hosts, and every listed host occurs.
    @Test(arguments: [
        "https://{prefix}.{0-3}.t/{z}", "https://{prefix}.{a-c}.t/{z}",
        "http://{s}.{switch:x,y,z,w}.t:81/{x}",
    ])
    func hostsAreExact(text: String) throws {
        let template = try TileTemplate(text)
        var seen: Set<String> = []
        for x in 0..<UInt32(64) {
            for y in 0..<UInt32(64) {
                seen.insert(try #require(origin(of: template.url(TileID(z: 6, x: x, y: y)))))
            }
        }
        #expect(seen == Set(template.hosts()))
    }

    /// The host that a tile's sum of column and row tells is the one of its URL.
    @Test(arguments: [
        [["https://a.t/{z}/{x}/{y}"]], [["https://{s}.t/{z}"], ["https://b.t/{z}"]],
        [["https://{a-b}.t/{z}", "https://{s}.u/{z}", "https://b.t/{z}"]],
        [["https://{0-3}.t/{z}", "https://{0-5}.t/{z}"], ["https://u/{z}", "https://0.t/{z}"]],
        [["https://{s}.{switch:x,y}.t/{z}"], ["http://{s}.x.t/{z}"]],
    ])
    func hostsBySum(texts: [[String]]) throws {
        for scheme in [TemplateOptions.Scheme.xyz, .tms] {
            var options = TemplateOptions()
            options.scheme = scheme
            let set = try TileTemplateSet(
                sources: texts.map { TileTemplateSet.Source($0, options: options) })
            let (lists, hosts) = (try #require(set.hostsBySum()), set.hosts())
            #expect(lists.count == texts.count)
            for (number, list) in lists.enumerated() {
                for x in 0..<UInt32(40) {
                    for y in [0, 1, 7, 63] as [UInt32] {
                        let tile = TileID(z: 6, x: x, y: y)
                        let url = set.url(tile, source: UInt16(number))
                        #expect(origin(of: url) == hosts[list[Int(x + y) % list.count]])
                    }
                }
            }
        }
    }

    /// MapLibre Native takes the first of an array.
    @Test func hostsOfTemplatesThatNobodyUses() throws {
        var options = TemplateOptions()
        options.client = .maplibreNative
        let set = try TileTemplateSet(
            sources: [["https://a.t/{z}", "https://b.t/{z}"], ["https://c.t/{z}"]].map {
                TileTemplateSet.Source($0, options: options)
            })
        #expect(set.hostsBySum() == [[0], [1]])
    }

    @Test(arguments: ["https://{prefix}.t/{z}", "https://{0-99}.{0-96}.t/{z}"])
    func hostsThatDependOnMore(text: String) throws {
        #expect(try TileTemplateSet([text]).hostsBySum() == nil)
    }

    @Test(arguments: [
        "tile.openstreetmap.org", "a.tile.openstreetmap.org", "TILE.OpenStreetMap.org.",
        "c.tile.openstreetmap.fr", "tile.openstreetmap.de", "b.tile.opentopomap.org",
        "server.arcgisonline.com", "mt3.google.com", "tile.googleapis.com", "api.mapbox.com",
        "tiles.stadiamaps.com", "a.basemaps.cartocdn.com", "api.maptiler.com",
        "ecn.t0.tiles.virtualearth.net", "maps.wikimedia.org",
    ])
    func publicServices(host: String) {
        #expect(PublicTileServices.reason(host: host) != nil)
    }

    @Test(arguments: [
        "localhost", "tiles.example.org", "nottile.openstreetmap.org", "openstreetmap.org.evil",
        "mytile.googleapis.com", "",
    ])
    func otherServices(host: String) {
        #expect(PublicTileServices.reason(host: host) == nil)
    }

    @Test(arguments: [
        ("localhost", true), ("LOCALHOST.", true), ("a.localhost", true), ("127.0.0.1", true),
        ("127.255.0.9", true), ("10.1.2.3", true), ("172.16.0.1", true), ("172.31.255.255", true),
        ("192.168.1.1", true), ("169.254.0.1", true), ("0.0.0.0", true), ("[::1]", true),
        ("::1", true), ("::", true), ("fe80::1%eth0", true), ("febf::1", true), ("fd00::1", true),
        ("fc00::", true), ("::ffff:10.0.0.1", true), ("[::ffff:7f00:1]", true),
        ("localhost.example", false), ("mylocalhost", false), ("128.0.0.1", false),
        ("172.15.0.1", false), ("172.32.0.1", false), ("192.169.0.1", false), ("11.0.0.1", false),
        ("169.253.0.1", false), ("0.0.0.1", false), ("::2", false), ("fec0::1", false),
        ("fe00::1", false), ("2001:db8::1", false), ("::ffff:8.8.8.8", false),
        ("10.0.0.1.example.org", false), ("fd.example.org", false), ("", false), ("127.1", false),
    ])
    func localAndPrivate(host: String, expected: Bool) {
        #expect(AddressClass.isLocalOrPrivate(host: host) == expected)
    }
}
