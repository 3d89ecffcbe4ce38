import Foundation
import Testing

/// A finished `tilebench run` of a scenario, with what it left in its folder.
struct ScenarioRun {
    let result: CommandResult
    /// Where the scenario lies and the command ran; the files of the run are in `out`.
    let folder: TemporaryFolder

    /// Runs a scenario written as JSON text, without progress on stderr.
    static func run(
        _ scenario: String, _ flags: [String] = [], environment: [String: String] = [:],
        in given: TemporaryFolder? = nil, timeoutS: Double = 120,
        isolation: isolated (any Actor)? = #isolation,
        whileRunning: (ChildProcess) async throws -> Void = { _ in }
    ) async throws -> ScenarioRun {
        let folder = try given ?? TemporaryFolder()
        try folder.write("scenario.json", scenario)
        let result = try await TilebenchBinary.run(
            ["run", "scenario.json", "--out", "out", "--progress", "none"] + flags,
            environment: environment, in: folder, timeoutS: timeoutS, whileRunning: whileRunning)
        return ScenarioRun(result: result, folder: folder)
    }

    func report() throws -> ReportJSON { try ReportJSON(path: folder.path("out/report.json")) }

    /// All that a person or a script could read after the run.
    func everythingSaid() throws -> String {
        let files = try folder.names(in: "out").map { try folder.read("out/\($0)") }
        return ([result.output, result.errorOutput] + files).joined(separator: "\n")
    }

    /// No file is left that carries a temporary name.
    func expectNothingHalfWritten(sourceLocation: SourceLocation = #_sourceLocation) {
        let left = (folder.names() + folder.names(in: "out")).filter { $0.contains(".tmp") }
        #expect(left.isEmpty, sourceLocation: sourceLocation)
    }
}

extension ReportJSON {
    /// The laws that hold in every report, whatever happened.
    func expectLedgerAddsUp(sourceLocation: SourceLocation = #_sourceLocation) throws {
        func ledger(_ name: String) throws -> Int { try int("ledger.\(name)") }
        let started = try ledger("started")
        #expect(
            try ledger("planned") == ledger("not_started") + started,
            sourceLocation: sourceLocation)
        let ended = try ["ok", "failed", "cancelled", "in_flight_at_end"].map(ledger)
        #expect(started == ended.reduce(0, +), sourceLocation: sourceLocation)
        let causes = try counts("ledger.failed_by").values.reduce(0, +)
        #expect(try ledger("failed") == causes, sourceLocation: sourceLocation)
        #expect(
            try int("latency.response.all.count")
                == ledger("ok") + ledger("failed") + ledger("in_flight_at_end"),
            sourceLocation: sourceLocation)
        // Without token renewals every request of a run begins with an ask.
        #expect(
            try int("requests.sent") >= counts("requests.answered").values.reduce(0, +),
            sourceLocation: sourceLocation)
    }

    /// What nginx logged is what the report says, status by status; nginx logs a connection that it
    /// reset as 444, which no client can see.
    func expectRequests(
        equal log: AccessLog, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var statuses = log.statuses()
        statuses["444"] = nil
        let answered = try counts("requests.answered").filter { $0.value > 0 }
        #expect(answered == statuses, sourceLocation: sourceLocation)
        #expect(try int("requests.sent") == log.entries.count, sourceLocation: sourceLocation)
    }

    /// Causes that occurred.
    func failedBy() throws -> [String: Int] {
        try counts("ledger.failed_by").filter { $0.value > 0 }
    }
}
