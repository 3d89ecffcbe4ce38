import Testing
import TileModel

@testable import Workload

private func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
}

/// What a parser makes of a line, in words.
private func parsed(_ parser: inout LogParser, _ line: String) -> String {
    withBytes(line) { bytes in
        switch parser.parse(bytes) {
        case .ask(let timeNS, _, .url(let url)): "\(timeNS / 1_000_000) \(text(url))"
        case .ask(let timeNS, _, .pathAndQuery(let path, let query)):
            "\(timeNS / 1_000_000) \(text(path)) \(text(query))"
        case .ask(let timeNS, let session, .tile(let tile)):
            "\(timeNS / 1000) \(session) \(tile)"
        case .blank: "blank"
        case .noTile: "noTile"
        case .badLine: "badLine"
        case .method: "method"
        case .time: "time"
        case .cancelled: "cancelled"
        }
    }
}

private func parsed(_ format: ReplayPlan.Format, _ lines: [String]) throws -> [String] {
    var parser = try #require(LogParser(format))
    return lines.map { parsed(&parser, $0) }
}

struct LogFormatTests {
    private static let time = "[10/Oct/2000:13:55:36 -0700]"

    @Test(arguments: [
        (
            "127.0.0.1 - - \(time) \"GET /5/3/2.png HTTP/1.1\" 200 2326",
            "971211336000 /5/3/2.png"
        ),
        (
            "::1 - frank \(time) \"GET /5/3/2.png?a=b HTTP/2.0\" 304 0 \"https://x/\" \"Mozilla/5.0 (X11)\"",
            "971211336000 /5/3/2.png?a=b"
        ),
        (
            "1.2.3.4 - a [b] c \(time) \"GET http://h/5/3/2 HTTP/1.1\" 200 1 \"-\" \"-\"",
            "971211336000 http://h/5/3/2"
        ),
        ("h:443 1.2.3.4 - - \(time) \"GET / HTTP/1.1\" 200 1", "971211336000 /"),
        ("1.2.3.4 - - \(time) \"GET /a b HTTP/1.1\" 400 0", "971211336000 /a b"),
        ("1.2.3.4 - - \(time) \"GET /a\\\"b HTTP/1.1\" 400 0", "971211336000 /a\\\"b"),
        ("1.2.3.4 - - \(time) \"GET /0.9\" 200 5", "971211336000 /0.9"),
        ("1.2.3.4 - - \(time) \"HEAD /5/3/2.png HTTP/1.1\" 200 0", "method"),
        ("1.2.3.4 - - \(time) \"POST /token HTTP/1.1\" 200 0", "method"),
        ("1.2.3.4 - - \(time) \"-\" 408 0", "badLine"),
        ("1.2.3.4 - - \(time) \"\\x16\\x03\" 400 0", "badLine"),
        ("1.2.3.4 - - \(time) \"get / HTTP/1.1\" 400 0", "badLine"),
        ("1.2.3.4 - - \(time) \"GET  HTTP/1.1\" 400 0", "badLine"),
        ("1.2.3.4 - - \(time) \"GET / HTTP/1.1", "badLine"), ("1.2.3.4 - - \(time)", "badLine"),
        ("1.2.3.4 - - [10/Foo/2000:13:55:36 -0700] \"GET / HTTP/1.1\" 200 0", "time"),
        ("1.2.3.4 - - [] \"GET / HTTP/1.1\" 200 0", "time"), ("nonsense", "badLine"),
        ("[", "badLine"), ("  ", "blank"), ("", "blank"),
    ])
    func combinedLines(line: String, expected: String) throws {
        #expect(try parsed(.combined, [line]) == [expected])
    }

    @Test func clientsAreToldApart() throws {
        func session(_ line: String) -> UInt64? {
            withBytes(line) { bytes in
                guard case .ask(_, let session, _) = CombinedLine.parse(bytes) else { return nil }
                return session
            }
        }
        let tail = " - - \(Self.time) \"GET /1/0/0 HTTP/1.1\" 200 1"
        #expect(session("1.2.3.4" + tail) == session("1.2.3.4" + tail + " \"-\""))
        #expect(session("1.2.3.4" + tail) != session("1.2.3.5" + tail))
    }

    @Test func cloudFrontLines() throws {
        let lines = [
            "#Version: 1.0",
            "#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query",
            "2019-12-04\t21:02:31\tLAX1\t392\t192.0.2.100\tGET\td.cloudfront.net\t/5/3/2.png\t200\t-\tMozilla/5.0%20(X)\t-\t-\tHit",
            "2019-12-04\t21:02:31\tLAX1\t392\t192.0.2.100\tGET\td.cloudfront.net\t/t\t200\t-\t-\tz=5&x=3&y=2",
            "2019-12-04\t21:02:31\tLAX1\t392\t192.0.2.100\tHEAD\td\t/5/3/2.png\t200\t-\t-\t-",
            "2019-12-04\t25:02:31\tLAX1\t392\t192.0.2.100\tGET\td\t/5/3/2.png\t200\t-\t-\t-",
            "2019-12-04\t21:02:31\tLAX1\t392", "2019-12-04 21:02:31 GET /5/3/2.png", "",
            "#Fields: timestamp(ms) cs-uri-stem c-ip", "1575493351123\t/5/3/2.png\t192.0.2.100",
            "1575493351123.5\t/5/3/2.png", "x\t/5/3/2.png\t-", "1\t\t-",
            "#Fields: timestamp cs-uri-stem", "1575493351.25\t/5/3/2.png",
        ]
        #expect(
            try parsed(.cloudFront, lines) == [
                "blank", "blank", "1575493351000 /5/3/2.png ", "1575493351000 /t z=5&x=3&y=2",
                "method", "time", "badLine", "badLine", "blank", "blank",
                "1575493351123 /5/3/2.png ", "1575493351123 /5/3/2.png ", "time", "badLine",
                "blank",
                "1575493351250 /5/3/2.png ",
            ])
        // Without a line of names.
        #expect(try parsed(.cloudFront, [lines[3]]) == ["1575493351000 /t z=5&x=3&y=2"])
    }

    @Test func csvLines() throws {
        let plain = [
            "t_ms,session,z,x,y,action", "0,7,5,3,2", "12.5,7,5,3,2,pan", "\"3\" , \"7\",5,3,2,get",
            "4,7,5,3,2,cancel", "5,7,5,3,32", "6,7,99,3,2", "7,7,5,3", "8,7,5,x,2", "-9,7,5,3,2",
            "x,7,5,3,2", ",7,5,3,2", "", "# comment", "10,,5,3,2", "1690000000000,7,5,3,2",
            "99999999999999999,7,5,3,2",
        ]
        let expected = [
            "blank", "0 7 5/3/2", "12500 7 5/3/2", "3000 7 5/3/2", "cancelled", "noTile", "noTile",
            "badLine", "badLine", "time", "time", "time", "blank", "blank",
            "10000 \(withBytes("") { $0.fingerprint }) 5/3/2", "1690000000000000 7 5/3/2", "time",
        ]
        #expect(try parsed(.csv, plain) == expected)
        #expect(try parsed(.csv, Array(plain.dropFirst())) == Array(expected.dropFirst()))
        let named = try parsed(.csv, ["Y, X, Z, User, T_MS", "2,3,5,a,1", "2,3,5,a"])
        #expect(named == ["blank", "1000 0 5/3/2", "badLine"])
        let text = try parsed(.csv, ["1,\"a,b\",5,3,2"])
        #expect(text == ["1000 \(withBytes("a,b") { $0.fingerprint }) 5/3/2"])
    }

    @Test func urlLines() throws {
        let lines = [
            "https://t.example/5/3/2.png", "/5/3/2.png", "  /a?z=1 ", "5/3/2", "05/3/2.png",
            "# /5/3/2", "", "GET /5/3/2", "5/3/99", "\u{7F}",
        ]
        #expect(
            try parsed(.urls, lines) == [
                "0 https://t.example/5/3/2.png", "0 /5/3/2.png", "0 /a?z=1", "0 0 5/3/2",
                "0 0 5/3/2", "blank", "blank", "badLine", "0 5/3/99", "badLine",
            ])
    }

    @Test(
        arguments: [
            ("1.2.3.4 - - \(time) \"GET / HTTP/1.1\" 200 1", .combined),
            ("1.2.3.4 - - \(time) \"POST / HTTP/1.1\" 200 1", .combined),
            ("1.2.3.4 - - \(time) \"-\" 408 0", nil), ("#Version: 1.0", .cloudFront),
            ("#Fields: date time", .cloudFront),
            ("2019-12-04\t21:02:31\tLAX1", .cloudFront), ("# anything", nil),
            ("t_ms,session,z,x,y", .csv), ("session,z,t_ms,x,y,action", .csv), ("0,a,5,3,2", .csv),
            ("0,a,5,3,2,cancel", .csv), ("0,a,5,3,99", .csv), ("a,b,c,d,e", nil),
            ("https://t.example/any", .urls), ("http://t.example/5/3/2.png", .urls),
            ("/5/3/2", .urls),
            ("5/3/2", .urls), ("5/3/2 17", nil), ("hello", nil), ("", nil), (" ", nil),
            ("hello/world", nil), ("5", nil),
            ("{\"url\": \"/5/3/2\"}", nil), ("\u{1F}\u{8B}", nil),
        ] as [(String, ReplayPlan.Format?)])
    func formatsAreRecognised(line: String, expected: ReplayPlan.Format?) {
        #expect(withBytes(line) { LogParser(recognising: $0)?.format } == expected)
    }

    /// Whatever the bytes, no crash.
    @Test(arguments: [ReplayPlan.Format.combined, .cloudFront, .csv, .urls])
    func anyBytes(format: ReplayPlan.Format) throws {
        var random = TestRandom(seed: 43)
        let words = [
            Self.time, "[", "]", "\"", "GET", " ", "\t", ",", "/5/3/2.png", "HTTP/1.1", "-", "0",
            "5",
            "\\", "#Fields:", "date", "time", "cs-uri-stem", "timestamp", "t_ms", "z", "x", "y",
            "2019-12-04", "21:02:31", "é", "\u{0}", "#",
        ]
        var parser = try #require(LogParser(format))
        var asks = 0
        for _ in 0..<20_000 {
            let line = (0..<Int.random(in: 0...16, using: &random)).map { _ in
                words.randomElement(using: &random) ?? ""
            }.joined()
            if parsed(&parser, line).contains("/") { asks += 1 }
            _ = withBytes(line) { LogParser(recognising: $0)?.format }
        }
        #expect(asks > 0 || format != .urls)
    }
}
