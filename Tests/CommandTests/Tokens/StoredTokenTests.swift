import Testing

/// A stored token has lived for a while when a run begins with it.
@Suite(.serialized)
struct StoredTokenTests {
    @Test func itIsRenewedBeforeWhatIsLeftOfItsLifeEnds() async throws {
        let arguments = ["--ttl", "5", "--advertise", "5", "--tile-ms", "5"]
        try await withRenewalOracle(arguments) { oracle in
            func scenario(_ start: String, _ duration: String) -> String {
                """
                {"target": {"tiles": "\(oracle.tiles)"},
                 "auth": {"renewal": {"url": "\(oracle.tokenURL)"}, "start": "\(start)",
                          "store": "token.json"},
                 "workload": {"zooms": [3, 8], "think": "5ms"}, "on_invalid": "warn",
                 "load": {"users": 8, "for": "\(duration)", "threads": 2}}
                """
            }
            let first = try await ScenarioRun.run(scenario("renew", "300ms"))
            #expect(first.result.exitCode == 0, "\(first.result.errorOutput)")
            #expect(try await oracle.ledger().attempted == 1)
            let second = try await ScenarioRun.run(
                scenario("stored", "5s"), in: first.folder)
            #expect(second.result.exitCode == 0, "\(second.result.errorOutput)")
            let report = try second.report()
            // It was not asked to live another five seconds: then it would have been refused.
            let truth = try await oracle.ledger()
            #expect(truth.refused == 0 && truth.attempted >= 2)
            #expect(try report.int("auth.renewals.proactive") == truth.attempted - 1)
            #expect(try report.int("auth.refusals.total") == 0)
            let begun = try #require(
                try report.array("auth.events").first?["renewal_start_s"] as? Double)
            #expect(begun < 4.2)
        }
    }
}
