import Testing

/// Tokens that end: how, when, and how the tile server says so.
extension ConformanceCase {
    static let expiries: [ConformanceCase] = [
        ConformanceCase(name: "cold_start", oracle: "") { outcome throws in
            #expect(outcome.truth.attempted == 1)
            #expect(outcome.truth.refused == 0)
            #expect(try outcome.auth("expiry_events") == 0)
        },
        ConformanceCase(name: "cold_start_dummy", oracle: "--tile-ms 5", start: "dummy") {
            outcome throws in
            #expect(outcome.truth.attempted == 1)
            #expect(outcome.truth.refused <= users)
            #expect(try outcome.auth("expiry_events") == 0)
        },
        ConformanceCase(name: "revoke_storm", oracle: "--revoke-at 0.3 --tile-ms 5") {
            outcome throws in
            #expect(outcome.truth.attempted == 2)
            #expect(outcome.truth.stormMax >= 1 && outcome.truth.stormMax <= users)
            #expect(try outcome.auth("attempts_max") == 2)
            #expect(try outcome.auth("events.0.storm") == outcome.truth.stormMax)
        },
        ConformanceCase(name: "ttl_reactive", oracle: "--ttl 0.4 --tile-ms 5") { outcome throws in
            #expect(try outcome.auth("expiry_events") >= 2)
            #expect(try outcome.auth("expiry_events") == outcome.truth.expired)
        },
        ConformanceCase(name: "late_401", oracle: "--revoke-at 0.3 --tile-ms 5 --late 5-400") {
            outcome throws in
            #expect(outcome.truth.attempted == 2)
            #expect(outcome.truth.lateRefused >= 1)
            #expect(try outcome.auth("refusals.late") >= 1)
        },
        ConformanceCase(
            name: "late_401_beyond_a_window", oracle: "--revoke-at 0.3 --tile-ms 5 --late 5-900"
        ) { outcome throws in
            #expect(outcome.truth.attempted == 2)
            #expect(outcome.truth.lateRefused >= 1)
        },
        ConformanceCase(
            name: "second_expiry_inside_the_first_storm",
            oracle: "--revoke-at 0.3,0.6 --tile-ms 5 --late 5-400",
            load: #""users": 64, "for": "2s", "threads": 2"#
        ) { outcome throws in
            #expect(outcome.truth.attempted == 3)
            #expect(try outcome.auth("expiry_events") == 2)
            #expect(try outcome.auth("attempts_max") <= 3)
        },
        ConformanceCase(
            name: "poisoned_client_token", oracle: "--tile-ms 5",
            extra: #", "inject": [{"at": "300ms", "expire": "poison"}]"#, mayRenewUnasked: true
        ) { outcome throws in
            #expect(outcome.truth.attempted == 2)
            #expect(try outcome.auth("injections") == 1)
            #expect(
                try outcome.report.array("auth.events").map { $0["cause"] as? String } == [
                    "poisoned"
                ])
        },
        ConformanceCase(
            name: "expiry_storm", oracle: "--revoke-at 0.4,0.8,1.2,1.6 --tile-ms 5",
            load: #""users": 64, "for": "3s", "threads": 2"#
        ) { outcome throws in
            #expect(try outcome.auth("expiry_events") == 4)
            #expect(outcome.truth.attempted == 5)
        },
        ConformanceCase(
            name: "issue_revokes_older",
            oracle: "--revoke-at 0.3 --tile-ms 5 --issue-revokes --late 5-300"
        ) { outcome throws in
            #expect(outcome.truth.attempted == 2)
            #expect(try outcome.auth("expiry_events") == 1)
        },
        // Two steps of 8 in 10 ms, more of them when some were late, and new asks beside them.
        releaseCase("paced_release", #"{"per_5ms": 8}"#, peaks: 1...79),
        releaseCase("release_at_once", #""all""#, peaks: 30...users * 4),
    ]

    /// 256 users, nearly all of whom wait for the token when it comes.
    private static func releaseCase(
        _ name: String, _ policy: String, peaks: ClosedRange<Int>
    ) -> ConformanceCase {
        ConformanceCase(
            name: name, oracle: "--revoke-at 0.4 --renewal-ms 1500",
            auth: #", "release": \#(policy)"#, think: "300ms",
            load: #""users": 256, "for": "2s", "threads": 2"#
        ) { outcome throws in
            #expect(outcome.truth.attempted == 2)
            #expect(try outcome.auth("parked.count") >= 200)
            #expect(peaks.contains(try outcome.auth("release_peak_per_10ms")))
        }
    }

    /// Answers of the tile server that say `expired`, or only look like it.
    static let refusals: [ConformanceCase] = [
        refusalShape("403", auth: #", "rejected_when": {"status": [403]}"#),
        refusalShape("498"), refusalShape("499"), refusalShape("498-in-200"),
        ConformanceCase(
            name: "forbidden_tile_is_not_expiry", oracle: "--tiles forbidden-half", load: open,
            isLossless: false
        ) { outcome throws in
            #expect(outcome.truth.attempted == 1)
            #expect(outcome.truth.tiles == 200)
            #expect(try outcome.auth("refusals.total") == 0)
            #expect(try outcome.report.failedBy() == ["status": outcome.truth.answered["403"] ?? 0])
        },
        ConformanceCase(
            name: "missing_and_broken_tiles_terminate", oracle: "--tiles mixed",
            load: open, isLossless: false
        ) { outcome throws in
            #expect(outcome.truth.attempted == 1)
            #expect(outcome.truth.tiles == 200)
            #expect(try outcome.report.double("auth.amplification") == 1)
            let broken = ["404", "500"].map { status in outcome.truth.answered[status] ?? 0 }
            #expect(try outcome.report.failedBy() == ["status": broken.reduce(0, +)])
        },
        ConformanceCase(
            name: "one_layer_always_401", oracle: "--tiles refused-half --tile-ms 5",
            load: #""rate": "200/s", "for": "2s", "threads": 2"#, isLossless: false,
            mayRenewUnasked: true
        ) { outcome throws in
            #expect(outcome.truth.attempted <= 6)
            #expect(try outcome.auth("attempts_max") <= 3)
            #expect(try outcome.report.double("auth.amplification") <= 1.1)
            #expect(try outcome.report.failedBy().keys.sorted() == ["unauthorized"])
            // The last ones find nobody any more whose answer could prove something.
            let unauthorized = try outcome.unauthorized()
            #expect(Set(unauthorized.keys).isSubset(of: ["locked", "auth_retries"]))
            let locked = unauthorized["locked", default: 0]
            #expect(locked > 9 * unauthorized["auth_retries", default: 0])
            #expect(try outcome.auth("refusals.locked") == locked)
            // Each tile of the other half was had.
            #expect(try outcome.ledger("ok") == outcome.truth.answered["200"])
            #expect(
                try outcome.ledger("ok") + unauthorized.values.reduce(0, +)
                    == outcome.ledger("started"))
        },
        // The layer is locked when all tokens end: its refusals are held before they are believed.
        ConformanceCase(
            name: "expiry_behind_a_locked_layer",
            oracle: "--tiles refused-half --tile-ms 5 --revoke-at 1",
            load: #""rate": "200/s", "for": "2s", "threads": 2"#, isLossless: false,
            mayRenewUnasked: true
        ) { outcome throws in
            #expect(outcome.truth.attempted >= 3 && outcome.truth.attempted <= 10)
            #expect(try outcome.ledger("ok") == outcome.truth.answered["200"])
            let unauthorized = try outcome.unauthorized()
            #expect(unauthorized["locked", default: 0] > 100)
            // The end of the token is the one that comes a second after the first tile.
            let renewed = try outcome.report.array("auth.events").compactMap {
                $0["renewal_end_s"] as? Double
            }
            #expect(renewed.contains { $0 > 1 && $0 < 1.9 }, "\(renewed)")
        },
        // Whether the token works is not known when the run ends: the refusals are counted all the
        // same, and their asks fail.
        ConformanceCase(
            name: "held_when_the_run_ends", oracle: "--tiles refused-or-never --late 800-800",
            load: #""users": 16, "for": "2s", "grace": "100ms", "threads": 2"#,
            isLossless: false, mayRenewUnasked: true
        ) { outcome throws in
            #expect(outcome.truth.attempted == 2)
            let held = try outcome.auth("asks_failed.park_timeout")
            #expect(held > 0)
            #expect(try outcome.auth("refusals.exhausted") == held)
            #expect(try outcome.ledger("failed") == held)
            #expect(try outcome.ledger("in_flight_at_end") == 16 - held)
            #expect(try outcome.ledger("ok") == outcome.truth.answered["200"])
        },
    ]

    private static func refusalShape(_ shape: String, auth: String = "") -> ConformanceCase {
        ConformanceCase(
            name: "expired_as_\(shape)",
            oracle: "--revoke-at 0.3 --tile-ms 5 --refuse \(shape)", auth: auth
        ) { outcome throws in
            #expect(outcome.truth.attempted == 2)
            #expect(outcome.truth.refused >= 1)
            #expect(try outcome.auth("expiry_events") == 1)
        }
    }
}
