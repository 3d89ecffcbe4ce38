import Foundation
import Testing

/// `tilebench capacity` against servers whose limit no clock decides: Servers/limited.py counts the
/// requests of each run, and a step of a second has as many as its rate.
@Suite(.serialized)
struct CapacityTests {
    private static func search(
        _ words: [String], in folder: TemporaryFolder, input: String = "",
        isolation: isolated (any Actor)? = #isolation,
        whileRunning: (ChildProcess) async throws -> Void = { _ in }
    ) async throws -> CommandResult {
        try await TilebenchBinary.run(
            ["capacity"] + words + ["--out", "out", "--progress", "none"], in: folder,
            input: input, whileRunning: whileRunning)
    }

    /// Its own gates alone decide: how busy this machine is does not matter.
    private static func scenario(_ target: String, more: String = "") -> String {
        """
        {"target": {\(target)}, "workload": {"kind": "pyramid", "zooms": [4, 6]}, "on_invalid": "warn",
         "gates": ["ledger.ok / ledger.started > 99%"]\(more)}
        """
    }

    private static func tiles(_ server: PythonServer) -> String {
        #""tiles": "\#(server.url)/{z}/{x}/{y}.png?run={run}""#
    }

    @Test func aLimitIsFound() async throws {
        // The first step is refused as a whole, once: a hiccup, and no limit.
        let server = try await PythonServer.start("limited.py", ["300", "1"])
        let folder = try TemporaryFolder()
        try folder.write(
            "scenario.json",
            Self.scenario(
                Self.tiles(server),
                more: #", "load": {"users": 5, "for": "60s"}, "passes": ["cold", "warm"]"#))
        let result = try await Self.search(
            [
                "scenario.json", "--from", "200/s", "--to", "5000/s", "--step-for", "1s",
                "--warmup", "0s", "--resolution", "50%",
            ], in: folder)
        #expect(result.exitCode == 0, "\(result.errorOutput)")
        let found = try ReportJSON(path: folder.path("out/capacity.json"))
        #expect(try found.string("end") == "limit")
        #expect(try found.double("capacity_per_s") == 282.8)
        #expect(try found.double("fails_at_per_s") == 400)
        let steps = try found.array("steps")
        let rates: [Double] = [200, 200, 400, 400, 282.8]
        #expect(steps.map { $0["rate_per_s"] as? Double } == rates)
        let verdicts = ["fail", "pass", "fail", "fail", "pass"]
        #expect(steps.map { $0["verdict"] as? String } == verdicts)
        let asked = [200, 200, 400, 400, 283]
        #expect(steps.map { $0["planned"] as? Int } == asked)
        #expect(try await server.get([Int].self, "/ledger") == asked)
        #expect(steps.map { $0["failed"] as? Int } == [200, 0, 100, 100, 0])

        // Each step has its report, under its own seed and rate, and agrees with its row.
        for (index, step) in steps.enumerated() {
            let name = try #require(step["folder"] as? String)
            let report = try ReportJSON(path: folder.path("out/\(name)/report.json"))
            try report.expectLedgerAddsUp()
            #expect(try report.int("ledger.planned") == asked[index])
            #expect(try report.int("scenario.seed") == 1 + index)
            #expect(report.value("scenario.plan.load.users") == nil)
            #expect(try report.string("verdict") == verdicts[index])
        }
        let rows = try folder.read("out/capacity.csv").split(separator: "\r\n")
        #expect(rows.count == 6)
        #expect(rows[0].hasPrefix("step,folder,rate_per_s,verdict,reason,"))
        #expect(rows[4].hasPrefix("4,step-04,400,fail,ledger.ok / ledger.started > 99%: 75 %,"))
        #expect(result.output.contains("the capacity is 282.8/s"))
        for words in [
            "load.users, load.for and passes of the scenario are put aside",
            "at most 8 rates from 200/s to 5000/s", "step 1, 200/s: fail, ledger.ok",
            "step 2, 200/s: pass, p99 ", "files in out",
        ] {
            #expect(result.errorOutput.contains(words), "\(result.errorOutput)")
        }
        #expect(!result.errorOutput.contains("no gates"))

        // The stored file reads as the search did, by its folder as well.
        for name in ["out", "out/capacity.json"] {
            let again = try await TilebenchBinary.run(["report", name], in: folder)
            #expect(again.output == result.output)
        }
    }

    @Test func theHighestRateHolds() async throws {
        let folder = try TemporaryFolder()
        let result = try await Self.search(
            [
                "-", "--json", "--from", "100/s", "--to", "150/s", "--step-for", "1s", "--quiet",
                "--set", #"gates=[{"gate": "ledger.failed == 0", "level": "warn"}]"#,
                "--set", "load.arrivals=poisson", "--warmup", "200ms",
            ], in: folder, input: Self.scenario(#""origin": {}"#))
        #expect(result.exitCode == 0, "\(result.errorOutput)")
        #expect(result.errorOutput.isEmpty)
        let found = try ReportJSON(text: result.output)
        #expect(try found.string("end") == "no_limit")
        #expect(try found.double("capacity_per_s") == 150)
        #expect(!found.has("fails_at_per_s"))
        // A gate that only warns is none, so those of tilebench itself are there as well.
        #expect(try found.bool("search.own_gates"))
        let gates = found.value("search.gates") as? [String]
        #expect(
            gates == [
                "ledger.failed == 0", "ledger.ok / ledger.started > 99%",
                "latency.response.all.p99 < 1s",
            ])
        let report = try ReportJSON(path: folder.path("out/step-02/report.json"))
        #expect(try report.string("scenario.plan.load.arrivals") == "poisson")
        #expect(try report.string("scenario.plan.load.rate") == "150/s")
        let origin = try ReportJSON(path: folder.path("out/origin.json"))
        let sent = try ["step-01", "step-02"].map {
            try ReportJSON(path: folder.path("out/\($0)/report.json")).int("requests.sent")
        }
        #expect(try origin.int("requests") == sent.reduce(0, +))
    }

    @Test func theFirstRateFails() async throws {
        let server = try await PythonServer.start("limited.py", ["0"])
        let folder = try TemporaryFolder()
        try folder.write("scenario.json", Self.scenario(Self.tiles(server)))
        let result = try await Self.search(
            ["scenario.json", "--from", "100", "--step-for", "1", "--warmup", "0s"], in: folder)
        #expect(result.exitCode == 99, "\(result.errorOutput)")
        let found = try ReportJSON(path: folder.path("out/capacity.json"))
        #expect(try found.string("end") == "failed_at_start")
        #expect(!found.has("capacity_per_s"))
        #expect(try found.array("steps").count == 2)
        #expect(result.output.contains("the gates do not even hold at 100/s, the first rate"))
    }

    /// 36 descriptors are left for connections, and each is busy for 0.3 s: no more than 120 of the
    /// 400 asks can start.
    @Test func theGeneratorIsTheLimit() async throws {
        let server = try await PythonServer.start("limited.py", ["100000", "0", "0.3"])
        let folder = try TemporaryFolder()
        let binary = try TilebenchBinary.path()
        let line = """
            ulimit -n 100; exec '\(binary)' capacity '\(server.url)/{z}/{x}/{y}.png?run={run}' \
            --from 400/s --step-for 1s --warmup 0s --bounds 5,45,10,47 --zooms 5-8 \
            --out out --progress none
            """
        let shell = try ChildProcess(
            "/bin/sh", ["-c", line], environment: [:], workingFolder: folder.path,
            outputFolder: try TemporaryFolder())
        defer { shell.kill() }
        #expect(try await shell.waitForEnd(timeoutS: 60) == .exited(4), "\(shell.errorOutput())")
        #expect(shell.output().contains("the generator is the limit at 400/s, not the server"))
        #expect(
            shell.errorOutput().contains("the scenario has no gates; these are used: ledger.ok"))
        let found = try ReportJSON(path: folder.path("out/capacity.json"))
        #expect(try found.string("end") == "generator")
        #expect(try found.double("ended_at_per_s") == 400)
        #expect(!found.has("capacity_per_s"))
        #expect(
            try found.array("steps").map { $0["verdict"] as? String } == ["invalid", "invalid"])
    }

    @Test func nobodyAnswers() async throws {
        let folder = try TemporaryFolder()
        let port = try LoopbackHTTP.freePort()
        let result = try await Self.search(
            ["http://127.0.0.1:\(port)/{z}/{x}/{y}.png", "--step-for", "1s"], in: folder)
        #expect(result.exitCode == 3, "\(result.errorOutput)")
        #expect(result.errorOutput.contains("could not measure: "))
        let found = try ReportJSON(path: folder.path("out/capacity.json"))
        #expect(try found.string("end") == "unanswered")
        #expect(try found.array("steps").count == 1)
    }

    @Test func anInterruptedSearchSaysWhatItKnows() async throws {
        let folder = try TemporaryFolder()
        try folder.write("scenario.json", Self.scenario(#""origin": {}"#))
        let result = try await Self.search(
            ["scenario.json", "--from", "50/s", "--step-for", "1s", "--warmup", "0s"], in: folder
        ) { process in
            try await waitUntil(timeoutS: 60) {
                FileManager.default.fileExists(atPath: folder.path("out/step-01/report.json"))
            }
            process.send(SIGINT)
        }
        #expect(result.exitCode == 130, "\(result.errorOutput)")
        let found = try ReportJSON(path: folder.path("out/capacity.json"))
        #expect(try found.string("end") == "interrupted")
        #expect(try found.double("capacity_per_s") >= 50)
        #expect(result.output.contains("holds so far"))
    }

    static let wrong: [(words: [String], says: [String])] = [
        (["--from", "fast"], ["--from needs a rate, as 500/s, not \"fast\""]),
        (["--from", "0"], ["--from 0 is below 0.1/s"]),
        (["--to", "-5/s", "--step-for", "x"], ["--to needs a rate", "--step-for needs a time"]),
        (["--from", "300/s", "--to", "200/s"], ["--from 300/s is above --to 200/s"]),
        (["--step-for", "500ms"], ["--step-for 500ms is shorter than 1s"]),
        (["--resolution", "0.1%"], ["--resolution 0.1% is not within 0.5% and 100%"]),
        (["--resolution", "fine"], ["--resolution needs a share"]),
        (["--users", "5"], ["unknown flag --users", "a flag of tilebench run"]),
        (["--set", "load.rate=5/s"], ["--set load.rate", "has no effect"]),
        (["--set", "passes=[]"], ["--set passes", "has no effect"]),
        (
            ["--set", "workload={\"kind\": \"replay\", \"file\": \"-\"}"],
            ["standard input cannot be read again for a second step"]
        ),
        (["--set", "gates=[\"ledger.okay > 5\"]"], ["/gates/0"]),
        (["--set", "target.tiles=http://192.0.2.1/{z}/{x}/{y}"], ["--to", "need permission"]),
    ]

    @Test(arguments: wrong)
    func wrongUseIsExitTwo(_ words: [String], _ says: [String]) async throws {
        let folder = try TemporaryFolder()
        let result = try await TilebenchBinary.run(
            ["capacity", "http://127.0.0.1:1/{z}/{x}/{y}.png"] + words, in: folder)
        #expect(result.exitCode == 2)
        #expect(result.output.isEmpty)
        for text in says { #expect(result.errorOutput.contains(text), "\(result.errorOutput)") }
        #expect(folder.names().isEmpty)
    }
}
