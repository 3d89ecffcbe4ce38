import CCurl
import Testing
import TileModel

/// The fence reads hosts by itself; what it accepts must be what libcurl connects to.
struct HostReadingTests {
    /// A host and port as libcurl's own parser reads them.
    private struct Place: Equatable {
        var scheme = ""
        var host = ""
        var zone = ""
        var port = ""

        /// Nil when libcurl would not take the URL. With the flags that its easy interface uses.
        init?(libcurl url: String) {
            let handle = curl_url()
            defer { curl_url_cleanup(handle) }
            let flags = UInt32(CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME)
            guard curl_url_set(handle, CURLUPART_URL, url, flags) == CURLUE_OK else { return nil }
            func part(_ part: CURLUPart, flags: Int32 = 0) -> String {
                var text: UnsafeMutablePointer<CChar>?
                guard curl_url_get(handle, part, &text, UInt32(flags)) == CURLUE_OK, let text else {
                    return ""
                }
                defer { curl_free(text) }
                return String(cString: text)
            }
            scheme = part(CURLUPART_SCHEME)
            host = part(CURLUPART_HOST).lowercased()
            zone = part(CURLUPART_ZONEID)
            port = part(CURLUPART_PORT, flags: CURLU_DEFAULT_PORT)
        }
    }

    private static let pieces = [
        "127.0.0.1", "127.1", "0x7f.1", "010.0.0.1", "2130706433", "localhost", "evil.example", "a",
        "Z", "1", "0", "::1", "[::1]", "[::ffff:1.2.3.4]", "[0:0::1]", "[fe80::1%25eth0]", "[", "]",
        "@", "@", "\\", "/", "?", "#", ":", ":80", ":443", ":65536", ":00081", "%2e", "%40", "%00",
        "%25", "%", ".", "-", "_", "~", "!", "$", "&", "'", "(", "*", "+", ",", ";", "=", "<", "\"",
        "^", "`", "{", "|", "}", " ", "\t", "\r", "\n", "\u{1}", "\u{7F}", "\u{E9}", "\u{301}",
        "\u{2461}", "\u{3002}", "\u{FF0F}", "\u{FF20}", "\u{FF3C}", "\u{200B}", "//", "://", "xn--",
    ]
    private static let starts = [
        "http://", "https://", "HTTP://", "http:///", "http:/", "http:\\\\", "http:", "//",
        "ftp://",
        "",
    ]

    @Test(arguments: UInt64(1)...4)
    func whatIsAcceptedIsWhatLibcurlConnectsTo(seed: UInt64) {
        var random = SplitMix(seed)
        var accepted = 0
        for _ in 0..<15_000 {
            // Mostly a good start, or hardly any would get as far as the host.
            let isPlain = UInt64.random(in: 0..<4, using: &random) > 0
            var url = isPlain ? "http://" : Self.starts.randomElement(using: &random) ?? ""
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                url += Self.pieces.randomElement(using: &random) ?? ""
            }
            accepted += expectAgreement(url, "seed \(seed)") ? 1 : 0
        }
        #expect(accepted > 300, "seed \(seed)")
    }

    /// With one byte of a good URL replaced, for all bytes.
    @Test(arguments: [
        "http://user:pw@tiles.example.org:8080/a@b", "http://127.0.0.1:81/", "https://[::1]:81/?c",
        "http://a@[fe80::1%25eth0]/",
    ])
    func anyByteAnywhere(url: String) {
        var accepted = 0
        for place in url.utf8.indices {
            for byte in UInt8(1)...127 {
                let scalar = String(UnicodeScalar(byte))
                let rest = url[url.utf8.index(after: place)...]
                accepted += expectAgreement(url[..<place] + scalar + rest, "") ? 1 : 0
                accepted += expectAgreement(url[..<place] + scalar + url[place...], "") ? 1 : 0
            }
        }
        #expect(accepted > 500)
    }

    @Test(arguments: [
        "http://127.0.0.1:1\\@127.0.0.1:2/", "http://a/\u{301}@b/", "http://a#@b", "http://a?@b/",
        "http://a\t@b/", "http://a@b@c/",
    ])
    func knownTricks(url: String) {
        _ = expectAgreement(url, "")
    }

    /// Whether the fence accepts the URL; then libcurl must read the same place, or refuse it for
    /// what stands behind the host.
    private func expectAgreement(_ url: String, _ comment: String) -> Bool {
        guard let origin = origin(of: url) else { return false }
        // Our own text of it is plain, so its parts can be taken from libcurl as well.
        let own = Place(libcurl: origin)
        #expect(own != nil, "\(url.debugDescription) read as \(origin) \(comment)")
        let isClean = url.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
        if let place = Place(libcurl: url) {
            #expect(
                own == place, "\(url.debugDescription) read as \(origin), not \(place) \(comment)")
        } else if isClean {
            Issue.record("\(url.debugDescription) read as \(origin), refused by libcurl \(comment)")
        }
        return true
    }
}
