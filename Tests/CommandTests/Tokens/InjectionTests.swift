import Foundation
import Testing

/// Faults on purpose, through the real binary: what was done, when, to whom, and who noticed.
@Suite(.serialized)
struct InjectionTests {
    private struct Row {
        let kind: String
        let atS: Double
        let doneS: Double
        let cells: Int
        let observed: Int

        init(_ members: [String: Any]) throws {
            func value<T>(_ name: String) throws -> T { try #require(members[name] as? T) }
            kind = try value("kind")
            atS = try value("at_s")
            doneS = try value("done_s")
            cells = try value("cells")
            observed = try value("observed")
        }
    }

    private func rows(_ report: ReportJSON) throws -> [Row] {
        try report.array("auth.injected").map { try Row($0) }
    }

    private func scenario(
        _ oracle: RenewalOracle, inject: String, sharing: String = "all", users: Int = 16,
        duration: String = "2s"
    ) -> String {
        let query = sharing == "user" ? "?cell={user}" : ""
        return """
            {"target": {"tiles": "\(oracle.tiles)"},
             "auth": {"renewal": {"url": "\(oracle.tokenURL)\(query)", "timeout": "5s"},
                      "start": "renew", "sharing": "\(sharing)"},
             "workload": {"zooms": [3, 8], "think": "5ms"}, "inject": [\(inject)],
             "load": {"users": \(users), "for": "\(duration)", "threads": 2},
             "on_invalid": "warn"}
            """
    }

    private func hook(_ oracle: RenewalOracle, _ query: String = "", _ more: String = "") -> String
    {
        let url = "http://127.0.0.1:\(oracle.port)/revoke\(query)"
        return #"{"at": "300ms", "expire": "revoke"\#(more), "request": {"url": "\#(url)"}}"#
    }

    @Test func theServersOwnHook() async throws {
        try await withRenewalOracle(["--tile-ms", "5"]) { oracle in
            let run = try await ScenarioRun.run(scenario(oracle, inject: hook(oracle)))
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let report = try run.report()
            let truth = try await oracle.ledger()
            #expect(truth.revocations == 1 && truth.attempted == 2 && truth.expired == 1)
            let row = try #require(try rows(report).first)
            #expect(row.kind == "revoke" && row.cells == 1 && row.observed == 1)
            #expect(row.atS >= 0.3 && row.doneS > row.atS && row.doneS < row.atS + 2)
            #expect(try report.int("auth.injections") == 1)
            #expect(try report.int("auth.injections_missed") == 0)
            #expect(try report.array("auth.events").map { $0["cause"] as? String } == ["revoked"])
            #expect(try report.int("ledger.failed") == 0)
            #expect(try report.int("requests.sent") == truth.tiles)
        }
    }

    @Test func eachUsersTokenByItsNumber() async throws {
        try await withRenewalOracle(["--tile-ms", "5"]) { oracle in
            let inject = hook(oracle, "?cell={user}", #", "share": "50%""#)
            let run = try await ScenarioRun.run(
                scenario(oracle, inject: inject, sharing: "user"))
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let report = try run.report()
            let truth = try await oracle.ledger()
            #expect(truth.revocations == 8 && truth.expired == 8)
            #expect(truth.attempted == 16 + 8)
            let row = try #require(try rows(report).first)
            #expect(row.cells == 8 && row.observed == 8)
            let events = try report.array("auth.events")
            #expect(Set(events.compactMap { $0["cell"] as? Int }).count == 8)
            #expect(events.allSatisfy { $0["cause"] as? String == "revoked" })
        }
    }

    struct Failure: CustomTestStringConvertible, Sendable {
        var query: String
        var timeout = "5s"
        var words: String

        var testDescription: String { words }
    }

    /// The run goes on as if nothing had been planned, and says so.
    @Test(arguments: [
        Failure(query: "?status=503", words: "the request that revokes was answered 503"),
        Failure(
            query: "?hang", timeout: "200ms",
            words: "the request that revokes was not answered in time"),
        Failure(
            query: "?hang", timeout: "100s",
            words: "the run ended before the tokens could be revoked"),
    ])
    func aHookThatFails(_ failure: Failure) async throws {
        try await withRenewalOracle(["--tile-ms", "5"]) { oracle in
            let url = "http://127.0.0.1:\(oracle.port)/revoke\(failure.query)"
            let inject =
                #"{"at": "200ms", "expire": "revoke", "request": "#
                + #"{"url": "\#(url)", "timeout": "\#(failure.timeout)"}}"#
            let run = try await ScenarioRun.run(
                scenario(oracle, inject: inject))
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            #expect(run.result.seconds < 60)
            let report = try run.report()
            let truth = try await oracle.ledger()
            #expect(truth.revocations == 0 && truth.attempted == 1)
            #expect(try report.int("auth.injections") == 1)
            #expect(try report.int("auth.injections_missed") == 1)
            #expect(try report.int("auth.expiry_events") == 0)
            let row = try #require(try rows(report).first)
            #expect(row.cells == 0 && row.observed == 0)
            let errors = try report.array("errors")
            #expect(errors.count == 1)
            #expect(errors.first?["cause"] as? String == "injection")
            #expect(errors.first?["detail"] as? String == failure.words)
        }
    }

    /// Nobody asks for a tile with a user's token any more once its share of the asks is used up.
    @Test func anEndThatNobodySees() async throws {
        try await withRenewalOracle(["--tile-ms", "5"]) { oracle in
            let inject = #"{"at": "2s", "expire": "poison"}"#
            let scenario = scenario(oracle, inject: inject, users: 4, duration: "3s")
                .replacing(#""think": "5ms""#, with: #""think": "100s""#)
            let run = try await ScenarioRun.run(scenario)
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let row = try #require(try rows(try run.report()).first)
            #expect(row.kind == "poison" && row.cells == 1 && row.observed == 0)
            #expect(run.result.output.contains("never observed"))
        }
    }

    /// A fault of the embedded origin lasts as long as it is told to.
    @Test func faultsBeginAndEnd() async throws {
        let run = try await ScenarioRun.run(
            """
            {"target": {"origin": {"token": {}, "latency": {"median": "2ms", "p99": "5ms"}}},
             "auth": {"start": "renew", "cool_down": "50ms..100ms"},
             "workload": {"zooms": [3, 8], "think": "5ms"},
             "inject": [{"at": "500ms", "for": "1500ms", "renewal": "500"},
                        {"at": "600ms", "expire": "origin"},
                        {"at": "3s", "for": "700ms", "tiles": "late-refusals"},
                        {"at": "3100ms", "expire": "origin"}],
             "load": {"users": 12, "for": "5s", "threads": 2}, "on_invalid": "warn"}
            """)
        #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
        let report = try run.report()
        let rows = try rows(report)
        #expect(
            rows.map(\.kind) == ["renewal:500", "origin", "tiles:late-refusals", "origin"])
        #expect(rows.map(\.cells) == [0, 1, 0, 1])
        #expect(rows.map(\.observed) == [0, 1, 0, 1])
        for (row, planned) in zip(rows, [(0.5, 2.0), (0.6, 0.6), (3.0, 3.7), (3.1, 3.1)]) {
            #expect(row.atS >= planned.0 && row.atS < planned.0 + 1, "\(row)")
            #expect(row.doneS >= planned.1 && row.doneS < planned.1 + 1, "\(row)")
        }
        // While it lasted every try failed; afterwards the token came, and nothing failed again.
        #expect(try report.int("auth.renewals.failed") >= 3)
        let events = try report.array("auth.events")
        #expect(events.count == 2)
        #expect(events.allSatisfy { $0["cause"] as? String == "revoked" })
        let renewed = try #require(events.first?["renewal_end_s"] as? Double)
        #expect(renewed >= 2 && renewed < 4)
        #expect(try report.int("auth.injections_missed") == 0)
    }
}
