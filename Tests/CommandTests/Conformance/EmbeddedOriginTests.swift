import Foundation
import Testing

/// The conformance cases of the renewal machine against the embedded origin, whose ledger is kept
/// apart from the engine's.
@Suite(.serialized)
struct EmbeddedOriginTests {
    @Test(arguments: EmbeddedOriginCase.expiries + EmbeddedOriginCase.shapes)
    func endsOfTokens(_ given: EmbeddedOriginCase) async throws { try await conforms(given) }

    /// The same faults meet the independent oracle in every run of the tests.
    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["TILEBENCH_EXHAUSTIVE"] != nil),
        arguments: EmbeddedOriginCase.endpointFaults + EmbeddedOriginCase.proactive)
    func theTokenEndpoint(_ given: EmbeddedOriginCase) async throws { try await conforms(given) }

    private func conforms(_ given: EmbeddedOriginCase) async throws {
        let run = try await ScenarioRun.run(given.scenario)
        #expect(run.result.exitCode == 0, "\(run.result.end): \(run.result.errorOutput)")
        let truth = try ReportJSON(path: run.folder.path("out/origin.json"))
        try given.check(
            EmbeddedOriginCase.Outcome(run: run, report: run.report(), truth: truth))
    }
}
