import Foundation
import Testing

/// Documents that want to do harm: a clear error, soon, in little memory.
@Suite(.serialized)
struct HostileDocumentRunTests {
    /// Kilobytes of address space: what a small document needs with room, and not 100 MB more.
    private static let memoryKB = 400_000

    private func run(_ arguments: [String]) async throws -> CommandResult {
        let folder = try TemporaryFolder()
        // The limit is the shell's to set; the program takes its place.
        try folder.write(
            "limited.sh",
            "ulimit -v \(Self.memoryKB * 4); exec '\(try TilebenchBinary.path())' \"$@\"")
        let outputs = try TemporaryFolder()
        let process = try ChildProcess(
            "/bin/sh", [folder.path("limited.sh")] + arguments,
            environment: ["PATH": "/usr/bin:/bin"], workingFolder: folder.path,
            outputFolder: outputs, keepsInputOpen: false)
        let end = try await process.waitForEnd(timeoutS: 60)
        guard let end else {
            process.kill()
            throw ProcessFailure(description: "it did not end")
        }
        return CommandResult(
            end: end, output: process.output(), errorOutput: process.errorOutput(), seconds: 0)
    }

    @Test(
        arguments: [
            ("/bomb.xml", 2, "declares an entity"), ("/deep.json", 2, "deep"),
            ("/huge.json", 3, "longer than"), ("/none.json", 3, "status 404"),
        ])
    func refused(path: String, code: Int32, words: String) async throws {
        try await withDocumentServer { server in
            for command in ["run", "probe", "inspect", "init"] {
                let result = try await run([command, server.url + path])
                #expect(result.exitCode == code, "\(command): \(result.errorOutput)")
                #expect(
                    result.errorOutput.lowercased().contains(words.lowercased()),
                    "\(command): \(result.errorOutput)")
                #expect(result.errorOutput.utf8.count < 2000)
            }
        }
    }

    /// An optional key that is wrong is as if absent, and said.
    @Test func zoomNinetyNine() async throws {
        try await withDocumentServer { server in
            let result = try await run(["inspect", server.url + "/far.json"])
            #expect(result.exitCode == 0, "\(result.errorOutput)")
            #expect(result.output.contains("maxzoom"))
        }
    }
}
