import Foundation
import Testing

/// A good scenario in bad surroundings: hosts, proxies, folders, disks.
@Suite(.serialized)
struct BadSurroundingsTests {
    private static let origin =
        #"{"target": {"origin": {}}, "load": {"users": 2, "count": 50}, "on_invalid": "warn"}"#

    @Test func aNameWithoutAnAddress() async throws {
        // RFC 6761: .invalid never resolves.
        let run = try await ScenarioRun.run(
            """
            {"target": {"tiles": "http://tiles.invalid/{z}/{x}/{y}.png"},
             "load": {"users": 2, "for": "1s", "timeout": "3s"}}
            """)
        #expect(run.result.exitCode == 3)
        #expect(run.result.seconds < 60)
        #expect(run.result.errorOutput.contains("tiles.invalid:80"))
        run.expectNothingHalfWritten()
    }

    @Test func httpsWhereOnlyHTTPIsSpoken() async throws {
        try await withNginx(NginxConfig(.tiles)) { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "https://127.0.0.1:\(server.port)/tiles/{z}/{x}/{y}.png"},
                 "load": {"users": 2, "for": "1s"}}
                """)
            #expect(run.result.exitCode == 3)
            #expect(run.result.errorOutput.contains("127.0.0.1:\(server.port)"))
            let said = run.result.errorOutput.lowercased()
            #expect(said.contains("ssl") || said.contains("tls"))
        }
    }

    @Test(arguments: ["http_proxy", "HTTPS_PROXY", "all_proxy"])
    func proxiesOfTheEnvironmentAreIgnoredAndSaid(name: String) async throws {
        try await withNginx(NginxConfig(.tiles)) { server in
            // Nobody listens there: whoever went through it would fail.
            let port = try LoopbackHTTP.freePort()
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(server.url)/tiles/{z}/{x}/{y}.png"},
                 "workload": {"zooms": [2, 5]},
                 "load": {"users": 2, "count": 20}, "on_invalid": "warn"}
                """, environment: [name: "http://127.0.0.1:\(port)"])
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            #expect(try run.report().int("ledger.ok") == 20)
            #expect(run.result.errorOutput.contains(name))
            #expect(run.result.errorOutput.contains("ignored"))
        }
    }

    @Test func aFileInPlaceOfTheFolder() async throws {
        let folder = try TemporaryFolder()
        try folder.write("scenario.json", Self.origin)
        for out in ["scenario.json", "scenario.json/below"] {
            let result = try await TilebenchBinary.run(
                ["run", "scenario.json", "--out", out], in: folder)
            #expect(result.exitCode == 2)
            #expect(result.output.isEmpty)
            #expect(result.errorOutput.contains("scenario.json"))
            #expect(result.errorOutput.contains("Not a directory"))
            #expect(result.errorOutput.split(separator: "\n").count == 1)
            #expect(folder.names() == ["scenario.json"])
        }
    }

    @Test func aFullDiskLosesNoFigure() async throws {
        let folder = try TemporaryFolder()
        try folder.write("scenario.json", Self.origin)
        try folder.write("out/report.json", "of an earlier run")
        let binary = try TilebenchBinary.path()
        // No file may grow beyond 2 kB; standard output is a pipe, which has no size.
        let script = """
            trap '' XFSZ
            (ulimit -f 2; exec '\(binary)' run scenario.json --out out --progress none) | cat
            exit ${PIPESTATUS[0]}
            """
        let shell = try ChildProcess(
            "/bin/bash", ["-c", script], environment: [:], workingFolder: folder.path,
            outputFolder: folder)
        let end = try await shell.waitForEnd(timeoutS: 60)
        #expect(end == .exited(2))
        #expect(shell.errorOutput().contains("out/report.json"))
        #expect(shell.errorOutput().contains("File too large"))
        #expect(shell.output().contains("50 of 50 tiles ok"))
        // The earlier report is whole, and nothing lies beside it.
        #expect(folder.names(in: "out") == ["report.json"])
        #expect(try folder.read("out/report.json") == "of an earlier run")
    }

    @Test func tooFewDescriptorsForTheUsers() async throws {
        let folder = try TemporaryFolder()
        let binary = try TilebenchBinary.path()
        let shell = try ChildProcess(
            "/bin/bash",
            [
                "-c",
                "ulimit -n 200; exec '\(binary)' run 'http://127.0.0.1:1/{z}/{x}/{y}' --users 500",
            ], environment: [:], workingFolder: folder.path, outputFolder: folder)
        #expect(try await shell.waitForEnd(timeoutS: 60) == .exited(3))
        #expect(shell.errorOutput().contains("500 users"))
        #expect(shell.errorOutput().contains("ulimit -n"))
    }

    @Test func aRedirectDoesNotLeaveTheFence() async throws {
        // To another port of this machine: another host, as far as the fence is concerned.
        try await withNginx(NginxConfig(.tiles)) { other in
            let part = NginxConfig.Part(
                server: "location /r/ { return 302 \(other.url)/tiles/1/0/0.png; }")
            try await withNginx(NginxConfig(part)) { server in
                let run = try await ScenarioRun.run(
                    """
                    {"target": {"tiles": "\(server.url)/r/{z}/{x}/{y}.png"},
                     "connection": {"redirects": 3},
                     "load": {"users": 2, "count": 20}, "on_invalid": "warn"}
                    """)
                let report = try run.report()
                try report.expectLedgerAddsUp()
                #expect(try report.int("ledger.ok") == 0)
                #expect(try await other.stopAndReadLog().entries.isEmpty)
            }
        }
    }
}
