import Foundation
import Testing

/// Tokens that expire while nginx checks them with `auth_request`: three ledgers, the report's,
/// nginx's and the token service's, say the same.
@Suite(.serialized)
struct TokenExpiryTests {
    /// Where the token goes, as the scenario says it.
    static let placements = [
        #"{"in": "query", "name": "token"}"#,
        #"{"in": "header", "name": "Authorization", "prefix": "Bearer "}"#,
        #"{"in": "cookie", "name": "token"}"#,
    ]

    @Test(arguments: placements)
    func naturalExpiry(placement: String) async throws {
        try await withTokenService(ttlS: 1, advertisedS: 3600) { service in
            try await withNginx(NginxConfig(.protected(by: service))) { server in
                let run = try await ScenarioRun.run(
                    """
                    {"target": {"tiles": "\(server.url)/secure/{z}/{x}/{y}.png"},
                     "auth": {"token": \(placement), "renewal": {"url": "\(service.tokenURL)"},
                              "start": "renew", "renew_before": "0s"},
                     "workload": {"zooms": [3, 5]},
                     "load": {"rate": "200/s", "for": "4s"}, "on_invalid": "warn"}
                    """)
                #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
                let report = try run.report()
                try report.expectLedgerAddsUp()
                #expect(try report.int("ledger.started") == 800)
                #expect(try report.int("ledger.ok") == 800)
                let counters = try await service.counters()
                try expectRenewalsEqual(counters, report)
                #expect(counters.concurrentMax == 1)
                let events = try report.int("auth.expiry_events")
                #expect(events >= 2 && events <= 4)
                #expect(try report.int("auth.renewals.attempted") == events + 1)
                #expect(try report.int("auth.renewals.per_expiry_max") == 1)
                try expectNoToken(of: run, server: server, placement: placement)
                let log = try await server.stopAndReadLog()
                try report.expectRequests(equal: log)
                #expect(
                    try report.int("auth.refusals.total") == log.statuses()["401"] ?? 0)
                #expect(try report.int("auth.refusals.total") == counters.authRefused)
                #expect(try report.int("requests.replays") == counters.authRefused)
                let rows = try run.folder.read("out/renewals.csv").split(separator: "\r\n")
                #expect(rows.count == events + 1)
            }
        }
    }

    /// The tokens stand in nginx's log when they were in the query.
    private func expectNoToken(
        of run: ScenarioRun, server: NginxServer, placement: String
    ) throws {
        guard placement.contains("query") else { return }
        let log = try AccessLog(text: server.folder.read("access.log"))
        let tokens = Set(log.entries.compactMap { $0.uri.split(separator: "token=").last })
        #expect(tokens.count >= 3)
        let said = try run.everythingSaid()
        for token in tokens { #expect(!said.contains(token)) }
    }

    @Test(arguments: ["dummy", "stored"])
    func aColdStartIsNoExpiry(start: String) async throws {
        try await withTokenService { service in
            try await withNginx(NginxConfig(.protected(by: service))) { server in
                let run = try await ScenarioRun.run(
                    """
                    {"target": {"tiles": "\(server.url)/secure/{z}/{x}/{y}.png"},
                     "auth": {"token": {"in": "query", "name": "token"},
                              "renewal": {"url": "\(service.tokenURL)"}, "start": "\(start)"},
                     "workload": {"zooms": [3, 5]},
                     "load": {"users": 8, "count": 200}, "on_invalid": "warn"}
                    """)
                #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
                let report = try run.report()
                try report.expectLedgerAddsUp()
                #expect(try report.int("ledger.ok") == 200)
                let counters = try await service.counters()
                try expectRenewalsEqual(counters, report)
                #expect(counters.tokenRequests == 1)
                #expect(try report.int("auth.expiry_events") == 0)
                #expect(!report.has("auth.renewals.per_expiry_max"))
                let log = try await server.stopAndReadLog()
                try report.expectRequests(equal: log)
                let refused = log.statuses()["401"] ?? 0
                #expect(refused >= 1 && refused <= 8)
            }
        }
    }

    @Test func aRevocationUnderAStormOfUsers() async throws {
        try await withTokenService(delayMS: 100) { service in
            try await withNginx(NginxConfig(.protected(by: service))) { server in
                let run = try await ScenarioRun.run(
                    """
                    {"target": {"tiles": "\(server.url)/secure/{z}/{x}/{y}.png"},
                     "auth": {"token": {"in": "query", "name": "token"},
                              "renewal": {"url": "\(service.tokenURL)"}, "start": "renew"},
                     "workload": {"zooms": [3, 5], "think": "20ms"},
                     "load": {"users": 40, "for": "4s"}, "on_invalid": "warn"}
                    """
                ) { _ in
                    try await waitUntil(timeoutS: 60) { try await service.counters().authOK > 50 }
                    try await service.revoke()
                }
                #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
                let report = try run.report()
                try report.expectLedgerAddsUp()
                #expect(try report.int("ledger.failed") == 0)
                let counters = try await service.counters()
                try expectRenewalsEqual(counters, report)
                #expect(counters.tokenRequests == 2)
                #expect(counters.concurrentMax == 1)
                #expect(try report.int("auth.expiry_events") == 1)
                #expect(try report.int("auth.renewals.per_expiry_max") == 1)
                #expect(try report.int("auth.attempts_max") == 2)
                let storm = try report.int("auth.events.0.storm")
                #expect(storm >= 1 && storm <= 40)
                #expect(storm == counters.authRefused)
                // While the renewal took its 100 ms, users came and waited.
                #expect(try report.int("auth.parked.count") >= storm)
                #expect(try report.double("auth.parked.ms.max_ms") >= 90)
                try report.expectRequests(equal: try await server.stopAndReadLog())
            }
        }
    }

    @Test(arguments: ["garbage", "empty", "old"])
    func poisonWorksAgainstAnyServer(kind: String) async throws {
        try await withTokenService { service in
            try await withNginx(NginxConfig(.protected(by: service))) { server in
                let run = try await ScenarioRun.run(
                    """
                    {"target": {"tiles": "\(server.url)/secure/{z}/{x}/{y}.png"},
                     "auth": {"token": {"in": "header", "name": "Authorization"},
                              "renewal": {"url": "\(service.tokenURL)"}, "start": "renew"},
                     "workload": {"zooms": [3, 5]},
                     "inject": [{"at": "1s", "every": "1s", "expire": "poison",
                                 "with": "\(kind)"}],
                     "load": {"rate": "200/s", "for": "3900ms"}, "on_invalid": "warn"}
                    """)
                #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
                let report = try run.report()
                try report.expectLedgerAddsUp()
                #expect(try report.int("ledger.ok") == 780)
                #expect(try report.int("auth.injections") == 3)
                let counters = try await service.counters()
                try expectRenewalsEqual(counters, report)
                // An old token that the server still takes is no expiry to anybody.
                if kind != "old" {
                    #expect(try report.int("auth.expiry_events") == 3)
                    #expect(counters.tokenRequests == 4)
                    #expect(
                        try report.array("auth.events").allSatisfy {
                            $0["cause"] as? String == "poisoned"
                        })
                }
                try report.expectRequests(equal: try await server.stopAndReadLog())
            }
        }
    }
}

/// The token service counted the same renewals as the report, and none was one too many.
func expectRenewalsEqual(
    _ counters: TokenService.Counters, _ report: ReportJSON,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let attempted = try report.int("auth.renewals.attempted")
    #expect(attempted == counters.tokenRequests, sourceLocation: sourceLocation)
    #expect(
        try report.int("auth.renewals.succeeded") + report.int("auth.renewals.failed")
            == attempted, sourceLocation: sourceLocation)
    #expect(try report.int("auth.renewals.duplicates") == 0, sourceLocation: sourceLocation)
    #expect(try report.int("auth.outdated_sends") == 0, sourceLocation: sourceLocation)
}
