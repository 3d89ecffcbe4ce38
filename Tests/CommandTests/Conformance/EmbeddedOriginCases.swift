import Testing

extension EmbeddedOriginCase {
    private static let revoked = #"{"at": "300ms", "expire": "origin"}"#

    /// A revocation at 300 ms, and a fault of the token endpoint from just before it for a while.
    /// The three tries of a flight may all fall into it: then its asks fail.
    private static func fault(
        _ word: String, for time: String, auth: String = "", load: String? = nil,
        isLossless: Bool = true, mayGoOn: Bool = false,
        expect: @escaping @Sendable (Outcome) throws -> Void
    ) -> EmbeddedOriginCase {
        var given = EmbeddedOriginCase(
            name: "renewal_\(word)_for_\(time)", auth: auth,
            inject: #"{"at": "200ms", "for": "\#(time)", "renewal": "\#(word)"}, \#(revoked)"#,
            isLossless: isLossless, mayGoOn: mayGoOn, expect: expect)
        if let load { given.load = load }
        return given
    }

    static let expiries: [EmbeddedOriginCase] = [
        EmbeddedOriginCase(name: "cold_start") { outcome throws in
            #expect(try outcome.auth("renewals.attempted") == 1)
            #expect(try outcome.auth("refusals.total") == 0)
        },
        EmbeddedOriginCase(name: "revoke_storm", inject: revoked) { outcome throws in
            #expect(try outcome.auth("renewals.attempted") == 2)
            #expect(try outcome.truth.int("storms.max") <= users)
            #expect(try outcome.auth("events.0.storm") == outcome.truth.int("storms.max"))
            #expect(try outcome.auth("attempts_max") == 2)
        },
        EmbeddedOriginCase(
            name: "ttl_reactive", token: #""ttl": "700ms", "advertise": false"#,
            load: #""users": 64, "for": "3s", "threads": 2"#
        ) { outcome throws in
            #expect(try outcome.auth("expiry_events") >= 2)
            #expect(try outcome.auth("expiry_events") == outcome.truth.int("expiry_events"))
        },
        EmbeddedOriginCase(
            name: "server_lies_about_expiry", token: #""ttl": "600ms", "advertise": "1h""#,
            load: #""users": 64, "for": "3s", "threads": 2"#, renewBefore: "10s"
        ) { outcome throws in
            #expect(try outcome.auth("expiry_events") >= 2)
            #expect(try outcome.auth("expiry_events") == outcome.truth.int("expiry_events"))
        },
        EmbeddedOriginCase(
            name: "late_refusals",
            inject: #"{"at": "0s", "for": "2s", "tiles": "late-refusals"}, \#(revoked)"#,
            load: #""users": 64, "for": "2s", "threads": 2"#
        ) { outcome throws in
            #expect(try outcome.auth("renewals.attempted") == 2)
            #expect(try outcome.auth("refusals.late") >= 1)
        },
        EmbeddedOriginCase(
            name: "second_expiry_inside_the_first_storm",
            inject: """
                {"at": "0s", "for": "2s", "tiles": "late-refusals"}, \(revoked),
                {"at": "600ms", "expire": "origin"}
                """, load: #""users": 64, "for": "2s", "threads": 2"#, mayGoOn: true
        ) { outcome throws in
            #expect(try outcome.auth("renewals.attempted") == 3)
            #expect(try outcome.auth("expiry_events") == 2)
            #expect(try outcome.auth("attempts_max") <= 3)
        },
        EmbeddedOriginCase(
            name: "poisoned_client_token", inject: #"{"at": "200ms", "expire": "poison"}"#,
            mayRenewUnasked: true
        ) { outcome throws in
            #expect(try outcome.auth("renewals.attempted") == 2)
            #expect(try outcome.auth("injections") == 1)
        },
        EmbeddedOriginCase(
            name: "expiry_storm", inject: #"{"at": "200ms", "every": "300ms", "expire": "origin"}"#,
            load: #""users": 64, "for": "2500ms", "threads": 2"#
        ) { outcome throws in
            #expect(try outcome.auth("expiry_events") >= 4)
            #expect(try outcome.auth("expiry_events") == outcome.truth.int("expiry_events"))
        },
        EmbeddedOriginCase(
            name: "independent_clients", auth: #", "sharing": "user""#, inject: revoked,
            load: #""users": 8, "for": "1500ms", "threads": 2"#
        ) { outcome throws in
            #expect(try outcome.auth("renewals.attempted") == 16)
            #expect(try outcome.auth("expiry_events") == 8)
            #expect(try outcome.auth("cells") == 8)
        },
    ]

    static let shapes: [EmbeddedOriginCase] = [
        ("401", ""), ("\"bare\"", ""), ("403", #", "rejected_when": {"status": [403]}"#),
        ("498", ""), ("\"json\"", ""), ("\"html\"", ""),
        ("\"redirect\"", #", "rejected_when": {"redirect": true}"#),
    ].map { shape, auth in
        EmbeddedOriginCase(
            name: "expired_as_\(shape)", token: #""refuse_with": \#(shape)"#, auth: auth,
            inject: revoked
        ) { outcome throws in
            #expect(try outcome.auth("renewals.attempted") == 2)
            #expect(try outcome.auth("expiry_events") == 1)
            #expect(try outcome.auth("refusals.total") >= 1)
        }
    }

    static let endpointFaults: [EmbeddedOriginCase] = [
        fault("500", for: "600ms", isLossless: false) { outcome throws in
            #expect(try outcome.auth("renewals.failed") >= 1)
        },
        fault("malformed", for: "600ms", isLossless: false) { outcome throws in
            #expect(try outcome.auth("renewals.failed") >= 1)
        },
        fault("empty", for: "600ms", isLossless: false) { outcome throws in
            #expect(try outcome.auth("renewals.failed") >= 1)
        },
        fault("close", for: "600ms", isLossless: false) { outcome throws in
            #expect(try outcome.auth("renewals.failed") >= 1)
        },
        fault("same", for: "600ms", isLossless: false) { outcome throws in
            #expect(try outcome.auth("renewals.same") >= 1)
        },
        fault("429", for: "600ms") { outcome throws in
            #expect(try outcome.auth("renewals.failed") == 1)
            #expect(try outcome.report.double("auth.parked.ms.max_ms") >= 1000)
        },
        fault("slow", for: "600ms") { outcome throws in
            #expect(try outcome.auth("renewals.attempted") == 2)
            #expect(try outcome.auth("refusals.late") == 0)
        },
        fault("hang", for: "600ms") { outcome throws in
            #expect(try outcome.auth("renewals.attempted") == 3)
        },
        fault("expired", for: "600ms", isLossless: false, mayGoOn: true) { outcome throws in
            #expect(try outcome.auth("tokens_failed") >= 1)
            #expect(try outcome.auth("attempts_max") <= 3)
        },
        fault(
            "500", for: "10s", load: #""rate": "200/s", "for": "1s", "threads": 2"#,
            isLossless: false
        ) { outcome throws in
            #expect(try outcome.auth("renewals.attempted") <= 12)
            #expect(try outcome.report.int("ledger.failed") > 0)
            #expect(try outcome.report.int("ledger.in_flight_at_end") == 0)
        },
        fault(
            "401", for: "10s", load: #""rate": "200/s", "for": "1s", "threads": 2"#,
            isLossless: false
        ) { outcome throws in
            #expect(try outcome.auth("renewals.attempted") == 2)
            #expect(try outcome.report.counts("auth.asks_failed")["dead"] ?? 0 > 0)
        },
        fault(
            "hang", for: "10s", load: #""rate": "200/s", "for": "1s", "threads": 2"#,
            isLossless: false
        ) { outcome throws in
            #expect(try outcome.report.int("ledger.failed") > 0)
            #expect(outcome.run.result.seconds < 60)
        },
        fault(
            "expired", for: "10s", load: #""rate": "200/s", "for": "1s", "threads": 2"#,
            isLossless: false, mayGoOn: true
        ) { outcome throws in
            #expect(try outcome.auth("renewals.attempted") <= 16)
            #expect(try outcome.auth("attempts_max") <= 3)
        },
    ]

    /// Tokens whose end is told and that are renewed before it.
    static let proactive: [EmbeddedOriginCase] = [
        proactiveCase(
            "proactive_renewal_no_401", token: #""ttl": "2400ms", "advertise": "2s""#, time: "5s"
        ) {
            outcome throws in
            #expect(try outcome.auth("refusals.total") == 0)
            #expect(try outcome.auth("renewals.proactive") >= 2)
        },
        proactiveCase(
            // Renewed 500 to 750 ms before its told end, which takes 800 ms.
            "proactive_renewal_too_slow", token: #""ttl": "4s", "advertise": "2s""#, time: "2200ms",
            inject: #"{"at": "0s", "for": "10s", "renewal": "slow"}"#, mayRenewUnasked: true
        ) { outcome throws in
            #expect(try outcome.auth("refusals.total") == 0)
            #expect(try outcome.auth("renewals.attempted") <= 4)
            #expect(try outcome.auth("parked.count") >= 10)
            #expect(try outcome.auth("renewals.converted") >= 1)
        },
        proactiveCase("expires_in_zero", token: #""ttl": "1h", "advertise": "0s""#, time: "1s") {
            outcome throws in
            #expect(try outcome.auth("renewals.attempted") <= 8)
            #expect(try outcome.auth("refusals.total") == 0)
        },
    ]

    private static func proactiveCase(
        _ name: String, token: String, time: String, inject: String = "",
        mayRenewUnasked: Bool = false,
        expect: @escaping @Sendable (Outcome) throws -> Void
    ) -> EmbeddedOriginCase {
        EmbeddedOriginCase(
            name: name, token: token, inject: inject,
            load: #""users": 32, "for": "\#(time)", "threads": 2"#, renewBefore: "10s",
            mayRenewUnasked: mayRenewUnasked, expect: expect)
    }
}
