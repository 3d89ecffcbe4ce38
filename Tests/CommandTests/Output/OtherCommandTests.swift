import Foundation
import Glibc
import Testing

/// What the commands that send nothing print, and what the binary is made of.
@Suite(.serialized)
struct OtherCommandTests {
    private static let scenario = """
        {"target": {"tiles": ["http://127.0.0.1:1/a/{z}/{x}/{y}.png",
                              "http://127.0.0.1:1/b/{z}/{x}/{y}.png"]},
         "auth": {"token": {"in": "query", "name": "token"}, "static": "s3cret-token"},
         "workload": {"kind": "pyramid", "zooms": [0, 3]}, "load": {"rate": "50/s"},
         "gates": ["latency.response.all.p99 < 250ms"]}
        """

    @Test func aPlanIsAScenarioAgain() async throws {
        for text in [
            Self.scenario.replacing(
                #""static": "s3cret-token""#, with: #""renewal": {"url": "http://127.0.0.1:1/t"}"#),
            #"{"target": {"origin": {"token": {"ttl": "2s"}, "faults": [{"share": 0.1, "reset": true}]}}}"#,
            #"{"target": {"tiles": "http://127.0.0.1:1/{z}/{x}/{y}"}, "load": {"stages": [{"for": "3s", "rate": "0/s -> 50/s"}]}}"#,
        ] {
            let folder = try TemporaryFolder()
            try folder.write("first.json", text)
            let first = try await TilebenchBinary.run(["validate", "first.json"], in: folder)
            try #require(first.exitCode == 0, "\(first.errorOutput)")
            try folder.write("second.json", first.output)
            let second = try await TilebenchBinary.run(["validate", "second.json"], in: folder)
            #expect(second.exitCode == 0, "\(second.errorOutput)")
            #expect(second.output == first.output)
        }
    }

    @Test func aURLIsAScenario() async throws {
        let folder = try TemporaryFolder()
        let words = [
            "run", "http://127.0.0.1:1/{z}/{x}/{y}.png", "--users", "7", "--for", "3s",
            "--print-scenario",
        ]
        let printed = try await TilebenchBinary.run(words, in: folder)
        #expect(printed.exitCode == 0)
        let scenario = try ReportJSON(text: printed.output)
        #expect(try scenario.string("target.tiles") == "http://127.0.0.1:1/{z}/{x}/{y}.png")
        try folder.write("scenario.json", printed.output)
        let plan = try await TilebenchBinary.run(["validate", "scenario.json"], in: folder)
        #expect(plan.exitCode == 0, "\(plan.errorOutput)")
        #expect(try ReportJSON(text: plan.output).int("load.users") == 7)
        #expect(folder.names() == ["scenario.json"])
    }

    @Test func urlsAreThoseARunAsksFor() async throws {
        try await withNginx(NginxConfig(.status(204, at: "/"))) { server in
            let folder = try TemporaryFolder()
            try folder.write(
                "scenario.json",
                """
                {"target": {"tiles": "\(server.url)/{z}/{x}/{y}.png"},
                 "workload": {"zooms": [4, 9]}, "load": {"users": 1, "count": 60},
                 "on_invalid": "warn"}
                """)
            let listed = try await TilebenchBinary.run(
                ["urls", "scenario.json", "-n", "60"], in: folder)
            #expect(listed.exitCode == 0)
            #expect(listed.errorOutput.isEmpty)
            _ = try await TilebenchBinary.run(["run", "scenario.json", "-q"], in: folder)
            let log = try await server.stopAndReadLog()
            let asked = log.entries.map { "\(server.url)\($0.uri)\n" }.joined()
            #expect(listed.output == asked)
        }
    }

    @Test func aListThatEndsIsPrintedOnce() async throws {
        let folder = try TemporaryFolder()
        try folder.write("scenario.json", Self.scenario)
        let result = try await TilebenchBinary.run(
            ["urls", "scenario.json", "-n", "1000", "--set", #"load={"users":1}"#], in: folder)
        #expect(result.exitCode == 0, "\(result.errorOutput)")
        let lines = result.output.split(separator: "\n")
        // One tile, and four times as many with each zoom.
        #expect(lines.count == 85)
        #expect(lines.allSatisfy { $0.hasPrefix("http://127.0.0.1:1/") })
        #expect(Set(lines).count == lines.count)
        #expect(!(result.output + result.errorOutput).contains("s3cret"))
    }

    @Test func secretsAreMaskedInThePlan() async throws {
        let folder = try TemporaryFolder()
        try folder.write("scenario.json", Self.scenario)
        for words in [
            ["validate", "scenario.json"], ["run", "scenario.json", "--print-scenario"],
        ] {
            let result = try await TilebenchBinary.run(words, in: folder)
            #expect(result.exitCode == 0)
            #expect(!(result.output + result.errorOutput).contains("s3cret"))
        }
    }

    @Test func aReportThatIsNone() async throws {
        let folder = try TemporaryFolder()
        for text in ["", "{}", #"{"schema": "tilebench-report/9.0.0"}"#, "[", "<html>"] {
            try folder.write("report.json", text)
            let result = try await TilebenchBinary.run(["report", "report.json"], in: folder)
            #expect(result.exitCode == 2, "\(text)")
            #expect(result.output.isEmpty)
            #expect(result.errorOutput.contains("report.json"))
        }
    }

    @Test func theBinaryHoldsWhatItShould() async throws {
        let folder = try TemporaryFolder()
        let ldd = try ChildProcess(
            "/usr/bin/ldd", [try TilebenchBinary.path()],
            environment: ["PATH": "/usr/bin:/bin"], workingFolder: folder.path,
            outputFolder: folder)
        #expect(try await ldd.waitForEnd(timeoutS: 60) == .exited(0))
        let libraries = ldd.output()
        for name in ["libjemalloc.so", "libcurl.so", "libmicrohttpd.so", "libz.so"] {
            #expect(libraries.contains(name))
        }
        #expect(!libraries.contains("Foundation"))

        let version = try await TilebenchBinary.run(["version", "--json"], in: folder)
        let facts = try ReportJSON(text: version.output)
        #expect(try facts.string("jemalloc").first?.isNumber == true)
        #expect(try facts.string("libcurl").first?.isNumber == true)
        #expect(["debug", "release"].contains(try facts.string("build")))
    }
}
