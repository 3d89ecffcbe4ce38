import Foundation
import Testing

/// Verdicts and the exit codes they make.
@Suite(.serialized)
struct GateTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var gates: String
        var exit: Int32
        var verdict: String
        /// Of the gates, in their order.
        var verdicts: [String]
        /// Further keys of the scenario.
        var more = ""

        var testDescription: String { gates }
    }

    static let cases = [
        Case(gates: "", exit: 0, verdict: "none", verdicts: []),
        Case(
            gates: #""ledger.ok == 40", "latency.response.all.p99 < 60s""#, exit: 0,
            verdict: "pass", verdicts: ["pass", "pass"]),
        Case(
            gates: #""ledger.failed == 0", "ledger.ok < 5""#, exit: 99, verdict: "fail",
            verdicts: ["pass", "fail"]),
        Case(
            gates: #"{"gate": "ledger.ok < 5", "level": "warn"}"#, exit: 0, verdict: "pass",
            verdicts: ["warn"]),
        Case(
            gates: #""auth.renewals.per_expiry_max == 1""#, exit: 99, verdict: "fail",
            verdicts: ["no data"]),
        Case(
            gates: #"{"gate": "auth.renewals.per_expiry_max == 1", "allow_empty": true}"#,
            exit: 0, verdict: "pass", verdicts: ["no data"]),
        Case(
            gates: #"{"gate": "latency.response.all.p99 < 60s", "min_samples": 1000}"#,
            exit: 99, verdict: "fail", verdicts: ["no data"]),
        // What did not happen is 0, not unknown; a share may be in percent.
        Case(
            gates: #""ledger.failed_by.timeout == 0", "status.404 == 0", "#
                + #""ledger.ok / ledger.started >= 100%", "bytes.body > 1KiB""#,
            exit: 0, verdict: "pass", verdicts: ["pass", "pass", "pass", "pass"]),
    ]

    @Test(arguments: cases)
    func aGateDecidesTheExitCode(_ gate: Case) async throws {
        try await withNginx(NginxConfig(.tiles)) { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(server.url)/tiles/{z}/{x}/{y}.png"},
                 "workload": {"zooms": [2, 5]}, "load": {"users": 2, "count": 40},
                 "gates": [\(gate.gates)], "on_invalid": "warn"}
                """)
            #expect(run.result.exitCode == gate.exit, "\(run.result.errorOutput)")
            let report = try run.report()
            #expect(try report.string("verdict") == gate.verdict)
            let verdicts = try report.array("gates").map { $0["verdict"] as? String ?? "" }
            #expect(verdicts == gate.verdicts)
            for verdict in Set(gate.verdicts) { #expect(run.result.output.contains(verdict)) }
        }
    }

    @Test(arguments: [
        (#""latency.respons.all.p99 < 1s""#, "latency.response.all.p99"),
        (#""ledger.ok <> 5""#, "<>"), (#""ledger.ok < 5ms""#, "ledger.ok"),
    ])
    func aGateThatMakesNoSenseIsAnErrorBeforeTheRun(gate: String, says: String) async throws {
        try await withNginx(NginxConfig(.tiles)) { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(server.url)/tiles/{z}/{x}/{y}.png"},
                 "load": {"users": 2, "count": 40}, "gates": [\(gate)]}
                """)
            #expect(run.result.exitCode == 2)
            #expect(run.result.errorOutput.contains("/gates/0"))
            #expect(run.result.errorOutput.contains(says))
            #expect(run.folder.names() == ["scenario.json"])
            #expect(try await server.stopAndReadLog().entries.isEmpty)
        }
    }

    @Test func abortWhenEndsTheRunEarly() async throws {
        try await withNginx(NginxConfig(.status(503, at: "/down/"))) { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(server.url)/down/{z}/{x}/{y}.png"},
                 "load": {"rate": "200/s", "for": "100s"}, "on_invalid": "warn",
                 "abort_when": ["ledger.failed / ledger.started > 50% after 1s"]}
                """)
            #expect(run.result.exitCode == 99, "\(run.result.errorOutput)")
            #expect(run.result.seconds < 60)
            let report = try run.report()
            try report.expectLedgerAddsUp()
            let measured = try report.double("run.measured_s")
            #expect(measured >= 1 && measured < 50)
            #expect(try report.string("run.aborted").contains("ledger.failed"))
            try report.expectRequests(equal: try await server.stopAndReadLog())
        }
    }

    @Test func abortWhenThatIsNotMetChangesNothing() async throws {
        let run = try await ScenarioRun.run(
            """
            {"target": {"origin": {}}, "load": {"rate": "100/s", "for": "2s"},
             "on_invalid": "warn", "abort_when": ["ledger.failed > 100 after 500ms"]}
            """)
        #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
        let report = try run.report()
        #expect(!report.has("run.aborted"))
        #expect(try report.int("ledger.ok") == 200)
    }
}
