import JSONText
import Metrics

extension ReportSchema {
    static let auth: [SchemaField] = [
        .count("expiry_events", "Ends of tokens that were seen; a cold start is none."),
        .count("events_dropped", "Of these, not listed in `events`."),
        .count("injections", "Expiries and faults made on purpose."),
        .count(
            "injections_missed",
            "Of these, ended no token: there was none in use, or the server did not do it."),
        .array("injected", "The first thousand of them.", of: injection),
        .object("renewals", "Token refreshes.", renewals),
        .object("refusals", "Answers that say that the token is not valid.", refusals),
        .count("storm_max", "Most refusals of one token."),
        .object(
            "parked", "Waiting for a token.",
            [
                .count("count", "Waits."), .count("max", "Waiting at one time."),
                distribution("ms", "How long."),
            ]),
        .object(
            "windows",
            "Asks by whether a token was being recovered when they ended: from a first refusal, or"
                + " a local expiry that made asks wait, to its full recovery. Measured part.",
            [
                .object("inside", "In such a time, or refused.", window),
                .object("outside", "All others.", window),
            ]),
        .object(
            "recovery", "From the begin of an expiry, of all expiries.",
            [
                distribution("first_ok_ms", "To the first good answer with a newer token."),
                distribution("full_ms", "To the end of the last ask that it met."),
            ]),
        .count("release_peak_per_10ms", "Most requests started in 10 ms after a renewal."),
        SchemaField.number("amplification", "Requests / asks.").optional,
        .count("attempts_max", "Requests of the ask that needed most."),
        SchemaField.share(
            "success_in_window", "As windows.inside.success."
        ).optional,
        .count("outdated_sends", "Requests sent with an older token than there was."),
        .count("known_dead_sends", "Requests sent with a token while it was being replaced."),
        .counts(
            "accepted_while_expired", "2xx answers to a token known to be dead, by cache class.",
            by: CacheClass.self, key: \.key),
        .count("tokens_lost", "Issued and never used."),
        .count("tokens_failed", "Refused before any answer confirmed them."),
        .counts(
            "asks_failed", "Failed for want of a token.", by: AuthFailure.self, key: \.key),
        .object(
            "time_in_state_s", "Time by state of the token.",
            ["fresh", "renewing", "cooling", "dead"].map { .time($0, "In seconds.") }),
        .count("cells", "Independent tokens."),
        .count("store_failures", "Failed writes of the token store."),
        .array("events", "One per end of a token.", of: event),
    ]

    private static let renewals: [SchemaField] = [
        .count("attempted", "Tries at the token endpoint."),
        .count("succeeded", "Tries that gave a new token."),
        .count("failed", "All others."),
        .count("initial", "Of the good ones, for tokens that a cell began without: no expiry."),
        .count("same", "Of the failed ones, gave the refused token again."),
        .count("abandoned", "Of the failed ones, broken off: nobody waited any more."),
        .count("duplicates", "Beside another one, or without need."),
        .count("flights", "Renewals with their tries."),
        .count("flights_ok", "Of these, with a new token."),
        .count("flights_failed", "Without one."),
        .count("flights_abandoned", "Broken off."),
        .count("proactive", "Flights begun while the token still worked, near its told end."),
        .count("converted", "Of these, had asks waiting for them after all."),
        .count("coalesced", "Asks that joined a running one."),
        SchemaField.number("per_expiry_mean", "flights_ok / events with a renewal.").optional,
        SchemaField.count("per_expiry_max", "The most for one event; 1 is ideal.").optional,
    ]

    private static let refusals: [SchemaField] = [
        .count("total", "All."),
        .count("triggering", "Started a renewal."),
        .count("coalesced", "Joined one."),
        .count("late", "Of an older token than there was when read."),
        .count("locked", "Of a layer that refuses good tokens."),
        .count("exhausted", "Nothing more was tried."),
        distribution("service_ms", "Service time of the refused requests."),
    ]

    static let event = SchemaField.object(
        nil,
        [
            .count("cell", "Which token."),
            .count("generation", "That ended."),
            .text("cause", "Why.", of: ["refused", "poisoned", "revoked", "expired", "proactive"]),
            SchemaField.time("first_refusal_s", "First refusal read.", min: nil).optional,
            SchemaField.time(
                "expired_s", "Its told end, from which on asks waited.", min: nil
            ).optional,
            SchemaField.time("renewal_start_s", "Renewal begun.", min: nil).optional,
            SchemaField.time("renewal_end_s", "New token there.", min: nil).optional,
            SchemaField.time("first_ok_s", "First tile with it.", min: nil).optional,
            SchemaField.time("full_recovery_s", "Last ask done that it met.", min: nil).optional,
            .count("storm", "Refusals of that token."),
            .count("parked", "Asks that waited."),
            .count("renewals", "Renewals that gave a token."),
            SchemaField.time("first_ok_ms", "From its begin to the first tile.").optional,
            SchemaField.time("full_recovery_ms", "To the end of the last ask it met.").optional,
            SchemaField.share(
                "server_hit_rate_before", "In the last full interval before it began."
            ).optional,
            SchemaField.share(
                "server_hit_rate_after", "In the first full interval after its renewal."
            ).optional,
            SchemaField.share("client_hit_rate_before", "The same of the client's cache.").optional,
            SchemaField.share("client_hit_rate_after", "The same of the client's cache.").optional,
        ])

    private static let window: [SchemaField] = [
        .count("asks", "Ended, but for cancelled ones."),
        .count("ok", "Of these, good."),
        SchemaField.share("success", "ok / asks.").optional,
        distribution("response", "Response time of all of them."),
    ]

    private static let injection = SchemaField.object(
        nil,
        [
            .text("kind", "As in the scenario."),
            .time("at_s", "Begun.", min: nil),
            .time("done_s", "The server had answered; the end of a fault.", min: nil),
            .count("cells", "Tokens that it ended."),
            .count("observed", "Of these, seen to have ended: an idle one is not."),
            .count("failed", "Requests to the server's hook that revoked nothing; see `errors`."),
            SchemaField.text("with", "What a poisoned token was replaced with.").optional,
        ])
}
