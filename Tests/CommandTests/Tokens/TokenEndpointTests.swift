import Foundation
import Testing

/// A token endpoint that fails: the run ends in bounded time, asks are accounted for, exit codes
/// tell whether anything was measured.
@Suite(.serialized)
struct TokenEndpointTests {
    struct Broken: CustomTestStringConvertible, Sendable {
        var mode: TokenService.Mode
        /// A word of the reason on stderr.
        var says: String

        var testDescription: String { mode.rawValue }
    }

    static let broken = [
        Broken(mode: .error, says: "500"), Broken(mode: .html, says: "HTML"),
        Broken(mode: .empty, says: "nothing"), Broken(mode: .malformed, says: "JSON with a fault"),
        Broken(mode: .noToken, says: "token, access_token"),
        Broken(mode: .hang, says: "within"), Broken(mode: .close, says: "no answer"),
        Broken(mode: .invalidGrant, says: "invalid_grant"),
    ]

    @Test(arguments: broken)
    func brokenFromTheStartIsNoMeasurement(_ broken: Broken) async throws {
        try await withTokenService { service in
            try await service.set(broken.mode)
            try await withNginx(NginxConfig(.protected(by: service))) { server in
                for start in ["renew", "dummy"] {
                    let before = try await service.counters().tokenRequests
                    let run = try await ScenarioRun.run(
                        scenario(server, service, start: start, load: #""users": 5, "for": "300s""#)
                    )
                    #expect(run.result.exitCode == 3, "\(start): \(run.result.errorOutput)")
                    #expect(run.result.seconds < 60)
                    #expect(run.result.errorOutput.contains(broken.says), "\(start)")
                    #expect(run.result.errorOutput.split(separator: "\n").count <= 3)
                    let report = try run.report()
                    try report.expectLedgerAddsUp()
                    #expect(try report.int("ledger.ok") == 0)
                    let tries = try await service.counters().tokenRequests - before
                    #expect(try report.int("auth.renewals.attempted") == tries)
                    #expect(try report.int("auth.renewals.failed") == tries)
                    #expect(tries <= 3)
                }
            }
        }
    }

    struct Later: CustomTestStringConvertible, Sendable {
        var mode: TokenService.Mode
        /// What `failed_by_detail.unauthorized` may name.
        var reasons: Set<String>

        var testDescription: String { mode.rawValue }
    }

    static let later = [
        Later(mode: .error, reasons: ["cooling"]), Later(mode: .html, reasons: ["cooling"]),
        Later(mode: .hang, reasons: ["cooling", "park_timeout"]),
        Later(mode: .same, reasons: ["cooling", "auth_retries"]),
        Later(mode: .dead, reasons: ["cooling", "auth_retries"]),
        Later(mode: .invalidGrant, reasons: ["dead"]),
    ]

    @Test(arguments: later)
    func brokenLaterFailsTheTilesAndIsCounted(_ later: Later) async throws {
        try await withTokenService { service in
            try await withNginx(NginxConfig(.protected(by: service))) { server in
                let run = try await ScenarioRun.run(
                    scenario(
                        server, service, start: "renew",
                        load: #""rate": "100/s", "for": "5s", "grace": "1s""#)
                ) { _ in
                    try await waitUntil(timeoutS: 60) { try await service.counters().authOK >= 50 }
                    try await service.set(later.mode)
                    try await service.revoke()
                }
                // Tiles were measured before, and no gate was set.
                #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
                #expect(run.result.seconds < 60)
                let report = try run.report()
                try report.expectLedgerAddsUp()
                #expect(try report.int("ledger.started") == 500)
                #expect(try report.int("ledger.ok") >= 50)
                let failed = try report.int("ledger.failed")
                #expect(failed > 0)
                #expect(try report.failedBy() == ["unauthorized": failed])
                let reasons = try report.counts("ledger.failed_by_detail.unauthorized")
                    .filter { $0.value > 0 }
                #expect(Set(reasons.keys).isSubset(of: later.reasons))
                #expect(reasons.values.reduce(0, +) == failed)
                #expect(
                    try report.counts("auth.asks_failed").values.reduce(0, +)
                        >= reasons.values.reduce(0, +))
                let counters = try await service.counters()
                #expect(try report.int("auth.renewals.attempted") == counters.tokenRequests)
                // One that hangs is still with the service after the client gave it up.
                if later.mode != .hang { #expect(counters.concurrentMax == 1) }
                try report.expectRequests(equal: try await server.stopAndReadLog())
                #expect(run.result.output.contains("want of a token"))
            }
        }
    }

    @Test func failuresThatPassCostTimeButNoTile() async throws {
        try await withTokenService { service in
            try await withNginx(NginxConfig(.protected(by: service))) { server in
                let run = try await ScenarioRun.run(
                    scenario(
                        server, service, start: "renew",
                        load: #""rate": "100/s", "for": "5s""#)
                ) { _ in
                    try await waitUntil(timeoutS: 60) { try await service.counters().authOK >= 50 }
                    try await service.set(.error, count: 2)
                    try await service.revoke()
                }
                #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
                let report = try run.report()
                try report.expectLedgerAddsUp()
                #expect(try report.int("ledger.ok") == 500, "\(run.result.output)")
                let counters = try await service.counters()
                try expectRenewalsEqual(counters, report)
                #expect(counters.tokenRequests == 4)
                #expect(try report.int("auth.renewals.failed") == 2)
                #expect(try report.int("auth.renewals.flights") == 2)
                #expect(try report.int("auth.expiry_events") == 1)
                try report.expectRequests(equal: try await server.stopAndReadLog())
            }
        }
    }

    private func scenario(
        _ server: NginxServer, _ service: TokenService, start: String, load: String
    ) -> String {
        """
        {"target": {"tiles": "\(server.url)/secure/{z}/{x}/{y}.png"},
         "auth": {"token": {"in": "query", "name": "token"}, "start": "\(start)",
                  "renewal": {"url": "\(service.tokenURL)", "timeout": "1s"}},
         "workload": {"zooms": [3, 5]}, "load": {\(load)}, "on_invalid": "warn"}
        """
    }
}
