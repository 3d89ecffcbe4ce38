import Foundation
import Testing

/// Servers that refuse a token each in their own way: with the right profile or rule one renewal
/// follows and every tile comes; without it the tile is not asked for again.
@Suite(.serialized)
struct RefusalShapeTests {
    struct Shape: CustomTestStringConvertible, Sendable {
        var name: String
        /// What nginx does in place of a 401.
        var answer: String
        var settings: [String] = []
        var isHeard = true
        var testDescription: String { name }
    }

    private static let scope =
        "add_header WWW-Authenticate 'Bearer error=\"insufficient_scope\"' always; return 403;"

    static let shapes = [
        Shape(
            name: "403 of an overlay's back end", answer: "return 403;",
            settings: ["auth.profile=overlay-article"]),
        Shape(name: "401", answer: "return 401;", settings: ["auth.profile=mapbox"]),
        Shape(
            name: "an error of ArcGIS inside a text",
            answer: #"types { } default_type text/plain; return 200 ' {"error": {"code" : 498}}';"#),
        Shape(
            name: "an error of ArcGIS in a call",
            answer:
                #"types { } default_type text/javascript; return 200 'cb({"error":{"code":499}});';"#
        ),
        Shape(
            name: "a page",
            answer: "types { } default_type text/html; return 200 '<html>INVALID token';"),
        Shape(
            name: "a page that is called an image",
            answer: "types { } default_type image/png; return 200 '<!DOCTYPE html><p>Sign in';",
            settings: ["auth.rejected_when.html=sign in"]),
        Shape(
            name: "the reason of an error of Google",
            answer: "types { } default_type application/json; return 400 "
                + #"'{"error":{"code":400,"errors":[{"reason":"expired"}]}}';"#,
            settings: ["auth.profile=google", "auth.renewal.token_path=token"]),
        Shape(
            name: "one of two challenges",
            answer: "add_header WWW-Authenticate 'Basic realm=\"a, b\", "
                + "Bearer realm=\"c\", error=\"invalid_token\"' always; return 400;"),
        Shape(
            name: "a redirect to a login", answer: "return 302 /login;",
            settings: ["auth.rejected_when.redirect=true"]),
        Shape(
            name: "a value of its own",
            answer:
                #"types { } default_type application/json; return 422 '{"ok":false,"fault":[{"id":7.0}]}';"#,
            settings: [#"auth.rejected_when.json={"path": "fault.0.id", "values": [7]}"#]),
        Shape(
            name: "a scope that is missing, although 403 is listed", answer: scope,
            settings: ["auth.rejected_when.status=[401,403]"], isHeard: false),
        Shape(name: "a redirect that is none", answer: "return 302 /login;", isHeard: false),
        Shape(
            name: "a page nobody looks at",
            answer: "types { } default_type text/html; return 200 '<html>Invalid Token';",
            settings: ["auth.rejected_when.html=false", "checks.tile=png"], isHeard: false),
    ]

    @Test(arguments: shapes) func oneRenewalOrNone(_ shape: Shape) async throws {
        try await withTokenService { service in
            var part = NginxConfig.Part.protected(by: service)
            part.server = part.server.replacing(
                "auth_request /_auth;", with: "auth_request /_auth; error_page 401 = @refused;")
            part.server += "location @refused { \(shape.answer) }"
            try await withNginx(NginxConfig(part)) { server in
                let report = try await run(service, server.url, shape.settings)
                let renewed = try report.int("auth.renewals.succeeded")
                let failed = try report.int("ledger.failed")
                if shape.isHeard {
                    #expect(failed == 0)
                    #expect(try report.int("auth.renewals.per_expiry_max") == 1)
                    #expect(try report.int("auth.outdated_sends") == 0)
                    #expect(try report.int("auth.refusals.total") >= 1)
                } else {
                    #expect(failed > 0)
                    #expect(try report.int("auth.refusals.total") == 0)
                }
                // The first token, and the one after the revocation.
                #expect(renewed == (shape.isHeard ? 2 : 1))
                #expect(try await service.counters().issued == renewed)
            }
        }
    }

    /// Half a thousand tiles, slowly enough that all tokens are revoked on the way.
    private func run(
        _ service: TokenService, _ url: String, _ settings: [String]
    ) async throws -> ReportJSON {
        let folder = try TemporaryFolder()
        var words = [
            "run", "\(url)/secure/{z}/{x}/{y}.png", "--zooms", "0-3", "--users", "4", "--count",
            "500", "--out", "out", "--set", "on_invalid=warn", "--renewal-url", service.tokenURL,
            "--set", "auth.token.name=token", "--set", "auth.start=renew", "--set",
            "workload.think=10ms",
        ]
        for setting in settings { words += ["--set", setting] }
        let all = words
        async let ended = TilebenchBinary.run(all, in: folder)
        try await waitUntil(timeoutS: 60) { try await service.counters().authOK >= 50 }
        try await service.revoke()
        let result = try await ended
        #expect(result.exitCode == 0, "\(result.errorOutput)")
        return try ReportJSON(path: folder.path("out/report.json"))
    }
}
