import Foundation
import JSONText
import Testing

/// The scenario files that come with the project are correct and short.
struct ScenarioFilesTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Benchmarks/scenarios")

    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".json") }.sorted()

    @Test func theFilesAreFound() {
        #expect(Self.names.contains("quickstart.json"))
        #expect(Self.names.count >= 6)
    }

    @Test(arguments: names) func aFileIsValid(_ name: String) async throws {
        let path = Self.folder.appendingPathComponent(name).path
        let result = try await TilebenchBinary.run(["validate", path], in: try TemporaryFolder())
        #expect(result.exitCode == 0, "\(result.errorOutput)")
        #expect(result.errorOutput.isEmpty)
        let plan = try #require(JSONReader.parse(result.output.utf8).node)
        #expect(plan.at(pointer: "/name")?.string == String(name.dropLast(".json".count)))
        // Against the embedded server, so that each can be tried as it is.
        #expect(plan.at(pointer: "/target/origin") != nil)
        // Each says what it expects.
        #expect(plan.at(pointer: "/gates")?.array?.isEmpty == false)
    }

    /// A test of the test: a file with a mistake is refused.
    @Test func aMistakeIsFound() async throws {
        let folder = try TemporaryFolder()
        let quickstart = Self.folder.appendingPathComponent("quickstart.json")
        let text = try String(contentsOf: quickstart, encoding: .utf8)
        let path = try folder.write("wrong.json", text.replacing("\"renew_before\"", with: "\"x\""))
        let result = try await TilebenchBinary.run(["validate", path], in: folder)
        #expect(result.exitCode == 2)
    }
}
