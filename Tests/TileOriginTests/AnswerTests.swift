import JSONText
import Testing
import TileOrigin

@Suite("Answers")
struct AnswerTests {
    @Test("A tile has its headers, and HEAD the same ones without the body")
    func headers() throws {
        try withOrigin {
            let client = try HTTPClient(port: $0.port)
            let get = try client.get("/4/3/2.png")
            #expect(get.status == 200)
            #expect(get.headers["content-type"] == "image/png")
            #expect(get.headers["cache-control"] == "public, max-age=60")
            #expect(get.headers["date"] != nil)
            #expect(get.headers["connection"] == nil)
            #expect(get.headers["x-cache"] == nil)
            let tag = try #require(get.headers["etag"])
            #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.utf8.count == 18)
            var head = try client.request("HEAD", "/4/3/2.png")
            #expect(head.body.isEmpty)
            head.headers["date"] = get.headers["date"]
            #expect(head.headers == get.headers)
            #expect($0.statistics().bytes == UInt64(get.body.count))
            #expect($0.statistics().tiles.ok == 2)
        }
    }

    @Test("Cache-Control can be changed or left out")
    func cacheControl() throws {
        try withOrigin {
            $0.cacheControl = "private, no-cache"
        } _: {
            let answer = try HTTPClient(port: $0.port).get("/0/0/0.png")
            #expect(answer.headers["cache-control"] == "private, no-cache")
        }
        try withOrigin {
            $0.cacheControl = nil
        } _: {
            let answer = try HTTPClient(port: $0.port).get("/0/0/0.png")
            #expect(answer.headers["cache-control"] == nil)
        }
    }

    @Test("If-None-Match: lists, weak tags and the star")
    func notModified() throws {
        try withOrigin {
            let client = try HTTPClient(port: $0.port)
            let tag = try #require(try client.get("/4/3/2.png").headers["etag"])
            let other = try #require(try client.get("/4/3/3.png").headers["etag"])
            #expect(tag != other)
            let table: [(String, Int)] = [
                (tag, 304), ("W/\(tag)", 304), ("*", 304), (" \(tag) ", 304),
                ("\(other), \(tag)", 304), ("\"\", W/\"a,b\" ,\(tag)", 304),
                (other, 200), ("\"nonsense\"", 200), (tag.replacing("\"", with: ""), 200),
                (String(tag.dropLast()), 200), ("", 200),
            ]
            for (value, status) in table {
                let answer = try client.get("/4/3/2.png", ["If-None-Match: \(value)"])
                #expect(answer.status == status, "\(value)")
                if status == 304 {
                    #expect(answer.headers["etag"] == tag)
                    #expect(answer.headers["cache-control"] == "public, max-age=60")
                }
            }
            #expect($0.statistics().tiles.notModified == 6)
        }
    }

    @Test(
        "Paths and methods that are not served",
        arguments: [
            ("GET", "/", 404), ("GET", "/favicon.ico", 404), ("GET", "/4/3/2", 404),
            ("GET", "/4/3/2.jpg", 404), ("GET", "/4/3/2.png.gz", 404), ("GET", "/4/03/2.png", 404),
            ("GET", "/4/-1/2.png", 404), ("GET", "/4/16/2.png", 404), ("GET", "/4/3/16.png", 404),
            ("GET", "/31/0/0.png", 404), ("GET", "/4/99999999999999999999999999/0.png", 404),
            ("GET", "/4/3/2@2x.mvt", 404), ("GET", "/4/3/2@3x.png", 404),
            ("GET", "//4/3/2.png", 404),
            ("GET", "/token", 404), ("POST", "/revoke", 404), ("GET", "/tokens", 404),
            ("POST", "/4/3/2.png", 405), ("DELETE", "/4/3/2.png", 405), ("PUT", "/4/99/2.png", 405),
            ("GET", "/4/3/2.pbf", 200), ("GET", "/4/15/15.png", 200),
            ("GET", "/4/3/2.png?v=1", 200),
        ])
    func routes(method: String, path: String, status: Int) throws {
        try withOrigin {
            let client = try HTTPClient(port: $0.port)
            let body = method == "GET" ? nil : "some body"
            let answer = try client.request(method, path, body: body)
            #expect(answer.status == status)
            #expect(answer.headers["content-type"]?.isEmpty == false)
            if status == 405 { #expect(answer.headers["allow"] == "GET, HEAD") }
            // The connection lives on.
            #expect(try client.get("/0/0/0.png").status == 200)
            #expect($0.statistics().requests == 2)
        }
    }

    @Test("Statistics are JSON with the server's counts, and do not count themselves")
    func statistics() throws {
        try withOrigin {
            let client = try HTTPClient(port: $0.port)
            let size = try client.get("/1/0/0.png").body.count
            _ = try client.get("/1/2/0.png")
            let answer = try client.get("/stats")
            #expect(answer.headers["content-type"] == "application/json")
            let ledger = try parse(answer.text)
            let table: [(String, UInt64?)] = [
                ("/requests", 2), ("/control", 0), ("/unanswered", 0), ("/answered/200", 1),
                ("/answered/404", 1), ("/answered/500", nil), ("/tiles/ok", 1),
                ("/tiles/refused", 0), ("/tiles/not_modified", 0), ("/tiles/not_found", 1),
                ("/tiles/faults", 0), ("/token_requests/attempted", 0),
                ("/token_requests/issued", 0), ("/token_requests/duplicates", 0),
                ("/tokens/live", 0), ("/revocations", 0), ("/expiry_events", 0),
                ("/storms/max", 0), ("/outdated_sends", 0),
            ]
            for (pointer, value) in table {
                #expect(ledger.at(pointer: pointer)?.uint == value, "\(pointer)")
            }
            #expect($0.statistics().control == 1)
            #expect(Int($0.statistics().bytes) > size)
        }
    }

    @Test("A port in use, a foreign address and nonsense are named")
    func errors() throws {
        try withOrigin { origin in
            let table: [(String, UInt16, String)] = [
                ("127.0.0.1", origin.port, "bind: Address already in use"),
                ("192.0.2.1", 0, "bind: Cannot assign requested address"),
                ("tiles.example", 0, "not an IP address"),
            ]
            for (address, port, cause) in table {
                var options = OriginOptions()
                options.listenAddress = address
                options.port = port
                let error = #expect(throws: OriginError.self) { try TileOrigin(options) }
                #expect(error?.cause == cause)
                #expect(error?.description == "cannot serve on \(address) port \(port): \(cause)")
            }
        }
    }

    @Test("Listening on every address, the server names one that a client can use")
    func everyAddress() throws {
        try withOrigin {
            $0.listenAddress = "0.0.0.0"
            $0.tile = .mvt
        } _: {
            #expect($0.tileTemplate == "http://127.0.0.1:\($0.port)/{z}/{x}/{y}.mvt")
            let answer = try HTTPClient(port: $0.port).get("/0/0/0.mvt")
            #expect(answer.status == 200)
        }
    }

    @Test("After stop nobody answers, and a second stop does nothing")
    func stopped() throws {
        let port = try withOrigin {
            #expect($0.address == "http://127.0.0.1:\($0.port)")
            #expect($0.tileTemplate == "http://127.0.0.1:\($0.port)/{z}/{x}/{y}.png")
            $0.stop()
            return $0.port
        }
        #expect(throws: HTTPClient.Failure.self) { try HTTPClient(port: port) }
    }

    @Test("The cache of ready tiles evicts and stays right")
    func eviction() throws {
        try withOrigin {
            // 64 MB of bodies: 32 tiles of 2 MB.
            $0.bytes = 2 << 20
        } _: {
            let client = try HTTPClient(port: $0.port)
            var tags: [Int: String] = [:]
            for round in 0..<2 {
                for x in 0..<40 {
                    let answer = try client.request("HEAD", "/7/\(x)/1.png")
                    if round == 1 { #expect(answer.headers["etag"] == tags[x]) }
                    tags[x] = answer.headers["etag"]
                }
            }
            #expect(Set(tags.values).count == 40)
        }
    }
}
