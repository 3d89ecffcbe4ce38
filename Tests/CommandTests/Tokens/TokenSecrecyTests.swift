import Foundation
import Testing

/// Tokens that are given, kept and refused; and that nobody reads them anywhere.
@Suite(.serialized)
struct TokenSecrecyTests {
    @Test func aGivenTokenIsUsedAndNeverShown() async throws {
        try await withTokenService { service in
            try await withNginx(NginxConfig(.protected(by: service))) { server in
                let token = try await service.token()
                let folder = try TemporaryFolder()
                try folder.write("token", token + "\n")
                var commandLine = ""
                let run = try await ScenarioRun.run(
                    """
                    {"target": {"tiles": "\(server.url)/secure/{z}/{x}/{y}.png"},
                     "auth": {"token": {"in": "query", "name": "token"},
                              "static": {"file": "token"}},
                     "workload": {"zooms": [3, 5]},
                     "load": {"rate": "100/s", "for": "3s"}, "on_invalid": "warn"}
                    """, in: folder
                ) { process in
                    try await waitUntil(timeoutS: 60) { try await service.counters().authOK > 5 }
                    let path = "/proc/\(process.pid)/cmdline"
                    let bytes = FileManager.default.contents(atPath: path) ?? Data()
                    commandLine = String(decoding: bytes, as: UTF8.self)
                }
                #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
                #expect(try run.report().int("ledger.ok") == 300)
                #expect(commandLine.contains("tilebench"))
                #expect(!commandLine.contains(token))
                #expect(try !run.everythingSaid().contains(token))
                let log = try await server.stopAndReadLog()
                #expect(log.entries.allSatisfy { $0.uri.contains("token=\(token)") })
            }
        }
    }

    @Test func failuresDoNotShowItEither() async throws {
        // A key in the URL itself, from the environment, and a server that fails and resets.
        try await withNginx(NginxConfig(.status(500, at: "/t/"), .reset(at: "/r/"))) { server in
            let key = "s3cret/key+value"
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": ["\(server.url)/t/{z}/{x}/{y}.png?key=${TILES_KEY}",
                                      "\(server.url)/r/{z}/{x}/{y}.png?key=${TILES_KEY}"],
                            "headers": {"X-Api-Key": "${TILES_KEY}"}},
                 "load": {"users": 2, "count": 40}, "on_invalid": "warn"}
                """, environment: ["TILES_KEY": key])
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let said = try run.everythingSaid()
            #expect(!said.contains(key))
            #expect(!said.contains("s3cret"))
            #expect(try server.folder.read("access.log").contains("s3cret"))
        }
    }

    @Test func aGivenTokenThatIsRefusedIsNoMeasurement() async throws {
        try await withTokenService { service in
            try await withNginx(NginxConfig(.protected(by: service))) { server in
                let run = try await ScenarioRun.run(
                    """
                    {"target": {"tiles": "\(server.url)/secure/{z}/{x}/{y}.png"},
                     "auth": {"token": {"in": "query", "name": "token"}, "static": "n0-g00d"},
                     "load": {"users": 5, "for": "300s"}, "on_invalid": "warn"}
                    """)
                #expect(run.result.exitCode == 3)
                #expect(run.result.seconds < 60)
                #expect(run.result.errorOutput.contains("token is refused"))
                let report = try run.report()
                try report.expectLedgerAddsUp()
                #expect(try report.int("ledger.ok") == 0)
                #expect(try !run.everythingSaid().contains("n0-g00d"))
                #expect(try await service.counters().tokenRequests == 0)
                // What was on the wire then was cut off: nobody read those answers.
                let log = try await server.stopAndReadLog()
                #expect(try report.int("requests.sent") == log.entries.count)
                let refusals = try report.int("requests.answered.401")
                #expect(refusals >= 10 && refusals <= log.entries.count)
            }
        }
    }

    @Test func theStoreIsPrivateAndUsedAtTheNextStart() async throws {
        try await withTokenService { service in
            try await withNginx(NginxConfig(.protected(by: service))) { server in
                let folder = try TemporaryFolder()
                let scenario = stored(server, service)
                let first = try await ScenarioRun.run(scenario, in: folder)
                #expect(first.result.exitCode == 0, "\(first.result.errorOutput)")
                #expect(try first.report().int("auth.renewals.attempted") == 1)
                #expect(try mode(folder.path("store.json")) == 0o600)

                let second = try await ScenarioRun.run(scenario, in: folder)
                #expect(second.result.exitCode == 0, "\(second.result.errorOutput)")
                let report = try second.report()
                #expect(try report.int("auth.renewals.attempted") == 0)
                #expect(try report.counts("status") == ["200": 40])
                #expect(try await service.counters().tokenRequests == 1)
                second.expectNothingHalfWritten()

                // Dead by now: refused once or a few times, renewed, stored again.
                try await service.revoke()
                let third = try await ScenarioRun.run(scenario, in: folder)
                #expect(try third.report().int("auth.renewals.attempted") == 1)
                #expect(try third.report().int("ledger.ok") == 40)
            }
        }
    }

    @Test(arguments: ["readable by others", "corrupt", "empty"])
    func aStoreThatCannotBeTrustedIsSaidAndNotUsed(trouble: String) async throws {
        try await withTokenService { service in
            try await withNginx(NginxConfig(.protected(by: service))) { server in
                let folder = try TemporaryFolder()
                let scenario = stored(server, service)
                _ = try await ScenarioRun.run(scenario, in: folder)
                let path = folder.path("store.json")
                switch trouble {
                case "corrupt": try folder.write("store.json", #"{"version": 1, "tok"#)
                case "empty": try folder.write("store.json", "")
                default: break
                }
                chmod(path, trouble == "readable by others" ? 0o644 : 0o600)
                let run = try await ScenarioRun.run(scenario, in: folder)
                #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
                #expect(run.result.errorOutput.contains("the stored token is not used"))
                #expect(run.result.errorOutput.contains("store.json"))
                #expect(try run.report().int("auth.renewals.attempted") == 1)
                #expect(try run.report().int("ledger.ok") == 40)
                // What is there now was written by this run.
                #expect(try mode(path) == 0o600)
            }
        }
    }

    @Test func aStoreThatCannotBeWrittenIsAWarningAndACount() async throws {
        try await withTokenService { service in
            try await withNginx(NginxConfig(.protected(by: service))) { server in
                let folder = try TemporaryFolder()
                try folder.write("file", "no folder")
                let scenario = stored(server, service, path: "file/store.json")
                let run = try await ScenarioRun.run(scenario, in: folder)
                #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
                #expect(try run.report().int("ledger.ok") == 40)
                #expect(try run.report().int("auth.store_failures") >= 1)
                #expect(run.result.output.contains("token store could not be written"))
            }
        }
    }

    private func stored(
        _ server: NginxServer, _ service: TokenService, path: String = "store.json"
    ) -> String {
        """
        {"target": {"tiles": "\(server.url)/secure/{z}/{x}/{y}.png"},
         "auth": {"token": {"in": "cookie", "name": "token"}, "store": "\(path)",
                  "renewal": {"url": "\(service.tokenURL)"}},
         "workload": {"zooms": [3, 5]}, "load": {"users": 2, "count": 40}, "on_invalid": "warn"}
        """
    }

    private func mode(_ path: String) throws -> Int {
        let facts = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(facts[.posixPermissions] as? Int)
    }
}
