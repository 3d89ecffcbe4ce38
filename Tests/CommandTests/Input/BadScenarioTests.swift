import Foundation
import Testing

/// Scenarios that cannot be run: exit 2 before anything is sent, with the place and the reason, and
/// no file left behind.
@Suite(.serialized)
struct BadScenarioTests {
    struct Bad: CustomTestStringConvertible, Sendable {
        var name: String
        var scenario: String
        /// What stderr must hold.
        var says: [String]

        var testDescription: String { name }
    }

    private static func target(_ more: String) -> String {
        #"{"target": {"tiles": "http://127.0.0.1:1/{z}/{x}/{y}.png"}, "# + more + "}"
    }

    static let scenarios = [
        Bad(name: "empty file", scenario: "", says: ["scenario.json"]),
        Bad(name: "blank file", scenario: " \n// nothing\n", says: ["scenario.json"]),
        Bad(
            name: "truncated", scenario: #"{"target": {"tiles": "http://127.0"#,
            says: ["scenario.json:1:"]),
        Bad(name: "an array", scenario: "[1]", says: ["scenario.json:1:1", "object"]),
        Bad(name: "no target", scenario: "{}", says: ["target"]),
        Bad(
            name: "two targets",
            scenario: #"{"target": {"tiles": "http://127.0.0.1:1/{z}", "origin": {}}}"#,
            says: ["/target"]),
        Bad(
            name: "wrong types",
            scenario: target(#""load": {"users": "many", "for": [1]}, "workload": []"#),
            says: ["/load/users", "/load/for", "/workload"]),
        Bad(
            name: "unknown keys", scenario: target(#""lode": {}, "load": {"userz": 5}"#),
            says: ["lode", "load", "userz", "users"]),
        Bad(
            name: "zooms out of range", scenario: target(#""workload": {"zooms": [0, 31]}"#),
            says: ["/workload/zooms", "30"]),
        Bad(
            name: "a tile out of range",
            scenario: target(#""workload": {"kind": "list", "tiles": ["3/8/0"]}"#),
            says: ["/workload/tiles/0"]),
        Bad(
            name: "no users", scenario: target(#""load": {"users": 0}"#),
            says: ["/load/users", "1"]),
        Bad(
            name: "ten million users", scenario: target(#""load": {"users": 10000000}"#),
            says: ["/load/users", "1000000"]),
        Bad(
            name: "negative rate", scenario: target(#""load": {"rate": "-5/s"}"#),
            says: ["/load/rate"]),
        Bad(
            name: "users and rate", scenario: target(#""load": {"users": 5, "rate": "5/s"}"#),
            says: ["/load"]),
        Bad(
            name: "unset variable",
            scenario: #"{"target": {"tiles": "http://127.0.0.1:1/{z}/{x}/{y}?k=${NO_KEY}"}}"#,
            says: ["NO_KEY"]),
        Bad(
            name: "unknown placeholder",
            scenario: #"{"target": {"tiles": "http://127.0.0.1:1/{z}/{x}/{why}"}}"#,
            says: ["{why}"]),
        Bad(
            name: "missing file of tiles",
            scenario: target(#""workload": {"kind": "list", "tiles": "none.txt"}"#),
            says: ["none.txt", "No such file"]),
        Bad(
            name: "missing CA file", scenario: target(#""connection": {"ca_file": "none.pem"}"#),
            says: ["none.pem"]),
        Bad(
            name: "not yet", scenario: target(#""connection": {"http": "2-prior-knowledge"}"#),
            says: ["/connection/http", "not supported yet"]),
        Bad(
            name: "a poison without a token",
            scenario: target(#""inject": [{"at": "1s", "expire": "poison"}]"#),
            says: ["/inject/0"]),
        Bad(
            name: "token that breaks a header",
            scenario: target(
                #""auth": {"token": {"in": "header", "name": "X-T"}, "static": "a\r\nb: c"}"#),
            says: ["/auth/static"]),
    ]

    @Test(arguments: scenarios)
    func itIsRefusedWithItsPlace(_ bad: Bad) async throws {
        let run = try await ScenarioRun.run(bad.scenario)
        #expect(run.result.exitCode == 2)
        #expect(run.result.output.isEmpty)
        let said = run.result.errorOutput
        for text in bad.says { #expect(said.contains(text), "\(said)") }
        #expect(said.split(separator: "\n").count <= 4, "\(said)")
        #expect(run.folder.names() == ["scenario.json"])

        // The same list from `validate`.
        let validated = try await TilebenchBinary.run(
            ["validate", "scenario.json"], in: run.folder)
        #expect(validated.exitCode == 2)
        #expect(validated.errorOutput == said)
    }

    @Test func keysAreSuggested() async throws {
        let run = try await ScenarioRun.run(Self.target(#""load": {"userz": 5}"#))
        #expect(run.result.errorOutput.contains("scenario.json:1:"))
        #expect(run.result.errorOutput.contains("/load/userz"))
        #expect(run.result.errorOutput.contains("did you mean"))
        let set = try await TilebenchBinary.run(
            ["run", "http://127.0.0.1:1/{z}/{x}/{y}", "--set", "load.tiemout=5s"],
            in: try TemporaryFolder())
        #expect(set.exitCode == 2)
        #expect(set.errorOutput.contains("timeout"))
    }

    @Test(arguments: [
        "https://tile.openstreetmap.org/{z}/{x}/{y}.png",
        "https://a.tile.openstreetmap.org/{z}/{x}/{y}.png",
        "https://api.maptiler.com/tiles/v3/{z}/{x}/{y}.pbf?key=abc",
    ])
    func publicTileServicesAreLeftAlone(url: String) async throws {
        let folder = try TemporaryFolder()
        let result = try await TilebenchBinary.run(["run", url, "--users", "1"], in: folder)
        #expect(result.exitCode == 2)
        #expect(result.errorOutput.contains("public tile service"))
        #expect(result.errorOutput.contains("permission"))
        // At once: nobody was asked, not even for an address.
        #expect(result.seconds < 30)
        #expect(folder.names().isEmpty)
    }

    @Test(arguments: [["--users", "101"], ["--rate", "201/s"]])
    func strangersNeedPermissionForMore(flags: [String]) async throws {
        // 192.0.2.0/24 is kept free for examples (RFC 5737): nobody is there.
        let folder = try TemporaryFolder()
        let result = try await TilebenchBinary.run(
            ["run", "http://192.0.2.1/{z}/{x}/{y}.png"] + flags, in: folder)
        #expect(result.exitCode == 2)
        #expect(result.errorOutput.contains("192.0.2.1"))
        #expect(result.errorOutput.contains("target.permission"))
        #expect(folder.names().isEmpty)
    }
}
