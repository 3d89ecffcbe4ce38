import Foundation
import Testing

/// Servers and tokens of unusual kinds that once cost an ask, a count or the whole process.
@Suite(.serialized)
struct OddServerTests {
    @Test func aReplayAfterARedirectCarriesTheNewToken() async throws {
        try await withRenewalOracle(["--tiles", "redirect", "--revoke-at", "0.3"]) { oracle in
            let run = try await ScenarioRun.run(
                scenario(
                    oracle, auth: #", "token": {"in": "template"}"#,
                    load: #""users": 8, "for": "1s""#, extra: #", "connection": {"redirects": 2}"#,
                    tiles: oracle.tiles + "?access_token={token}"))
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.int("ledger.failed") == 0)
            let truth = try await oracle.ledger()
            #expect(truth.attempted == 2)
            #expect(truth.refused >= 1 && truth.refused <= 8)
            #expect(truth.staleCertain == 0)
            #expect(try report.int("requests.sent") == truth.tiles)
            // A redirect that a renewal overtook is begun anew as well.
            #expect(try report.int("requests.replays") >= truth.refused)
            #expect(try report.int("auth.renewals.attempted") == 2)
        }
    }

    /// The status says it all; that the body was cut off is no reason to keep the token.
    @Test func aRefusalThatIsCutOff() async throws {
        let arguments = ["--refuse", "401-cut", "--revoke-at", "0.3"]
        try await withRenewalOracle(arguments) { oracle in
            let run = try await ScenarioRun.run(
                scenario(oracle, load: #""users": 8, "for": "1s""#))
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.int("ledger.failed") == 0)
            let truth = try await oracle.ledger()
            #expect(truth.attempted == 2 && truth.refused >= 1)
            #expect(try report.int("auth.refusals.total") == truth.refused)
            #expect(try report.int("auth.renewals.attempted") == 2)
            #expect(try report.int("requests.sent") == truth.tiles)
        }
    }

    /// Percent-encoded it is three times as long.
    @Test(arguments: [200, 2_700, 8_100])
    func longTokensInTheQuery(padding: Int) async throws {
        let arguments = ["--padding", "\(padding)", "--revoke-at", "0.3"]
        try await withRenewalOracle(arguments) { oracle in
            let run = try await ScenarioRun.run(
                scenario(oracle, load: #""users": 4, "for": "600ms", "grace": "1s""#))
            let report = try run.report()
            try report.expectLedgerAddsUp()
            let truth = try await oracle.ledger()
            #expect(try report.int("requests.sent") == truth.tiles)
            #expect(try report.int("auth.renewals.attempted") == truth.attempted)
            #expect(try !run.everythingSaid().contains("%%%%%%%%"))
            if padding < 8_000 {
                #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
                #expect(try report.int("ledger.failed") == 0)
                #expect(truth.attempted == 2)
            } else {
                // Longer than a URL may be.
                #expect(run.result.exitCode == 3, "\(run.result.end)")
                #expect(run.result.errorOutput.contains("too long for a tile's URL"))
            }
        }
    }

    @Test func aServerThatClosesEachConnectionIsNotAskedOneByOne() async throws {
        try await withRenewalOracle(["--open", "--tiles", "close", "--tile-ms", "150"]) { oracle in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(oracle.tiles)"}, "workload": {"zooms": [3, 8]},
                 "load": {"rate": "50/s", "for": "1s"}, "on_invalid": "warn"}
                """)
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.int("ledger.ok") == 50)
            #expect(try report.int("requests.sent") == (await oracle.ledger()).tiles)
            // One after another the median ask would wait for some twenty others, 3 s.
            #expect(try report.double("latency.response.all.p50_ms") < 1500)
            #expect(try report.double("latency.service.all.p50_ms") >= 150)
        }
    }

    @Test func compressedVectorTilesAreVectorTiles() async throws {
        try await withRenewalOracle(["--open", "--tiles", "mvt"]) { oracle in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(oracle.tiles)"}, "checks": {"tile": "mvt"},
                 "load": {"users": 4, "count": 100}, "on_invalid": "warn"}
                """)
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.failedBy() == [:])
            #expect(try report.int("ledger.ok") == 100)
        }
    }

    /// At the end asks hang on the wire, and others wait for a token that never comes.
    @Test(arguments: [#""users": 20"#, #""rate": "100/s""#])
    func everythingHangsAtTheEnd(load: String) async throws {
        let arguments = ["--tiles", "never-half", "--revoke-at", "0.3", "--renewals", "ok,hang"]
        try await withRenewalOracle(arguments + ["--renewal-ms", "0"]) { oracle in
            let run = try await ScenarioRun.run(
                // The run is over before the hanging renewal could be tried again.
                scenario(
                    oracle, load: #"\#(load), "for": "800ms", "grace": "300ms""#,
                    renewalTimeout: "300s"))
            #expect(run.result.exitCode == 0, "\(run.result.end): \(run.result.errorOutput)")
            #expect(run.result.seconds < 60)
            let report = try run.report()
            try report.expectLedgerAddsUp()
            let truth = try await oracle.ledger()
            #expect(try report.int("requests.sent") == truth.tiles)
            #expect(try report.int("auth.renewals.attempted") == truth.attempted)
            #expect(try report.int("auth.renewals.succeeded") == 1)
            #expect(try report.int("ledger.in_flight_at_end") >= 1)
            if load.contains("rate") {
                #expect(truth.attempted == 2)
                let waiting = try report.int("ledger.failed_by_detail.unauthorized.park_timeout")
                #expect(try waiting >= 1 && waiting == report.int("ledger.failed"))
            }
        }
    }

    /// What an ask waits for a connection is a part of its response time, also when it must wait
    /// for a token after that; the debug build adds the parts up.
    @Test func asksThatWaitForAConnectionAndThenForAToken() async throws {
        let arguments = ["--tile-ms", "50", "--revoke-at", "0.4", "--renewals", "ok,slow,ok"]
        try await withRenewalOracle(arguments) { oracle in
            let run = try await ScenarioRun.run(
                scenario(
                    oracle, load: #""rate": "60/s", "for": "2s""#,
                    extra: #", "connection": {"max": 2}"#))
            #expect(run.result.exitCode == 0, "\(run.result.end): \(run.result.errorOutput)")
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.int("ledger.ok") == 120)
            #expect(try report.int("requests.sent") == (await oracle.ledger()).tiles)
            #expect(try report.int("auth.parked.count") > 10)
        }
    }

    @Test func fiveAsksWithARefusedTokenAreNoMeasurement() async throws {
        try await withRenewalOracle([]) { oracle in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(oracle.tiles)"}, "auth": {"static": "n0-g00d"},
                 "load": {"users": 2, "count": 5}, "on_invalid": "warn"}
                """)
            #expect(run.result.exitCode == 3)
            #expect(run.result.errorOutput.contains("refused"))
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.int("ledger.ok") == 0)
            #expect(try report.int("requests.sent") == (await oracle.ledger()).tiles)
        }
    }

    @Test(arguments: ["renew", "dummy"])
    func everyTokenRefusedIsNoMeasurement(start: String) async throws {
        try await withRenewalOracle(["--renewals", "dead"]) { oracle in
            let run = try await ScenarioRun.run(
                scenario(oracle, start: start, load: #""users": 5, "for": "1500ms""#))
            #expect(run.result.exitCode == 3, "\(run.result.end)")
            #expect(run.result.seconds < 60)
            let report = try run.report()
            try report.expectLedgerAddsUp()
            let truth = try await oracle.ledger()
            #expect(try report.int("ledger.ok") == 0)
            #expect(try report.int("requests.sent") == truth.tiles)
            #expect(try report.int("auth.renewals.attempted") == truth.attempted)
            #expect(truth.concurrent == 0)
            #expect(truth.attempted <= 16)
        }
    }

    @Test func aNameFromTheEnvironmentIsASecretToo() async throws {
        try await withRenewalOracle(["--open"]) { oracle in
            let folder = try TemporaryFolder()
            try folder.write(
                "scenario.json",
                """
                {"name": "nightly-${CUSTOMER}", "target": {"tiles": "\(oracle.tiles)"},
                 "load": {"users": 2, "count": 20}, "on_invalid": "warn"}
                """)
            let result = try await TilebenchBinary.run(
                ["run", "scenario.json"], environment: ["CUSTOMER": "Acme-7731"], in: folder)
            #expect(result.exitCode == 0, "\(result.errorOutput)")
            let runs = folder.names(in: "Reports")
            #expect(runs.count == 2)
            let report = try folder.read("Reports/latest/report.json")
            #expect(report.contains("nightly-***"))
            let said = [result.output, result.errorOutput, report] + runs
            #expect(!said.joined().contains("Acme-7731"))
        }
    }

    private func scenario(
        _ oracle: RenewalOracle, auth: String = "", start: String = "renew", load: String,
        extra: String = "", tiles: String? = nil, renewalTimeout: String = "1s"
    ) -> String {
        """
        {"target": {"tiles": "\(tiles ?? oracle.tiles)"},
         "auth": {"renewal": {"url": "\(oracle.tokenURL)", "timeout": "\(renewalTimeout)"},
                  "start": "\(start)"\(auth)},
         "workload": {"zooms": [3, 8]}, "load": {\(load)}, "on_invalid": "warn"\(extra)}
        """
    }
}
