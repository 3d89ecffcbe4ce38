import Foundation
import Testing

/// The commands of the guide's page about the referee are run as they stand there.
@Suite(.serialized)
struct RefereeGuideTests {
    private static func commands() throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = root.appending(path: "Sources/tilebench/Documentation.docc/JudgingAnApp.md")
        return try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
    }

    /// A shell's words, with single quotes only.
    private static func words(_ line: String) -> [String] {
        line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap {
            index, part in
            index % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
        }
    }

    @Test func theCommandsOfThePageWork() async throws {
        let commands = try Self.commands()
        let serve = try #require(commands.first)
        #expect(commands.count >= 8)
        var words = Self.words(serve)
        #expect(words.removeFirst() == "tilebench")
        let listen = try #require(words.firstIndex(of: "--listen")) + 1
        #expect(words[listen] == "0.0.0.0:8080")
        words[listen] = "127.0.0.1:0"
        let folder = try TemporaryFolder()
        let result = try await TilebenchBinary.run(words, in: folder) { process in
            try await waitUntil(timeoutS: 60) { process.output().contains("Control-C") }
            let address = "http://127.0.0.1:"
            let start = try #require(process.output().range(of: address)).upperBound
            let port = process.output()[start...].prefix { $0.isNumber }
            for command in commands.dropFirst() {
                #expect(command.hasPrefix("curl ") && command.contains("http://127.0.0.1:8080/"))
                let arguments = Self.words(command).dropFirst().map {
                    $0.replacingOccurrences(of: "127.0.0.1:8080", with: "127.0.0.1:\(port)")
                }
                let curl = try ChildProcess(
                    "/usr/bin/curl", ["--silent", "--fail-with-body"] + arguments,
                    environment: [:], workingFolder: folder.path, outputFolder: folder)
                let end = try await curl.waitForEnd(timeoutS: 60)
                #expect(end == .exited(0), "\(command): \(curl.output())")
            }
            process.send(SIGTERM)
        }
        #expect(result.exitCode == 0)
        #expect(result.errorOutput.contains("revoked 2 tokens of 2 cells"))
        #expect(result.output.contains("127.0.0.1/ann met no expiry"), "\(result.output)")
    }
}
