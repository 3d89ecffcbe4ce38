import Foundation
import JSONText
import Testing

@testable import Workload

@Suite("Variables, files and overrides")
struct ScenarioExpansionTests {
    private let environment = [
        "KEY": "s3cr3t-value", "USERS": "25", "EMPTY": "", "RATE": "70/s", "PORT": "8080",
        "BAD": "lots",
    ]

    @Test("Variables in texts and numbers")
    func variables() throws {
        let text = """
            {"target": {"tiles": "http://127.0.0.1:${PORT}/{z}/{x}/{y}.png?k=${KEY}"},
             "load": {"users": "${USERS:-100}", "for": "${FOR:-3s}", "count": "${EMPTY:-7}"},
             "name": "$5 ${NAME:-a run}"}
            """
        let plan = try plan(text, environment: environment)
        #expect(
            plan.target.templates == ["http://127.0.0.1:8080/{z}/{x}/{y}.png?k=s3cr3t-value"])
        #expect(plan.load.shape == .users(25))
        #expect(plan.load.durationNS == 3_000_000_000)
        #expect(plan.load.count == 7)
        #expect(plan.name == "$5 a run")
        #expect(plan.secrets.values.contains("s3cr3t-value"))
        #expect(!plan.secrets.values.contains("25"))
        #expect(!plan.secrets.values.contains("8080"), "a port stands in every figure")
        let shown = JSONWriter.encodeText(plan.json)
        #expect(!shown.contains("s3cr3t"))
        #expect(shown.contains("k=***"))
    }

    @Test(
        "What cannot be expanded",
        arguments: [
            ("\"name\": \"${NONE}\"", "/name: the variable `NONE` is not set"),
            ("\"name\": \"${NONE\"", "/name: `${` without its `}`"),
            ("\"name\": \"${}\"", "/name: `${}` names no variable"),
            ("\"name\": \"${1A}\"", "/name: `${1A}` names no variable"),
            ("\"name\": \"${A B}\"", "/name: `${A B}` names no variable"),
            (
                "\"load\": {\"users\": \"${BAD}\"}",
                "/load/users: expected a whole number, found \"${BAD}\""
            ),
            ("\"name\": \"${EMPTY}\"", "/name: must not be empty"),
            ("\"gates\": [\"a < ${NONE}\"]", "/gates/0: the variable `NONE` is not set"),
        ])
    func failures(member: String, expected: String) {
        let found = problems(local(member), environment: environment)
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.hasSuffix(": " + expected) == true, "\(found)")
    }

    @Test("A value in a message is masked")
    func maskedMessages() {
        let found = problems(
            "{\"target\": {\"tiles\": \"ftp://${KEY}/{z}\"}}", environment: environment)
        #expect(found.count == 1)
        #expect(!found[0].contains("s3cr3t"))
    }

    @Test("Files hold texts, without their last newline")
    func files() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("tilebench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("tok-12345\r\n".utf8).write(to: folder.appendingPathComponent("token"))
        try Data("40\n".utf8).write(to: folder.appendingPathComponent("users"))
        try Data([0x61, 0xFF]).write(to: folder.appendingPathComponent("binary"))
        let good = try plan(
            local(
                "\"auth\": {\"static\": {\"file\": \"token\"}}, \"load\": {\"users\": {\"file\": \"users\"}}"
            ), directory: folder.path)
        #expect(good.auth?.staticToken == "tok-12345")
        #expect(good.load.shape == .users(40))
        #expect(good.secrets.values.contains("tok-12345"))
        #expect(!JSONWriter.encodeText(good.json).contains("tok-1"))
        let bad = problems(
            local(
                "\"auth\": {\"static\": {\"file\": \"nothing\"}}, \"name\": {\"file\": \"binary\"}"),
            directory: folder.path)
        #expect(bad.count == 2, "\(bad)")
        #expect(
            bad.contains {
                $0.hasSuffix(
                    "/auth/static/file: cannot read `\(folder.path)/nothing`: No such file or directory"
                )
            })
        #expect(
            bad.contains { $0.hasSuffix("/name/file: `\(folder.path)/binary` is not UTF-8 text") })
    }

    @Test("Overrides: JSON if it reads as JSON, else text")
    func overrides() throws {
        let text = local("\"load\": {\"users\": 5, \"for\": \"2s\"}")
        let plan = try plan(
            text,
            set: [
                "load.rate=500/s", "workload.zooms=[3,4]", "name=2024", "seed=9",
                "target.headers.X-A=b=c", "checks.status=[200]",
            ])
        #expect(plan.load.shape == .rate(perSecond: 500, arrivals: .constant))
        #expect(plan.load.durationNS == 2_000_000_000)
        #expect(plan.workload.zooms == 3...4)
        #expect(plan.name == "2024")
        #expect(plan.seed == 9)
        #expect(plan.target.headers.last == HeaderPlan(name: "X-A", value: "b=c"))
        #expect(plan.checks.statuses == [200])
    }

    @Test("Problems of overrides name the override")
    func badOverrides() {
        #expect(
            problems(local(), set: ["load.users=0", "load.users.x=1", "lod.x=1"]) == [
                "--set load.users.x: /load/users/x: this is a number, so it has no `x`",
                "--set load.users: /load/users: 0 is less than 1",
                "--set lod.x: /lod: unknown key `lod`",
            ])
        for text in ["load.users", "=5", "load..users=5"] {
            #expect(throws: JSONProblem.self) { try ScenarioOverride.parse(text) }
        }
    }

    @Test("Two overrides that exclude each other are a problem")
    func excludingOverrides() {
        let found = problems(local(), set: ["load.users=5", "load.rate=7"])
        #expect(found == ["--set load.rate: /load/rate: `rate` and `users` exclude each other"])
    }
}
