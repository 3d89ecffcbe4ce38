import Foundation
import Testing

/// What a run prints and writes.
@Suite(.serialized)
struct RunOutputTests {
    private static let scenario = """
        {"name": "small run", "target": {"origin": {"edge_cache": {"hit_rate": "50%"}}},
         "workload": {"zooms": [3, 6]}, "load": {"rate": "200/s", "for": "2s"},
         "gates": ["ledger.failed == 0"], "on_invalid": "warn"}
        """

    @Test func theFilesOfARun() async throws {
        let run = try await ScenarioRun.run(Self.scenario)
        #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
        #expect(
            run.folder.names(in: "out")
                == [
                    "origin.json", "renewals.csv", "report.json", "summary.csv", "timeline.csv",
                    "zooms.csv",
                ])
        let report = try run.report()
        #expect(try report.string("schema") == "tilebench-report/1.0.0")
        #expect(try report.string("scenario.name") == "small run")

        let summary = try rows(run, "summary.csv")
        #expect(summary.count == 2)
        let columns = summary[0].split(separator: ",").map(String.init)
        for name in ["ledger.ok", "latency.response.all.p99_ms", "requests.sent", "run.validity"] {
            #expect(columns.contains(name))
        }
        let values = summary[1].split(separator: ",", omittingEmptySubsequences: false)
        #expect(values.count >= columns.count)
        let ok = try #require(columns.firstIndex(of: "schema"))
        #expect(values[ok] == "tilebench-report/1.0.0")

        let timeline = try rows(run, "timeline.csv")
        #expect(
            timeline[0].hasPrefix(
                "t_s,interval_s,planned,started,ok,failed,bytes,in_flight,parked,refusals,"
                    + "renewals,p50_ms,p95_ms,p99_ms,max_ms"))
        #expect(try timeline.count == report.array("timeline").count + 1)

        let zooms = try rows(run, "zooms.csv")
        #expect(
            zooms[0]
                == "z,started,ok,failed,cancelled,in_flight_at_end,bytes,p50_ms,p90_ms,p99_ms,"
                + "max_ms,server_hit_rate,sizes.count,sizes.min_bytes,sizes.mean_bytes,"
                + "sizes.p50_bytes,sizes.p90_bytes,sizes.p99_bytes,sizes.max_bytes")
        #expect(zooms.dropFirst().map { $0.prefix(2) } == ["3,", "4,", "5,", "6,"])

        let renewals = try rows(run, "renewals.csv")
        #expect(renewals.count == 1)
        #expect(renewals[0].hasPrefix("cell,generation,cause,first_refusal_s"))
        run.expectNothingHalfWritten()
    }

    @Test func theSummaryBeginsWithSentences() async throws {
        let run = try await ScenarioRun.run(Self.scenario)
        let lines = run.result.output.split(separator: "\n").map(String.init)
        // Before them may stand what makes the figures doubtful, as on a busy machine.
        let head = lines.prefix(9).joined(separator: " ")
        #expect(head.contains("small run: 400 tiles wanted at 200/s"))
        #expect(head.contains("400 of 400 tiles ok"))
        #expect(run.result.output.contains("ledger.failed == 0"))
        // The histogram, the quantiles.
        #expect(run.result.output.contains("█"))
        #expect(run.result.output.contains("p99.9"))
        #expect(lines.allSatisfy { $0.count <= 100 })
        // A file is no terminal.
        #expect(!run.result.output.contains("\u{1b}"))
        #expect(!run.result.errorOutput.contains("\u{1b}"))
        #expect(!run.result.errorOutput.contains("\r"))

        // The stored report says the same again, and the folder stands for it.
        for path in ["out/report.json", "out"] {
            let again = try await TilebenchBinary.run(["report", path], in: run.folder)
            #expect(again.exitCode == 0)
            #expect(again.output == run.result.output)
            #expect(again.errorOutput.isEmpty)
        }
    }

    @Test func jsonIsTheReportAndNothingElse() async throws {
        let run = try await ScenarioRun.run(Self.scenario, ["--json"])
        #expect(run.result.exitCode == 0)
        let file = try run.folder.read("out/report.json")
        #expect(run.result.output == file)
        let again = try await TilebenchBinary.run(["report", "out", "--json"], in: run.folder)
        #expect(again.output == file)
    }

    @Test func quietIsQuiet() async throws {
        let folder = try TemporaryFolder()
        let result = try await TilebenchBinary.run(
            ["run", try folder.write("scenario.json", Self.scenario), "-q", "--out", "out"],
            in: folder)
        #expect(result.exitCode == 0)
        #expect(result.errorOutput.isEmpty)
        #expect(result.output.contains("400 of 400 tiles ok"))
    }

    @Test func plainProgressIsLinesOnStandardError() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "scenario.json", Self.scenario.replacing(#""2s""#, with: #""6s""#))
        let result = try await TilebenchBinary.run(
            ["run", path, "--out", "out", "--progress", "plain"], in: folder)
        #expect(result.exitCode == 0)
        let lines = result.errorOutput.split(separator: "\n").filter { $0.contains("in flight") }
        #expect(!lines.isEmpty)
        #expect(lines.allSatisfy { $0.contains("ok") && $0.contains("p99") })
        #expect(!result.errorOutput.contains("\r"))
        #expect(!result.errorOutput.contains("\u{1b}"))
        #expect(!result.output.contains("in flight"))
    }

    @Test func theDefaultFolderAndItsLink() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "my scenario.json",
            #"{"target": {"origin": {}}, "load": {"users": 1, "count": 20}, "on_invalid": "warn"}"#)
        for _ in 0..<2 {
            let result = try await TilebenchBinary.run(
                ["run", "my scenario.json", "-q"], in: folder)
            #expect(result.exitCode == 0, "\(result.errorOutput)")
        }
        let names = folder.names(in: "Reports")
        let runs = names.filter { $0.hasPrefix("my-scenario-") }
        #expect(!runs.isEmpty)
        let latest = try FileManager.default.destinationOfSymbolicLink(
            atPath: folder.path("Reports/latest"))
        #expect(latest == runs.last)
        let report = try ReportJSON(path: folder.path("Reports/latest/report.json"))
        #expect(try report.string("scenario.name") == "my scenario")
    }

    @Test func anEarlierRunIsReplaced() async throws {
        let folder = try TemporaryFolder()
        let first = try await ScenarioRun.run(Self.scenario, ["--count", "5"], in: folder)
        #expect(try first.report().int("ledger.planned") == 5)
        let second = try await ScenarioRun.run(Self.scenario, ["--count", "7"], in: folder)
        #expect(try second.report().int("ledger.planned") == 7)
        second.expectNothingHalfWritten()
    }

    @Test func theSameSeedAsksForTheSameTiles() async throws {
        try await withNginx(NginxConfig(.status(204, at: "/"))) { server in
            var asked: [[String]] = []
            for seed in ["1", "1", "2"] {
                let log = server.folder.path("access.log")
                let run = try await ScenarioRun.run(
                    """
                    {"target": {"tiles": "\(server.url)/{z}/{x}/{y}"},
                     "load": {"users": 1, "count": 100}, "on_invalid": "warn"}
                    """, ["--seed", seed])
                #expect(run.result.exitCode == 0)
                let all = asked.reduce(0) { $0 + $1.count }
                try await waitUntil(timeoutS: 60) {
                    try AccessLog(text: String(contentsOfFile: log, encoding: .utf8))
                        .entries.count >= all + 100
                }
                let text = try String(contentsOfFile: log, encoding: .utf8)
                asked.append(try AccessLog(text: text).entries.dropFirst(all).map(\.uri))
            }
            #expect(asked[0] == asked[1])
            #expect(asked[0] != asked[2])
        }
    }

    private func rows(_ run: ScenarioRun, _ name: String) throws -> [String] {
        let text = try run.folder.read("out/\(name)")
        // RFC 4180: every line ends in CR LF.
        #expect(text.hasSuffix("\r\n"))
        return text.components(separatedBy: "\r\n").dropLast()
    }
}
