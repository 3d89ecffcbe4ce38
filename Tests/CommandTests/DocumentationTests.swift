import Foundation
import Testing

/// The guide's examples are run: scenarios must be accepted, commands must print what is shown.
@Suite(.serialized) struct DocumentationTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// A fenced block of an article: what kind it is and its text.
    struct Block: CustomTestStringConvertible {
        var file: String
        var line: Int
        var text: String
        var testDescription: String { "\(file):\(line)" }
    }

    private static func blocks(_ language: String) -> [Block] {
        let guide = root.appending(path: "Sources/tilebench/Documentation.docc")
        let names = FileManager.default.enumerator(atPath: guide.path)?.compactMap { $0 as? String }
        var files = (names ?? []).filter { $0.hasSuffix(".md") }.map { guide.appending(path: $0) }
        files.append(root.appending(path: "README.md"))
        return files.flatMap { blocks(of: language, in: $0) }
    }

    private static func blocks(of language: String, in file: URL) -> [Block] {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        var found: [Block] = []
        var open: Block?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            if var block = open {
                if line == "```" {
                    found.append(block)
                    open = nil
                } else {
                    block.text += line + "\n"
                    open = block
                }
            } else if line == "```\(language)" {
                open = Block(file: file.lastPathComponent, line: index + 1, text: "")
            }
        }
        return found
    }

    @Test func theGuideHasExamples() {
        #expect(Self.blocks("jsonc").count >= 5)
        #expect(Self.blocks("console").count >= 3)
    }

    @Test(arguments: blocks("jsonc")) func scenariosAreAccepted(block: Block) async throws {
        let folder = try TemporaryFolder()
        try folder.write("scenario.json", block.text)
        let result = try await TilebenchBinary.run(["validate", "scenario.json"], in: folder)
        #expect(result.exitCode == 0, "\(block.file):\(block.line): \(result.errorOutput)")
    }

    /// Blocks that begin with `$ tilebench urls` show their whole output.
    @Test(arguments: blocks("console").filter { $0.text.hasPrefix("$ tilebench urls --template") })
    func commandsPrintWhatIsShown(block: Block) async throws {
        let folder = try TemporaryFolder()
        let lines = block.text.split(separator: "\n").map(String.init)
        let words = Self.words(String(lines[0].dropFirst("$ tilebench ".count)))
        let result = try await TilebenchBinary.run(words, in: folder)
        #expect(result.exitCode == 0)
        #expect(result.output == lines.dropFirst().joined(separator: "\n") + "\n")
    }

    /// A shell's words, with single quotes only.
    private static func words(_ line: String) -> [String] {
        var words: [String] = []
        for (index, part) in line.split(separator: "'", omittingEmptySubsequences: false)
            .enumerated()
        {
            if index % 2 == 1 {
                words.append(String(part))
            } else {
                words += part.split(separator: " ").map(String.init)
            }
        }
        return words
    }
}
