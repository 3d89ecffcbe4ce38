import JSONText
import Testing
import Workload

@testable import Engine

@Suite struct AnswersRefusalTests {
    static func isRefusal(
        _ status: Int, _ type: String, _ body: String, plan: RejectionPlan = RejectionPlan()
    ) -> Bool {
        withBytes(body) {
            RefusalRule(plan).isRefusal(
                status: status, facts: facts([("Content-Type", type)], status: status), prefix: $0)
        }
    }

    static let error498 = "{\"error\":{\"code\":498,\"message\":\"Invalid token.\"}}"

    @Test(arguments: [
        (200, "application/json", error498, true),
        (200, "text/plain;charset=utf-8", " \r\n\t" + error498, true),
        (200, "text/javascript", "callback(" + error498 + ");", true),
        (200, "text/javascript", "/**/ns.cb[0] ( " + error498 + " ) ;", true),
        (200, "application/json", "\u{FEFF}" + error498, true),
        (200, "application/json", "{\"error\":{\"code\" : \"499\"}}", true),
        (200, "application/json", "{\"error\":{\"code\":498.0}}", true),
        (200, "image/png", error498, true),
        (400, "application/json", error498, true),
        (200, "application/json", "{\"error\":{\"code\":400}}", false),
        (200, "application/json", "{\"error\":498}", false),
        (200, "application/json", "{\"code\":498}", false),
        (200, "application/json", "{\"error\":{\"code\":[498]}}", false),
        (200, "application/json", "{\"error\":{\"code\":null}}", false),
        (200, "text/plain", "498", false), (200, "text/plain", "error(498)", false),
        (200, "text/plain", "(", false), (200, "text/plain", "{", false),
        (200, "text/plain", "", false), (200, "image/png", "", false),
        (401, "", "", true), (498, "", "", true), (499, "", "", true), (403, "", "", false),
        (0, "", "", false), (-1, "", "", false), (1023, "", "", false), (5000, "", "", false),
    ])
    func defaults(_ status: Int, _ type: String, _ body: String, _ expected: Bool) {
        #expect(Self.isRefusal(status, type, body) == expected)
    }

    /// Only the first bytes are kept: what they hold counts.
    @Test func bodyCutInTheMiddle() {
        let long = "{\"error\":{\"code\":498,\"message\":\"" + String(repeating: "x", count: 4000)
        #expect(Self.isRefusal(200, "application/json", String(long.prefix(2048))))
    }

    @Test func otherPlans() {
        var plan = RejectionPlan()
        plan.statuses = [403, 410]
        plan.jsonPath = ["error", "errors", "0", "reason"]
        plan.jsonValues = ["expired", "true"]
        let google = "{\"error\":{\"errors\":[{\"reason\":\"expired\"}]}}"
        #expect(Self.isRefusal(400, "application/json", google, plan: plan))
        #expect(Self.isRefusal(403, "", "", plan: plan))
        #expect(!Self.isRefusal(401, "", "", plan: plan))
        #expect(RefusalRule(plan).needsBody)
        plan.jsonPath = ["expired"]
        #expect(Self.isRefusal(200, "application/json", "{\"expired\":true}", plan: plan))
        plan.jsonValues = []
        plan.html = nil
        #expect(!Self.isRefusal(200, "application/json", "{\"expired\":true}", plan: plan))
        #expect(!RefusalRule(plan).needsBody)
    }

    /// The rule of each profile calls a refusal what the vectors of that profile call expired; the
    /// outcome agrees.
    @Test func everyVectorByItsProfile() throws {
        let all = try #require(try vectors("tile-outcome-vectors.json")["vectors"]?.array)
        let profiles: [String: AuthPlan.Profile] = [
            "default": .generic, "signed-url-410": .signedURL410, "cloudfront-signed": .cloudfront,
            "google": .google,
        ]
        var seen: Set<String> = []
        for vector in all {
            let id = try #require(vector["id"]?.string)
            let name = try #require(vector["profile"]?.string)
            let profile = try #require(profiles[name])
            let rule = RefusalRule(AuthProfile.named(profile).rejection)
            let status = try #require(vector["status"]?.int)
            let facts = facts(headerList(vector["headers"]), status: status)
            let body = AnswersOutcomeTests.bytes(try #require(vector["body"]?.string))
            let isRefusal = body.withUnsafeBufferPointer {
                rule.isRefusal(status: status, facts: facts, prefix: $0)
            }
            #expect(isRefusal == (vector["expected"]?["refresh_token"]?.bool == true), "\(id)")
            let outcome = AnswersOutcomeTests.outcome(
                status, headerList(vector["headers"]), body, isRefusal: isRefusal)
            let expected = try #require(vector["expected"]?["outcome"]?.string)
            #expect(outcome == AnswersOutcomeTests.names[expected], "\(id)")
            seen.insert(name)
        }
        #expect(seen.count == profiles.count)
    }

    struct Shape: CustomTestStringConvertible {
        var status = 200
        var headers: [(String, String)] = []
        var body = ""
        var change: @Sendable (inout RejectionPlan) -> Void = { _ in }
        var isRefusal: Bool
        var testDescription: String { "\(status) \(headers) \(body.prefix(40)) -> \(isRefusal)" }
    }

    static let expired = ("WWW-Authenticate", "Bearer error=\"invalid_token\"")
    static let scope = ("WWW-Authenticate", "Bearer error=\"insufficient_scope\"")
    static let html = ("Content-Type", "text/html; charset=utf-8")
    static let png = ("Content-Type", "image/png")
    static let page = "<html><body>Your token: INVALID\r\n\t token.</body></html>"

    static let shapes: [Shape] = [
        // Challenges: the error decides, then the status.
        Shape(status: 400, headers: [expired], isRefusal: true),
        Shape(status: 403, headers: [expired], isRefusal: true),
        Shape(status: 500, headers: [expired], isRefusal: true),
        Shape(
            status: 400, headers: [expired],
            change: { $0.wwwAuthenticate = nil }, isRefusal: false),
        Shape(status: 401, headers: [scope], isRefusal: false),
        Shape(
            status: 403, headers: [scope], change: { $0.statuses = [401, 403] }, isRefusal: false),
        Shape(
            status: 403, headers: [scope],
            change: {
                $0.statuses = [401, 403]
                $0.wwwAuthenticate = nil
            }, isRefusal: true),
        Shape(status: 403, headers: [scope, expired], isRefusal: true),
        Shape(
            status: 400, headers: [("WWW-Authenticate", "Bearer error=\"Stale_Token\"")],
            change: { $0.wwwAuthenticate = "stale_token" }, isRefusal: true),
        Shape(
            status: 400, headers: [expired], change: { $0.wwwAuthenticate = "stale_token" },
            isRefusal: false),
        Shape(status: 401, headers: [("WWW-Authenticate", "Bearer realm=\"x\"")], isRefusal: true),
        // Redirects: with a place to go, and only when asked for.
        Shape(status: 302, headers: [("Location", "/login")], isRefusal: false),
        Shape(
            status: 302, headers: [("Location", "/login")], change: { $0.redirect = true },
            isRefusal: true),
        Shape(
            status: 307, headers: [("Location", "/login")], change: { $0.redirect = true },
            isRefusal: true),
        Shape(status: 302, change: { $0.redirect = true }, isRefusal: false),
        Shape(
            status: 304, headers: [("Location", "/login")], change: { $0.redirect = true },
            isRefusal: false),
        Shape(
            status: 201, headers: [("Location", "/login")], change: { $0.redirect = true },
            isRefusal: false),
        // Pages: by type or by how they begin; words of any case and spacing.
        Shape(headers: [html], body: page, isRefusal: true),
        Shape(headers: [html], body: "Invalid Token", isRefusal: true),
        Shape(headers: [png], body: page, isRefusal: true),
        Shape(body: "\u{FEFF}\n<!DOCTYPE HTML><p>invalid token", isRefusal: true),
        Shape(body: "<?xml version=\"1.0\"?><html>Invalid Token</html>", isRefusal: true),
        Shape(headers: [("Content-Type", "text/plain")], body: "Invalid Token", isRefusal: false),
        Shape(
            headers: [("Content-Type", "text/xml")], body: "<Error>Invalid Token</Error>",
            isRefusal: false),
        Shape(headers: [png], body: "xx<html>Invalid Token", isRefusal: false),
        Shape(headers: [html], body: "InvalidToken", isRefusal: false),
        Shape(headers: [html], body: "Invalid Toke", isRefusal: false),
        Shape(headers: [html], body: "Invalid ", isRefusal: false),
        Shape(headers: [html], body: page, change: { $0.html = nil }, isRefusal: false),
        Shape(
            headers: [html], body: "<p>Bitte  ANMELDEN", change: { $0.html = "bitte anmelden" },
            isRefusal: true),
        Shape(headers: [html], body: page, change: { $0.html = "login" }, isRefusal: false),
    ]

    @Test(arguments: shapes) func shape(_ shape: Shape) {
        var plan = RejectionPlan()
        shape.change(&plan)
        let found = withBytes(shape.body) {
            RefusalRule(plan).isRefusal(
                status: shape.status, facts: facts(shape.headers, status: shape.status), prefix: $0)
        }
        #expect(found == shape.isRefusal)
    }

    @Test(arguments: [
        ("true", "true", true), ("true", "\"true\"", true), ("false", "true", false),
        ("1.5", "1.50", true), ("1.5", "\"1.5\"", true), ("498", "4.98e2", true),
        ("-1", "-1.0", true), ("null", "null", true), ("TOKEN_EXPIRED", "\"TOKEN_EXPIRED\"", true),
        ("token_expired", "\"TOKEN_EXPIRED\"", false), ("498", "[498]", false),
        ("498", "{\"a\":498}", false), ("", "\"\"", true),
    ])
    func values(_ listed: String, _ found: String, _ isRefusal: Bool) {
        var plan = RejectionPlan()
        plan.jsonPath = ["a", "1"]
        plan.jsonValues = ["other", listed]
        let body = "{\"a\": [0, \(found)]}"
        #expect(Self.isRefusal(200, "application/json", body, plan: plan) == isRefusal)
    }
}
