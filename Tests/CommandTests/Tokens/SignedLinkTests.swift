import Foundation
import Testing

/// Credentials of several parts, against what checks them in the field: nginx's own secure_link,
/// and values that only work together, in the query and as cookies.
@Suite(.serialized)
struct SignedLinkTests {
    /// nginx says 410 when a link has run out, and 403 when it was never right.
    private static let secureLink = NginxConfig.Part(
        server: """
            location /linked/ {
                secure_link $arg_md5,$arg_expires;
                secure_link_md5 "$secure_link_expires link";
                if ($secure_link = "") { return 403; }
                if ($secure_link = "0") { return 410; }
                alias @PREFIX@/html/tiles/;
            }
            """)

    /// The parts of the cookies as `TokenService` checks them in a query.
    private static func cookies(_ service: TokenService) -> NginxConfig.Part {
        var part = NginxConfig.Part.protected(by: service)
        for name in ["policy", "signature", "key_pair_id"] {
            let cookie = ["policy": "Policy", "signature": "Signature"][name] ?? "Key-Pair-Id"
            part.http +=
                " map $http_cookie $cf_\(name) { \"~CloudFront-\(cookie)=(?<v_\(name)>[^;]+)\" $v_\(name); }"
        }
        part.server = part.server.replacing(
            "X-Original-URI $request_uri",
            with: "X-Original-URI "
                + "/?Policy=$cf_policy&Signature=$cf_signature&Key-Pair-Id=$cf_key_pair_id"
        ).replacing(
            "auth_request /_auth;", with: "auth_request /_auth; error_page 401 = @denied;")
        part.server += "location @denied { return 403; }"
        return part
    }

    private func run(
        _ server: NginxServer, path: String, auth: String, renewBefore: String = "0s", forS: Int = 3
    ) async throws -> ReportJSON {
        let run = try await ScenarioRun.run(
            """
            {"target": {"tiles": "\(server.url)\(path)", "headers": {"Cookie": "lang=en"}},
             "auth": {\(auth), "start": "renew", "renew_before": "\(renewBefore)"},
             "workload": {"zooms": [3, 5]},
             "load": {"rate": "100/s", "for": "\(forS)s"}, "on_invalid": "warn"}
            """)
        #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
        let said = try run.everythingSaid()
        // No part of a signature is shown.
        for name in ["md5=", "Signature=", "Policy="] {
            #expect(!said.contains(name) || said.contains(name + "{token"), "\(said)")
        }
        return try run.report()
    }

    @Test func aLinkThatRunsOutIsGone() async throws {
        try await withTokenService(ttlS: 1.5) { service in
            try await withNginx(NginxConfig(Self.secureLink)) { server in
                let auth = """
                    "profile": "signed-url-410", "renewal": {"url": "\(service.url)/linked",
                     "expires_path": "nothing"}
                    """
                let report = try await run(server, path: "/linked/{z}/{x}/{y}.png", auth: auth)
                #expect(try report.int("ledger.ok") == 300)
                #expect(try report.int("auth.expiry_events") >= 1)
                #expect(try report.int("auth.refusals.total") >= 1)
                #expect(try report.int("auth.renewals.per_expiry_max") == 1)
                let log = try await server.stopAndReadLog()
                #expect(log.statuses()["403"] == nil)
                #expect(try log.statuses()["410"] == report.int("auth.refusals.total"))
                #expect(
                    try await service.counters().issued == report.int("auth.renewals.succeeded"))
            }
        }
    }

    @Test func aLinkThatTellsItsEndIsRenewedInTime() async throws {
        try await withTokenService(ttlS: 2) { service in
            try await withNginx(NginxConfig(Self.secureLink)) { server in
                let auth =
                    #""profile": "signed-url-410", "renewal": {"url": "\#(service.url)/linked"}"#
                let report = try await run(
                    server, path: "/linked/{z}/{x}/{y}.png", auth: auth, renewBefore: "1s")
                #expect(try report.int("ledger.ok") == 300)
                #expect(try report.int("auth.refusals.total") == 0)
                #expect(try report.int("auth.renewals.succeeded") >= 2)
            }
        }
    }

    @Test(arguments: [true, false])
    func threePartsOfAPolicy(areCookies: Bool) async throws {
        try await withTokenService(ttlS: 0.7) { service in
            var part = Self.cookies(service)
            if !areCookies {
                part.server = part.server.replacing(
                    "/?Policy=$cf_policy&Signature=$cf_signature&Key-Pair-Id=$cf_key_pair_id",
                    with: "$request_uri")
            }
            try await withNginx(NginxConfig(part)) { server in
                let parts = ["Policy", "Signature", "Key-Pair-Id"]
                    .map { "\"\($0)\": \"signed.0.\($0)\"" }.joined(separator: ", ")
                let auth = """
                    "profile": "cloudfront", "token": {"in": "\(areCookies ? "cookie" : "query")"},
                    "renewal": {"url": "\(service.url)/signed", "parts": {\(parts)}}
                    """
                let report = try await run(
                    server, path: "/secure/{z}/{x}/{y}.png", auth: auth, forS: 3)
                #expect(try report.int("ledger.ok") == 300)
                #expect(try report.int("auth.expiry_events") >= 2)
                #expect(try report.int("auth.renewals.per_expiry_max") == 1)
                let counters = try await service.counters()
                #expect(try counters.issued == report.int("auth.renewals.succeeded"))
                let log = try await server.stopAndReadLog()
                #expect(try log.statuses()["403"] == report.int("auth.refusals.total"))
                let signed = log.entries.count { $0.uri.contains("Signature=") }
                #expect(signed == (areCookies ? 0 : log.entries.count))
            }
        }
    }
}
