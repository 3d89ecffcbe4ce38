import Testing

/// Tokens that tell their lives, tokens of one user each, and new tokens that one ask tries first.
extension ConformanceCase {
    static let lives: [ConformanceCase] = [
        ConformanceCase(
            name: "proactive_renewal_no_401", oracle: "--ttl 2.4 --advertise 2 --tile-ms 5",
            load: #""users": 64, "for": "5s", "threads": 2"#, mayRenewUnasked: true
        ) { outcome throws in
            #expect(outcome.truth.refused == 0)
            #expect(try outcome.auth("renewals.proactive") >= 2)
            #expect(outcome.truth.attempted <= 6)
            let causes = try outcome.report.array("auth.events").map { $0["cause"] as? String }
            #expect(Set(causes) == ["proactive"])
            #expect(try outcome.auth("parked.count") == 0)
        },
        ConformanceCase(
            name: "proactive_renewal_too_slow",
            oracle: "--ttl 0.9 --advertise 0.9 --renewal-ms 700 --tile-ms 5",
            load: #""users": 64, "for": "1300ms", "threads": 2"#, mayRenewUnasked: true
        ) { outcome throws in
            #expect(outcome.truth.refused == 0)
            #expect(outcome.truth.attempted <= 4)
            #expect(try outcome.auth("parked.count") >= 10)
            #expect(try outcome.auth("renewals.converted") >= 1)
        },
        // The server forgets the token before its told end, while a renewal for that is out.
        ConformanceCase(
            name: "refused_while_it_is_renewed",
            oracle: "--advertise 0.8 --renewal-ms 250 --revoke-at 0.4 --tile-ms 5",
            load: #""users": 64, "for": "650ms", "threads": 2"#, mayRenewUnasked: true
        ) { outcome throws in
            #expect(outcome.truth.attempted <= 4)
            #expect(outcome.truth.refused >= 1)
            #expect(try outcome.auth("renewals.converted") >= 1)
        },
        ConformanceCase(
            name: "natural_expiry_when_told_so", oracle: "--ttl 0.6 --advertise 0.6 --tile-ms 5",
            auth: #", "renew_before": "0s""#,
            load: #""users": 64, "for": "2s", "threads": 2"#
        ) { outcome throws in
            #expect(try outcome.auth("renewals.proactive") == 0)
            #expect(outcome.truth.refused >= 1)
            #expect(outcome.truth.expired >= 2)
        },
    ]

    static let cells: [ConformanceCase] = [
        ConformanceCase(
            name: "independent_clients", oracle: "--revoke-at 0.3 --tile-ms 5",
            auth: #", "sharing": "user""#, tokenQuery: "?cell={user}",
            load: #""users": 8, "for": "1s", "threads": 2"#
        ) { outcome throws in
            #expect(outcome.truth.attempted == 16)
            #expect(outcome.truth.expired == 8)
            #expect(try outcome.auth("cells") == 8)
            #expect(try outcome.auth("expiry_events") == 8)
            #expect(try outcome.auth("renewals.per_expiry_max") == 1)
            let cells = try outcome.report.array("auth.events").compactMap { $0["cell"] as? Int }
            #expect(cells.sorted() == Array(0..<8))
            #expect(outcome.truth.cells.keys.sorted() == (0..<8).map(String.init))
        },
        // One user's token takes long: nobody else notices.
        ConformanceCase(
            name: "one_slow_audience", oracle: "--revoke-at 0.3 --tile-ms 5 --slow-cell 3",
            auth: #", "sharing": "user""#, tokenQuery: "?cell={user}",
            load: #""users": 8, "for": "1500ms", "threads": 2"#
        ) { outcome throws in
            #expect(outcome.truth.attempted == 16)
            for (name, cell) in outcome.truth.cells {
                if name == "3" {
                    #expect(cell.gapMaxS >= 0.8)
                } else {
                    #expect(cell.gapMaxS < 0.6 && cell.tiles > 20, "cell \(name): \(cell)")
                }
            }
        },
        ConformanceCase(
            name: "many_cells_one_storm",
            oracle: "--revoke-at 0.5 --issue-revokes --late 5-200",
            auth: #", "sharing": "user""#, tokenQuery: "?cell={user}", think: "40ms",
            load: #""users": 300, "for": "1500ms", "threads": 2"#
        ) { outcome throws in
            #expect(outcome.truth.attempted == 600)
            #expect(try outcome.auth("expiry_events") == 300)
        },
    ]

    /// One of the first renewals ends for good: its user fails, the others do not notice, and it is
    /// said before the run begins.
    static let firstTokens = ConformanceCase(
        name: "one_first_token_fails", oracle: "--renewals grant,ok --tile-ms 5",
        auth: #", "sharing": "user""#, tokenQuery: "?cell={user}",
        load: #""users": 8, "for": "500ms", "threads": 2"#, isLossless: false
    ) { outcome throws in
        #expect(outcome.truth.attempted == 8 && outcome.truth.issued == 7)
        #expect(try outcome.unauthorized().keys.sorted() == ["dead"])
        #expect(try outcome.ledger("ok") > 0)
        let said = outcome.run.result.errorOutput
        #expect(said.contains("no token at the start for 1 of 8 users: "), "\(said)")
    }

    static let canaries: [ConformanceCase] = [
        ConformanceCase(
            name: "canary_release", oracle: "--revoke-at 0.3 --tile-ms 5 --late 5-100",
            auth: #", "release": "canary""#
        ) { outcome throws in
            #expect(outcome.truth.attempted == 2)
            #expect(try outcome.auth("expiry_events") == 1)
        },
        // A new token that is dead costs one refusal.
        ConformanceCase(
            name: "canary_with_a_dead_token",
            oracle: "--revoke-at 0.3 --tile-ms 5 --renewals ok,dead,dead,ok",
            auth: #", "release": "canary", "max_refusals": 4"#
        ) { outcome throws in
            #expect(outcome.truth.attempted == 4)
            #expect(outcome.truth.deadRefused == 2)
            #expect(try outcome.auth("tokens_failed") == 2)
        },
        // The canary's connection is closed without an answer: another one tries.
        ConformanceCase(
            name: "canary_lost", oracle: "--revoke-at 2 --tile-ms 5 --tiles never-first",
            auth: #", "release": "canary""#,
            load: #""users": 64, "for": "4s", "threads": 2, "timeouts": {"first_byte": "800ms"}"#,
            isLossless: false
        ) { outcome throws in
            #expect(outcome.truth.attempted == 2)
            #expect(try outcome.report.failedBy() == ["timeout": 2])
            #expect(try outcome.ledger("ok") > 64)
        },
    ]

    /// Flawed clients, by what they do when one token ends and its refusals come late.
    static let clients: [ConformanceCase] = ["naive", "lock-only", "flight-only", "window"].map {
        client in
        ConformanceCase(
            name: "client_\(client)", oracle: "--revoke-at 0.3 --tile-ms 5 --late 5-300",
            auth: #", "client": "\#(client)""#, isLossless: false, isFlawed: true
        ) { outcome throws in
            #expect(try outcome.ledger("ok") > 0)
            if client == "window" {
                // The first token came less than five seconds before: it cannot have ended.
                #expect(outcome.truth.attempted == 1)
                #expect(try outcome.auth("asks_failed.auth_retries") > 0)
                // Its refusals speak of the token in hand, and that has ended all the same.
                #expect(try outcome.auth("refusals.late") == 0)
                #expect(try outcome.auth("expiry_events") == 1)
                #expect(try outcome.auth("refusals.exhausted") == outcome.truth.refused)
            } else {
                #expect(outcome.truth.attempted > 2)
                #expect(try outcome.auth("renewals.duplicates") > 0)
            }
        }
    }
}
