import Foundation
import JSONText
import Testing

/// What the command line takes, and what it says when it does not.
struct UsageTests {
    struct Wrong: CustomTestStringConvertible, Sendable {
        var words: [String]
        /// What stderr must hold.
        var says: [String]

        var testDescription: String { words.joined(separator: " ") }
    }

    static let wrong: [Wrong] = [
        Wrong(words: [], says: ["Usage: tilebench COMMAND", "Exit codes:"]),
        Wrong(words: ["rnu", "x.json"], says: ["\"rnu\"", "did you mean run?"]),
        Wrong(words: ["x.json"], says: ["did you mean tilebench run \"x.json\"?"]),
        Wrong(words: ["-x"], says: ["unknown flag -x"]),
        Wrong(words: ["run"], says: ["run needs FILE|URL", "tilebench help run"]),
        Wrong(
            words: ["run", "a", "--uesrs", "5"],
            says: ["unknown flag --uesrs (did you mean --users?)"]),
        Wrong(words: ["validate", "a", "--out=b"], says: ["--out (a flag of tilebench run)"]),
        Wrong(words: ["run", "a", "b"], says: ["\"b\" is one argument too many"]),
        Wrong(words: ["run", "a", "--users"], says: ["--users needs a value: --users N"]),
        Wrong(words: ["run", "a", "--users", "--json"], says: ["--users needs a value"]),
        Wrong(words: ["run", "a", "--json=1"], says: ["--json takes no value"]),
        Wrong(words: ["run", "a", "-q", "-q"], says: ["-q is given twice"]),
        Wrong(
            words: ["run", "a", "--progress", "ba"],
            says: ["did you mean bar?", "known: bar, plain, none"]),
        Wrong(words: ["schema", "scenaro"], says: ["did you mean scenario?"]),
        Wrong(words: ["serve", "--listen", "here"], says: ["--listen needs ADDRESS:PORT"]),
        Wrong(words: ["serve", "--fault", "503"], says: ["--fault needs SHARE:KIND"]),
        Wrong(words: ["serve", "--bytes", "5q"], says: ["--bytes: /target/origin/bytes"]),
        Wrong(
            words: ["urls", "--template", "http://h/{foo}", "--tile", "1/1/1"], says: ["{foo}"]),
        Wrong(words: ["urls", "--template", "http://h/{z}"], says: ["needs --tile"]),
        Wrong(
            words: ["urls", "--template", "http://h/{z}", "--tile", "1/2/0"],
            says: ["column 2 is not within"]),
        Wrong(words: ["urls", "http://h/{z}/{x}/{y}", "-n", "x"], says: ["-n needs a whole"]),
        Wrong(
            words: ["validate", "missing.json"],
            says: ["missing.json", "No such file or directory"]),
        Wrong(words: ["run", "a.json", "--set", "load"], says: ["path=value"]),
        Wrong(
            words: ["validate", "127.0.0.1:18090/{z}/{x}/{y}.png"],
            says: ["did you mean \"http://127.0.0.1:18090/{z}/{x}/{y}.png\"?"]),
        Wrong(words: ["validate", "http://127.0.0.1:1\\@127.0.0.1:2/{z}/{x}/{y}"], says: ["\\"]),
        Wrong(words: ["validate", "http://[::1/{z}/{x}/{y}"], says: ["[ is not closed"]),
        Wrong(words: ["urls", "http:///{z}/{x}/{y}"], says: ["the host is missing"]),
        Wrong(words: ["report", "missing.json"], says: ["missing.json"]),
    ]

    @Test(arguments: wrong)
    func wrongUseIsExitTwoAndOneClearMessage(_ wrong: Wrong) async throws {
        let folder = try TemporaryFolder()
        let result = try await TilebenchBinary.run(wrong.words, in: folder)
        #expect(result.exitCode == 2)
        #expect(result.output.isEmpty)
        for text in wrong.says { #expect(result.errorOutput.contains(text)) }
        #expect(folder.names().isEmpty)
    }

    @Test func allProblemsAreListedAtOnce() async throws {
        let result = try await TilebenchBinary.run(
            ["run", "a", "--users", "--rate", "5", "--progress", "x"], in: try TemporaryFolder())
        #expect(result.exitCode == 2)
        #expect(result.errorOutput.contains("--users needs a value"))
        #expect(result.errorOutput.contains("--progress is \"x\""))
    }

    static let commands = [
        "run", "capacity", "validate", "probe", "urls", "serve", "report", "schema", "version",
    ]

    @Test(arguments: commands)
    func everyCommandHasHelpWithExamples(_ command: String) async throws {
        let folder = try TemporaryFolder()
        let long = try await TilebenchBinary.run([command, "--help"], in: folder)
        let word = try await TilebenchBinary.run(["help", command], in: folder)
        #expect(long.exitCode == 0)
        #expect(long.errorOutput.isEmpty)
        #expect(long.output == word.output)
        #expect(long.output.contains("Usage: tilebench \(command) "))
        #expect(long.output.contains("Examples:\n  # "))
        // Examples may be longer: they are there to be copied.
        let lines = long.output.split(separator: "\n").filter {
            !$0.contains("tilebench \(command)")
        }
        #expect(lines.allSatisfy { $0.count <= 80 })
    }

    @Test func theToolHelpNamesAllCommandsAndExitCodes() async throws {
        let result = try await TilebenchBinary.run(["--help"], in: try TemporaryFolder())
        #expect(result.exitCode == 0)
        for command in Self.commands { #expect(result.output.contains("\n  \(command) ")) }
        for code in ["0", "2", "3", "4", "70", "99", "130", "143"] {
            #expect(result.output.contains("\n  \(code) "))
        }
        // No command compares, so none can end with it.
        #expect(!result.output.contains("\n  5 "))
        #expect(!result.output.contains("omparison"))
    }

    @Test func valuesMayFollowOrBeJoined() async throws {
        let folder = try TemporaryFolder()
        let target = "http://127.0.0.1:1/{z}/{x}/{y}.png"
        for words in [
            ["--users", "7", "--bounds", "-10,40,5,50"], ["--users=7", "--bounds=-10,40,5,50"],
        ] {
            let result = try await TilebenchBinary.run(["validate"] + words + [target], in: folder)
            #expect(result.exitCode == 0)
            let plan = try #require(JSONReader.parse(result.output.utf8).node)
            #expect(plan.at(pointer: "/load/users")?.int == 7)
            #expect(plan.at(pointer: "/workload/bounds/0")?.double == -10)
        }
    }

    @Test func urlsPrintsURLsAndNothingElse() async throws {
        let folder = try TemporaryFolder()
        try folder.write("token", "s3cret-token")
        let result = try await TilebenchBinary.run(
            ["urls", "http://127.0.0.1:1/{z}/{x}/{y}.png", "-n", "5", "--token-file", "token"],
            in: folder)
        #expect(result.exitCode == 0)
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 5)
        #expect(lines.allSatisfy { $0.hasPrefix("http://127.0.0.1:1/") })
        #expect(lines.allSatisfy { $0.hasSuffix(".png?access_token=***") })
        #expect(!result.errorOutput.contains("s3cret"))
    }

    @Test func aTemplateIsExpandedByItsOptions() async throws {
        let result = try await TilebenchBinary.run(
            [
                "urls", "--template", "http://{s}.h/{z}/{x}/{y}{r}?k={token}", "--tile=3/4/2",
                "--scheme", "tms", "--ratio", "2", "--subdomains", "xyz",
            ], in: try TemporaryFolder())
        #expect(result.output == "http://x.h/3/4/5@2x?k=***\n")
        let kept = try await TilebenchBinary.run(
            ["urls", "--template", "http://h/{z}/{foo}", "--tile", "1/1/1", "--unknown", "keep"],
            in: try TemporaryFolder())
        #expect(kept.output == "http://h/1/{foo}\n")
    }

    @Test func schemasAndVersionAreJSON() async throws {
        for words in [
            ["schema", "scenario"], ["schema", "report"], ["schema", "capacity"],
            ["version", "--json"],
        ] {
            let result = try await TilebenchBinary.run(words, in: try TemporaryFolder())
            #expect(result.exitCode == 0)
            let (node, problems) = JSONReader.parse(result.output.utf8, comments: false)
            #expect(problems.isEmpty)
            #expect(node?.members?.isEmpty == false)
        }
    }

    @Test func aFullDiskIsSaid() async throws {
        let folder = try TemporaryFolder()
        let binary = try TilebenchBinary.path()
        let shell = try ChildProcess(
            "/bin/sh", ["-c", "'\(binary)' schema report > /dev/full"], environment: [:],
            workingFolder: folder.path, outputFolder: folder)
        let end = try #require(try await shell.waitForEnd(timeoutS: 60))
        #expect(end == .exited(2))
        #expect(shell.errorOutput().contains("No space left on device"))
    }
}
