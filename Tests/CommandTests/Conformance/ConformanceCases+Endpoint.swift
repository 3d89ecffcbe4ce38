import Testing

/// Token endpoints that fail, hang, or give what is no use.
extension ConformanceCase {
    /// One failure or two, and then a good token: it costs time and no tile.
    static let passingFailures: [ConformanceCase] = [
        ConformanceCase(
            name: "renewal_500_twice_then_ok", oracle: "--revoke-at 0.3 --renewals ok,500,500,ok"
        ) { outcome throws in
            #expect(outcome.truth.attempted == 4)
            #expect(try outcome.auth("renewals.failed") == 2)
            #expect(try outcome.auth("renewals.flights") == 2)
        },
        ConformanceCase(
            name: "renewal_hangs", oracle: "--revoke-at 0.3 --renewals ok,hang,ok",
            renewalTimeout: "3s"
        ) { outcome throws in
            #expect(outcome.truth.attempted == 3)
            #expect(try outcome.report.double("auth.parked.ms.max_ms") >= 3000)
        },
        ConformanceCase(
            name: "renewal_connection_closed", oracle: "--revoke-at 0.3 --renewals ok,close,ok"
        ) { outcome throws in
            #expect(outcome.truth.attempted == 3)
        },
        ConformanceCase(
            name: "renewal_malformed", oracle: "--revoke-at 0.3 --renewals ok,malformed,ok"
        ) { outcome throws in
            #expect(outcome.truth.attempted == 3)
        },
        ConformanceCase(
            name: "renewal_truncated_html",
            oracle: "--revoke-at 0.3 --renewals ok,truncated,html,ok"
        ) { outcome throws in
            #expect(outcome.truth.attempted == 4)
        },
        ConformanceCase(
            name: "renewal_empty_no_token",
            oracle: "--revoke-at 0.3 --renewals ok,empty,no-token,ok"
        ) { outcome throws in
            #expect(outcome.truth.attempted == 4)
        },
        ConformanceCase(
            name: "renewal_429_retry_after", oracle: "--revoke-at 0.3 --renewals ok,429,ok"
        ) { outcome throws in
            #expect(outcome.truth.attempted == 3)
            #expect(try outcome.report.double("auth.parked.ms.max_ms") >= 1000)
        },
        ConformanceCase(
            name: "renewal_slow", oracle: "--revoke-at 0.3 --renewals ok,slow,ok"
        ) { outcome throws in
            #expect(outcome.truth.attempted == 2)
            #expect(outcome.truth.stormMax <= users)
            #expect(outcome.truth.lateRefused == 0)
            #expect(try outcome.auth("refusals.late") == 0)
        },
        ConformanceCase(
            name: "renewal_returns_expired_token_once",
            oracle: "--revoke-at 0.3 --renewals ok,dead,ok"
        ) { outcome throws in
            #expect(outcome.truth.attempted == 3)
            #expect(try outcome.auth("attempts_max") <= 3)
            #expect(try outcome.auth("tokens_failed") == 1)
        },
        ConformanceCase(
            name: "renewal_returns_same_token", oracle: "--revoke-at 0.3 --renewals ok,same,ok"
        ) { outcome throws in
            #expect(outcome.truth.attempted == 3)
            #expect(try outcome.auth("renewals.failed") == 1)
            #expect(
                try outcome.report.array("errors").contains {
                    ($0["detail"] as? String)?.contains("refused token again") ?? false
                })
        },
        ConformanceCase(
            name: "server_lies_about_expiry", oracle: "--ttl 0.4 --advertise 3600 --tile-ms 5"
        ) { outcome throws in
            #expect(try outcome.auth("expiry_events") >= 2)
        },
        ConformanceCase(name: "expires_in_zero", oracle: "--advertise 0") { outcome throws in
            #expect(outcome.truth.attempted <= 8)
            #expect(outcome.truth.refused == 0)
        },
    ]

    /// Failures that stay: everybody is told, the endpoint is spared, the run ends.
    static let lastingFailures: [ConformanceCase] = [
        ConformanceCase(
            name: "renewal_always_500", oracle: "--revoke-at 0.3 --renewals ok,500", load: open,
            isLossless: false
        ) { outcome throws in
            #expect(outcome.truth.attempted >= 2 && outcome.truth.attempted <= 12)
            try expectFannedOut(outcome, reasons: ["cooling"])
        },
        ConformanceCase(
            name: "renewal_invalid_grant", oracle: "--revoke-at 0.3 --renewals ok,grant",
            load: open, isLossless: false
        ) { outcome throws in
            #expect(outcome.truth.attempted == 2)
            try expectFannedOut(outcome, reasons: ["dead"])
            // Nothing recovers any more: what fails is inside, and all was well before.
            #expect(try outcome.report.double("auth.windows.outside.success") == 1)
            #expect(
                try outcome.auth("windows.inside.asks") >= outcome.auth("asks_failed.dead"))
        },
        ConformanceCase(
            name: "renewal_hangs_for_ever", oracle: "--revoke-at 0.3 --renewals ok,hang",
            renewalTimeout: "600ms", load: open, isLossless: false
        ) { outcome throws in
            #expect(outcome.truth.attempted <= 8)
            try expectFannedOut(outcome, reasons: ["cooling", "park_timeout"])
        },
        ConformanceCase(
            name: "renewal_returns_expired_token_always",
            oracle: "--revoke-at 0.3 --renewals ok,dead", load: open, isLossless: false
        ) { outcome throws in
            #expect(outcome.truth.attempted <= 16)
            #expect(try outcome.auth("attempts_max") <= 3)
            try expectFannedOut(outcome, reasons: ["cooling", "auth_retries"])
        },
    ]

    /// Tiles were had before; after it asks failed for want of a token, and for nothing else.
    private static func expectFannedOut(_ outcome: Outcome, reasons: Set<String>) throws {
        #expect(try outcome.ledger("started") == 200)
        #expect(try outcome.ledger("ok") > 0)
        let failed = try outcome.ledger("failed")
        #expect(failed > 0)
        let unauthorized = try outcome.unauthorized()
        #expect(unauthorized.values.reduce(0, +) == failed)
        #expect(Set(unauthorized.keys).isSubset(of: reasons))
        #expect(try outcome.ledger("in_flight_at_end") == 0)
        #expect(outcome.run.result.seconds < 60)
    }
}
