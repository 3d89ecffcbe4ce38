import Foundation
import Testing

/// One way in which tokens end or renewals fail, and what a run must make of it.
struct ConformanceCase: CustomTestStringConvertible, Sendable {
    /// What the oracle and the report say about one run.
    struct Outcome {
        let run: ScenarioRun
        let report: ReportJSON
        let truth: RenewalOracle.Ledger

        func auth(_ name: String) throws -> Int { try report.int("auth." + name) }
        func ledger(_ name: String) throws -> Int { try report.int("ledger." + name) }

        /// Of asks that failed for want of a token: by reason, those that occurred.
        func unauthorized() throws -> [String: Int] {
            guard report.has("ledger.failed_by_detail.unauthorized") else { return [:] }
            return try report.counts("ledger.failed_by_detail.unauthorized")
                .filter { $0.value > 0 }
        }
    }

    static let users = 64
    static let closed = #""users": 64, "for": "1500ms", "threads": 2"#
    static let open = #""rate": "200/s", "for": "1s", "threads": 2"#

    let name: String
    /// Arguments of the oracle, with blanks between them.
    let oracle: String
    /// Members of `auth` and of the scenario itself, each with a comma before it.
    var auth = ""
    /// Behind the address of the token endpoint.
    var tokenQuery = ""
    var extra = ""
    var start = "renew"
    var renewalTimeout = "5s"
    var think = "10ms"
    var load = ConformanceCase.closed
    /// The run may not lose one ask, nor the server one token.
    var isLossless = true
    /// Renewals that the server did not call for: it knows nothing of a token spoilt by its client.
    var mayRenewUnasked = false
    /// A flawed client does what it does; its books must be right all the same.
    var isFlawed = false
    let expect: @Sendable (Outcome) throws -> Void

    var testDescription: String { name }

    func scenario(_ oracle: RenewalOracle) -> String {
        """
        {"target": {"tiles": "\(oracle.tiles)"},
         "auth": {"renewal": {"url": "\(oracle.tokenURL)\(tokenQuery)",
                              "timeout": "\(renewalTimeout)"}, "start": "\(start)"\(auth)},
         "workload": {"zooms": [3, 8], "think": "\(load.contains("rate") ? "0s" : think)"},
         "load": {\(load)}, "on_invalid": "warn"\(extra)}
        """
    }

    func check(_ outcome: Outcome) throws {
        let report = outcome.report
        let truth = outcome.truth
        try report.expectLedgerAddsUp()
        try expectEqualBooks(outcome)
        try expectConservation(outcome)
        if isFlawed { return try expect(outcome) }
        #expect(truth.concurrent == 0)
        #expect(truth.staleCertain == 0)
        #expect(truth.knownDeadCertain == 0)
        #expect(try outcome.auth("renewals.duplicates") == 0)
        #expect(try outcome.auth("outdated_sends") == 0)
        #expect(try outcome.auth("known_dead_sends") == 0)
        if !mayRenewUnasked { #expect(truth.needless == 0) }
        if report.has("auth.renewals.per_expiry_max") {
            #expect(try outcome.auth("renewals.per_expiry_max") <= 1)
        }
        if isLossless {
            let unauthorized = try outcome.unauthorized()
            #expect(try outcome.ledger("failed") == 0, "\(unauthorized)")
            #expect(try outcome.ledger("in_flight_at_end") == 0)
            #expect(truth.neverUsed == 0)
            #expect(try outcome.auth("tokens_lost") == 0)
            if report.has("auth.success_in_window") {
                #expect(try report.double("auth.success_in_window") == 1)
            }
        }
        try expect(outcome)
    }

    /// Every count that both sides have is the same.
    private func expectEqualBooks(_ outcome: Outcome) throws {
        let report = outcome.report
        let truth = outcome.truth
        #expect(try report.int("requests.sent") == truth.tiles)
        let answered = try report.counts("requests.answered").filter { $0.value > 0 }
        #expect(answered == truth.answered)
        #expect(try outcome.auth("refusals.total") == truth.refused)
        // Flights of a flawed client are still out when the run ends, up to 64 at once: some of
        // their requests never reach the server.
        let attempted = try outcome.auth("renewals.attempted")
        let outMax = isFlawed ? 64 : 0
        #expect(truth.attempted <= attempted && attempted <= truth.attempted + outMax)
        let succeeded = try outcome.auth("renewals.succeeded")
        #expect(isFlawed ? succeeded <= truth.issued : succeeded == truth.issued)
    }

    /// What must be equal within the report alone.
    private func expectConservation(_ outcome: Outcome) throws {
        func sum(_ names: String...) throws -> Int {
            try names.map { try outcome.auth($0) }.reduce(0, +)
        }
        #expect(
            try sum("refusals.total")
                == sum(
                    "refusals.triggering", "refusals.coalesced", "refusals.late", "refusals.locked",
                    "refusals.exhausted"))
        #expect(
            try sum("renewals.attempted") == sum("renewals.succeeded", "renewals.failed"))
        #expect(try sum("renewals.flights_ok") == sum("renewals.succeeded"))
        // A flawed client's flights may still wait for a place when the run ends.
        if !isFlawed { #expect(try sum("renewals.flights") <= sum("renewals.attempted")) }
        #expect(try sum("parked.count") == sum("parked.ms.count"))
        #expect(
            try sum("parked.count") >= sum("refusals.triggering", "refusals.coalesced"))
        let events = try outcome.report.array("auth.events")
        #expect(try sum("expiry_events") == events.count)
        if isLossless {
            // Nothing failed before it was sent, so every ask has its first request.
            let requests = try ["replays", "retried_on_closed"].map {
                try outcome.report.int("requests.\($0)")
            }
            #expect(
                try outcome.report.int("requests.sent")
                    == outcome.ledger("started") + requests.reduce(0, +))
            #expect(try outcome.report.int("requests.replays") == outcome.truth.refused)
        }
    }
}
