import Foundation
import JSONText
import Testing

@testable import Workload

@Suite("Auth: kinds of renewal, and credentials of several parts")
struct PlanRenewalTests {
    private static let url = #""url": "http://127.0.0.1:9/token""#

    private static func text(_ members: String) -> String {
        local(#""auth": {"renewal": {\#(url), \#(members)}}"#)
    }

    private static let kinds: [(String, RenewalPlan.Kind, String)] = [
        (#""kind": "url""#, .url, "GET"), (#""kind": "url", "method": "POST""#, .url, "POST"),
        (#""kind": "basic", "username": "me", "password": "pw""#, .basic, "GET"),
        (
            #""kind": "basic", "username": "me", "password": "pw", "method": "POST", "body": {"a": 1}"#,
            .basic, "POST"
        ),
        (
            #""kind": "client_credentials", "client_id": "id", "client_secret": "cs", "scope": "a b""#,
            .clientCredentials, "POST"
        ),
        (
            #""kind": "client_credentials", "client_id": "id", "client_secret": "cs", "client_auth": "body""#,
            .clientCredentials, "POST"
        ),
        (#""kind": "password", "username": "me", "password": "pw""#, .password, "POST"),
        (
            #""kind": "password", "username": "me", "password": "pw", "client_id": "id", "client_secret": "cs""#,
            .password, "POST"
        ),
        (#""kind": "refresh_token", "refresh_token": "rt""#, .refreshToken, "POST"),
        (
            #""kind": "refresh_token", "refresh_token": "rt", "client_id": "id", "expires_path": "jwt""#,
            .refreshToken, "POST"
        ),
        (
            #""kind": "arcgis", "username": "me", "password": "pw", "referer": "r", "expiration": 60"#,
            .arcgis, "POST"
        ),
        (#""kind": "document", "headers": {"X-Key": "k"}"#, .document, "GET"),
    ]

    @Test("Each kind with what it needs", arguments: kinds)
    func kind(members: String, kind: RenewalPlan.Kind, method: String) throws {
        let renewal = try #require(try plan(Self.text(members)).auth?.renewal)
        #expect(renewal.kind == kind)
        #expect(renewal.method == method)
    }

    @Test("Credentials are read, kept out of everything written, and masked in texts")
    func credentials() throws {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString).path
        try Data("from-a-file\n".utf8).write(to: URL(fileURLWithPath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let plan = try plan(
            Self.text(
                """
                "kind": "password", "username": {"file": "\(file)"}, "password": "${PASSWORD}",
                "client_id": "the-client-id", "client_secret": "the-client-secret", "scope": "tiles:read"
                """), environment: ["PASSWORD": "from-the-environment"])
        let credentials = try #require(plan.auth?.renewal?.credentials)
        #expect(credentials.username == "from-a-file")
        #expect(credentials.password == "from-the-environment")
        #expect(credentials.clientID == "the-client-id")
        #expect(credentials.clientSecret == "the-client-secret")
        #expect(credentials.scope == "tiles:read")
        #expect(credentials.usesBasic)
        let written = JSONWriter.encodeText(plan.json)
        for secret in ["from-the-environment", "from-a-file", "the-client", "tiles:read"] {
            #expect(!written.contains(secret))
        }
        #expect(plan.secrets.masking("a=the-client-secret") == "a=***")
        #expect(plan.secrets.masking("a from-the-environment") == "a ***")
        #expect(plan.json["auth"]?["renewal"]?["client_auth"]?.string == "basic")
    }

    @Test(
        "Keys that a kind lacks or has no use for",
        arguments: [
            (#""kind": "client_credentials""#, ["client_id", "client_secret"], "is missing"),
            (#""kind": "client_credentials", "client_id": "a""#, ["client_secret"], "is missing"),
            (#""kind": "password""#, ["username", "password"], "is missing"),
            (#""kind": "basic", "username": "me""#, ["password"], "is missing"),
            (#""kind": "refresh_token""#, ["refresh_token"], "is missing"),
            (#""kind": "arcgis", "password": "a""#, ["username"], "is missing"),
            (#""client_id": "a""#, ["client_id"], "is not for \"kind\": \"url\""),
            (#""username": "a""#, ["username"], "is not for \"kind\": \"url\""),
            (#""client_auth": "body""#, ["client_auth"], "is not for \"kind\": \"url\""),
            (
                #""kind": "refresh_token", "refresh_token": "a", "method": "GET""#, ["method"],
                "is not for \"kind\": \"refresh_token\""
            ),
            (
                #""kind": "document", "body": "c""#, ["body"], "is not for \"kind\": \"document\""
            ),
            (
                #""kind": "document", "token_path": "a", "expires_path": "b", "parts": ["c"]"#,
                ["token_path", "expires_path", "parts"], "is not for \"kind\": \"document\""
            ),
            (
                #""kind": "password", "username": "a", "password": "b", "client_secret": "c""#,
                ["client_secret"], "without `client_id`"
            ),
            (
                #""kind": "refresh_token", "refresh_token": "a", "client_auth": "body""#,
                ["client_auth"], "without `client_id`"
            ),
        ])
    func misfits(members: String, keys: [String], message: String) {
        let found = problems(Self.text(members))
        for key in keys {
            #expect(found.contains { $0.contains("`\(key)` \(message)") }, "\(found)")
        }
        #expect(found.count >= keys.count)
    }

    @Test(
        "A form takes further fields, and nothing else",
        arguments: [
            (#"{"form": {"audience": "https://t"}}"#, true), (#""audience=t""#, false),
            (#"{"audience": "t"}"#, false),
        ])
    func furtherFields(body: String, isGood: Bool) throws {
        let kinds = [
            #""kind": "client_credentials", "client_id": "id", "client_secret": "cs""#,
            #""kind": "arcgis", "username": "me", "password": "pw""#,
        ]
        for kind in kinds {
            let text = Self.text(kind + #", "body": "# + body)
            if isGood {
                #expect(try plan(text).auth?.renewal?.body?.text == "audience=https%3A%2F%2Ft")
            } else {
                let found = problems(text)
                #expect(found.count == 1 && found[0].contains("sends a form"), "\(found)")
            }
        }
    }

    @Test("A document's credential stands in URLs", arguments: ["header", "cookie"])
    func documents(place: String) {
        let found = problems(
            local(
                #""auth": {"token": {"in": "\#(place)"}, "renewal": {\#(Self.url), "kind": "document"}}"#
            ))
        #expect(found.count == 1 && found[0].contains("/auth/token/in: the token of a document"))
    }

    // MARK: - Parts

    private static func parts(
        _ parts: String, tiles: String, headers: String = "", token: String = #""in": "template""#
    ) -> String {
        """
        {"target": {"tiles": \(tiles), "headers": {\(headers)}},
         "auth": {"token": {\(token)}, "renewal": {\(url)\(parts)}}}
        """
    }

    @Test("Their order is that of the templates, then of the headers")
    func order() throws {
        let plan = try plan(
            Self.parts(
                #", "parts": {"h": "x.0.h", "c": "c", "a": "a", "b": "deep.b"}"#,
                tiles:
                    #"["http://127.0.0.1/{token.b}/{z}?a={token.a}", "http://127.0.0.1/{token.a}/{z}"]"#,
                headers: #""X-H": "{token.h}; {token.b}", "Cookie": "c={token.c}""#))
        #expect(plan.auth?.partNames == ["b", "a", "h", "c"])
        #expect(
            plan.auth?.renewal?.parts.map(\.path) == [
                ["x", "0", "h"], ["c"], ["a"], ["deep", "b"],
            ])
        #expect(plan.cache.strip.contains("a"))
        let list = try WorkloadTests.plan(
            Self.parts(
                #", "parts": ["a", "Key-Pair-Id"]"#,
                tiles: #""http://127.0.0.1/{token.Key-Pair-Id}/{token.a}""#))
        #expect(list.auth?.partNames == ["Key-Pair-Id", "a"])
        #expect(list.auth?.renewal?.parts.map(\.name) == ["a", "Key-Pair-Id"])
    }

    @Test("A document gives whatever its URLs have")
    func document() throws {
        let plan = try plan(
            Self.parts(#", "kind": "document""#, tiles: #""http://127.0.0.1/{z}?sig={token.sig}""#))
        #expect(plan.auth?.partNames == ["sig"])
        #expect(plan.auth?.renewal?.parts == [])
    }

    @Test(
        "Parts that are not given, or stand nowhere",
        arguments: [
            ("", #""http://127.0.0.1/{token.a}""#, "", "/auth/renewal: gives no part `a`"),
            (
                #", "parts": ["b"]"#, #""http://127.0.0.1/{token.b}""#, #""X-H": "{token.c}""#,
                "/auth/renewal: gives no part `c`"
            ),
            (
                #", "parts": ["a", "b"]"#, #""http://127.0.0.1/{token.a}""#, "",
                "/auth/renewal/parts/1: `{token.b}` stands in no URL and no header"
            ),
            (
                #", "parts": {"a": "a", "b": "c"}"#, #""http://127.0.0.1/{token.a}""#, "",
                "/auth/renewal/parts/b: `{token.b}` stands in no URL and no header"
            ),
            (
                #", "parts": ["a", "a"]"#, #""http://127.0.0.1/{token.a}""#, "",
                "/auth/renewal/parts/1: stands twice"
            ),
            (
                #", "parts": {"a": "b..c"}"#, #""http://127.0.0.1/{token.a}""#, "",
                "/auth/renewal/parts/a: has an empty name"
            ),
            (
                #", "parts": ["{a"]"#, #""http://127.0.0.1/{token}""#, "",
                "/auth/renewal/parts/0: `{a` cannot stand in {token.NAME}"
            ),
            (
                #", "parts": {}"#, #""http://127.0.0.1/{token}""#, "",
                "/auth/renewal/parts: names no part"
            ),
        ])
    func misplaced(parts: String, tiles: String, headers: String, expected: String) {
        let found = problems(Self.parts(parts, tiles: tiles, headers: headers))
        #expect(found.contains { $0.contains(": " + expected) }, "\(found)")
        #expect(
            problems(Self.parts(#", "parts": ["a"]"#, tiles: #""http://127.0.0.1/{token.a}""#))
                == [])
    }

    @Test("A part in a header wants the template placement; a fixed token has none")
    func otherPlacements() {
        let header = problems(
            Self.parts(
                #", "parts": ["a"]"#, tiles: #""http://127.0.0.1/""#,
                headers: #""X-H": "{token.a}""#,
                token: #""in": "query""#))
        #expect(header.count == 1)
        #expect(header.first?.contains("`{token.NAME}` stands in a header") == true)
        let fixed = problems(
            #"{"target": {"tiles": "http://127.0.0.1/{token.a}"}, "auth": {"token": {"in": "template"}, "static": "abcdef"}}"#
        )
        #expect(fixed.count == 1)
        #expect(fixed.first?.contains("/auth/static: is one token: it has no part `a`") == true)
        let none = problems(#"{"target": {"tiles": "http://127.0.0.1/{token.a}"}}"#)
        #expect(none.count == 1)
        #expect(none.first?.contains("but there is no `auth`") == true)
    }

    // MARK: - Users

    @Test("A token for each user")
    func users() throws {
        let own = try plan(#"{"target": {"origin": {"token": {}}}, "auth": {"sharing": "user"}}"#)
        #expect(own.auth?.sharing == .user)
        #expect(own.auth?.renewal?.url == "${ORIGIN}/token?cell={user}")
        let written = try plan(
            local(
                #""auth": {"sharing": "user", "renewal": {"url": "http://127.0.0.1/t/{user}", "method": "POST", "headers": {"Authorization": "Basic long-secret{user}"}, "body": {"who": "long-prefix-{user}"}}}"#
            ))
        #expect(written.auth?.renewal?.url == "http://127.0.0.1/t/{user}")
        let secrets = written.secrets
        #expect(secrets.masking("Basic long-secret17") == "***17")
        #expect(secrets.masking("long-prefix-3") == "***3")
        let login = try plan(
            Self.text(
                #""kind": "password", "username": "a-name-{user}", "password": "long-secret-{user}-x""#
            ))
        #expect(login.secrets.masking("a-name-3 long-secret-3-x") == "***3 ***3-x")
        let open = problems(
            #"{"target": {"origin": {"token": {}}}, "auth": {"sharing": "user"}, "load": {"rate": 5}}"#
        )
        #expect(open.count == 1)
        #expect(open.first?.contains("/auth/sharing: \"user\" is for a closed load only") == true)
        let stored = problems(
            local(
                #""auth": {"sharing": "user", "store": "t.json", "renewal": {\#(Self.url)}}"#))
        #expect(stored.count == 1)
        #expect(stored.first?.contains("/auth/store: keeps one token") == true)
        func refresh(_ token: String) -> String {
            local(
                #""auth": {"sharing": "user", "renewal": {\#(Self.url), "kind": "refresh_token", "refresh_token": "\#(token)"}}"#
            )
        }
        #expect(problems(refresh("one")).first?.contains("spent by the first of many") == true)
        #expect(problems(refresh("r-{user}")).isEmpty)
        let token = problems(
            local(
                #""auth": {"renewal": {\#(Self.url), "headers": {"Authorization": "Bearer {token}"}}}"#
            ))
        #expect(token.count == 1)
        #expect(
            token.first?.contains("/auth/renewal/headers/Authorization: `{token}` has no") == true)
    }

    @Test(
        "Renewal ahead of the end",
        arguments: [
            ("\"10s\"", 10_000_000_000), ("\"0s\"", 0), ("\"off\"", 0), ("false", 0), ("0", 0),
            ("2", 2_000_000_000), ("\"250ms\"", 250_000_000),
        ] as [(String, UInt64)])
    func renewBefore(value: String, nanoseconds: UInt64) throws {
        let auth = try plan(
            Self.text("\"timeout\": \"1s\"").replacing(
                "\"auth\": {", with: "\"auth\": {\"renew_before\": \(value), ")
        ).auth
        #expect(auth?.renewBeforeNS == nanoseconds)
    }

    @Test("It is ten seconds unless written; true says nothing")
    func renewBeforeDefault() throws {
        #expect(try plan(Self.text("\"timeout\": 1")).auth?.renewBeforeNS == 10_000_000_000)
        let found = problems(
            Self.text("\"timeout\": 1").replacing(
                "\"auth\": {", with: "\"auth\": {\"renew_before\": true, "))
        #expect(found.count == 1)
        #expect(found.first?.contains("/auth/renew_before: true does not say how long") == true)
    }
}
