import Testing

/// One way in which the embedded origin lets tokens end or renewals fail. Its own ledger, which the
/// run leaves beside its report, must agree with the report to the last request.
struct EmbeddedOriginCase: CustomTestStringConvertible, Sendable {
    struct Outcome {
        let run: ScenarioRun
        let report: ReportJSON
        let truth: ReportJSON

        func auth(_ name: String) throws -> Int { try report.int("auth." + name) }
    }

    static let users = 64

    let name: String
    /// Members of `target.origin.token`, of `auth` (each with a comma before it), of `inject`.
    var token = ""
    var auth = ""
    var inject = ""
    var load = #""users": 64, "for": "1500ms", "threads": 2"#
    var think = "10ms"
    var renewalTimeout = "1s"
    var renewBefore = "0s"
    /// The run may not lose one ask, nor the server one token.
    var isLossless = true
    /// A token may go on being used after its refusal was read: while an ask under doubt is held,
    /// or when the one that was refused had no try left and so starts nothing.
    var mayGoOn = false
    /// Renewals that the server did not call for: it knows nothing of a token spoilt by its client.
    var mayRenewUnasked = false
    let expect: @Sendable (Outcome) throws -> Void

    var testDescription: String { name }

    var scenario: String {
        """
        {"target": {"origin": {"token": {\(token)}, "latency": {"median": "5ms", "p99": "9ms"}}},
         "auth": {"renewal": {"timeout": "\(renewalTimeout)"}, "start": "renew",
                  "renew_before": "\(renewBefore)"\(auth)},
         "workload": {"zooms": [3, 8], "think": "\(load.contains("rate") ? "0s" : think)"},
         "load": {\(load)}, "inject": [\(inject)], "on_invalid": "warn"}
        """
    }

    func check(_ outcome: Outcome) throws {
        let report = outcome.report
        let truth = outcome.truth
        try report.expectLedgerAddsUp()
        try expectEqualBooks(outcome)
        #expect(try truth.int("token_requests.concurrent") == 0)
        #expect(try truth.int("outdated_sends") == 0)
        if !mayGoOn { #expect(try truth.int("known_dead_sends") == 0) }
        #expect(try outcome.auth("renewals.duplicates") == 0)
        #expect(try outcome.auth("outdated_sends") == 0)
        #expect(try outcome.auth("known_dead_sends") == 0)
        if !mayRenewUnasked { #expect(try truth.int("token_requests.needless") == 0) }
        if report.has("auth.renewals.per_expiry_max") {
            #expect(try outcome.auth("renewals.per_expiry_max") <= 1)
        }
        if truth.has("renewals_per_expiry.max") {
            #expect(try truth.int("renewals_per_expiry.max") == 1)
        }
        if isLossless {
            #expect(
                try outcome.auth("renewals.succeeded") == truth.int("token_requests.issued"))
            #expect(try report.int("ledger.failed") == 0)
            #expect(try report.int("ledger.in_flight_at_end") == 0)
            #expect(try truth.int("tokens.never_used") == 0)
            #expect(try truth.int("tiles.asks_left_rejected") == 0)
        }
        try expect(outcome)
    }

    /// Every count that both sides have is the same.
    private func expectEqualBooks(_ outcome: Outcome) throws {
        let report = outcome.report
        let truth = outcome.truth
        let tiles = try ["ok", "refused", "not_modified", "not_found", "faults"].map {
            try truth.int("tiles.\($0)")
        }
        #expect(try report.int("requests.sent") == tiles.reduce(0, +))
        #expect(try outcome.auth("refusals.total") == truth.int("tiles.refused"))
        #expect(try outcome.auth("renewals.attempted") == truth.int("token_requests.attempted"))
        // What the server issued in vain (dead or the same again) is no success to its client.
        #expect(try outcome.auth("renewals.succeeded") <= truth.int("token_requests.issued"))
    }
}
