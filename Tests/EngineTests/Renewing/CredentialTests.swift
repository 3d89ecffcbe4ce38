import Testing
import Workload

@testable import Engine

/// Credentials of several parts: read from answers and documents, and put into headers.
@Suite struct CredentialTests {
    typealias Answers = AnswersTokenTests

    private static func rule(
        _ names: [String], _ parts: [RenewalPlan.Part] = [], kind: RenewalPlan.Kind = .url,
        template: String = ""
    ) -> (inout TokenAnswerRule) -> Void {
        { rule in
            rule.partNames = names
            rule.parts = parts
            rule.kind = kind
            rule.template = template
        }
    }

    // MARK: answers

    @Test func partsOfAnAnswer() throws {
        let body = #"""
            {"Policy":"eyJ_","Signature":"s~-","Key-Pair-Id":"K1","expires":1767268860,
             "signed":{"list":[{"md5":"m"}]}}
            """#
        // CloudFront's three: there is no token beside them.
        let three = try Answers.parse(
            200, body, Self.rule(["Policy", "Key-Pair-Id", "Signature"])
        ).get()
        #expect(three.credential == Credential("eyJ_", parts: ["eyJ_", "K1", "s~-"]))
        #expect(three.lifeS == 60)
        // A number, and a path.
        let path = RenewalPlan.Part(name: "md5", path: ["signed", "list", "0", "md5"])
        let two = try Answers.parse(200, body, Self.rule(["expires", "md5"], [path])).get()
        #expect(two.credential.parts == ["1767268860", "m"])
        // A token beside the parts.
        let both = try Answers.parse(200, #"{"token":"t","x":"1"}"#, Self.rule(["x"])).get()
        #expect(both.credential == Credential("t", parts: ["1"]))
    }

    @Test(
        arguments: [
            (#"{"a":"1"}"#, "no text under b.c"),
            (#"{"a":"1","b":{"c":null}}"#, "no text under b.c"),
            (#"{"a":"1","b":{"c":""}}"#, "an empty token"),
            (#"{"a":"1","b":{"c":"x\ny"}}"#, "a token with control characters"),
            (#"{"a":"s p","b":{"c":"x"}}"#, "a token with blanks"),
            (#"{"token":"t","a":"1","b":{"c":"\u00e9"}}"#, "a token that is not ASCII"),
        ])
    func partsThatCannotBeSent(_ body: String, _ text: String) {
        let part = RenewalPlan.Part(name: "b", path: ["b", "c"])
        let failure = Answers.failure(Answers.parse(200, body, Self.rule(["a", "b"], [part])))
        #expect(failure?.text.contains(text) == true)
        #expect(failure?.isPermanent == false)
    }

    @Test func cookiesAsParts() throws {
        let headers = [
            (name: "Set-Cookie", value: "CloudFront-Policy=abc=; Path=/; HttpOnly"),
            (name: "set-cookie", value: "CloudFront-Signature=s1; Secure"),
        ]
        let parts = ["Policy", "Signature"].map {
            RenewalPlan.Part(name: $0, path: ["set-cookie", "CloudFront-\($0)"])
        }
        let issued = try Answers.parse(
            204, "", headers: headers, Self.rule(["Policy", "Signature"], parts)
        ).get()
        #expect(issued.credential == Credential("abc=", parts: ["abc=", "s1"]))
        let token = try Answers.parse(
            200, "<html>", headers: headers, token: ["set-cookie", "CloudFront-Signature"]
        ).get()
        #expect(token.credential.text == "s1")
        let failure = Answers.failure(
            Answers.parse(200, "", headers: headers, token: ["set-cookie", "absent"]))
        #expect(failure?.text.contains("no text under set-cookie.absent") == true)
    }

    @Test(
        arguments: [
            (#"{"data":{"token":"t","expires_in":5}}"#, "t", 5),
            (#"{"data":{"token":"t"},"expiresIn":6}"#, "t", 6),
            (#"{"result":{"access_token":"t","expires_in":7},"expires_in":70}"#, "t", 7),
            (#"{"Token":"t","Expires-In":8}"#, "t", 8),
            (#"{"data":{"x":1},"sessionToken":"t"}"#, "t", nil),
            (#"{"msft:expiry":"2026-01-01T12:00:09Z","token":"st=x&y%3D"}"#, "st=x&y%3D", 9),
            (#"{"accessToken":"ya29.x","expireTime":"2026-01-01T12:00:10Z"}"#, "ya29.x", 10),
            (#"{"token":"t","refresh_expires_in":1,"expires_in":11}"#, "t", 11),
            (#"{"token":"t","expiresIn":"11.5s"}"#, "t", 11.5),
            (#"{"token":"tk.e30.x","expires":"2026-01-01T12:00:20.000Z"}"#, "tk.e30.x", 20),
            (#"{"AccessKeyId":"A","Token":"t==","Expiration":"2026-01-01T12:00:21Z"}"#, "t==", 21),
            (#"{"type":"IMAGERY","accessToken":"e.e30.s"}"#, "e.e30.s", nil),
            (#"{"token":"t","expires_at":1767268812000000}"#, "t", 12),
            (#"{"token":"t","expires_at":1767268813000000000}"#, "t", 13),
            ("\u{FEFF}{\"token\":\"t\",\"expires_in\":14}", "t", 14),
        ] as [(String, String, Double?)])
    func answersOfEveryShape(_ body: String, _ token: String, _ lifeS: Double?) throws {
        let issued = try Answers.parse(200, body).get()
        #expect(issued.credential.text == token)
        #expect(issued.lifeS == lifeS)
    }

    // MARK: kinds

    @Test(arguments: [(400, true), (401, true), (403, true), (498, false), (500, false)])
    func errorsOfArcGIS(_ code: Int, _ isPermanent: Bool) throws {
        let body = "{\"error\":{\"code\":\(code),\"message\":\"m\",\"details\":[\"secret\"]}}"
        let failure = try #require(
            Answers.failure(Answers.parse(200, body, Self.rule([], kind: .arcgis))))
        #expect(failure.isPermanent == isPermanent)
        #expect(failure.text == "the token endpoint answered 200 with error \(code)")
    }

    @Test(
        arguments: [
            (#"{"access_token":"a","refresh_token":"r2"}"#, "r2"),
            (#"{"access_token":"a","refreshToken":"r2"}"#, "r2"), (#"{"access_token":"a"}"#, nil),
            (#"{"access_token":"a","refresh_token":"r\n2"}"#, nil),
            (#"{"access_token":"a","refresh_token":""}"#, nil),
        ] as [(String, String?)])
    func refreshTokens(_ body: String, _ next: String?) throws {
        let issued = try Answers.parse(200, body, Self.rule([], kind: .refreshToken)).get()
        #expect(issued.refreshToken == next)
        #expect(try Answers.parse(200, body).get().refreshToken == nil)
    }

    // MARK: documents

    static let template = "https://t.example/s/{token.key}/{z}/{x}/{y}.png?v=1&sig={token}"

    @Test func aDocumentsURLIsTheCredential() throws {
        let document = Self.rule(["key"], kind: .document, template: Self.template)
        func issued(_ url: String, _ more: String = "") throws -> IssuedToken {
            try Answers.parse(200, "{\"tiles\":[\"\(url)\",\"https://u/\"]\(more)}", document).get()
        }
        let url = "https://u.example/s/k%2F1/{z}/{x}/{y}.png?Expires=1767268830&sig=a+b%3D"
        let found = try issued(url)
        #expect(found.credential == Credential("a+b=", parts: ["k/1"]))
        #expect(found.lifeS == 30)
        #expect(try issued(url, ",\"expires_in\":40").lifeS == 40)
        let sources = "\"a\":{\"url\":\"x\"},\"b\":{\"tiles\":[\"\(url)\"]}"
        let style = "{\"version\":8,\"sources\":{\(sources)}}"
        #expect(try Answers.parse(200, style, document).get().credential == found.credential)
    }

    @Test(
        arguments: [
            (#"{"tilejson":"3.0.0"}"#, "no tile URL"), (#"{"tiles":[]}"#, "no tile URL"),
            (#"{"tiles":["https://t.example/s/k/{z}/{x}/{y}.png"]}"#, "does not fit"),
            (#"{"tiles":["https://t.example/k/{z}/{x}/{y}.png?sig=s"]}"#, "does not fit"),
            (#"{"tiles":["https://t.example/s/k/{z}/{x}/{y}.png?sig=%0A"]}"#, "control characters"),
            ("<html>", "HTML"),
        ])
    func documentsThatDoNotFit(_ body: String, _ text: String) {
        let result = Answers.parse(
            200, body, Self.rule(["key"], kind: .document, template: Self.template))
        #expect(Answers.failure(result)?.text.contains(text) == true)
    }

    @Test(
        arguments: [
            ("https://h/{token}/{z}", "https://other:8080/T/{z}", ["": "T"]),
            ("https://h/a/{token.p}/{z}", "b/P/{z}", ["p": "P"]),
            ("https://h/a/{token.p}/{z}", "//h/a/P/{z}", ["p": "P"]),
            (
                "https://h/{z}/{y}~{token.a}~{token.b}.png", "https://h/{z}/{y}~1~2.png",
                ["a": "1", "b": "2"]
            ),
            (
                "https://h/{z}?a={token.a}&b=x{token.b}", "https://h/{z}?b=xB&c=1&a=A#f",
                ["a": "A", "b": "B"]
            ),
            ("https://h/{z}?k%65y={token}", "https://h/{z}?key=%7Bz%7D", ["": "{z}"]),
            ("https://h/{token}/{z}", "https://h/x/y/{z}", nil),
            ("https://h/v{token}/{z}", "https://h/w1/{z}", nil),
            ("https://h/{z}?a={token}", "https://h/{z}?b=1", nil),
            ("https://h/{token}/{z}", "{z}", nil),
        ] as [(String, String, [String: String]?)])
    func alignment(_ template: String, _ url: String, _ found: [String: String]?) {
        #expect(URLAlignment(template).values(in: url) == found)
    }

    // MARK: headers

    @Test(
        arguments: [
            (.header(name: "X-Key", prefix: "k "), ["X-Key: k t{token}", "A: 1", "Cookie: c=2"]),
            (.header(name: "a", prefix: ""), ["a: t{token}", "Cookie: c=2"]),
            (.cookie(name: "s"), ["Cookie: c=2; s=t{token}", "A: 1"]),
            (.query(name: "q"), ["A: 1", "Cookie: c=2"]), (nil, ["A: 1", "Cookie: c=2"]),
        ] as [(AuthPlan.Placement?, [String])])
    func headers(_ placement: AuthPlan.Placement?, _ expected: [String]) {
        let headers = Self.headers(["A: 1", "Cookie: c=2"], placement)
        let bearing = headers.bearing(Credential("t{token}", parts: ["p"]))
        #expect((bearing + headers.constant).map { "\($0.name): \($0.value)" } == expected)
        #expect(headers.holdToken == !bearing.isEmpty)
    }

    @Test func partsInHeaders() {
        let headers = Self.headers(
            ["A: {token.b}{token.a}-{token}", "B: {tokens} {token.c} {token", "C: 1"], .template)
        let bearing = headers.bearing(Credential("{token.a}", parts: ["1", "2"]))
        #expect(bearing.map(\.value) == ["21-{token.a}", "{tokens} {token.c} {token"])
        #expect(headers.constant.map(\.name) == ["C"])
    }

    private static func headers(
        _ lines: [String], _ placement: AuthPlan.Placement?
    ) -> CredentialHeaders {
        var target = TargetPlan(templates: ["http://h/{z}"])
        target.headers = lines.map { line in
            let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
            return HeaderPlan(name: parts[0], value: parts[1])
        }
        var plan = Plan(
            name: "n", target: target,
            workload: WorkloadPlan(kind: .popular(exponent: 1, weights: .osm)),
            load: LoadPlan(shape: .users(1)))
        if let placement {
            plan.auth = AuthPlan()
            plan.auth?.placement = placement
            plan.auth?.partNames = ["a", "b"]
        }
        return CredentialHeaders(plan: plan, asksPacked: false)
    }
}
