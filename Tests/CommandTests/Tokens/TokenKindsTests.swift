import Foundation
import Testing

/// Each kind of renewal against a service that takes nothing but the right request, through tokens
/// that live for a moment.
@Suite(.serialized)
struct TokenKindsTests {
    struct Kind: CustomTestStringConvertible, Sendable {
        var name: String
        /// Where the token endpoint is, and the members of `auth.renewal` beside `url`.
        var path: String
        var renewal: String
        var token = #"{"in": "query", "name": "token"}"#
        var tiles = "/secure/{z}/{x}/{y}.png"
        var headers = "{}"

        var testDescription: String { name }
    }

    private static let client = #""client_id": "map client", "client_secret": "${CLIENT_SECRET}""#
    private static let user = #""username": "ann@example.org", "password": "${PASSWORD}""#
    private static let parts = """
        "parts": {"Policy": "signed.0.Policy", "Signature": "signed.0.Signature",
                  "Key-Pair-Id": "signed.0.Key-Pair-Id"}
        """
    private static let environment = [
        "CLIENT_SECRET": "c+s/e%cret=", "PASSWORD": "p&ss=wörd", "REFRESH": "refresh-first",
    ]

    static let kinds = [
        Kind(
            name: "client credentials", path: "/oauth/token",
            renewal: """
                "kind": "client_credentials", \(client), "scope": "tiles read",
                "body": {"form": {"audience": "https://tiles.example"}}
                """, token: #"{"in": "header"}"#),
        Kind(
            name: "client credentials in the form", path: "/oauth/token",
            renewal: """
                "kind": "client_credentials", \(client), "client_auth": "body",
                "scope": "tiles read", "body": {"form": {"audience": "https://tiles.example"}}
                """),
        Kind(
            name: "password", path: "/oauth/token",
            renewal: #""kind": "password", \#(user), \#(client)"#),
        Kind(
            name: "refresh token", path: "/oauth/token",
            renewal: #""kind": "refresh_token", "refresh_token": "${REFRESH}", \#(client)"#,
            token: #"{"in": "cookie", "name": "token"}"#),
        Kind(name: "basic", path: "/basic", renewal: #""kind": "basic", \#(user)"#),
        Kind(
            name: "arcgis", path: "/arcgis/generateToken",
            renewal: """
                "kind": "arcgis", \(user), "referer": "https://maps.example/app", "expiration": 60
                """),
        Kind(
            name: "document", path: "/tiles.json", renewal: #""kind": "document""#,
            tiles: "/secure/{z}/{x}/{y}.png?token=old"),
        Kind(
            name: "three parts in the query", path: "/signed", renewal: parts,
            token: #"{"in": "template"}"#,
            tiles: "/secure/{z}/{x}/{y}.png?Policy={token.Policy}&Signature={token.Signature}"
                + "&Key-Pair-Id={token.Key-Pair-Id}"),
        Kind(
            name: "parts in path, cookie and header", path: "/signed", renewal: parts,
            token: #"{"in": "template"}"#, tiles: "/{token.Key-Pair-Id}/{z}/{x}/{y}.png",
            headers: #"{"Cookie": "a=1; token={token.Signature}", "X-Policy": "{token.Policy}"}"#),
        Kind(name: "cookies of the back end", path: "/session", renewal: #""kind": "url""#),
        Kind(
            name: "a web token, by a clock that is an hour fast", path: "/jwt",
            renewal: #""expires_path": "jwt""#, token: #"{"in": "header"}"#),
    ]

    @Test(arguments: kinds)
    func kind(_ kind: Kind) async throws {
        try await withTokenService(ttlS: 0.7) { service in
            let underKey = NginxConfig.Part(
                server: "location /K1/ { auth_request /_auth; alias @PREFIX@/html/tiles/; }")
            try await withNginx(NginxConfig(.protected(by: service), underKey)) { server in
                let run = try await Self.run(kind, server, service, renewBefore: "0s")
                #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
                let report = try run.report()
                try report.expectLedgerAddsUp()
                #expect(try report.int("ledger.ok") == 300)
                let counters = try await service.counters()
                try expectRenewalsEqual(counters, report)
                let events = try report.int("auth.expiry_events")
                #expect(events >= 2)
                #expect(counters.issued == events + 1)
                #expect(try report.int("auth.renewals.succeeded") == counters.issued)
                #expect(counters.refreshReuse == 0)
                if kind.path == "/session" { #expect(counters.withCookie == events) }
                try Self.expectNoSecret(run)
                try report.expectRequests(equal: try await server.stopAndReadLog())
            }
        }
    }

    /// Where the answer tells the life, in whatever words, nobody is refused.
    @Test(arguments: kinds.filter { ["/arcgis/generateToken", "/jwt"].contains($0.path) })
    func toldLives(_ kind: Kind) async throws {
        try await withTokenService(ttlS: 2) { service in
            try await withNginx(NginxConfig(.protected(by: service))) { server in
                let run = try await Self.run(kind, server, service, renewBefore: "1s", forS: 4)
                #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
                let report = try run.report()
                #expect(try report.int("auth.refusals.total") == 0)
                #expect(try report.int("auth.renewals.proactive") >= 1)
                #expect(try report.int("auth.renewals.duplicates") == 0)
                let attempted = try report.int("auth.renewals.attempted")
                #expect(try await service.counters().tokenRequests == attempted)
                #expect(attempted <= 5)
            }
        }
    }

    @Test func theNewestRefreshTokenIsStored() async throws {
        try await withTokenService(ttlS: 0.7) { service in
            try await withNginx(NginxConfig(.protected(by: service))) { server in
                let kind = try #require(Self.kinds.first { $0.name == "refresh token" })
                let folder = try TemporaryFolder()
                // The last renewal may still be on its way when a run ends.
                for _ in 0..<3 {
                    let run = try await Self.run(
                        kind, server, service, renewBefore: "0s", forS: 1,
                        store: #", "store": "store.json""#, in: folder)
                    #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
                    try Self.expectNoSecret(run)
                }
                let probe = try await TilebenchBinary.run(
                    ["probe", "scenario.json"], environment: Self.environment, in: folder)
                #expect(probe.exitCode == 0, "\(probe.errorOutput)")
                #expect(!probe.output.contains("refresh-"), "\(probe.output)")
                let last = try await Self.run(
                    kind, server, service, renewBefore: "0s", forS: 1,
                    store: #", "store": "store.json""#, in: folder)
                #expect(last.result.exitCode == 0, "\(last.result.errorOutput)")
                let counters = try await service.counters()
                #expect(counters.refreshReuse == 0)
                #expect(counters.issued == counters.tokenRequests)
            }
        }
    }

    /// Twenty users with a token each, all of which end again and again.
    @Test func eachUserItsOwn() async throws {
        try await withTokenService(ttlS: 0.7, delayMS: 20) { service in
            try await withNginx(NginxConfig(.protected(by: service))) { server in
                let run = try await ScenarioRun.run(
                    """
                    {"target": {"tiles": "\(server.url)/secure/{z}/{x}/{y}.png"},
                     "auth": {"token": {"in": "header"}, "sharing": "user", "start": "renew",
                              "renew_before": "0s",
                              "renewal": {"url": "\(service.url)/user?name=load-{user}"}},
                     "workload": {"zooms": [3, 5], "think": "20ms"},
                     "load": {"users": 20, "for": "3s"}, "on_invalid": "warn"}
                    """)
                #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
                let report = try run.report()
                try report.expectLedgerAddsUp()
                #expect(try report.int("ledger.failed") == 0)
                let counters = try await service.counters()
                try expectRenewalsEqual(counters, report)
                #expect(counters.users == 20)
                #expect(try report.int("auth.cells") == 20)
                #expect(try report.int("auth.renewals.per_expiry_max") == 1)
                // Some renewals were under way at one time; one after the other they would take
                // longer than the tokens live.
                #expect(counters.concurrentMax > 1)
                #expect(counters.tokenRequests >= 40)
                try report.expectRequests(equal: try await server.stopAndReadLog())
            }
        }
    }

    @Test func wrongCredentialsAreRefusedForGood() async throws {
        try await withTokenService { service in
            try await withNginx(NginxConfig(.protected(by: service))) { server in
                for name in ["arcgis", "password", "basic", "refresh token"] {
                    let kind = try #require(Self.kinds.first { $0.name == name })
                    let before = try await service.counters().tokenRequests
                    let run = try await Self.run(
                        kind, server, service, renewBefore: "0s",
                        environment: [
                            "CLIENT_SECRET": "c+s/e%cret=", "PASSWORD": "wr0ng", "REFRESH": "n0ne",
                        ])
                    #expect(run.result.exitCode == 3, "\(name): \(run.result.errorOutput)")
                    let said = try run.everythingSaid()
                    #expect(said.contains("no token"), "\(name): \(run.result.errorOutput)")
                    #expect(!said.contains("wr0ng") && !said.contains("n0ne"))
                    // One try: the same answer would come again.
                    #expect(try await service.counters().tokenRequests == before + 1, "\(name)")
                }
            }
        }
    }

    private static func run(
        _ kind: Kind, _ server: NginxServer, _ service: TokenService, renewBefore: String,
        forS: Int = 3, store: String = "", environment: [String: String] = environment,
        in folder: TemporaryFolder? = nil
    ) async throws -> ScenarioRun {
        let renewal = kind.renewal.isEmpty ? "" : ", " + kind.renewal
        return try await ScenarioRun.run(
            """
            {"target": {"tiles": "\(server.url)\(kind.tiles)", "headers": \(kind.headers)},
             "auth": {"token": \(kind.token), "start": "renew", "renew_before": "\(renewBefore)",
                      "renewal": {"url": "\(service.url)\(kind.path)"\(renewal)}\(store)},
             "workload": {"zooms": [3, 5]},
             "load": {"rate": "100/s", "for": "\(forS)s"}, "on_invalid": "warn"}
            """, environment: environment, in: folder)
    }

    private static func expectNoSecret(_ run: ScenarioRun) throws {
        let said = try run.everythingSaid()
        for secret in ["cret=", "p&ss", "w%C3%B6rd", "refresh-", "sid="] {
            #expect(!said.contains(secret), "\(secret)")
        }
    }
}
