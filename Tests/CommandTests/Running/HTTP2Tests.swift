import Foundation
import Testing

/// TLS, and what is negotiated over it.
@Suite(.serialized)
struct HTTP2Tests {
    private static var config: NginxConfig {
        var config = NginxConfig(.tiles)
        config.tls = true
        config.http2 = true
        return config
    }

    @Test func http2OverVerifiedTLS() async throws {
        try await withNginx(Self.config) { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(server.url)/tiles/{z}/{x}/{y}.png"},
                 "connection": {"ca_file": "\(server.certificatePath)"},
                 "workload": {"zooms": [2, 5]},
                 "load": {"users": 6, "count": 300}, "on_invalid": "warn"}
                """)
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.int("ledger.ok") == 300)
            let protocols = try report.counts("connections.by_protocol").filter { $0.value > 0 }
            #expect(Array(protocols.keys) == ["h2"])
            #expect(try report.int("phases.tls.count") > 0)
            #expect(!run.result.output.contains("not verified"))
            let log = try await server.stopAndReadLog()
            #expect(Set(log.entries.map(\.version)) == ["HTTP/2.0"])
            try report.expectRequests(equal: log)
        }
    }

    @Test func http1WhenAskedFor() async throws {
        try await withNginx(Self.config) { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(server.url)/tiles/{z}/{x}/{y}.png"},
                 "connection": {"ca_file": "\(server.certificatePath)", "http": "1.1"},
                 "workload": {"zooms": [2, 5]},
                 "load": {"rate": "200/s", "for": "1s"}, "on_invalid": "warn"}
                """)
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let report = try run.report()
            try report.expectLedgerAddsUp()
            let protocols = try report.counts("connections.by_protocol").filter { $0.value > 0 }
            #expect(Array(protocols.keys) == ["http/1.1"])
            let log = try await server.stopAndReadLog()
            #expect(Set(log.entries.map(\.version)) == ["HTTP/1.1"])
            try report.expectRequests(equal: log)
        }
    }

    @Test func anOpenLoadOverHTTP2() async throws {
        try await withNginx(Self.config) { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(server.url)/tiles/{z}/{x}/{y}.png"},
                 "connection": {"ca_file": "\(server.certificatePath)", "http": "2"},
                 "workload": {"zooms": [2, 5]},
                 "load": {"rate": "300/s", "for": "1s"}, "on_invalid": "warn"}
                """)
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.int("ledger.ok") == 300)
            try report.expectRequests(equal: try await server.stopAndReadLog())
        }
    }

    @Test func uncheckedCertificatesAreSaid() async throws {
        try await withNginx(Self.config) { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(server.url)/tiles/{z}/{x}/{y}.png"},
                 "connection": {"verify": false},
                 "workload": {"zooms": [2, 5]},
                 "load": {"users": 2, "count": 20}, "on_invalid": "warn"}
                """)
            #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
            let first = run.result.output.split(separator: "\n").prefix(4).joined(separator: " ")
            #expect(first.contains("certificates were not verified"))
            #expect(run.result.errorOutput.contains("certificates are not checked"))
            #expect(try run.report().bool("scenario.plan.connection.verify") == false)
        }
    }

    @Test func aCertificateThatNobodySignedIsRefused() async throws {
        try await withNginx(Self.config) { server in
            let run = try await ScenarioRun.run(
                """
                {"target": {"tiles": "\(server.url)/tiles/{z}/{x}/{y}.png"},
                 "load": {"users": 2, "count": 20}}
                """)
            #expect(run.result.exitCode == 3)
            #expect(run.result.errorOutput.contains("127.0.0.1:\(server.port)"))
            let said = run.result.errorOutput.lowercased()
            #expect(said.contains("certificate") || said.contains("tls"))
            run.expectNothingHalfWritten()
            #expect(try await server.stopAndReadLog().entries.isEmpty)
        }
    }
}
