import JSONText
import Testing

@testable import Workload

@Suite("Auth: profiles")
struct PlanProfileTests {
    private static let renewal = #""renewal": {"url": "http://127.0.0.1:9/token"}"#

    private func auth(_ members: String, tiles: String = "http://127.0.0.1:8080/{z}/{x}/{y}.png")
        throws
        -> Plan
    {
        try plan(#"{"target": {"tiles": "\#(tiles)"}, "auth": {\#(members)}}"#)
    }

    @Test(
        "Where the token goes and what says that it has expired",
        arguments: [
            ("generic", "access_token", [401, 498, 499], ["498", "499"], "Invalid Token"),
            ("overlay-article", "access_token", [401, 403], [], nil),
            ("google", "session", [], ["expired"], nil), ("mapbox", "access_token", [401], [], nil),
        ] as [(String, String, [Int], [String], String?)])
    func defaults(
        profile: String, name: String, statuses: [Int], values: [String], html: String?
    ) throws {
        let auth = try #require(
            try auth(#""profile": "\#(profile)", \#(Self.renewal)"#).auth)
        #expect(auth.profile.rawValue == profile)
        #expect(auth.placement == .query(name: name))
        #expect(auth.rejection.statuses == statuses)
        #expect(auth.rejection.jsonValues == values)
        #expect(auth.rejection.html == html)
        #expect(auth.rejection.wwwAuthenticate == "invalid_token")
        #expect(!auth.rejection.redirect)
        #expect(auth.renewal?.kind == .url)
        #expect(auth.partNames == [])
    }

    @Test("The overlay's back end is the tiles' own host unless it is written")
    func overlayArticle() throws {
        let own = try auth(#""profile": "overlay-article""#)
        #expect(own.auth?.renewal?.url == "http://127.0.0.1:8080/token")
        #expect(own.auth?.renewal?.tokenPath == ["token"])
        #expect(own.auth?.renewal?.method == "GET")
        let other = try auth(#""profile": "overlay-article", \#(Self.renewal)"#)
        #expect(other.auth?.renewal?.url == "http://127.0.0.1:9/token")
        let twoHosts = problems(
            #"{"target": {"tiles": ["http://127.0.0.1:1/{z}", "http://127.0.0.1:2/{z}"]}, "auth": {"profile": "overlay-article"}}"#
        )
        #expect(twoHosts.count == 1)
        #expect(twoHosts.first?.contains("/auth: needs `renewal` or `static`") == true)
        let embedded = try plan(
            #"{"target": {"origin": {"token": {}}}, "auth": {"profile": "overlay-article"}}"#)
        #expect(embedded.auth?.renewal?.url == "${ORIGIN}/token")
    }

    @Test("ArcGIS")
    func arcgis() throws {
        let plan = try auth(
            #""profile": "arcgis", "renewal": {"url": "http://127.0.0.1/generateToken", "username": "me", "password": "hidden-one", "referer": "http://127.0.0.1", "expiration": 60}"#
        )
        let auth = try #require(plan.auth)
        #expect(auth.placement == .query(name: "token"))
        #expect(auth.renewal?.kind == .arcgis)
        #expect(auth.renewal?.method == "POST")
        #expect(auth.renewal?.credentials.expirationMinutes == 60)
        #expect(auth.rejection == RejectionPlan())
    }

    @Test("A session of Google, its key in the template")
    func google() throws {
        let plan = try auth(
            #""profile": "google", "renewal": {"url": "http://127.0.0.1/v1/createSession?key=a-secret-key"}"#,
            tiles: "http://127.0.0.1/v1/2dtiles/{z}/{x}/{y}?key=a-secret-key")
        #expect(
            plan.target.templates == [
                "http://127.0.0.1/v1/2dtiles/{z}/{x}/{y}?key=a-secret-key&session={token}"
            ])
        let renewal = try #require(plan.auth?.renewal)
        #expect(renewal.method == "POST")
        #expect(renewal.body?.contentType == "application/json")
        #expect((renewal.tokenPath, renewal.expiresPath) == (["session"], ["expiry"]))
        #expect(plan.auth?.rejection.jsonPath == ["error", "errors", "0", "reason"])
        // The body that the profile brings is no secret, the key is one.
        let written = JSONWriter.encodeText(plan.json)
        #expect(written.contains("\"mapType\":\"roadmap\""))
        #expect(!written.contains("a-secret-key"))
        let own = try auth(
            #""profile": "google", "renewal": {"url": "http://127.0.0.1/", "body": {"mapType": "satellite"}, "method": "PUT"}"#
        )
        #expect(own.auth?.renewal?.body?.text == "{\"mapType\":\"satellite\"}")
        #expect(own.auth?.renewal?.method == "PUT")
    }

    @Test("The parts of a signature in the query")
    func partsInQuery() throws {
        let tiles = "http://127.0.0.1/{z}.png?Policy=old&v=1#f"
        let plan = try auth(#""profile": "cloudfront", \#(Self.renewal)"#, tiles: tiles)
        #expect(
            plan.target.templates == [
                "http://127.0.0.1/{z}.png?v=1&Policy={token.Policy}&Signature={token.Signature}"
                    + "&Key-Pair-Id={token.Key-Pair-Id}#f"
            ])
        let auth = try #require(plan.auth)
        #expect(auth.placement == .template)
        #expect(auth.partNames == ["Policy", "Signature", "Key-Pair-Id"])
        #expect(auth.renewal?.parts.map(\.name) == auth.partNames)
        #expect(auth.renewal?.parts.map(\.path) == auth.partNames.map { [$0] })
        #expect(auth.rejection.statuses == [403])
        let nginx = try self.auth(#""profile": "signed-url-410", \#(Self.renewal)"#)
        #expect(
            nginx.target.templates == [
                "http://127.0.0.1:8080/{z}/{x}/{y}.png?md5={token.md5}&expires={token.expires}"
            ])
        #expect(nginx.auth?.rejection.statuses == [410])
        // No part of a signature is part of a cache key, or shown.
        #expect(nginx.cache.strip.contains("md5"))
        #expect(nginx.secrets.queryNames.contains("md5"))
    }

    @Test("The parts of a signature as cookies, beside the scenario's own")
    func partsInCookies() throws {
        let text = """
            {"target": {"tiles": "http://127.0.0.1/{z}", "headers": {"Cookie": "a=1; CloudFront-Policy=old"}},
             "auth": {"profile": "cloudfront", "token": {"in": "cookie"}, \(Self.renewal)}}
            """
        let plan = try plan(text)
        #expect(plan.target.templates == ["http://127.0.0.1/{z}"])
        #expect(
            plan.target.headers.last?.value
                == "a=1; CloudFront-Policy={token.Policy}; CloudFront-Signature={token.Signature}; "
                + "CloudFront-Key-Pair-Id={token.Key-Pair-Id}")
        #expect(plan.auth?.partNames == ["Policy", "Signature", "Key-Pair-Id"])
    }

    @Test("What is written wins over the profile")
    func explicit() throws {
        let auth = try #require(
            try auth(
                """
                "profile": "overlay-article", "token": {"name": "t"},
                "renewal": {"url": "http://127.0.0.1/", "token_path": "a.b", "method": "POST", "body": "x=1"},
                "rejected_when": {"status": [403], "json": {"values": [498, true, "x", 1.5]},
                  "html": "Sign in", "www_authenticate": false, "redirect": true}
                """
            ).auth)
        #expect(auth.placement == .query(name: "t"))
        #expect(auth.renewal?.tokenPath == ["a", "b"])
        #expect(auth.renewal?.method == "POST")
        #expect(auth.rejection.statuses == [403])
        #expect(auth.rejection.jsonPath == ["error", "code"])
        #expect(auth.rejection.jsonValues == ["498", "true", "x", "1.5"])
        #expect(auth.rejection.html == "Sign in")
        #expect(auth.rejection.wwwAuthenticate == nil)
        #expect(auth.rejection.redirect)
        // Another kind of request takes nothing of the profile's.
        let other = try self.auth(
            #""profile": "google", "renewal": {"url": "http://127.0.0.1/", "kind": "client_credentials", "client_id": "a", "client_secret": "b"}"#
        )
        #expect(other.auth?.renewal?.body == nil)
        #expect(other.auth?.renewal?.tokenPath == nil)
    }

    @Test("`--set` of a profile keeps what the file says")
    func overridden() throws {
        let text = local(#""auth": {\#(Self.renewal), "rejected_when": {"status": [402]}}"#)
        let plan = try plan(text, set: ["auth.profile=overlay-article"])
        #expect(plan.auth?.rejection.statuses == [402])
        #expect(plan.auth?.renewal?.url == "http://127.0.0.1:9/token")
        #expect(plan.auth?.rejection.html == nil)
    }

    @Test(
        "What does not fit a profile",
        arguments: [
            (
                #""profile": "cloudfront", "static": "abcdef""#,
                "/auth/static: one token, but this profile's credential has the parts Policy, Sig"
            ),
            (
                #""profile": "cloudfront", "token": {"in": "header"}, \#(renewal)"#,
                "/auth/token/in: a header carries one token"
            ),
            (
                #""profile": "cloudfront", "token": {"in": "cookie", "name": "c"}, \#(renewal)"#,
                "/auth/token/name: the parts have names of their own"
            ),
            (
                #""profile": "arcgis", \#(renewal)"#, "/auth/renewal: `username` is missing"
            ),
            (#""profile": "mapbox""#, "/auth: needs `renewal` or `static`"),
            (#""profile": "esri", \#(renewal)"#, "/auth/profile: expected one of \"generic\""),
            (
                #""rejected_when": {"html": true}, \#(renewal)"#,
                "/auth/rejected_when/html: true says no words to look for"
            ),
            (
                #""rejected_when": {"html": "  "}, \#(renewal)"#,
                "/auth/rejected_when/html: holds no word"
            ),
            (
                #""rejected_when": {"www_authenticate": true}, \#(renewal)"#,
                "/auth/rejected_when/www_authenticate: true says no words to look for"
            ),
        ])
    func misfits(members: String, expected: String) {
        let found = problems(local("\"auth\": {\(members)}"))
        #expect(found.contains { $0.contains(": " + expected) }, "\(found)")
    }

    @Test("A status is either good or refuses the token")
    func bothWays() {
        let listed = problems(
            local(#""auth": {"rejected_when": {"status": [401, 204]}, \#(Self.renewal)}"#))
        #expect(listed.count == 1)
        #expect(
            listed.first?.contains("/auth/rejected_when/status: 204 is both good (checks.status)")
                == true, "\(listed)")
        let good = problems(
            local(
                #""checks": {"status": [200, 403]}, "auth": {"profile": "overlay-article", \#(Self.renewal)}"#
            ))
        #expect(good.count == 1)
        #expect(good.first?.contains("/checks/status: 403 is both good") == true, "\(good)")
    }

    @Test("A redirect is either followed or a refusal")
    func redirects() {
        let found = problems(
            local(
                #""connection": {"redirects": 3}, "auth": {"rejected_when": {"redirect": true}, \#(Self.renewal)}"#
            ))
        #expect(found.count == 1)
        #expect(found.first?.contains("/auth/rejected_when/redirect: a redirect cannot") == true)
    }

    @Test(
        "An embedded origin that refuses in a way nobody listens to is noted",
        arguments: [
            ("401", "", false), ("498", "", false), ("403", "", true), ("\"json\"", "", false),
            ("\"html\"", "", false), ("\"redirect\"", "", true), ("\"bare\"", "", false),
            ("403", #""profile": "overlay-article""#, false),
            ("410", #""profile": "overlay-article""#, true),
            ("\"json\"", #""profile": "overlay-article""#, true),
            ("\"html\"", #""rejected_when": {"html": false}"#, true),
            ("\"bare\"", #""rejected_when": {"status": [403]}"#, true),
            ("401", #""rejected_when": {"status": [403]}"#, false),
            ("\"redirect\"", #""rejected_when": {"redirect": true}"#, false),
        ])
    func unheard(refusal: String, auth: String, isNoted: Bool) throws {
        let plan = try plan(
            #"{"target": {"origin": {"token": {"refuse_with": \#(refusal)}}}, "auth": {\#(auth)}}"#)
        #expect(plan.notes.contains { $0.contains("takes for a tile's own") } == isNoted)
    }
}
