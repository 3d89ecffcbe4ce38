import Testing

@testable import TileModel

@Suite struct URLReferenceTests {
    /// RFC 3986, 5.4.1 and 5.4.2, against `http://a/b/c/d;p?q`.
    @Test(arguments: [
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g"),
        ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
        ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
        ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
        (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
    ])
    func rfc3986(reference: String, expected: String) {
        #expect(URLReference.resolve(reference, against: "http://a/b/c/d;p?q") == expected)
    }

    @Test(
        arguments: [
            ("{z}/{x}/{y}.png", "https://t.test", "https://t.test/{z}/{x}/{y}.png"),
            (
                "{z}/{x}.png?k={y}", "https://t.test/a/b.json?k=1",
                "https://t.test/a/{z}/{x}.png?k={y}"
            ),
            ("//{s}.t/{z}", "https://t.test/a", "https://{s}.t/{z}"),
            ("../{z}", "HTTPS://T.test/a/b/c", "https://T.test/a/{z}"),
            ("{z}", "style.json", nil), ("{z}", "file:///style.json", nil),
            ("{z}", "", nil), ("https://t/{z}", "", "https://t/{z}"),
        ] as [(String, String, String?)])
    func templates(reference: String, base: String, expected: String?) {
        #expect(URLReference.resolve(reference, against: base) == expected)
    }

    @Test(
        arguments: [
            ("https://t.test/{z}/ä b/{x}/{y}", "https://t.test/{z}/%C3%A4%20b/{x}/{y}"),
            ("/\u{301}{z}", "https://t.test/%CC%81{z}"), ("mapbox://styles/x", nil),
            ("pmtiles://https://t/x.pmtiles", nil), ("https:/t.test/{z}", nil), ("", nil),
            ("https://t.test/{z}\r\nHost: u", nil), ("data:,", nil),
        ] as [(String, String?)])
    func absolute(text: String, expected: String?) throws {
        let url = "https://t.test/tiles.json"
        guard let expected else {
            #expect(throws: SourceTemplate.Trouble.self) {
                _ = try SourceTemplate.absolute(text, url: url)
            }
            return
        }
        #expect(try SourceTemplate.absolute(text, url: url) == expected)
    }

    @Test(arguments: [
        ("http://t", "http://t?a=1&B=x%20y%2F"), ("http://t/?", "http://t/?a=1&B=x%20y%2F"),
        ("http://t?A=0&c=2&", "http://t?c=2&a=1&B=x%20y%2F"),
        ("http://t?map=/m.map&b#f", "http://t?map=/m.map&a=1&B=x%20y%2F"),
    ])
    func parameters(url: String, expected: String) {
        #expect(QueryParameters.adding([("a", "1"), ("B", "x y/")], to: url) == expected)
    }

    @Test func parameterValues() {
        let url = "http://t?Service=WMS&x&Request=a=b#y?request=c"
        #expect(QueryParameters.value(of: "service", in: url) == "WMS")
        #expect(QueryParameters.value(of: "REQUEST", in: url) == "a=b")
        #expect(QueryParameters.value(of: "x", in: url) == "")
        #expect(QueryParameters.value(of: "y", in: url) == nil)
    }
}
