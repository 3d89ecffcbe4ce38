import Foundation
import Glibc
import Testing

/// Inputs that are something else than what a person would give: said at once and in few words.
struct InputKindTests {
    /// Without a writer a pipe never ends; nobody waits for it.
    @Test func aPipeIsNoReport() async throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        let result = try await TilebenchBinary.run(["report", "pipe"], in: folder)
        #expect(result.exitCode == 2)
        #expect(result.errorOutput.contains("cannot read pipe: it is no regular file"))
    }

    @Test func aDeviceIsNoReport() async throws {
        let result = try await TilebenchBinary.run(
            ["report", "/dev/zero"], in: try TemporaryFolder())
        #expect(result.exitCode == 2)
        #expect(result.errorOutput.contains("no regular file"))
    }

    @Test func stdinIsADash() async throws {
        let result = try await TilebenchBinary.run(
            ["validate", "-"], in: try TemporaryFolder(),
            input: #"{"target": {"tiles": "http://127.0.0.1:1/{z}/{x}/{y}"}}"#)
        #expect(result.exitCode == 0, "\(result.errorOutput)")
    }

    @Test(arguments: [
        "load" + String(repeating: ".a", count: 50_000) + "=1",
        "load=" + String(repeating: "[", count: 50_000),
        "load=" + String(repeating: #"{"a":"#, count: 20_000),
        "load" + String(repeating: ".a", count: 64) + "=1",
    ])
    func aSetOfManyLevels(word: String) async throws {
        for words in [["validate"], ["run", "--print-scenario"]] {
            let result = try await TilebenchBinary.run(
                words + ["http://127.0.0.1:1/{z}/{x}/{y}", "--set", word],
                in: try TemporaryFolder())
            #expect(result.exitCode == 2)
            #expect(result.errorOutput.contains("--set load"))
            #expect(result.errorOutput.contains("64"))
            #expect(result.errorOutput.utf8.count < 400)
        }
    }

    /// Braces in a text are not levels.
    @Test func aTextWithBracesIsNotTooDeep() async throws {
        let result = try await TilebenchBinary.run(
            [
                "validate", "http://127.0.0.1:1/{z}/{x}/{y}", "--set",
                "name=" + String(repeating: "{a}", count: 60),
            ], in: try TemporaryFolder())
        #expect(result.exitCode == 0, "\(result.errorOutput)")
    }
}
