import JSONText
import Testing

@testable import Workload

@Suite("Auth: placement, renewal, refusal")
struct PlanAuthTests {
    private func auth(_ members: String, target: String = "") throws -> AuthPlan {
        try #require(try plan(local("\"auth\": {\(members)}", target: target)).auth)
    }

    private let renewal = "\"renewal\": {\"url\": \"http://127.0.0.1:9/token\"}"

    @Test("Defaults")
    func defaults() throws {
        let plan = try plan(local("\"auth\": {\(renewal)}"))
        let auth = try #require(plan.auth)
        let standard = AuthPlan()
        #expect(auth.placement == .query(name: "access_token"))
        #expect(
            plan.target.templates == [
                "http://127.0.0.1:8080/{z}/{x}/{y}.png?access_token={token}"
            ])
        #expect(auth.staticToken == nil)
        #expect(auth.rejection.statuses == standard.rejection.statuses)
        #expect(auth.rejection.jsonPath == standard.rejection.jsonPath)
        #expect(auth.rejection.jsonValues == standard.rejection.jsonValues)
        #expect(auth.start == standard.start)
        #expect(auth.release == standard.release)
        #expect(auth.refusalsMax == standard.refusalsMax)
        #expect(auth.barrenMax == standard.barrenMax)
        #expect(auth.coolDownMinNS == standard.coolDownMinNS)
        #expect(auth.coolDownMaxNS == standard.coolDownMaxNS)
        #expect(auth.renewal?.method == "GET")
        #expect(auth.renewal?.timeoutNS == 1_000_000_000)
        #expect(plan.cache.strip == CachePlan.stripDefault)
    }

    @Test(
        "Nothing but a path makes another host of the embedded origin",
        arguments: ["@127.0.0.1:1/token", ":99/token", "0/token", ".evil.example/token"])
    func behindTheOrigin(rest: String) {
        let text =
            "{\"target\": {\"origin\": {\"token\": {}}}, \"auth\": {\"renewal\": "
            + "{\"url\": \"${ORIGIN}\(rest)\"}}}"
        #expect(problems(text).contains { $0.contains("only a path may follow") })
        #expect(problems(text.replacing(rest, with: "/token?x=1")).isEmpty)
    }

    @Test(
        "Placements",
        arguments: [
            ("{\"in\": \"query\", \"name\": \"sid\"}", AuthPlan.Placement.query(name: "sid")),
            ("{\"name\": \"sid\"}", .query(name: "sid")),
            ("{\"in\": \"header\"}", .header(name: "Authorization", prefix: "Bearer ")),
            ("{\"in\": \"header\", \"prefix\": \"\"}", .header(name: "Authorization", prefix: "")),
            ("{\"in\": \"header\", \"name\": \"X-T\"}", .header(name: "X-T", prefix: "")),
            ("{\"in\": \"cookie\", \"name\": \"c\"}", .cookie(name: "c")),
        ])
    func placements(token: String, placement: AuthPlan.Placement) throws {
        let auth = try auth("\"token\": \(token), \(renewal)")
        #expect(auth.placement == placement)
    }

    @Test("A token takes the place of what stands there")
    func replaced() throws {
        let query = try plan(
            "{\"target\": {\"tiles\": \"http://127.0.0.1/{z}?access_token=old-one&a=1\"}, \"auth\": {\(renewal)}}"
        )
        #expect(query.target.templates == ["http://127.0.0.1/{z}?a=1&access_token={token}"])
        let header = try plan(
            local(
                "\"auth\": {\"token\": {\"in\": \"header\"}, \(renewal)}",
                target: "\"headers\": {\"authorization\": \"Basic abcdefgh\"}"))
        #expect(!header.target.headers.contains { $0.name == "authorization" })
        #expect(header.notes.count == 1)
        let cookie = try plan(
            local(
                "\"auth\": {\"token\": {\"in\": \"cookie\", \"name\": \"t\"}, \(renewal)}",
                target: "\"headers\": {\"Cookie\": \"a=1; t=old; b=2\"}"))
        #expect(cookie.target.headers.last?.value == "a=1; b=2")
    }

    @Test("In the template")
    func template() throws {
        let token = "\"auth\": {\"token\": {\"in\": \"template\"}, \(renewal)}"
        let url = try plan("{\"target\": {\"tiles\": \"http://127.0.0.1/{token}/{z}\"}, \(token)}")
        #expect(url.target.templates == ["http://127.0.0.1/{token}/{z}"])
        let header = try plan(local(token, target: "\"headers\": {\"X-T\": \"t={token}\"}"))
        #expect(header.auth?.placement == .template)
        let none = problems(local(token))
        #expect(none.count == 1)
        #expect(none.first?.contains("/auth/token/in: `{token}` stands in no URL") == true)
    }

    @Test(
        "What does not fit together",
        arguments: [
            ("", "/auth: needs `renewal` or `static`"),
            ("\"renewal\": {}", "/auth/renewal: `url` is missing"),
            (
                "\"static\": \"abc\", \"renewal\": {\"url\": \"http://127.0.0.1/\"}",
                "/auth/static: `static` and `renewal` exclude each other"
            ),
            ("\"renewal\": {\"url\": \"token\"}", "/auth/renewal/url: is no absolute URL"),
            ("\"static\": \"\"", "/auth/static: must not be empty"),
            ("\"static\": \"a\\u00e9\"", "/auth/static: holds a character that no header"),
            (
                "\"static\": \"abc\", \"token\": {\"in\": \"header\", \"name\": \"a b\"}",
                "/auth/token/name: `a b` is no name of a header"
            ),
            (
                "\"static\": \"abc\", \"token\": {\"in\": \"cookie\", \"name\": \"a=b\"}",
                "/auth/token/name: `a=b` is no name of a cookie"
            ),
            (
                "\"static\": \"abc\", \"token\": {\"prefix\": \"x\"}",
                "/auth/token/prefix: `prefix` is for"
            ),
            (
                "\"static\": \"abc\", \"cool_down\": \"30s..1s\"",
                "/auth/cool_down: the first duration is the longer one"
            ),
            (
                "\"renewal\": {\"url\": \"http://127.0.0.1/\", \"body\": 5}",
                "/auth/renewal/body: expected text or an object"
            ),
            (
                "\"renewal\": {\"url\": \"http://127.0.0.1/\", \"token_path\": \"a..b\"}",
                "/auth/renewal/token_path: has an empty name"
            ),
            (
                "\"renewal\": {\"url\": \"http://127.0.0.1/\", \"method\": \"GET /\"}",
                "/auth/renewal/method: `GET /` is no method"
            ),
        ])
    func misfits(members: String, expected: String) {
        let found = problems(local("\"auth\": {\(members)}"))
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.contains(": " + expected) == true, "\(found)")
    }

    @Test("A token in the URL or a header without `auth`, or with another placement")
    func strayTokens() {
        let noAuth = problems("{\"target\": {\"tiles\": \"http://127.0.0.1/{z}?t={token}\"}}")
        #expect(noAuth.count == 1)
        #expect(noAuth.first?.contains("but there is no `auth`") == true)
        let header = "\"auth\": {\"token\": {\"in\": \"header\"}, \(renewal)}"
        let inURL = problems(
            "{\"target\": {\"tiles\": \"http://127.0.0.1/{z}?t={token}\"}, \(header)}")
        #expect(inURL.count == 1)
        let inHeader = problems(local(header, target: "\"headers\": {\"X-T\": \"{token}\"}"))
        #expect(inHeader.count == 1)
        #expect(
            inHeader.first?.contains("/target/headers/X-T: `{token}` stands in a header") == true)
    }

    @Test("Bodies")
    func bodies() throws {
        func body(_ text: String, headers: String = "{}") throws -> RenewalPlan.Body {
            let auth = try auth(
                "\"renewal\": {\"url\": \"http://127.0.0.1/\", \"method\": \"POST\", \"headers\": \(headers), \"body\": \(text)}"
            )
            return try #require(auth.renewal?.body)
        }
        let form = try body("{\"form\": {\"user\": \"a b\", \"n\": 5}}")
        #expect(form.text == "user=a%20b&n=5")
        #expect(form.contentType == "application/x-www-form-urlencoded")
        let json = try body("{\"user\": \"a\", \"deep\": [1, true]}")
        #expect(json.text == "{\"user\":\"a\",\"deep\":[1,true]}")
        #expect(json.contentType == "application/json")
        let text = try body("\"a\\nb\"", headers: "{\"content-type\": \"text/plain\"}")
        #expect(text.text == "a\nb")
        #expect(text.contentType == "text/plain")
    }

    @Test("Renewal in full")
    func renewalInFull() throws {
        let plan = try plan(
            """
            {"target": {"tiles": "https://t.example.org/{z}"},
             "auth": {"renewal": {"url": "https://b.example.org/token", "headers": {"X-Api-Key": "hidden-key"},
                "token_path": "data.0.jwt", "expires_path": "data.0.exp"},
               "rejected_when": {"status": [403], "json": {"path": "code", "values": ["X1", 7]}},
               "start": "renew", "store": "tok.json", "release": {"per_5ms": 8}, "max_refusals": 0,
               "max_barren": 1, "cool_down": "1s..2s"}}
            """)
        let auth = try #require(plan.auth)
        #expect(auth.renewal?.timeoutNS == 5_000_000_000)
        #expect(auth.renewal?.tokenPath == ["data", "0", "jwt"])
        #expect(auth.renewal?.expiresPath == ["data", "0", "exp"])
        #expect(auth.rejection.statuses == [403])
        #expect(auth.rejection.jsonPath == ["code"])
        #expect(auth.rejection.jsonValues == ["X1", "7"])
        #expect(auth.start == .renew)
        #expect(auth.storePath == "tok.json")
        #expect(auth.release == .per5ms(8))
        #expect((auth.refusalsMax, auth.barrenMax) == (0, 1))
        #expect(auth.coolDownMinNS == 1_000_000_000)
        #expect(plan.secrets.values.contains("hidden-key"))
    }
}
