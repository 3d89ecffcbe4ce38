import Foundation
import Glibc
import Testing

/// A run that is told to end: in order, within bounds, with its report.
@Suite(.serialized)
struct SignalTests {
    @Test(arguments: [(SIGINT, Int32(130), "SIGINT"), (SIGTERM, 143, "SIGTERM")])
    func theFirstSignalEndsInOrder(signal: Int32, exit: Int32, name: String) async throws {
        try await withNginx(NginxConfig(.tiles)) { server in
            var sent: ContinuousClock.Instant?
            let run = try await ScenarioRun.run(
                scenario(server, load: #""rate": "200/s", "for": "300s""#)
            ) { process in
                try await measured(server, 100)
                sent = .now
                process.send(signal)
            }
            #expect(run.result.exitCode == exit)
            #expect(try ContinuousClock.now - #require(sent) < .seconds(30))
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.bool("run.interrupted"))
            #expect(try report.string("run.signal") == name)
            #expect(try report.double("run.measured_s") < 100)
            #expect(try report.int("ledger.ok") >= 100)
            #expect(try report.int("ledger.in_flight_at_end") == 0)
            #expect(run.result.output.contains("Interrupted"))
            try report.expectRequests(equal: try await server.stopAndReadLog())
        }
    }

    @Test func withinSecondsWhateverHangs() async throws {
        try await withNginx(NginxConfig(.tiles)) { server in
            var sent: ContinuousClock.Instant?
            let run = try await ScenarioRun.run(
                scenario(
                    server, load: #""users": 5, "for": "300s", "grace": "300s""#, think: "20ms")
            ) { process in
                try await measured(server, 50)
                server.freeze()
                try await Task.sleep(for: .milliseconds(200))
                sent = .now
                process.send(SIGINT)
            }
            #expect(try ContinuousClock.now - #require(sent) < .seconds(30))
            server.thaw()
            #expect(run.result.exitCode == 130)
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.int("ledger.in_flight_at_end") == 5)
        }
    }

    @Test func aSecondSignalEndsAtOnceWithTheReport() async throws {
        try await withNginx(NginxConfig(.tiles)) { server in
            var sent: ContinuousClock.Instant?
            let run = try await ScenarioRun.run(
                scenario(
                    server, load: #""users": 5, "for": "300s", "grace": "300s""#, think: "20ms")
            ) { process in
                try await measured(server, 50)
                server.freeze()
                process.send(SIGINT)
                try await Task.sleep(for: .milliseconds(300))
                sent = .now
                process.send(SIGINT)
            }
            #expect(try ContinuousClock.now - #require(sent) < .seconds(30))
            server.thaw()
            #expect(run.result.exitCode == 130)
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.bool("run.interrupted"))
            // After one signal alone asks on the wire are waited for four seconds.
            #expect(try report.double("run.drain_s") < 3.9)
            run.expectNothingHalfWritten()
        }
    }

    @Test func duringTheWarmUp() async throws {
        try await withNginx(NginxConfig(.tiles)) { server in
            let run = try await ScenarioRun.run(
                scenario(server, load: #""rate": "100/s", "for": "10s", "warmup": "300s""#)
            ) { process in
                try await measured(server, 20)
                process.send(SIGTERM)
            }
            #expect(run.result.exitCode == 143)
            let report = try run.report()
            try report.expectLedgerAddsUp()
            #expect(try report.int("ledger.started") == 0)
            #expect(try report.bool("run.interrupted"))
            try report.expectRequests(equal: try await server.stopAndReadLog())
        }
    }

    private func scenario(_ server: NginxServer, load: String, think: String = "0s") -> String {
        """
        {"target": {"tiles": "\(server.url)/tiles/{z}/{x}/{y}.png"},
         "workload": {"zooms": [2, 5], "think": "\(think)"}, "load": {\(load)},
         "gates": ["ledger.ok > 1000000"]}
        """
    }

    /// Returns when nginx has answered so many.
    private func measured(_ server: NginxServer, _ count: Int) async throws {
        let isDone = try await waitUntil(timeoutS: 60) {
            let log = (try? server.folder.read("access.log")) ?? ""
            return log.utf8.count { $0 == 10 } >= count
        }
        #expect(isDone)
    }
}
