import Foundation
import Glibc
import Testing

/// Ends of runs with asks in every state: nothing crashes, nothing is lost from the books.
@Suite(.serialized)
struct RunEndTests {
    static let loads = [#""users": 4"#, #""rate": "50/s""#]

    @Test(arguments: loads)
    func inFlightWhenGraceEnds(load: String) async throws {
        try await withRenewalOracle(["--open", "--tiles", "never-half"]) { oracle in
            let run = try await ScenarioRun.run(
                scenario(oracle, load: "\(load), \"for\": \"500ms\", \"grace\": \"300ms\""))
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            #expect(run.result.seconds < 60)
            let report = try run.report()
            try report.expectLedgerAddsUp()
            let truth = try await oracle.ledger()
            #expect(try report.int("requests.sent") == truth.tiles)
            #expect(try report.int("ledger.ok") == truth.answered["200"])
            let inFlight = try report.int("ledger.in_flight_at_end")
            #expect(inFlight >= 1)
            #expect(inFlight == truth.tiles - (truth.answered["200"] ?? 0))
        }
    }

    @Test(arguments: loads)
    func aSecondInterruptWhileAllHang(load: String) async throws {
        try await withRenewalOracle(["--open", "--tiles", "never"]) { oracle in
            let run = try await ScenarioRun.run(
                scenario(oracle, load: "\(load), \"for\": \"300s\", \"grace\": \"300s\"")
            ) { process in
                try await waitUntil(timeoutS: 60) { try await oracle.ledger().tiles >= 4 }
                process.send(SIGINT)
                try await Task.sleep(for: .milliseconds(200))
                process.send(SIGINT)
            }
            #expect(run.result.exitCode == 130, "\(run.result.end)")
            #expect(run.result.seconds < 60)
            let report = try run.report()
            try report.expectLedgerAddsUp()
            let sent = try report.int("requests.sent")
            #expect(try report.int("ledger.in_flight_at_end") == sent)
            #expect(try await oracle.ledger().tiles == sent)
        }
    }

    /// All wait for a token when the run is interrupted: they fail, and no renewal is left out.
    @Test(arguments: loads, [1, 2])
    func anInterruptWhileAllWait(load: String, interrupts: Int) async throws {
        try await withRenewalOracle(["--renewals", "ok,hang", "--revoke-at", "0.2"]) { oracle in
            let grace = interrupts == 1 ? "300ms" : "300s"
            let scenario = """
                {"target": {"tiles": "\(oracle.tiles)"},
                 "auth": {"renewal": {"url": "\(oracle.tokenURL)", "timeout": "300s"},
                          "start": "renew"},
                 "workload": {"zooms": [3, 8]}, "on_invalid": "warn",
                 "load": {\(load), "for": "300s", "grace": "\(grace)"}}
                """
            let run = try await ScenarioRun.run(scenario) { process in
                try await waitUntil(timeoutS: 60) { try await oracle.ledger().attempted == 2 }
                for _ in 0..<interrupts {
                    process.send(SIGINT)
                    try await Task.sleep(for: .milliseconds(200))
                }
            }
            #expect(run.result.exitCode == 130, "\(run.result.end)")
            #expect(run.result.seconds < 60)
            let report = try run.report()
            try report.expectLedgerAddsUp()
            let truth = try await oracle.ledger()
            #expect(try report.int("requests.sent") == truth.tiles)
            #expect(try report.int("auth.refusals.total") == truth.refused)
            #expect(try report.int("auth.renewals.attempted") == 2)
            let waited = try report.int("auth.asks_failed.park_timeout")
            #expect(waited >= 1)
            #expect(try report.int("ledger.failed") == waited)
            #expect(try report.int("auth.parked.count") == report.int("auth.parked.ms.count"))
            #expect(try report.int("ledger.in_flight_at_end") == 0)
        }
    }

    /// The first token is still being fetched: nothing was measured, and the books balance.
    @Test func anInterruptBeforeTheFirstToken() async throws {
        try await withRenewalOracle(["--renewals", "hang"]) { oracle in
            let scenario = """
                {"target": {"tiles": "\(oracle.tiles)"},
                 "auth": {"renewal": {"url": "\(oracle.tokenURL)", "timeout": "20s"},
                          "start": "renew"},
                 "workload": {"zooms": [3, 8]}, "on_invalid": "warn",
                 "load": {"users": 4, "for": "20s"}}
                """
            let run = try await ScenarioRun.run(scenario) { process in
                try await waitUntil(timeoutS: 20) { try await oracle.ledger().attempted == 1 }
                process.send(SIGINT)
            }
            #expect(run.result.exitCode == 130, "\(run.result.end)")
            let report = try run.report()
            #expect(try report.double("run.measured_s") == 0)
            #expect(try report.array("timeline").isEmpty)
            for (name, count) in [
                ("attempted", 1), ("succeeded", 0), ("failed", 1), ("flights", 1),
                ("flights_ok", 0), ("flights_failed", 0), ("flights_abandoned", 1),
            ] {
                #expect(try report.int("auth.renewals.\(name)") == count, "\(name)")
            }
        }
    }

    struct Phase: CustomTestStringConvertible, Sendable {
        var name: String
        var tiles: String

        var testDescription: String { name }
    }

    @Test(
        arguments: [
            Phase(name: "first_byte", tiles: "never"), Phase(name: "body", tiles: "half-body"),
        ], loads)
    func timeoutsByPhaseStrike(phase: Phase, load: String) async throws {
        try await withRenewalOracle(["--open", "--tiles", phase.tiles]) { oracle in
            let limit = #""timeouts": {"\#(phase.name)": "150ms"}, "grace": "20s""#
            let run = try await ScenarioRun.run(
                scenario(oracle, load: #"\#(load), "for": "600ms", \#(limit)"#))
            // Headers without a body are an answer; silence is none.
            #expect(run.result.exitCode == (phase.name == "body" ? 0 : 3))
            let report = try run.report()
            try report.expectLedgerAddsUp()
            let failed = try report.int("ledger.failed")
            #expect(failed >= 4)
            #expect(try report.failedBy() == ["timeout": failed])
            #expect(
                try report.int("ledger.failed_by_detail.timeout.\(phase.name)") == failed)
            #expect(try report.int("ledger.in_flight_at_end") == 0)
            #expect(try report.int("requests.sent") == (await oracle.ledger()).tiles)
        }
    }

    struct Once: CustomTestStringConvertible, Sendable {
        var name: String
        /// Members of the scenario after `target`.
        var members: String
        var asks: Int
        var warmup = false

        var testDescription: String { name }
    }

    static let once = [
        Once(name: "count 1", members: #""load": {"users": 10, "count": 1}"#, asks: 1),
        Once(
            name: "count after a warm-up",
            members: #""load": {"users": 4, "count": 100, "warmup": "300ms"}"#, asks: 100,
            warmup: true),
        Once(
            name: "count at a rate", members: #""load": {"rate": "100/s", "count": 7}"#, asks: 7),
        Once(
            name: "list",
            members: #""workload": {"kind": "list", "tiles": ["1/0/0", "1/1/1", "2/2/2"]}"#,
            asks: 3),
        Once(
            name: "pyramid",
            members: #""workload": {"kind": "pyramid", "zooms": [0, 3], \#(world)}"#, asks: 85),
        Once(
            name: "pyramid at a rate",
            members: #""workload": {"kind": "pyramid", "zooms": [0, 2], \#(world)}, "#
                + #""load": {"rate": "100/s"}"#, asks: 21),
    ]
    private static let world = #""bounds": [-180, -85.0511, 180, 85.0511]"#

    @Test(arguments: once)
    func endsWithItsAsks(_ once: Once) async throws {
        try await withRenewalOracle(["--open"]) { oracle in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(oracle.tiles)"}, \(once.members), "on_invalid": "warn"}
                """)
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            #expect(run.result.seconds < 60)
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.int("ledger.ok") == once.asks)
            #expect(try report.int("ledger.started") == once.asks)
            let warmup = try report.int("run.warmup_asks")
            #expect((warmup > 0) == once.warmup)
            #expect(try await oracle.ledger().tiles == once.asks + warmup)
        }
    }

    @Test func fewDescriptorsUnderAnOpenLoad() async throws {
        try await withRenewalOracle(["--open", "--tiles", "never-half"]) { oracle in
            let folder = try TemporaryFolder()
            let load = #""rate": "500/s", "for": "500ms", "grace": "300ms""#
            try folder.write("scenario.json", scenario(oracle, load: load))
            let process = try ChildProcess(
                "/usr/bin/prlimit",
                [
                    "--nofile=100:100", "--", TilebenchBinary.path(), "run", "scenario.json",
                    "--out", "out", "--progress", "none",
                ], environment: [:], workingFolder: folder.path, outputFolder: folder)
            defer { process.kill() }
            let end = try await process.waitForEnd(timeoutS: 60)
            #expect(end == .exited(0), "\(process.errorOutput())")
            let report = try ReportJSON(path: folder.path("out/report.json"))
            try report.expectLedgerAddsUp()
            #expect(try report.int("requests.sent") == (await oracle.ledger()).tiles)
            let inFlight = try report.int("ledger.in_flight_at_end")
            #expect(inFlight >= 1 && inFlight <= 36)
            #expect(try report.int("ledger.not_started") > 0)
            #expect(try report.failedBy() == [:])
        }
    }

    private func scenario(_ oracle: RenewalOracle, load: String) -> String {
        """
        {"target": {"tiles": "\(oracle.tiles)"}, "workload": {"zooms": [3, 8]},
         "load": {\(load)}, "on_invalid": "warn"}
        """
    }
}
