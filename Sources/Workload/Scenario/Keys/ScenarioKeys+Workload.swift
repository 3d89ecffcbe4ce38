import JSONText

extension ScenarioKeys {
    /// A box west, south, east, north.
    private static let box = ScenarioKind.list(.number(-180...180), 4...4)

    static let workload: [ScenarioKey] = [
        ScenarioKey(
            "kind", .word(["popular", "list", "pyramid", "viewers", "replay"]),
            default: .string("popular"), "How tiles are chosen."),
        ScenarioKey(
            "bounds", box, words: "of the document, else the land; for pyramid the world",
            "Box [west, south, east, north] in degrees."),
        ScenarioKey(
            "places",
            .list(
                .object([
                    ScenarioKey("name", .text, required: true, "Name in the report."),
                    ScenarioKey("bounds", box, required: true, "Box [west, south, east, north]."),
                    ScenarioKey("weight", .number(0...1e9), default: .int(1), "Share of asks."),
                ]), 1...1000),
            "For popular and viewers: weighted boxes in place of `bounds`, reported each."),
        ScenarioKey(
            "zooms", .list(.count(from: 0, to: 30), 2...2), words: "of the document, else [0, 14]",
            "First and last zoom, within 0..30."),
        ScenarioKey(
            "tiles", .either([.list(.text), .path]),
            "For list: array or file of z/x/y lines."),
        ScenarioKey(
            "order", .word(["rows", "hilbert", "random"]), default: .string("rows"),
            "For pyramid: order within a zoom."),
        ScenarioKey(
            "zipf", .number(0...10), default: .double(1),
            "For popular and viewers: exponent; 0 makes all tiles alike."),
        ScenarioKey(
            "zoom_weights",
            .either([
                .word(["osm"]), .list(.number(0...1e12), 1...31),
                .map(.number(0...1e12), keepsNull: false),
            ]), default: .string("osm"),
            "For popular and viewers: share of each zoom, `osm` as on OpenStreetMap, an array in"
                + " the order of zooms, or an object by zoom."),
        ScenarioKey(
            "weights_file", .path, words: "none",
            "For popular and viewers, in place of `zipf` and `zoom_weights`: an OpenStreetMap tile"
                + " log, plain, .gz or .xz."),
        ScenarioKey(
            "client",
            .word(["maplibre-gl", "maplibre-native", "leaflet", "mapkit", "openlayers"]),
            default: .string("maplibre-gl"), "For viewers: whose habits."),
        ScenarioKey(
            "viewport", .list(.count(from: 1, to: 20_000), 2...2),
            default: .array([.int(1280), .int(800)]), "For viewers: pixels of the map."),
        ScenarioKey(
            "moves",
            .object([
                ScenarioKey("pan", .share, default: .double(0.7), "To the side."),
                ScenarioKey("zoom_in", .share, default: .double(0.2), "One zoom deeper."),
                ScenarioKey("zoom_out", .share, default: .double(0.1), "One zoom up."),
            ]), default: .object([]),
            "For viewers: how often each move is made, in shares of their sum."),
        ScenarioKey(
            "dwell", .duration(minNS: 1_000_000), default: .string("2s"),
            "For viewers: mean time from one view to the next."),
        ScenarioKey(
            "cancel", .bool, default: .bool(true),
            "For viewers: asks for tiles that left the view are cancelled."),
        ScenarioKey("file", .path, "For replay: the log, plain, .gz or .xz; - is stdin."),
        ScenarioKey(
            "format", .word(["auto", "combined", "cloudfront", "csv", "urls"]),
            default: .string("auto"), "For replay: format of the log."),
        ScenarioKey(
            "speed", .number(0.001...1000), default: .int(1),
            "For replay at the log's own times: faster or slower than logged."),
        ScenarioKey(
            "think", .duration, default: .string("0s"),
            "Pause of a user between asks; not for viewers, and an open load has no users."),
    ]

    static let usersMax: UInt64 = 1_000_000

    static let load: [ScenarioKey] = [
        ScenarioKey(
            "users", .count(1...usersMax), default: .int(10),
            "Closed load: that many users, each with one ask (viewers: one view) at a time."),
        ScenarioKey(
            "rate", .rate, "Open load, instead of users: asks (views, for viewers) per second."),
        ScenarioKey(
            "arrivals", .word(["constant", "poisson"]), default: .string("constant"),
            "Spacing of an open load's asks."),
        ScenarioKey(
            "stages",
            .list(
                .object([
                    ScenarioKey("for", .time, required: true, "Length of the stage."),
                    ScenarioKey("rate", .rateRamp, "Asks per second, as \"0/s -> 5000/s\"."),
                    ScenarioKey("users", .usersRamp, "Users, as \"0 -> 100\"."),
                ]), 1...1000), "One after the other, each with rate or users."),
        ScenarioKey(
            "for", .time,
            words: "10s for popular and viewers; a list, pyramid or replay goes through once",
            "Measured time."),
        ScenarioKey("count", .count(1...(1 << 62)), "That many asks (views, for viewers)."),
        ScenarioKey(
            "warmup", .duration, default: .string("0s"),
            "Same load before T0, in no latency, ledger or rate."),
        ScenarioKey(
            "threads", .count(from: 1, to: 1024), words: "by CPU quota and affinity",
            "Reactors that send."),
        ScenarioKey(
            "transport", .word(["auto", "direct", "libcurl"]), default: .string("auto"),
            "What carries the requests."),
        ScenarioKey(
            "max_in_flight", .count(from: 1, to: 10_000_000), default: .int(10_000),
            "Asks on the wire at most."),
        ScenarioKey("timeout", .time, default: .string("30s"), "Of one request."),
        ScenarioKey(
            "timeouts",
            .object([
                ScenarioKey("connect", .time, "Name look-up and connect."),
                ScenarioKey("tls", .time, "TLS handshake."),
                ScenarioKey("first_byte", .time, "From the request to the answer's first byte."),
                ScenarioKey("body", .time, "From the first byte to the last."),
            ]), default: .object([]), "Limits by phase."),
        ScenarioKey(
            "grace", .duration, default: .string("5s"),
            "How long the end waits for asks in flight."),
    ]

    static let cache: [ScenarioKey] = [
        ScenarioKey(
            "client",
            .either([
                .word(["off"]),
                .object([
                    ScenarioKey("size", .size, default: .string("64MiB"), "Bytes it may hold."),
                    ScenarioKey(
                        "per", .word(["user", "all"]),
                        words: "user; all for an open load without viewers",
                        "A cache per user, or one for all."),
                    ScenarioKey(
                        "honour", .words(of: CachePlan.Rules.self),
                        words: "none; for viewers as their client does",
                        "Whose rules of freshness; `none` keeps what was stored."),
                    ScenarioKey(
                        "strip", .list(.text),
                        default: .array(CachePlan.stripDefault.map { .string($0) }),
                        "Query parameters that are no part of a key, and secret."),
                ]),
            ]), words: "off; for viewers its defaults", "The map client's own cache."),
        ScenarioKey(
            "server_header", .text, words: "all known", "Name of a header to believe instead."),
    ]
}
