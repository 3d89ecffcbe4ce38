import JSONText
import Testing

@testable import Engine

@Suite struct AnswersTokenTests {
    static let now = 1_767_268_800.0

    static func received(
        _ status: Int, _ body: String, headers: [(name: String, value: String)] = []
    ) -> TokenAnswer.Received {
        TokenAnswer.Received(
            status: status, headers: headers, body: Array(body.utf8), sentEpochS: now,
            receivedEpochS: now)
    }

    static func parse(
        _ status: Int, _ body: String, headers: [(name: String, value: String)] = [],
        token: [String]? = nil, expires: [String]? = nil,
        _ change: (inout TokenAnswerRule) -> Void = { _ in }
    ) -> Result<IssuedToken, TokenFailure> {
        var rule = TokenAnswerRule()
        rule.tokenPath = token
        rule.expiresPath = expires
        change(&rule)
        return TokenAnswer.parse(received(status, body, headers: headers), rule: rule)
    }

    @Test func everyVector() throws {
        let all = try #require(try vectors("token-responses.json").array)
        #expect(all.count >= 12)
        for vector in all {
            let id = try #require(vector["id"]?.string)
            let body = try #require(vector["body"])
            let now = try #require(vector["now_epoch_s"]?.double)
            let bytes = body.string.map { Array($0.utf8) } ?? JSONWriter.encode(body)
            let result = TokenAnswer.parse(
                TokenAnswer.Received(
                    status: try #require(vector["status"]?.int), body: bytes, sentEpochS: now,
                    receivedEpochS: now))
            let expected = try #require(vector["expected"])
            let issued = try? result.get()
            #expect(issued?.credential.text == expected["token"]?.string, "\(id)")
            #expect(issued?.expiresAtEpochS == expected["expires_at_epoch_s"]?.double, "\(id)")
        }
    }

    // MARK: Tokens

    @Test(
        arguments: [
            (#"{"token":null,"access_token":"a"}"#, nil, "a"), (#"{"accessToken":"b"}"#, nil, "b"),
            (#"{"token":"t","access_token":"a"}"#, nil, "t"),
            (#"{"error":null,"token":"t"}"#, nil, "t"),
            (#" {"error":"","token":"t"} "#, nil, "t"), (#"{"error":0,"token":"t"}"#, nil, "t"),
            (#"{"error":[],"token":"t"}"#, nil, "t"),
            (#"{"data":[{"x":1},{"key":"d"}],"token":"t"}"#, ["data", "1", "key"], "d"),
            (#"["q"]"#, ["0"], "q"), (#"{"token":"!~"}"#, nil, "!~"),
        ] as [(String, [String]?, String)])
    func tokens(_ body: String, _ path: [String]?, _ token: String) throws {
        #expect(try Self.parse(200, body, token: path).get().credential.text == token)
    }

    @Test(
        arguments: [
            (#"{"token":""}"#, nil, "an empty token"),
            (#"{"token":"a\r\nX: y"}"#, nil, "a token with control characters"),
            (#"{"token":"a\u007f"}"#, nil, "a token with control characters"),
            (#"{"token":"a b"}"#, nil, "a token with blanks"),
            (#"{"token":"schl\u00fcssel"}"#, nil, "a token that is not ASCII"),
            (#"{"token":7}"#, nil, "no text under token, access_token or accessToken"),
            ("{}", nil, "no text under token, access_token or accessToken"),
            (#"{"token":"t"}"#, ["a", "b"], "no text under a.b"),
            ("", nil, "answered nothing"), (" \n", nil, "answered nothing"),
            ("<!doctype html>", nil, "answered HTML, not JSON"),
            ("secret", nil, "not JSON"),
            (#"{"token":"secret""#, nil, "JSON with a fault (line 1, column 18)"),
            (#"{"token":"secret","token":"secret"}"#, nil, "JSON with a fault (line 1, column 19)"),
            (#"["secret"]"#, nil, "no object"), (#""secret""#, nil, "no object"),
            (#"{"error":{"code":400,"message":"secret"}}"#, nil, "with error 400"),
            (#"{"error":{"message":"secret"},"token":"secret"}"#, nil, "with an error"),
            (#"{"error":"secret"}"#, nil, "with an error"),
            (#"{"error":"invalid_client"}"#, nil, "with error invalid_client"),
        ] as [(String, [String]?, String)])
    func failuresWith200(_ body: String, _ path: [String]?, _ text: String) throws {
        let failure = try #require(Self.failure(Self.parse(200, body, token: path)))
        #expect(failure.text.contains(text), "\(failure.text)")
        #expect(!failure.isPermanent)
        #expect(!failure.text.contains("secret") && !failure.text.contains("X: y"))
    }

    @Test func longTokens() throws {
        let longest = String(repeating: "x", count: 8192)
        #expect(try Self.parse(200, "{\"token\":\"\(longest)\"}").get().credential.text == longest)
        let failure = Self.failure(Self.parse(200, "{\"token\":\"\(longest)x\"}"))
        #expect(failure?.text.contains("more than 8192") == true)
    }

    static func failure(_ result: Result<IssuedToken, TokenFailure>) -> TokenFailure? {
        if case .failure(let failure) = result { failure } else { nil }
    }

    @Test(arguments: [
        (400, true), (401, true), (403, true), (404, true), (408, false), (425, false),
        (429, false), (500, false), (503, false), (599, false), (301, false), (302, false),
        (0, false), (204, false),
    ])
    func statuses(_ status: Int, _ isPermanent: Bool) throws {
        let body = status == 204 ? "" : #"{"token":"t"}"#
        let failure = try #require(Self.failure(Self.parse(status, body)))
        #expect(failure.isPermanent == isPermanent)
        #expect(failure.retryAfterNS == nil)
    }

    @Test func errorCodesOfOAuth() throws {
        let grant = try #require(Self.failure(Self.parse(400, #"{"error":"invalid_grant"}"#)))
        #expect(
            grant.isPermanent
                && grant.text == "the token endpoint answered 400: error invalid_grant")
        let inGood = try #require(Self.failure(Self.parse(200, #"{"error":"invalid_grant"}"#)))
        #expect(inGood.isPermanent)
        let own = try #require(Self.failure(Self.parse(400, #"{"error":"my secret"}"#)))
        #expect(own.text == "the token endpoint answered 400")
        #expect(Self.failure(Self.parse(500, "{}"))?.text == "the token endpoint answered 500")
        #expect(
            Self.failure(Self.parse(302, ""))?.text == "the token endpoint answered a redirect")
    }

    @Test(
        arguments: [
            ("5", 5_000_000_000), ("0", 0), ("Thu, 01 Jan 2026 12:00:30 GMT", 30_000_000_000),
            ("Thu, 01 Jan 2026 11:00:00 GMT", 0), ("soon", nil), ("", nil),
            ("999999999999999999", 31_536_000_000_000_000),
        ] as [(String, UInt64?)])
    func retryAfter(_ value: String, _ nanoseconds: UInt64?) {
        for status in [429, 503] {
            let failure = Self.failure(
                Self.parse(status, "", headers: [(name: "retry-AFTER", value: value)]))
            #expect(failure?.retryAfterNS == nanoseconds)
        }
    }

    // MARK: Expiry

    @Test(
        arguments: [
            (#""expires_in":3600"#, 3600), (#""expires_in":"3600""#, 3600),
            (#""expiresIn":86399"#, 86_399),
            (#""expires_in":0"#, 0), (#""expires_in":-5"#, nil), (#""expires_in":"soon""#, nil),
            (#""expires_in":null,"expiry":"1767268900""#, 100), (#""expires_in":1.5"#, 1.5),
            (#""expires_in":1e400"#, nil), (#""expires_in":1e300"#, nil),
            (#""expires_on":"1767268800""#, 0), (#""expires":1767268801500"#, 1.5),
            (#""expires_at":"2026-01-01T13:00:00+01:00""#, 0),
            (#""expires_at":"2026-01-01T12:01:00.5Z""#, 60.5),
            (#""expires":"Thu, 01 Jan 2026 12:00:10 GMT""#, 10),
            (#""expiration":1767268700"#, -100), (#""exp":1767268900"#, 100),
            (#""expires_in":10,"expires_on":1767299999"#, 10),
            (#""issued_at":"1767268800000""#, nil),
            (#""ext_expires_in":3600"#, nil), (#""expires_in":true"#, nil),
        ] as [(String, Double?)])
    func expiry(_ member: String, _ fromNowS: Double?) throws {
        let issued = try Self.parse(200, #"{"token":"t","# + member + "}").get()
        #expect(issued.expiresAtEpochS == fromNowS.map { Self.now + $0 })
    }

    @Test func expiryPaths() throws {
        let body = #"{"token":"h.eyJleHAiOjE3NjcyNzI0MDB9.s","expires_in":5,"meta":[{"end":60}]}"#
        func expiry(_ path: [String]?) throws -> Double? {
            try Self.parse(200, body, expires: path).get().expiresAtEpochS
        }
        #expect(try expiry(nil) == Self.now + 5)
        #expect(try expiry(["meta", "0", "end"]) == Self.now + 60)
        #expect(try expiry(["jwt"]) == 1_767_272_400)
        #expect(try expiry(["absent"]) == nil)
    }

    /// Times are the server's: what counts is how far ahead of its own clock they are.
    @Test func serversWithWrongClocks() throws {
        let date = [(name: "Date", value: "Thu, 01 Jan 2026 13:00:00 GMT")]
        func expiry(_ body: String) throws -> Double? {
            try Self.parse(200, body, headers: date).get().expiresAtEpochS
        }
        // Date says 13:00:00 until it is 13:00:01.
        #expect(try expiry(#"{"token":"t","expires":1767272460000}"#) == Self.now + 59)
        #expect(try expiry(#"{"token":"t","expires_in":60}"#) == Self.now + 60)
        #expect(try expiry(#"{"token":"h.eyJleHAiOjE3NjcyNzI0MDB9.s"}"#) == Self.now - 1)
    }

    /// Where Date can tell no difference our own clock is the finer one; where there is none, the
    /// answer may say when the token was issued.
    @Test(
        arguments: [
            ("Thu, 01 Jan 2026 12:00:00 GMT", 0.75, #""expires":1767268810"#, 9.25),
            ("Thu, 01 Jan 2026 12:00:00 GMT", 1.5, #""expires":1767268810"#, 9),
            ("", 0.5, #""expires":1767272460,"issued_at":"1767272400000""#, 60),
            ("", 0.5, #""expires":1767268810"#, 9.5),
            ("Thu, 01 Jan 2026 12:00:00 GMT", 0.5, #""expires":1767268810,"issued_at":1"#, 9.5),
            // {"exp":1767272460,"iat":1767272400}
            ("", 0.5, #""jwt":"h.eyJleHAiOjE3NjcyNzI0NjAsImlhdCI6MTc2NzI3MjQwMH0.s""#, 60),
        ] as [(String, Double, String, Double)])
    func clocks(_ date: String, _ sentAfterS: Double, _ members: String, _ lifeS: Double) throws {
        let text = members.contains("jwt") ? "" : #""token":"t","#
        let received = TokenAnswer.Received(
            status: 200, headers: date.isEmpty ? [] : [(name: "Date", value: date)],
            body: Array("{\(text)\(members)}".utf8), sentEpochS: Self.now + sentAfterS,
            receivedEpochS: Self.now + sentAfterS + 0.125)
        #expect(try TokenAnswer.parse(received).get().lifeS == lifeS)
    }

    @Test func livesCountFromTheRequest() throws {
        var received = Self.received(200, #"{"token":"t","expires_in":60}"#)
        received.sentEpochS -= 2
        let issued = try TokenAnswer.parse(received).get()
        #expect(issued.expiresAtEpochS == Self.now + 58)
        #expect(issued.lifeNS == 60_000_000_000)
    }

    @Test(
        arguments: [
            ("h.eyJleHAiOjE3NjcyNzI0MDB9.s", 1_767_272_400), ("h.eyJleHAiOjE3NjcyNzI0MDB9", nil),
            ("h.eyJleHAiOjE3NjcyNzI0MDB9=.s", 1_767_272_400), ("h.!.s", nil), ("h..s", nil),
            ("h.e30.s", nil), ("h.eyJleHAiOiJ4In0.s", nil), ("a", nil), ("..", nil), ("h.a.s", nil),
        ] as [(String, Double?)])
    func webTokens(_ token: String, _ expiry: Double?) {
        let end = TokenAnswer.webTokenClaims(token)?["exp"]?.double
        #expect(end == expiry)
    }

    @Test(
        arguments: [
            ("2026-01-01T12:00:00Z", 1_767_268_800), ("2026-01-01 12:00:00", 1_767_268_800),
            ("2026-01-01t12:00:00.25z", 1_767_268_800.25),
            ("2026-01-01T07:00:00-0500", 1_767_268_800),
            ("2026-13-01T12:00:00Z", nil), ("2026-01-01T12:00:00+xx:00", nil), ("2026-01-01", nil),
            ("2026-01-01T12:00:00 Z", nil), ("tomorrow", nil),
        ] as [(String, Double?)])
    func calendar(_ text: String, _ seconds: Double?) {
        #expect(CalendarTime.epochSeconds(text) == seconds)
    }

    @Test(arguments: [21, 22] as [UInt64]) func randomAnswers(_ seed: UInt64) {
        var random = SplitMix(seed)
        let parts = [
            "{", "}", "\"token\"", ":", ",", "\"a\"", "\"expires_in\"", "1e99", "-3", "null",
            "\"error\"", "[", "]", "\"2026-01-01T12:00:00Z\"", "<", "\"..\"",
        ]
        for _ in 0..<5_000 {
            let count = Int.random(in: 0...12, using: &random)
            let body = (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
            let result = Self.parse(
                Bool.random(using: &random) ? 200 : 429, body,
                headers: [(name: "Date", value: parts.randomElement(using: &random) ?? "")])
            if case .success(let issued) = result {
                #expect(IssuedToken.problem(issued.credential) == nil, "seed \(seed): \(body)")
            }
        }
    }
}
