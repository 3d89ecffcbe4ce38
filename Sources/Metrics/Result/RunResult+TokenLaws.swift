extension RunResult {
    /// What the books of the token renewal break of the laws that hold for every run that is over,
    /// each as an equation in the report's names. Empty without tokens and while a run goes on.
    ///
    /// What waits is counted by the cells and by the reactors, what renews by the cells and by the
    /// thread that renews: a law with both sides of it tells a lost event.
    package var brokenTokenLaws: [String] {
        guard let auth, auth.isClosed else { return [] }
        let renewals = auth.renewals
        let refusals = auth.refusals
        let laws = [
            (
                "refusals: total = triggering + coalesced + late + locked + exhausted",
                refusals.total
                    == refusals.triggering + refusals.coalesced + refusals.late + refusals.locked
                    + refusals.exhausted && refusals.total == auth.refusedService.count
            ),
            (
                "parked: entered = left",
                auth.parkedCount == auth.parkedLeft && auth.parkedLeft == auth.parkedTime.count
            ),
            (
                "renewals: flights = flights_ok + flights_failed + flights_abandoned",
                renewals.flights
                    == renewals.flightsOK + renewals.flightsFailed + renewals.flightsAbandoned
            ),
            (
                "renewals: generation at the end = at the start + flights_ok",
                auth.generationsAtEnd == auth.generationsAtStart + renewals.flightsOK
            ),
            (
                "renewals: attempted = succeeded + failed, succeeded = flights_ok",
                renewals.attempted == renewals.succeeded + renewals.failed
                    && renewals.succeeded == renewals.flightsOK
            ),
            (
                "windows: inside.asks + outside.asks = ledger.started - ledger.cancelled",
                auth.insideWindows.asks + auth.outsideWindows.asks + ledger.cancelled
                    == ledger.started
            ),
        ]
        return laws.filter { !$0.1 }.map(\.0)
    }
}
