import Testing

/// One layer is refused whatever the token, by a real server: that costs a few tokens, and no tile
/// of the other layers.
@Suite(.serialized)
struct RefusedLayerTests {
    struct Given: CustomTestStringConvertible, Sendable {
        var layers = 2
        var load = #""users": 20"#
        var auth = ""

        var testDescription: String { "\(layers) layers, \(load)\(auth)" }
    }

    static let all = [
        Given(load: #""users": 1"#), Given(load: #""users": 2"#), Given(),
        Given(layers: 10, load: #""users": 1"#), Given(layers: 10, load: #""users": 2"#),
        Given(layers: 10), Given(load: #""rate": "200/s""#),
        Given(auth: #", "release": "canary""#), Given(auth: #", "release": "all""#),
    ]

    private func scenario(_ given: Given, _ oracle: RenewalOracle) -> String {
        let layers = "bacdefghij".prefix(given.layers).map { layer in
            #""http://127.0.0.1:\#(oracle.port)/\#(layer)/{z}/{x}/{y}.png""#
        }
        return """
            {"target": {"tiles": [\(layers.joined(separator: ", "))]},
             "auth": {"renewal": {"url": "\(oracle.tokenURL)"}, "start": "renew"\(given.auth)},
             "workload": {"zooms": [3, 8]},
             "load": {\(given.load), "for": "2s", "threads": 2}, "on_invalid": "warn"}
            """
    }

    @Test(arguments: all) func theOthersAreServed(_ given: Given) async throws {
        try await withRenewalOracle(["--tiles", "refused-b", "--tile-ms", "5"]) { oracle in
            let run = try await ScenarioRun.run(scenario(given, oracle))
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let report = try run.report()
            let truth = try await oracle.ledger()
            try report.expectLedgerAddsUp()
            #expect(truth.attempted <= 6)
            #expect(try report.int("auth.renewals.attempted") == truth.attempted)
            #expect(try report.int("auth.refusals.total") == truth.refused)
            // Every tile of the other layers was had, and nothing but the bad layer's failed.
            #expect(try report.int("ledger.ok") == truth.answered["200"])
            let unauthorized = try report.counts("ledger.failed_by_detail.unauthorized")
                .filter { $0.value > 0 }
            #expect(Set(unauthorized.keys).isSubset(of: ["locked", "auth_retries"]))
            let failed = unauthorized.values.reduce(0, +)
            #expect(try report.int("ledger.ok") + failed == report.int("ledger.started"))
            #expect(unauthorized["locked", default: 0] >= unauthorized["auth_retries", default: 0])
            // Between a refusal that is believed and the news of it tiles go out with that token.
            let served = try report.counts("auth.accepted_while_expired").values.reduce(0, +)
            #expect(served <= 20 * truth.attempted)
            if try report.int("ledger.started") > 500 {
                #expect(try report.double("auth.amplification") <= 1.1)
            }
        }
    }

    /// With no other layer to prove the contrary the token is refused for good.
    @Test(arguments: [1, 20]) func aLayerAloneIsTheToken(users: Int) async throws {
        try await withRenewalOracle(["--tiles", "refused-b", "--tile-ms", "5"]) { oracle in
            let given = Given(layers: 1, load: #""users": \#(users)"#)
            let run = try await ScenarioRun.run(scenario(given, oracle))
            #expect(run.result.exitCode == 3)
            #expect(run.result.errorOutput.contains("every token was refused, new ones as well"))
            #expect(try await oracle.ledger().attempted <= 6)
        }
    }
}
