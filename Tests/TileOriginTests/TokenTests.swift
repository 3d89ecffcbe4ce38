import Glibc
import JSONText
import Testing
import TileOrigin

@Suite("Tokens")
struct TokenTests {
    /// A member of a JSON object as text.
    private func field(_ name: String, _ json: String) throws -> String? {
        let member = try parse(json)[name]
        return member?.string ?? member?.number?.text
    }

    private func issue(_ client: HTTPClient) throws -> String {
        let answer = try client.get("/token")
        #expect(answer.status == 200)
        #expect(answer.headers["cache-control"] == "no-store")
        #expect(answer.headers["content-type"] == "application/json")
        let token = try #require(try field("token", answer.text))
        #expect(try field("access_token", answer.text) == token)
        #expect(try field("token_type", answer.text) == "Bearer")
        #expect(token.utf8.count == 32)
        return token
    }

    @Test("A token is accepted in query, header and cookie; without one a tile is refused")
    func carriers() throws {
        try withOrigin {
            $0.token = .init()
        } _: {
            let client = try HTTPClient(port: $0.port)
            let token = try issue(client)
            let tile = "/5/1/2.png"
            let carriers: [(String, [String])] = [
                ("?access_token=\(token)", []), ("?token=\(token)&v=2", []),
                ("?v=2&token=\(token)", []),
                ("", ["Authorization: Bearer \(token)"]), ("", ["authorization: bearer \(token)"]),
                ("", ["Cookie: a=b; access_token=\(token)"]),
            ]
            for (query, headers) in carriers {
                #expect(try client.get(tile + query, headers).status == 200, "\(query) \(headers)")
            }
            let refused: [(String, [String], String)] = [
                ("", [], "missing"), ("?access_token=", [], "unknown"),
                ("?access_token=\(token)0", [], "unknown"),
                ("?access_token=\(token.uppercased())Z", [], "unknown"),
                ("", ["Authorization: Basic \(token)"], "missing"),
                ("?token=\(String(repeating: "0", count: 32))", [], "unknown"),
            ]
            for (query, headers, reason) in refused {
                let answer = try client.get(tile + query, headers)
                #expect(answer.status == 401, "\(query) \(headers)")
                #expect(answer.headers["www-authenticate"] == "Bearer error=\"invalid_token\"")
                #expect(try field("error", answer.text) == "invalid_token")
                #expect(try field("reason", answer.text) == reason, "\(query) \(headers)")
            }
            let statistics = $0.statistics()
            #expect(statistics.tiles.ok == 6)
            #expect(statistics.tiles.refused == 6)
            #expect(statistics.tokens.refusedMissing == 2)
            #expect(statistics.tokens.refusedUnknown == 4)
            #expect(statistics.tokens.expiryEvents == 0)
        }
    }

    @Test(
        "expires_in says the life in seconds, if there is one and it is advertised",
        arguments: [
            (300_000_000, true, "0.3"), (60_000_000_000, true, "60"), (1_250_000_000, true, "1.25"),
            (60_000_000_000, false, nil), (nil, true, nil),
        ] as [(UInt64?, Bool, String?)])
    func life(ttlNS: UInt64?, advertise: Bool, text: String?) throws {
        try withOrigin {
            $0.token = .init(ttlNS: ttlNS, advertise: advertise)
        } _: {
            let client = try HTTPClient(port: $0.port)
            let got = try client.get("/token").text
            #expect(try field("expires_in", got) == text)
            let posted = try client.request("POST", "/token", body: "x=y").text
            #expect(try field("expires_in", posted) == text)
            #expect($0.statistics().tokens.issued == 2)
            #expect(try client.request("DELETE", "/token", body: "").status == 405)
            #expect($0.statistics().tokenRequests == 3)
        }
    }

    @Test("A token expires, and another one takes its place")
    func expiry() throws {
        try withOrigin {
            $0.token = .init(ttlNS: 1_500_000_000, refuseWith: .status(498))
        } _: {
            let client = try HTTPClient(port: $0.port)
            let issuedNS = nowNS()
            let token = try issue(client)
            var accepted = 0
            var answer = try client.get("/5/1/2.png?token=\(token)")
            while answer.status == 200 {
                accepted += 1
                usleep(2_000)
                answer = try client.get("/5/1/2.png?token=\(token)")
            }
            #expect(nowNS() - issuedNS >= 1_500_000_000)
            #expect(accepted > 3)
            #expect(answer.status == 498)
            #expect(answer.headers["www-authenticate"] == nil)
            #expect(try field("reason", answer.text) == "expired")
            #expect($0.statistics().tokens.live == 0)
            let newer = try issue(client)
            #expect(try client.get("/5/1/2.png?token=\(newer)").status == 200)
            let statistics = $0.statistics()
            #expect(statistics.tokens.expiryEvents == 1)
            #expect(statistics.tokens.stormMax == 1)
            #expect(statistics.tokens.duplicates == 0)
            #expect(statistics.outdatedSends == 0)
            #expect(statistics.tokens.live == 1)
        }
    }

    @Test("A revocation kills all tokens so far; a new token kills none")
    func revocation() throws {
        try withOrigin {
            $0.token = .init()
        } _: {
            let client = try HTTPClient(port: $0.port)
            let tokens = try (0..<3).map { _ in try issue(client) }
            for token in tokens {
                #expect(try client.get("/5/1/2.png?token=\(token)").status == 200)
            }
            #expect(try client.request("GET", "/revoke").status == 405)
            #expect(
                try client.request("POST", "/revoke", body: "").text
                    == "{\"revoked\":3,\"cells\":1}\n")
            for token in tokens + tokens {
                let answer = try client.get("/5/1/2.png?token=\(token)")
                #expect(answer.status == 401)
                #expect(try field("reason", answer.text) == "revoked")
            }
            let fresh = try issue(client)
            #expect(try client.get("/5/1/2.png?token=\(fresh)").status == 200)
            #expect($0.revoke().tokens == 1)
            #expect($0.revoke().tokens == 0)
            let statistics = $0.statistics()
            #expect(statistics.tokens.revocations == 3)
            #expect(statistics.tokens.revoked == 4)
            #expect(statistics.tokens.expiryEvents == 3)
            #expect(statistics.tokens.stormMax == 2)
            #expect(statistics.tokens.refusedRevoked == 6)
        }
    }

    @Test("The ledger tells a needless renewal, an unused token and a token dead on arrival")
    func renewals() throws {
        try withOrigin {
            $0.token = .init()
        } _: {
            let client = try HTTPClient(port: $0.port)
            let first = try issue(client)
            _ = try client.get("/5/1/2.png?token=\(first)")
            let second = try issue(client)
            #expect($0.statistics().tokens.duplicates == 1)
            #expect($0.statistics().tokens.neverUsed == 1)
            $0.revoke()
            _ = try client.get("/5/1/2.png?token=\(second)")
            #expect($0.statistics().tokens.rejectedOnFirstUse == 1)
            _ = try issue(client)
            _ = try client.get("/5/1/2.png?token=garbage")
            _ = try issue(client)
            let statistics = $0.statistics()
            #expect(statistics.tokens.duplicates == 1)
            #expect(statistics.tokens.issued == 4)
            #expect(statistics.tokens.neverUsed == 3)
        }
    }

    @Test("An outdated send is counted only where it is proved")
    func outdated() throws {
        try withOrigin {
            $0.token = .init()
        } _: {
            let one = try HTTPClient(port: $0.port)
            let two = try HTTPClient(port: $0.port)
            let old = try issue(one)
            let new = try issue(one)
            let tile = "/5/1/2.png?token="
            _ = try one.get(tile + old)
            // The new token reaches the server: the answer before on `one` is older than that.
            _ = try two.get(tile + new)
            _ = try one.get(tile + old)
            #expect($0.statistics().outdatedSends == 0)
            // Now an answer on `one` was written after the new token had come.
            _ = try one.get(tile + old)
            #expect($0.statistics().outdatedSends == 1)
            _ = try one.get(tile + new)
            #expect($0.statistics().outdatedSends == 1)
            // The first request of a connection proves nothing; refused ones count too.
            $0.revoke()
            let three = try HTTPClient(port: $0.port)
            _ = try three.get(tile + old)
            #expect($0.statistics().outdatedSends == 1)
            _ = try three.get(tile + old)
            #expect($0.statistics().outdatedSends == 2)
        }
    }
}
