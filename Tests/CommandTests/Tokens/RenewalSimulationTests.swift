import Foundation
import Testing

/// A million interleavings of the renewal machine, which only a release build runs in a minute.
@Suite(.serialized) struct RenewalSimulationTests {
    private func run(_ arguments: [String]) async throws -> (code: ProcessEnd?, output: String) {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let path = root.appendingPathComponent(".build/release/RenewalSimulation").path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw ProcessFailure(description: "no binary at \(path): make build-tests")
        }
        let folder = try TemporaryFolder()
        let process = try ChildProcess(
            path, arguments, environment: [:], workingFolder: folder.path, outputFolder: folder)
        defer { process.kill() }
        let end = try await process.waitForEnd(timeoutS: 600)
        return (end, process.output())
    }

    @Test func aMillionInterleavingsKeepEveryInvariant() async throws {
        let (end, output) = try await run(["random", "1000000"])
        #expect(end == .exited(0), "\(output)")
        let count = try #require(output.split(separator: " ").first.flatMap { Int($0) })
        #expect(count >= 1_000_000)
        #expect(output.hasSuffix("every invariant holds\n"))
    }

    /// What it prints for a run that broke something leads back to that run.
    @Test func aRunCanBeReplayed() async throws {
        let (end, output) = try await run(["replay", "2", "noRecheck"])
        #expect(end == .exited(0))
        #expect(output.contains("known-dead send") && output.contains("hand"))
        let (again, same) = try await run(["replay", "2", "noRecheck"])
        #expect(again == end && same == output)
    }

    @Test(arguments: [
        [], ["random"], ["random", "x"], ["replay", "1", "nobody"], ["explore", "1"],
    ])
    func wrongWordsAreAnsweredWithTheUsage(_ words: [String]) async throws {
        let (end, output) = try await run(words)
        #expect(end == .exited(64) && output.contains("Usage: RenewalSimulation"))
    }
}
