import Foundation
import JSONText
import Testing

/// `run --print-scenario` prints a scenario of the same run, which every command accepts.
struct PrintScenarioTests {
    private static let url = "http://127.0.0.1:1/{z}/{x}/{y}.png?key=s3cret-key"

    struct Case: CustomTestStringConvertible, Sendable {
        var isFile: Bool
        var words: [String]

        var testDescription: String { (isFile ? "file " : "URL ") + words.joined(separator: " ") }
    }

    /// The flags that exclude each other or keys of the scenario in all ways, the others in turn.
    private static let cases: [Case] = {
        let others = [
            ["--zooms", "2-5"], ["--bounds", "-10,40,5,50"], ["--token-file", "token"],
            ["--seed", "7"], ["--name", "other"], ["--set", "load.timeout=3s"],
        ]
        var cases: [Case] = []
        for shape in [[], ["--users", "7"], ["--rate", "200/s"]] {
            for end in [
                [], ["--for", "3s"], ["--count", "50"], ["--for", "3s", "--count", "50"],
            ] {
                for warmup in [[], ["--warmup", "1s"]] {
                    for isFile in [false, true] {
                        let number = cases.count
                        let some = others.indices.filter { (number + $0) % 3 != 0 }
                        let words = shape + end + warmup + some.flatMap { others[$0] }
                        cases.append(Case(isFile: isFile, words: words))
                    }
                }
            }
        }
        return cases
    }()

    @Test(arguments: cases)
    func whatIsPrintedIsAccepted(_ one: Case) async throws {
        let folder = try TemporaryFolder()
        try folder.write("token", "s3cret-token")
        try folder.write(
            "first.json",
            #"{"target": {"tiles": "\#(Self.url)"}, "load": {"users": 3, "count": 9}}"#)
        let words = [one.isFile ? "first.json" : Self.url] + one.words
        let printed = try await TilebenchBinary.run(
            ["run"] + words + ["--print-scenario"], in: folder)
        #expect(printed.exitCode == 0, "\(printed.errorOutput)")
        #expect(!printed.output.contains("s3cret-key"))
        #expect(!printed.output.contains("s3cret-token"))

        try folder.write("second.json", printed.output)
        let again = try await TilebenchBinary.run(["validate", "second.json"], in: folder)
        #expect(again.exitCode == 0, "\(again.errorOutput)\n\(printed.output)")
        let first = try await TilebenchBinary.run(["validate"] + words, in: folder)
        let (one, two) = (JSONReader.parse(first.output.utf8), JSONReader.parse(again.output.utf8))
        for part in ["load", "workload", "seed", "auth"] {
            #expect(one.node?[part] == two.node?[part], "\(part)")
        }
        #expect(one.node?["load"] != nil)
    }

    @Test func aScenarioFromStdinIsReadOnce() async throws {
        let result = try await TilebenchBinary.run(
            ["run", "-", "--rate", "5/s", "--print-scenario"], in: try TemporaryFolder(),
            input: #"{"target": {"tiles": "http://127.0.0.1:1/{z}/{x}/{y}"}}"#)
        #expect(result.exitCode == 0, "\(result.errorOutput)")
        #expect(JSONReader.parse(result.output.utf8).node?["load"]?["rate"]?.string == "5/s")
    }

    /// What the profile sets is in what `validate` prints; a file's own words stay.
    @Test func flagsOfTokens() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "first.json",
            #"{"target": {"tiles": "\#(Self.url)"}, "auth": {"static": "abcdef", "rejected_when": {"html": "Login"}}}"#
        )
        let words = [
            "--profile", "overlay-article", "--renewal-url", "http://127.0.0.1:1/t", "--client",
            "window",
        ]
        for source in [Self.url, "first.json"] {
            let result = try await TilebenchBinary.run(["validate", source] + words, in: folder)
            #expect(result.exitCode == 0, "\(result.errorOutput)")
            let auth = try #require(JSONReader.parse(result.output.utf8).node?["auth"])
            #expect(auth["profile"]?.string == "overlay-article")
            #expect(auth["client"]?.string == "window")
            #expect(auth["static"] == nil)
            #expect(auth["renewal"]?["url"]?.string == "http://127.0.0.1:1/t")
            #expect(auth["renewal"]?["token_path"]?.string == "token")
            let rejected = try #require(auth["rejected_when"])
            #expect(rejected["status"]?.array?.compactMap(\.int) == [401, 403])
            let html = rejected["html"]
            #expect(source == Self.url ? html?.bool == false : html?.string == "Login")
        }
        let wrong = try await TilebenchBinary.run(
            ["validate", Self.url, "--profile", "esri"], in: folder)
        #expect(wrong.exitCode == 2)
        #expect(wrong.errorOutput.contains("overlay-article"), "\(wrong.errorOutput)")
    }

    /// Flags with names of their own apply after `--set`, wherever they stand.
    @Test(arguments: [
        ["--set", #"load={"rate":"1000/s"}"#, "--for", "2s"],
        ["--for", "2s", "--set", #"load={"rate":"1000/s"}"#],
        [
            "--for", "2s", "--set", "load.for=9s", "--set", "load.rate=9/s", "--set",
            "load.rate=1000/s",
        ],
    ])
    func theOrderOfOverrides(words: [String]) async throws {
        let result = try await TilebenchBinary.run(
            ["validate", "http://127.0.0.1:1/{z}/{x}/{y}"] + words, in: try TemporaryFolder())
        #expect(result.exitCode == 0, "\(result.errorOutput)")
        let load = try #require(JSONReader.parse(result.output.utf8).node?["load"])
        #expect(load["for"]?.string == "2s", "\(result.output)")
        #expect(load["rate"]?.string == "1000/s")
    }
}
