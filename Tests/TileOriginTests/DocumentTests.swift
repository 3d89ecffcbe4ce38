import JSONText
import Testing
import TileOrigin

/// The documents that lead a map client to the tiles, and pages of other origins that ask.
@Suite("Documents")
struct DocumentTests {
    @Test("TileJSON and style have the host that the client used and the token's place")
    func json() throws {
        for (hasToken, tile, end) in [
            (true, .png, ".png?access_token={token}"), (false, .png, ".png"),
            (true, .mvt, ".mvt?access_token={token}"),
        ] as [(Bool, OriginOptions.Tile, String)] {
            try withOrigin {
                $0.token = hasToken ? .init() : nil
                $0.tile = tile
            } _: {
                let client = try HTTPClient(port: $0.port)
                func document(_ path: String) throws -> JSONNode {
                    try client.sendAll(
                        "GET \(path) HTTP/1.1\r\nHost: tiles.lan:8080\r\n\r\n")
                    let answer = try client.receive(hasBody: true)
                    #expect(answer.headers["content-type"] == "application/json")
                    return try parse(answer.text)
                }
                let template = "http://tiles.lan:8080/{z}/{x}/{y}" + end
                let tileJSON = try document("/tiles.json")
                #expect(tileJSON["tilejson"]?.string == "3.0.0")
                #expect(tileJSON["tiles"]?.array?.map(\.string) == [template])
                #expect((tileJSON["vector_layers"] != nil) == (tile == .mvt))
                let style = try document("/style.json")
                #expect(style["version"]?.int == 8)
                let source = try #require(style["sources"]?["tilebench"])
                #expect(source["tiles"]?.array?.map(\.string) == [template])
                #expect(source["type"]?.string == (tile == .mvt ? "vector" : "raster"))
            }
        }
    }

    @Test("WMTS capabilities in both forms; no other operation")
    func wmts() throws {
        try withOrigin {
            $0.token = .init()
        } _: {
            let client = try HTTPClient(port: $0.port)
            let plain = try client.get("/wmts/1.0.0/WMTSCapabilities.xml")
            #expect(plain.status == 200)
            #expect(plain.headers["content-type"] == "application/xml")
            #expect(
                plain.text.contains(
                    "template=\"http://test/{TileMatrix}/{TileCol}/{TileRow}.png?access_token={token}\""
                ))
            #expect(plain.text.contains("<ScaleDenominator>559082264.0287178</ScaleDenominator>"))
            for query in [
                "SERVICE=WMTS&REQUEST=GetCapabilities",
                "request=getcapabilities&Service=wmts&version=1.0.0",
            ] {
                #expect(try client.get("/wmts?\(query)").text == plain.text)
            }
            for query in ["", "?SERVICE=WMTS&REQUEST=GetTile", "?REQUEST=GetCapabilities"] {
                let answer = try client.get("/wmts\(query)")
                #expect(answer.status == 400)
                #expect(answer.text.contains("OperationNotSupported"))
            }
        }
    }

    @Test("A Host that is none gets no document", arguments: ["a b", "x\"y", "", "a/b", "<a>"])
    func hosts(host: String) throws {
        try withOrigin { _ in
        } _: {
            let client = try HTTPClient(port: $0.port)
            try client.sendAll("GET /tiles.json HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            #expect(try client.receive(hasBody: true).status == 400)
        }
    }

    @Test("A client that leaves the token's place in the URL has its token in a header")
    func place() throws {
        try withOrigin {
            $0.token = .init()
        } _: {
            let client = try HTTPClient(port: $0.port)
            let token = try #require(try parse(client.get("/token").text)["token"]?.string)
            for place in ["{token}", "%7Btoken%7D"] {
                let path = "/5/1/2.png?access_token=\(place)"
                #expect(try client.get(path, ["Authorization: Bearer \(token)"]).status == 200)
                let refused = try client.get(path)
                #expect(try parse(refused.text)["reason"]?.string == "missing")
            }
        }
    }

    @Test("A referee lets pages of any origin ask; another server does not")
    func cors() throws {
        for isReferee in [true, false] {
            try withOrigin {
                $0.token = .init()
                $0.isReferee = isReferee
            } _: {
                let client = try HTTPClient(port: $0.port)
                let allowed = isReferee ? "*" : nil
                let token = try #require(try parse(client.get("/token").text)["token"]?.string)
                let paths = [
                    "/5/1/2.png?token=\(token)", "/5/1/2.png", "/token", "/tiles.json", "/stats",
                    "/nothing", "/9/600/1.png",
                ]
                for path in paths {
                    let answer = try client.get(path)
                    #expect(answer.headers["access-control-allow-origin"] == allowed, "\(path)")
                }
                let requests = $0.statistics().requests
                let preflight = try client.request(
                    "OPTIONS", "/5/1/2.png",
                    ["Origin: http://app.test", "Access-Control-Request-Headers: authorization"])
                #expect(preflight.status == (isReferee ? 204 : 405))
                let headers = preflight.headers["access-control-allow-headers"]
                #expect(headers == (isReferee ? "*, Authorization" : nil))
                #expect($0.statistics().requests == requests + (isReferee ? 0 : 1))
            }
        }
    }
}
