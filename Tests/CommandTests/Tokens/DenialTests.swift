import Foundation
import Testing

/// A server that says 403 where others say 401: tiles are fine until the token dies, and then all
/// are denied. Nobody can tell that from a lack of permission, so the summary names the key.
@Suite(.serialized)
struct DenialTests {
    /// As `protected`, with 403 in place of 401.
    private static func forbidding(_ service: TokenService) -> NginxConfig {
        var part = NginxConfig.Part.protected(by: service)
        part.server = part.server.replacing(
            "auth_request /_auth;", with: "auth_request /_auth; error_page 401 = @denied;")
        part.server += "location @denied { return 403; }"
        return NginxConfig(part)
    }

    /// Runs for four seconds; the server revokes all tokens once some tiles were served.
    private func run(
        _ service: TokenService, _ words: [String]
    ) async throws -> (summary: String, report: ReportJSON) {
        let folder = try TemporaryFolder()
        let before = try await service.counters().authOK
        async let ended = TilebenchBinary.run(
            ["run"] + words + [
                "--zooms", "0-3", "--users", "4", "--for", "4s", "--out", "out", "--set",
                "on_invalid=warn",
            ], in: folder)
        try await waitUntil(timeoutS: 60) { try await service.counters().authOK >= before + 100 }
        try await service.revoke()
        let result = try await ended
        #expect(result.exitCode == 0, "\(result.errorOutput)")
        return (
            result.output.split(whereSeparator: \.isWhitespace).joined(separator: " "),
            try ReportJSON(path: folder.path("out/report.json"))
        )
    }

    private static func denied(_ report: ReportJSON) throws -> Int {
        try report.array("timeline").reduce(0) { $0 + ($1["denied"] as? Int ?? 0) }
    }

    @Test func theKeyIsNamed() async throws {
        try await withTokenService { service in
            try await withNginx(Self.forbidding(service)) { server in
                let words = [
                    "\(server.url)/secure/{z}/{x}/{y}.png", "--set", "auth.token.name=token",
                    "--set", "auth.renewal.url=\(service.tokenURL)", "--set", "auth.start=renew",
                ]
                let (summary, report) = try await run(service, words)
                #expect(summary.contains("on most tiles were answered 403, after "), "\(summary)")
                #expect(
                    summary.contains(
                        #"list it in `auth`: "rejected_when": {"status": [401, 403, 498, 499]}, or "#
                            + "--set 'auth.rejected_when.status=[401,403,498,499]'"))
                #expect(try report.int("auth.renewals.succeeded") == 1)
                let denied = try Self.denied(report)
                #expect(denied == (try report.int("ledger.failed")))
                #expect(denied > 20)

                // What it says is right: with that key one renewal serves every tile.
                let again = try await run(
                    service, words + ["--set", "auth.rejected_when.status=[401,403,498,499]"])
                #expect(!again.summary.contains("rejected_when"), "\(again.summary)")
                #expect(try again.report.int("ledger.failed") == 0)
                #expect(try again.report.int("auth.renewals.per_expiry_max") == 1)
                #expect(try Self.denied(again.report) == 0)
            }
        }
    }

    @Test func withoutAuthAndWithAFixedToken() async throws {
        try await withTokenService { service in
            try await withNginx(Self.forbidding(service)) { server in
                let token = try await service.token()
                let (summary, _) = try await run(
                    service, ["\(server.url)/secure/{z}/{x}/{y}.png?token=\(token)"])
                #expect(summary.contains("`auth` says how tokens are sent and renewed, with "))
                #expect(summary.contains(#""rejected_when": {"status": [401, 403]}"#))
                #expect(!summary.contains(token))
                let other = try await service.token()
                let (fixed, _) = try await run(
                    service,
                    [
                        "\(server.url)/secure/{z}/{x}/{y}.png", "--set", "auth.token.name=token",
                        "--set", "auth.static=\(other)",
                    ])
                #expect(
                    fixed.contains("give `auth.renewal` instead of the fixed token"), "\(fixed)")
                #expect(!fixed.contains(other))
            }
        }
    }
}
