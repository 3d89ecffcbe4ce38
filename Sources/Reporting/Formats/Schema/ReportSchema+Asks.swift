import JSONText
import Metrics

extension ReportSchema {
    static let ledger: [SchemaField] = [
        .count("planned", "Asks that the load called for."),
        .count("not_started", "Found no slot before the end."),
        .count("started", "Begun."),
        .count("ok", "Good by the scenario's checks."),
        .count("failed", "Answered badly, or not at all."),
        .counts(
            "failed_by", "Parts of failed, by cause.", by: FailureCause.self, key: \.key),
        .object(
            "failed_by_detail", "Parts of the causes.",
            [
                .counts("status", "By status code."),
                .counts("timeout", "By phase.", by: TimeoutPhase.self, key: \.key),
                .counts("invalid_tile", "By check.", by: TileDefect.self, key: \.key),
                .counts("unauthorized", "By reason.", by: AuthFailure.self, key: \.key),
            ]),
        .count("cancelled", "The viewer moved on."),
        .count("in_flight_at_end", "On the wire when the run ended."),
    ]

    static let requests: [SchemaField] = [
        .count(
            "sent",
            "Requests handed to a connection: first attempts + replays + retried_on_closed +"
                + " redirected."),
        .count("replays", "Sent again with another token."),
        .count("retried_on_closed", "Sent again since the server had closed an idle connection."),
        .count("redirected", "Sent to where a redirect led."),
        .counts("answered", "Answers by status."),
    ]

    static let latency: [SchemaField] = [
        .object(
            "response", "From the intended start to the last byte of the body.", byEnd),
        .object(
            "service", "From the first byte sent to the last byte received of the last request.",
            byEnd),
    ]

    private static let byEnd: [SchemaField] = [
        distribution("all", "ok, failed, and in flight at the end."),
        distribution("ok", "Good asks."),
        distribution("failed", "Failed asks."),
    ]

    static let phases: [SchemaField] = Phase.allCases.map { phase in
        let what =
            switch phase {
            case .nameLookup: "Name look-up; new connections only."
            case .connect: "Connect; new connections only."
            case .tls: "TLS handshake; new connections only."
            case .send: "From hand-over to the last byte of the request."
            case .firstByte: "From there to the first byte of the answer."
            case .download: "From there to the last byte."
            }
        return distribution(phase.key, what)
    }

    static let outcomes = SchemaField.counts(
        "outcomes", "What the answers mean to a map; decides nothing. Measured part.",
        by: Outcome.self, key: \.key)

    static let error = SchemaField.object(
        nil,
        [
            .text("cause", "A name of ledger.failed_by, or renewal."),
            .text("detail", "What happened."),
            .count("count", "How often."),
            .time("first_at_s", "When first.", min: nil),
            .array("samples", "Answers kept.", of: .object([("type", .string("object"))])),
        ])

    static let connections: [SchemaField] = [
        .count("opened", "Connections."),
        .count("reused", "Requests that found an open connection."),
        .counts("by_protocol", "Requests by protocol."),
        .counts("by_address", "Connections by remote address."),
    ]

    static let zoom = SchemaField.object(
        nil,
        [
            .count("z", "Zoom level."), .count("started", "Asks."), .count("ok", "Good."),
            .count("failed", "Not good."), .count("cancelled", "The viewer moved on."),
            .count("in_flight_at_end", "On the wire at the end."),
            .count("bytes", "Bytes of bodies."),
        ] + times(["p50_ms", "p90_ms", "p99_ms", "max_ms"]) + [
            SchemaField.share("server_hit_rate", "As cache.server.hit_rate.").optional,
            .reference("sizes", "Bytes of bodies.", to: "sizes"),
        ])

    static let source = SchemaField.object(
        nil,
        [
            .count("started", "Asks."), .count("ok", "Good."),
            .count("failed", "Not good."), .count("cancelled", "The viewer moved on."),
            .count("in_flight_at_end", "On the wire at the end."),
            .count("bytes", "Bytes of bodies."),
            .object("latency", "As latency of the whole run.", latency),
            SchemaField.share("server_hit_rate", "As cache.server.hit_rate.").optional,
            .reference("sizes", "Bytes of bodies.", to: "sizes"),
        ])

    static let interval = SchemaField.object(
        nil,
        [
            .time("t_s", "Start of the interval."), .time("interval_s", "Its length."),
            .count("planned", "Asks whose intended start lies in it."),
            .count("started", "Of these, started."), .count("ok", "Of these, good."),
            .count("failed", "Of these, failed."),
            .count("bytes", "Bytes of their bodies."),
            .count("in_flight", "On the wire at its end."),
            .count("parked", "Waiting for a token at its end."),
            .count("refusals", "Refusals read in it."),
            .count("renewals", "Renewals that succeeded in it."),
        ] + times(["p50_ms", "p95_ms", "p99_ms", "max_ms"]) + [
            SchemaField.share("server_hit_rate", "As cache.server.hit_rate.").optional,
            SchemaField.share("client_hit_rate", "As cache.client.hit_rate.").optional,
            .count("denied", "Of its failed asks, with a 4xx but 404, 408, 420 and 429."),
        ])

    static let pass = SchemaField.object(
        nil,
        [
            .text("name", "Of the pass."),
            .text("validity", "As run.validity.", of: ["valid", "suspect", "invalid"]),
            .time("measured_s", "Length of its measured part."), .count("started", "Asks."),
            .count("ok", "Good."), .count("failed", "Not good."),
            .count("bytes", "Bytes of bodies."),
            SchemaField.number("ok_per_s", "As rate.ok_per_s.").optional,
        ] + times(["p50_ms", "p90_ms", "p99_ms", "max_ms"]) + [
            SchemaField.share("server_hit_rate", "As cache.server.hit_rate.").optional,
            SchemaField.share("client_hit_rate", "As cache.client.hit_rate.").optional,
            SchemaField.count("foreign_hits", "As cache.server.foreign_hits.").optional,
        ])

    private static func times(_ names: [String]) -> [SchemaField] {
        names.map { SchemaField.time($0, "Response time of all; absent without asks.").optional }
    }
}
