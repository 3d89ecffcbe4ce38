import Glibc
import JSONText
import Testing
import TileOrigin

/// How tiles are refused: shapes, and late.
@Suite("Refusals")
struct RefusalTests {
    @Test("Each shape of a refusal")
    func shapes() throws {
        func refusal(_ shape: OriginOptions.Refusal) throws -> HTTPClient.Response {
            try withOrigin {
                $0.token = .init(refuseWith: shape)
            } _: {
                let client = try HTTPClient(port: $0.port)
                let answer = try client.get("/5/1/2.png?token=x")
                #expect($0.statistics().tiles.refused == 1)
                #expect(answer.headers["cache-control"] == "no-store")
                // The connection goes on.
                #expect(try client.get("/login").status == 200)
                return answer
            }
        }
        let challenge = "Bearer error=\"invalid_token\""
        let plain = try refusal(.status(401))
        #expect(plain.status == 401)
        #expect(plain.headers["www-authenticate"] == challenge)
        #expect(try parse(plain.text)["error"]?.string == "invalid_token")
        let forbidden = try refusal(.status(403))
        #expect(forbidden.status == 403)
        #expect(forbidden.headers["www-authenticate"] == nil)
        let bare = try refusal(.bare)
        #expect(bare.status == 401)
        #expect(bare.headers["www-authenticate"] == nil)
        #expect(bare.body.isEmpty)
        let json = try refusal(.json)
        #expect(json.status == 200)
        #expect(json.headers["content-type"] == "application/json")
        #expect(try parse(json.text)["error"]?["code"]?.int == 498)
        let html = try refusal(.html)
        #expect(html.status == 200)
        #expect(html.headers["content-type"] == "text/html; charset=utf-8")
        #expect(html.text.contains("Invalid Token"))
        let redirect = try refusal(.redirect)
        #expect(redirect.status == 302)
        #expect(redirect.headers["location"] == "/login")
    }

    @Test("Refusals are late, and only they; late is what a newer token was issued before")
    func late() throws {
        try withOrigin {
            var token = OriginOptions.Token()
            token.lateNS = 1_500_000_000
            $0.token = token
        } _: { origin in
            let client = try HTTPClient(port: origin.port)
            func token() throws -> String {
                try #require(try parse(client.get("/token").text)["token"]?.string)
            }
            let old = try token()
            func timeNS(_ token: String, status: Int) throws -> UInt64 {
                let sentNS = nowNS()
                #expect(try client.get("/5/1/2.png?token=\(token)").status == status)
                return nowNS() - sentNS
            }
            #expect(try timeNS(old, status: 200) < 1_400_000_000)
            origin.revoke()
            #expect(try timeNS(old, status: 401) >= 1_500_000_000)
            #expect(origin.statistics().tokens.late == 0)

            // The next refusal is written after the newer token was issued.
            let other = try HTTPClient(port: origin.port)
            try other.sendAll("GET /5/1/2.png?token=\(old) HTTP/1.1\r\nHost: test\r\n\r\n")
            try waitUntil { origin.statistics().requests >= 4 }
            let new = try token()
            #expect(origin.statistics().tokens.late == 0)
            #expect(try other.receive(hasBody: true).status == 401)
            #expect(origin.statistics().tokens.late == 1)
            // A late refusal does not excuse another renewal.
            #expect(try timeNS(new, status: 200) < 1_400_000_000)
            _ = try token()
            #expect(origin.statistics().tokens.duplicates == 1)
        }
    }

    @Test("The fault late-refusals spreads them over 5 to 400 ms until it is taken away")
    func lateFault() throws {
        try withOrigin {
            $0.token = .init()
        } _: { origin in
            let clients = try (0..<40).map { _ in try HTTPClient(port: origin.port) }
            func timesMS() throws -> [Double] {
                let sentNS = nowNS()
                for client in clients {
                    try client.sendAll("GET /5/1/2.png HTTP/1.1\r\nHost: test\r\n\r\n")
                }
                var times: [Double] = []
                for client in clients {
                    #expect(try client.receive(hasBody: true).status == 401)
                    times.append(Double(nowNS() - sentNS) / 1e6)
                }
                return times
            }
            origin.set(tileFault: .lateRefusals)
            // All are read in order, so the last time is the slowest one's: above 200 ms but for
            // one of 2^40 seeds.
            #expect(try timesMS().max() ?? 0 > 200)
            origin.set(tileFault: nil)
            // A busy machine may need several rounds for a fast one.
            var (rounds, slowestMS) = (1, 1000.0)
            while slowestMS >= 200, rounds < 50 {
                slowestMS = try timesMS().max() ?? 1000
                rounds += 1
            }
            #expect(slowestMS < 200)
            #expect(origin.statistics().tiles.refused == UInt64(40 * rounds))
        }
    }
}
