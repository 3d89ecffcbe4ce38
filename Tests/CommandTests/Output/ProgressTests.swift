import Foundation
import Glibc
import Testing

/// What is shown while a run goes on.
@Suite(.serialized)
struct ProgressTests {
    /// On a terminal, which `script` of util-linux makes.
    @Test func theBarShowsNoTimeThatIsNot() async throws {
        let server = try SilentServer()
        let shown = try await onTerminal(
            "run 'http://127.0.0.1:\(server.port)/{z}/{x}/{y}' --users 1 --for 1s"
                + " --set load.timeout=30s --set load.grace=2s")
        #expect(shown.contains(" of 1.0 s"), "\(shown)")
        #expect(shown.contains("draining, 1.") || shown.contains("draining, 2."))
        #expect(!shown.contains("warm-up"))
        for time in ["1.4", "2.0", "2.4", "3.0"] { #expect(!shown.contains("\(time) of 1.0 s")) }
    }

    @Test func theWarmUpCountsDown() async throws {
        let server = try SilentServer()
        let shown = try await onTerminal(
            "run 'http://127.0.0.1:\(server.port)/{z}/{x}/{y}' --users 1 --for 1s --warmup 1s"
                + " --set load.timeout=30s --set load.grace=0s")
        #expect(shown.contains("warm-up, 0."), "\(shown)")
        #expect(!shown.contains("-0."))
    }

    @Test func aSignalBeforeTheLoadIsAnInterruption() async throws {
        let server = try SilentServer()
        let result = try await TilebenchBinary.run(
            ["run", "https://127.0.0.1:\(server.port)/{z}/{x}/{y}"], in: try TemporaryFolder()
        ) { process in
            try await server.waitForConnection()
            process.send(SIGINT)
        }
        #expect(result.exitCode == 130)
        #expect(result.errorOutput.contains("could not measure: interrupted"))
        #expect(!result.errorOutput.lowercased().contains("callback"))
    }

    private func onTerminal(_ words: String) async throws -> String {
        let folder = try TemporaryFolder()
        let shell = try ChildProcess(
            "/usr/bin/script", ["-qec", "'\(TilebenchBinary.path())' \(words)", "/dev/null"],
            environment: ["PATH": "/usr/bin:/bin", "TERM": "xterm"], workingFolder: folder.path,
            outputFolder: folder)
        _ = try #require(try await shell.waitForEnd(timeoutS: 60))
        return shell.output()
    }
}
