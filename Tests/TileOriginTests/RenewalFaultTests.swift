import Glibc
import JSONText
import Testing
import TileOrigin

/// What the token endpoint and the tiles do wrong while they are told to.
@Suite("Renewal faults")
struct RenewalFaultTests {
    @Test(
        "Faults that answer, and the good token after them",
        arguments: [
            (.status500, 500, "server_error"), (.status429, 429, "temporarily_unavailable"),
            (.status401, 401, "invalid_client"), (.malformed, 200, nil), (.empty, 200, nil),
        ] as [(OriginOptions.RenewalFault, Int, String?)])
    func answers(fault: OriginOptions.RenewalFault, status: Int, error: String?) throws {
        try withOrigin {
            $0.token = .init()
        } _: {
            let client = try HTTPClient(port: $0.port)
            $0.set(renewalFault: fault)
            let answer = try client.get("/token")
            #expect(answer.status == status)
            #expect(answer.headers["retry-after"] == (status == 429 ? "1" : nil))
            if let error { #expect(try parse(answer.text)["error"]?.string == error) }
            if fault == .empty { #expect(answer.body.isEmpty) }
            if fault == .malformed {
                let (_, problems) = JSONReader.parse(answer.body, comments: false)
                #expect(!problems.isEmpty)
            }
            $0.set(renewalFault: nil)
            #expect(try parse(client.get("/token").text)["token"]?.string != nil)
            let tokens = $0.statistics().tokens
            #expect(tokens.sum.requests == 2)
            #expect(tokens.sum.failed == 1)
            #expect(tokens.issued == 1)
            #expect(tokens.duplicates == 0)
        }
    }

    @Test("close ends the connection without an answer")
    func close() throws {
        try withOrigin {
            $0.token = .init()
        } _: {
            $0.set(renewalFault: .close)
            let client = try HTTPClient(port: $0.port)
            #expect(throws: HTTPClient.Failure.closed) { try client.get("/token") }
            #expect($0.statistics().unanswered == 1)
            #expect($0.statistics().tokens.sum.failed == 1)
        }
    }

    @Test("slow takes 800 ms; what comes meanwhile is concurrent")
    func slow() throws {
        try withOrigin {
            $0.token = .init()
        } _: { origin in
            origin.set(renewalFault: .slow)
            let clients = try (0..<3).map { _ in try HTTPClient(port: origin.port) }
            let sentNS = nowNS()
            for client in clients {
                try client.sendAll("GET /token HTTP/1.1\r\nHost: test\r\n\r\n")
            }
            for client in clients {
                #expect(try client.receive(hasBody: true).status == 200)
            }
            #expect(nowNS() - sentNS >= 800_000_000)
            let sum = origin.statistics().tokens.sum
            #expect(sum.issued == 3)
            #expect(sum.concurrent == 2)
            // Not counted twice.
            #expect(sum.needless == 0)
            #expect(origin.statistics().tokens.duplicates == 2)
        }
    }

    @Test("hang answers nothing; a client that gives up and asks again is not concurrent")
    func hang() throws {
        try withOrigin {
            $0.token = .init()
        } _: { origin in
            origin.set(renewalFault: .hang)
            do {
                let client = try HTTPClient(port: origin.port, timeoutSeconds: 1)
                #expect(throws: HTTPClient.Failure.timeout) { try client.get("/token") }
            }
            origin.set(renewalFault: nil)
            let next = try HTTPClient(port: origin.port)
            #expect(try next.get("/token").status == 200)
            let sum = origin.statistics().tokens.sum
            #expect(sum.requests == 2)
            #expect(sum.concurrent == 0)
            #expect(sum.needless == 0)
        }
    }

    @Test("A token whose client has gone away is not issued")
    func abandoned() throws {
        try withOrigin {
            $0.token = .init()
        } _: { origin in
            origin.set(renewalFault: .slow)
            do {
                let client = try HTTPClient(port: origin.port)
                try client.sendAll("GET /token HTTP/1.1\r\nHost: test\r\n\r\n")
                try waitUntil { origin.statistics().tokenRequests >= 1 }
            }
            try waitUntil { origin.statistics().tokens.sum.abandoned >= 1 }
            #expect(origin.statistics().tokens.issued == 0)
            #expect(origin.statistics().tokens.neverUsed == 0)
        }
    }

    @Test("same gives the last token again, expired one that is dead on arrival")
    func gifts() throws {
        try withOrigin {
            $0.token = .init(ttlNS: 60_000_000_000)
        } _: { origin in
            let client = try HTTPClient(port: origin.port)
            func token() throws -> String {
                try #require(try parse(client.get("/token").text)["token"]?.string)
            }
            func status(_ token: String) throws -> Int {
                try client.get("/5/1/2.png?token=\(token)").status
            }
            let first = try token()
            #expect(try status(first) == 200)
            origin.set(renewalFault: .same)
            #expect(try token() == first)
            origin.set(renewalFault: .expired)
            let answer = try parse(client.get("/token").text)
            let dead = try #require(answer["token"]?.string)
            // It does not look dead.
            #expect(answer["expires_in"]?.int == 60)
            #expect(try status(dead) == 401)
            origin.set(renewalFault: nil)
            #expect(try status(token()) == 200)
            let tokens = origin.statistics().tokens
            #expect(tokens.issued == 3)
            #expect(tokens.sum.same == 1)
            #expect(tokens.rejectedOnFirstUse == 1)
            // The dead one was asked for although the first lived; the last was due.
            #expect(tokens.duplicates == 1)
        }
    }

    @Test("While replication lags half of the requests do not know a token of less than 300 ms")
    func lag() throws {
        try withOrigin {
            $0.token = .init()
        } _: { origin in
            origin.set(tileFault: .replicationLag)
            let client = try HTTPClient(port: origin.port)
            var (asked, refused) = (0, 0)
            var (token, issuedNS) = ("", UInt64.max)
            // On a busy machine one token may hardly be used within its time.
            for _ in 0..<50 where asked < 100 || refused == 0 {
                let startNS = nowNS()
                token = try #require(try parse(client.get("/token").text)["token"]?.string)
                issuedNS = nowNS()
                while nowNS() - startNS < 250_000_000 {
                    let answer = try client.get("/5/1/2.png?token=\(token)")
                    // That one may have come too late.
                    if nowNS() - startNS > 300_000_000, answer.status == 200 { break }
                    asked += 1
                    if answer.status == 401 {
                        refused += 1
                        #expect(try parse(answer.text)["reason"]?.string == "unknown")
                    }
                }
            }
            // Five standard deviations.
            let spread = 2.5 * Double(asked).squareRoot()
            #expect(abs(Double(refused) - Double(asked) / 2) <= spread)
            while nowNS() - issuedNS < 310_000_000 { usleep(1_000) }
            for _ in 0..<50 {
                #expect(try client.get("/5/1/2.png?token=\(token)").status == 200)
            }
            let statistics = origin.statistics()
            #expect(statistics.tokens.refusedLagging == UInt64(refused))
            #expect(!statistics.expiries.records.isEmpty)
            #expect(statistics.expiries.records.allSatisfy { $0.cause == .replicationLag })
            // No token was ever dead.
            #expect(statistics.knownDeadSends == 0)
        }
    }

    @Test("advertisedNS is what expires_in says, true or not")
    func lie() throws {
        for (ttlNS, toldNS, text) in [
            (60_000_000_000, 3_600_000_000_000, "3600"), (nil, 0, "0"), (nil, 500_000_000, "0.5"),
        ] as [(UInt64?, UInt64, String)] {
            try withOrigin {
                var token = OriginOptions.Token(ttlNS: ttlNS)
                token.advertisedNS = toldNS
                $0.token = token
            } _: {
                let answer = try HTTPClient(port: $0.port).get("/token")
                #expect(try parse(answer.text)["expires_in"]?.number?.text == text)
            }
        }
    }

    @Test("POST /fault switches faults on for a time, and off")
    func endpoint() throws {
        try withOrigin {
            $0.token = .init()
        } _: { origin in
            let client = try HTTPClient(port: origin.port)
            var posts: UInt64 = 0
            func post(_ query: String) throws -> Int {
                posts += 1
                return try client.request("POST", "/fault\(query)", body: "").status
            }
            // On a busy machine the fault may be over before anybody has asked.
            var status = 0
            for _ in 0..<50 where status != 500 {
                #expect(try post("?renewal=500&for=300ms") == 200)
                status = try client.get("/token").status
            }
            #expect(status == 500)
            let setNS = nowNS()
            while nowNS() - setNS < 300_000_000 { usleep(5_000) }
            #expect(try client.get("/token").status == 200)
            #expect(try post("?renewal=429") == 200)
            #expect(try client.get("/token").status == 429)
            #expect(try post("?renewal=none") == 200)
            #expect(try client.get("/token").status == 200)
            #expect(try post("?tiles=late-refusals&renewal=empty&for=1m") == 200)
            for query in [
                "", "?renewal=503", "?tiles=slow", "?renewal=500&for=2", "?renewal=500&for=-2s",
                "?renewal=500&for=xs",
            ] {
                #expect(try post(query) == 400, "\(query)")
            }
            #expect(try client.get("/fault?renewal=500").status == 405)
            #expect(origin.statistics().control == posts + 1)
        }
        try withOrigin { _ in
        } _: {
            let client = try HTTPClient(port: $0.port)
            #expect(try client.request("POST", "/fault?renewal=500", body: "").status == 404)
        }
    }
}
