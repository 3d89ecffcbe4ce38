import JSONText
import Metrics

extension ReportSchema {
    static let cache: [SchemaField] = [
        SchemaField.object(
            "client",
            "The client's own cache; absent when off: lookups = hits + revalidated + misses.",
            [
                .count("lookups", "Tiles wanted."),
                .count("hits", "Answered without a request."),
                .count("revalidated", "Answered by a 304."),
                .count("misses", "Fetched."),
                .count("stored", "Tiles put in."),
                .count("evicted", "Tiles put out to make room."),
                .count("bytes", "Held at the end."),
                SchemaField.share("hit_rate", "hits / lookups.").optional,
            ]
        ).optional,
        .object(
            "server", "The server's cache by its headers: answers by class.",
            CacheClass.allCases.map {
                .reference($0.key, "Answers of this class.", to: "server_class")
            } + [
                SchemaField.share(
                    "hit_rate",
                    "(hit + stale_hit) / (hit + stale_hit + revalidated + miss) over 2xx and 304;"
                        + " absent when more than 5 % are unknown."
                ).optional,
                .counts("evidence", "Answers by the header that was believed."),
            ]),
    ]

    static let serverClass = SchemaField.object(
        "Answers of one class.",
        [
            .count("count", "Answers."),
            .count("bytes", "Bytes of their bodies."),
            .count("edge", "Told by the cache at the edge."),
            .count("shield", "Told by the cache behind it."),
            SchemaField.time("p50_ms", "Service time.").optional,
            SchemaField.time("p99_ms", "Service time.").optional,
        ])

    static let auth: [SchemaField] = [
        .count("expiry_events", "Ends of tokens that were seen; a cold start is none."),
        .count("injections", "Expiries made on purpose."),
        .count(
            "injections_missed", "Of these, found no token in use, so that nothing expired."),
        .object("renewals", "Token refreshes.", renewals),
        .object("refusals", "Answers that say that the token is not valid.", refusals),
        .object(
            "parked", "Waiting for a token.",
            [
                .count("count", "Waits."), .count("max", "Waiting at one time."),
                distribution("ms", "How long."),
            ]),
        .count("release_peak_per_10ms", "Most requests started in 10 ms after a renewal."),
        SchemaField.number("amplification", "Requests / asks.").optional,
        .count("attempts_max", "Requests of the ask that needed most."),
        SchemaField.share(
            "success_in_window",
            "Good / ended asks between a first refusal and its full recovery."
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
        .count("duplicates", "Beside another one, or without need."),
        .count("flights", "Renewals with their tries."),
        .count("flights_ok", "Of these, with a new token."),
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
    ]

    static let event = SchemaField.object(
        nil,
        [
            .count("cell", "Which token."),
            .count("generation", "That ended."),
            .text("cause", "Why.", of: ["refused", "poisoned", "revoked", "expired"]),
            SchemaField.time("first_refusal_s", "First refusal read.", min: nil).optional,
            SchemaField.time("renewal_start_s", "Renewal begun.", min: nil).optional,
            SchemaField.time("renewal_end_s", "New token there.", min: nil).optional,
            SchemaField.time("first_ok_s", "First tile with it.", min: nil).optional,
            SchemaField.time("full_recovery_s", "Last refused ask done.", min: nil).optional,
            .count("storm", "Refusals of that token."),
            .count("parked", "Asks that waited."),
            .count("renewals", "Renewals that gave a token."),
        ])
}
