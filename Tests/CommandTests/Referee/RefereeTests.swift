import Foundation
import Testing

/// `serve --verdict` against apps that renew rightly and wrongly.
@Suite(.serialized)
struct RefereeTests {
    /// A referee that has ended.
    private struct Judged {
        let result: CommandResult
        let folder: TemporaryFolder

        func report() throws -> ReportJSON { try ReportJSON(path: folder.path("out/report.json")) }
    }

    /// Runs a referee while `clients` come, and ends it with SIGINT.
    private static func judge(
        _ flags: [String] = [], isolation: isolated (any Actor)? = #isolation,
        _ clients: (Int, ChildProcess) async throws -> Void
    ) async throws -> Judged {
        let folder = try TemporaryFolder()
        let result = try await TilebenchBinary.run(
            ["serve", "--listen", "127.0.0.1:0", "--verdict", "--out", "out"] + flags, in: folder
        ) { process in
            try await waitUntil(timeoutS: 60) { process.output().contains("Control-C") }
            try await clients(try port(process.output()), process)
            process.send(SIGINT)
        }
        return Judged(result: result, folder: folder)
    }

    /// The port in the first URL that was printed.
    private static func port(_ text: String) throws -> Int {
        let after = try #require(text.range(of: "http://127.0.0.1:")).upperBound
        return try #require(Int(text[after...].prefix { $0.isNumber }))
    }

    private static func script(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Servers/\(name)").path
    }

    /// `renewing_client.py`, to its end, with a revocation when it has got going.
    private static func app(
        _ mode: String, _ port: Int, seconds: Double, _ referee: ChildProcess
    ) async throws {
        let folder = try TemporaryFolder()
        let app = try ChildProcess(
            "/usr/bin/python3", [script("renewing_client.py"), mode, "\(port)", "\(seconds)"],
            environment: ["PYTHONDONTWRITEBYTECODE": "1"], workingFolder: folder.path,
            outputFolder: folder)
        defer { app.kill() }
        try await waitUntil(timeoutS: 60) { referee.errorOutput().contains("first token") }
        try await Task.sleep(for: .milliseconds(300))
        // What tells an app that is right from one that is nearly right.
        let late = try await LoopbackHTTP.request(
            "POST", port: port, path: "/fault?tiles=late-refusals")
        #expect(late.status == 200)
        let revoked = try await LoopbackHTTP.request("POST", port: port, path: "/revoke")
        #expect(revoked.status == 200)
        #expect(try await app.waitForEnd(timeoutS: 60) == .exited(0), "\(app.errorOutput())")
    }

    @Test(arguments: ["naive", "flight-only"])
    func flawedAppsAreConvicted(mode: String) async throws {
        let judged = try await Self.judge { port, process in
            try await Self.app(mode, port, seconds: 4, process)
        }
        #expect(judged.result.exitCode == 99)
        let report = try judged.report()
        #expect(try report.string("kind") == "referee")
        #expect(try report.string("verdict") == "fail")
        #expect(try report.string("clients.0.client") == "127.0.0.1")
        #expect(try report.int("clients.0.expiries") == 1)
        let needless = try report.int("clients.0.needless") + report.int("clients.0.concurrent")
        #expect(needless > 0)
        #expect(try report.int("clients.0.renewals") == 1 + needless)
        let sentence = "127.0.0.1 renewed \(1 + needless) times for 1 expiry: \(needless) needless"
        // "twice" is no number.
        if needless > 1 { #expect(judged.result.output.contains(sentence)) }
        #expect(judged.result.output.contains("Renewal was not single: 1 of 1 client failed."))
        #expect(judged.result.errorOutput.contains("NEEDLESS renewal"))
    }

    @Test func anAppThatComparesIsAcquitted() async throws {
        let judged = try await Self.judge { port, process in
            try await Self.app("single", port, seconds: 4, process)
        }
        #expect(judged.result.exitCode == 0, "\(judged.result.output)")
        let report = try judged.report()
        #expect(try report.string("verdict") == "pass")
        #expect(try report.int("clients.0.renewals") == 1)
        #expect(try report.int("clients.0.asks_left_rejected") == 0)
        let output = judged.result.output
        #expect(output.contains("127.0.0.1 renewed once for 1 expiry: each renewal was single."))
        let csv = try judged.folder.read("out/renewals.csv").split(separator: "\r\n")
        #expect(csv.count == 2)
        #expect(csv[0].hasPrefix("cell,generation,cause,first_refusal_s,"))
        #expect(csv[1].hasPrefix("127.0.0.1,1,revoked,"))
        // The report can be read again.
        let again = try await TilebenchBinary.run(["report", "out"], in: judged.folder)
        #expect(again.exitCode == 0)
        #expect(output.hasSuffix(again.output))
    }

    @Test func anAppThatNeverRenewsIsConvicted() async throws {
        let judged = try await Self.judge { port, process in
            try await Self.app("deaf", port, seconds: 6.5, process)
        }
        #expect(judged.result.exitCode == 99)
        let report = try judged.report()
        let charges = try #require(report.value("clients.0.charges") as? [String])
        #expect(charges == ["never_renewed", "known_dead_sends"])
        #expect(judged.result.output.contains("it never asked for a new one"))
    }

    @Test func whenNobodyMeetsAnExpiryNothingIsJudged() async throws {
        let empty = try await Self.judge { _, _ in }
        #expect(empty.result.exitCode == 0)
        #expect(
            empty.result.output.contains(
                "Nothing was judged: nobody asked for a tile or a token."))
        let idle = try await Self.judge(["--ttl", "100ms"]) { port, process in
            let token = try await LoopbackHTTP.request(port: port, path: "/token?cell=ann")
            #expect(token.status == 200)
            let stranger = try await LoopbackHTTP.request(port: port, path: "/3/1/2.png")
            #expect(stranger.status == 401)
            try await Task.sleep(for: .milliseconds(150))
        }
        #expect(idle.result.exitCode == 0)
        #expect(idle.result.output.contains("127.0.0.1/ann met no expiry"))
        #expect(idle.result.output.contains("It asked for nothing after its last token ended."))
        #expect(try idle.report().string("verdict") == "none")
    }

    /// Runs tilebench with one of its machines against a referee whose refusals are late.
    private static func judgeMachine(_ client: String) async throws -> Judged {
        try await judge(["--ttl", "1s", "--no-advertise"]) { port, _ in
            let late = try await LoopbackHTTP.request(
                "POST", port: port, path: "/fault?tiles=late-refusals")
            #expect(late.status == 200)
            let run = try await ScenarioRun.run(
                """
                {"target": {
                    "tiles": "http://127.0.0.1:\(port)/{z}/{x}/{y}.png?access_token={token}"},
                 "auth": {"renewal": {"url": "http://127.0.0.1:\(port)/token"}, "start": "renew",
                          "token": {"in": "template"}, "client": "\(client)"},
                 "load": {"users": 40, "for": "4s", "grace": "1s"}, "on_invalid": "warn"}
                """)
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
        }
    }

    @Test(arguments: ["naive", "lock-only", "flight-only", "window", "overlay-article"])
    func flawedMachinesAreConvicted(client: String) async throws {
        let judged = try await Self.judgeMachine(client)
        #expect(judged.result.exitCode == 99, "\(judged.result.output)")
        let report = try judged.report()
        #expect(try report.string("verdict") == "fail")
        if ["naive", "lock-only", "flight-only"].contains(client) {
            #expect(try report.int("clients.0.needless") > 0)
        } else {
            // Within their window these do not renew at all.
            #expect(try report.int("clients.0.known_dead_sends") > 0)
        }
    }

    @Test func singleFlightIsAcquitted() async throws {
        let judged = try await Self.judgeMachine("single-flight")
        #expect(judged.result.exitCode == 0, "\(judged.result.output)")
        let report = try judged.report()
        #expect(try report.string("verdict") == "pass")
        #expect(try report.int("clients.0.expiries") >= 2)
        #expect(try report.int("clients.0.late_refusals") > 0)
        #expect(try report.int("clients.0.known_dead_sends") == 0)
        #expect(try report.int("clients.0.outdated_sends") == 0)
    }

    /// A server that lets nothing pass: a new token ends the old one, and a refresh token that is
    /// used twice is refused.
    @Test(arguments: [("single-flight", false), ("naive", true)])
    func strictServersNoticeDuplicates(client: String, isHurt: Bool) async throws {
        let flags = ["--ttl", "700ms", "--no-advertise", "--issue-revokes", "--rotate-refresh"]
        let judged = try await Self.judge(flags) { port, _ in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "http://127.0.0.1:\(port)/{z}/{x}/{y}.png"},
                 "auth": {"renewal": {"kind": "refresh_token", "refresh_token": "the-first",
                                      "client_id": "app", "url": "http://127.0.0.1:\(port)/token"},
                          "start": "renew", "client": "\(client)"},
                 "load": {"users": 20, "for": "4s", "grace": "1s"}, "on_invalid": "warn"}
                """)
            #expect([0, 3].contains(run.result.exitCode), "\(run.result.errorOutput)")
        }
        let report = try judged.report()
        #expect(try report.string("clients.0.cell") == "app")
        #expect(judged.result.exitCode == (isHurt ? 99 : 0), "\(judged.result.output)")
        let reuse = try report.int("clients.0.refresh_token_reuse")
        #expect(isHurt ? reuse > 0 : reuse == 0)
        if !isHurt { #expect(try report.int("clients.0.tokens_issued") >= 3) }
    }

    @Test func theKeyEEndsAllTokens() async throws {
        let folder = try TemporaryFolder()
        let outputs = try TemporaryFolder()
        let keys = ["first token=e", "revoked 1 token of 1 cell=\\x03"]
        let terminal = try ChildProcess(
            "/usr/bin/python3",
            [Self.script("at_a_terminal.py")] + keys
                + ["--", try TilebenchBinary.path(), "serve", "--listen", "127.0.0.1:0"]
                + ["--verdict", "--out", "out"],
            environment: ["PYTHONDONTWRITEBYTECODE": "1", "TERM": "dumb"],
            workingFolder: folder.path, outputFolder: outputs)
        defer { terminal.kill() }
        try await waitUntil(timeoutS: 60) { terminal.output().contains("Control-C") }
        #expect(terminal.output().contains("the key e, or curl"))
        let port = try Self.port(terminal.output())
        #expect(try await LoopbackHTTP.request(port: port, path: "/token").status == 200)
        #expect(try await terminal.waitForEnd(timeoutS: 60) == .exited(0))
        #expect(terminal.output().contains("It asked for nothing after its last token ended."))
        // The key itself is not shown.
        #expect(!terminal.output().contains("\ne"))
    }

    @Test func badFlagsAreSaid() async throws {
        let folder = try TemporaryFolder()
        for (flags, word) in [
            (["--out", "out"], "--verdict"), (["--verdict", "--late", "soon"], "--late"),
            (["--refuse-with", "never"], "--refuse-with"),
        ] {
            let result = try await TilebenchBinary.run(
                ["serve", "--listen", "127.0.0.1:0"] + flags, in: folder)
            #expect(result.exitCode == 2)
            #expect(result.errorOutput.contains(word), "\(result.errorOutput)")
        }
    }
}
