import JSONText
import Testing
import TileOrigin

/// Tokens that belong to cells, refresh tokens, and revocations of a share.
@Suite("Token cells")
struct TokenCellTests {
    private static let form = "Content-Type: application/x-www-form-urlencoded"

    private func token(_ client: HTTPClient, _ path: String = "/token") throws -> String {
        try #require(try parse(client.get(path).text)["token"]?.string)
    }

    @Test(
        "A cell is named by the query, the form or Basic credentials",
        arguments: [
            ("", [], nil, ""), ("?cell=a%20b", [], nil, "a b"),
            ("", [form], "grant_type=client_credentials&client_id=app%2B1", "app+1"),
            ("", [form], "username=u%40x.org&client_id=app&password=p", "u@x.org"),
            ("?cell=q", [form], "client_id=app", "q"),
            ("", ["Content-Type: text/plain"], "client_id=app", ""),
            ("", ["Authorization: Basic YXBwOnNlY3JldA=="], nil, "app"),
            ("", ["Authorization: basic YXBw"], nil, "app"),
            ("", ["Authorization: Basic %%%"], nil, ""),
            ("", ["Authorization: Bearer YXBw"], nil, ""),
        ] as [(String, [String], String?, String)])
    func names(query: String, headers: [String], body: String?, name: String) throws {
        try withOrigin {
            $0.token = .init()
        } _: {
            let client = try HTTPClient(port: $0.port)
            let answer = try client.request(
                body == nil ? "GET" : "POST", "/token" + query, headers, body: body)
            #expect(answer.status == 200)
            #expect($0.statistics().expiries.cellNames == [name])
        }
    }

    @Test("Each cell counts its own generations; a renewal of one is not needless for another")
    func generations() throws {
        try withOrigin {
            $0.token = .init()
        } _: { origin in
            let client = try HTTPClient(port: origin.port)
            for name in ["a", "b", "c"] {
                let token = try token(client, "/token?cell=\(name)")
                #expect(try client.get("/5/1/2.png?token=\(token)").status == 200)
            }
            #expect(origin.statistics().tokens.duplicates == 0)
            #expect(origin.statistics().tokens.cells == 3)
            _ = try token(client, "/token?cell=b")
            #expect(origin.statistics().tokens.duplicates == 1)
            #expect(origin.revoke().tokens == 4)
            _ = try token(client, "/token?cell=c")
            #expect(origin.statistics().tokens.duplicates == 1)
            #expect(origin.statistics().tokens.sum.unseenExpiries == 1)
        }
    }

    @Test("A cell's name and a request's body have a limit")
    func limits() throws {
        try withOrigin {
            $0.token = .init()
        } _: {
            let client = try HTTPClient(port: $0.port)
            let name = String(repeating: "n", count: 257)
            #expect(try client.get("/token?cell=\(name)").status == 400)
            #expect(try client.get("/token?cell=\(name.dropLast())").status == 200)
            let body = "client_id=app&x=" + String(repeating: "x", count: 8_192)
            #expect(try client.request("POST", "/token", [Self.form], body: body).status == 400)
            let most = String(body.prefix(8_192))
            #expect(try client.request("POST", "/token", [Self.form], body: most).status == 200)
        }
    }

    @Test("What a refused request to /token brought is not the next one's")
    func bodyOfAnotherMethod() throws {
        try withOrigin {
            $0.token = .init()
        } _: {
            let client = try HTTPClient(port: $0.port)
            let put = try client.request(
                "PUT", "/token", [Self.form], body: "username=ann&x=")
            #expect(put.status == 405)
            let post = try client.request("POST", "/token", [Self.form], body: "username=bob")
            #expect(post.status == 200)
            #expect($0.statistics().expiries.cellNames == ["bob"])
        }
    }

    @Test("A revocation of a share hits so many cells, others the next time, the same by the seed")
    func shares() throws {
        func dead(seed: UInt64, rounds: Int) throws -> [[Int]] {
            try withOrigin {
                $0.token = .init()
                $0.seed = seed
            } _: { origin in
                let client = try HTTPClient(port: origin.port)
                return try (0..<rounds).map { _ in
                    let tokens = try (0..<20).map { try token(client, "/token?cell=\($0)") }
                    let alive = origin.statistics().tokens.live
                    let answer = try client.request("POST", "/revoke?share=0.3", body: "")
                    #expect(try parse(answer.text)["cells"]?.int == 6)
                    #expect(alive - origin.statistics().tokens.live >= 6)
                    return try tokens.indices.filter {
                        try client.get("/5/1/2.png?token=\(tokens[$0])").status == 401
                    }
                }
            }
        }
        let first = try dead(seed: 5, rounds: 2)
        #expect(first.map(\.count) == [6, 6])
        #expect(first[0] != first[1])
        #expect(try dead(seed: 5, rounds: 2) == first)
        #expect(try dead(seed: 6, rounds: 1)[0] != first[0])
    }

    @Test(
        "Shares that are none are refused, and 0 kills nothing",
        arguments: [
            ("?share=0", 200, 0), ("?share=1", 200, 1), ("", 200, 1), ("?share=1.5", 400, 0),
            ("?share=-0.1", 400, 0), ("?share=nan", 400, 0), ("?share=half", 400, 0),
            ("?share=0.01", 200, 1),
        ])
    func shareTexts(query: String, status: Int, revoked: Int) throws {
        try withOrigin {
            $0.token = .init()
        } _: {
            let client = try HTTPClient(port: $0.port)
            _ = try token(client)
            #expect(try client.request("POST", "/revoke\(query)", body: "").status == status)
            #expect($0.statistics().tokens.revoked == UInt64(revoked))
        }
    }

    @Test("With issueRevokesOlder a new token kills the older ones of its cell, and of no other")
    func issueRevokes() throws {
        try withOrigin {
            var token = OriginOptions.Token()
            token.issueRevokesOlder = true
            $0.token = token
        } _: {
            let client = try HTTPClient(port: $0.port)
            let other = try token(client, "/token?cell=other")
            let old = try token(client)
            #expect(try client.get("/5/1/2.png?token=\(old)").status == 200)
            let new = try token(client)
            for (token, status) in [(old, 401), (new, 200), (other, 200)] {
                #expect(try client.get("/5/1/2.png?token=\(token)").status == status)
            }
            #expect($0.statistics().tokens.revoked == 1)
            #expect($0.statistics().tokens.live == 2)
        }
    }

    @Test("A refresh token works once; its reuse is counted and refused")
    func rotation() throws {
        try withOrigin {
            var token = OriginOptions.Token()
            token.rotatesRefreshTokens = true
            $0.token = token
        } _: {
            let client = try HTTPClient(port: $0.port)
            func ask(_ body: String) throws -> (status: Int, json: JSONNode) {
                let answer = try client.request("POST", "/token", [Self.form], body: body)
                return (answer.status, try parse(answer.text))
            }
            let first = try ask("grant_type=password&username=ann&password=x")
            let refresh = try #require(first.json["refresh_token"]?.string)
            let second = try ask("grant_type=refresh_token&refresh_token=\(refresh)")
            #expect(second.status == 200)
            let next = try #require(second.json["refresh_token"]?.string)
            #expect(next != refresh)
            #expect(second.json["token"]?.string != first.json["token"]?.string)
            // Both belong to ann: the refresh token says so.
            #expect($0.statistics().expiries.cellNames == ["ann"])

            let reused = try ask("grant_type=refresh_token&refresh_token=\(refresh)")
            #expect(reused.status == 400)
            #expect(reused.json["error"]?.string == "invalid_grant")
            #expect($0.statistics().tokens.sum.refreshTokenReuse == 1)
            #expect(try ask("grant_type=refresh_token&refresh_token=\(next)").status == 200)

            // A cell's first one may come from elsewhere, but only the first.
            let foreign = "grant_type=refresh_token&username=bob&refresh_token=elsewhere"
            #expect(try ask(foreign).status == 200)
            #expect(try ask(foreign).status == 400)
            #expect($0.statistics().tokens.sum.refreshTokenReuse == 1)
            // Client credentials bring none.
            #expect(try ask("grant_type=client_credentials").json["refresh_token"] == nil)
        }
    }

    @Test("Without rotation a refresh token works again and again, and none is given")
    func noRotation() throws {
        try withOrigin {
            $0.token = .init()
        } _: {
            let client = try HTTPClient(port: $0.port)
            for _ in 0..<3 {
                let answer = try client.request(
                    "POST", "/token", [Self.form],
                    body: "grant_type=refresh_token&refresh_token=fixed")
                #expect(answer.status == 200)
                #expect(try parse(answer.text)["refresh_token"] == nil)
            }
        }
    }
}
