import Testing

/// The renewal machine through the real binary, against a server whose ledger knows nothing of it.
@Suite(.serialized)
struct ConformanceTests {
    @Test(arguments: ConformanceCase.expiries + ConformanceCase.refusals)
    func endsOfTokens(_ given: ConformanceCase) async throws {
        try await conforms(given)
    }

    @Test(arguments: ConformanceCase.passingFailures + ConformanceCase.lastingFailures)
    func failuresOfTheTokenEndpoint(_ given: ConformanceCase) async throws {
        try await conforms(given)
    }

    @Test(arguments: ConformanceCase.lives + ConformanceCase.cells + [.firstTokens])
    func livesAndCells(_ given: ConformanceCase) async throws {
        try await conforms(given)
    }

    @Test(arguments: ConformanceCase.canaries + ConformanceCase.clients)
    func canariesAndFlawedClients(_ given: ConformanceCase) async throws {
        try await conforms(given)
    }

    private func conforms(_ given: ConformanceCase) async throws {
        let arguments = given.oracle.split(separator: " ").map(String.init)
        try await withRenewalOracle(arguments) { oracle in
            let run = try await ScenarioRun.run(given.scenario(oracle))
            #expect(run.result.exitCode == 0, "\(run.result.end): \(run.result.errorOutput)")
            try given.check(
                ConformanceCase.Outcome(
                    run: run, report: run.report(), truth: try await oracle.ledger()))
        }
    }
}
