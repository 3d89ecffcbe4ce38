extension ArgumentTable {
    private static let origin = ["target", "origin"]

    static let serve = CommandSpec(
        name: .serve,
        summary: "run the embedded tile server alone",
        usage: ["[FLAGS]"],
        details: [
            "Serves real tiles, tokens that expire, cache headers and faults on purpose. Prints "
                + "its URL template and example commands, runs until SIGINT or SIGTERM, and then "
                + "prints its own ledger as JSON.",
            "The flags are the keys of target.origin in a scenario.",
            "With --verdict it is a referee: it judges how the apps that are pointed at it renew "
                + "their tokens, by address and token cell. It listens for the key e, which ends "
                + "all tokens, tells what happens, and at the end says of every client whether "
                + "each expiry had one renewal. It ends with 99 when one was wrong, and with 0 "
                + "when all were right or nothing could be judged. report.json and renewals.csv "
                + "are in the folder of the run.",
        ],
        flags: [
            FlagSpec(
                name: "listen", value: "ADDRESS:PORT",
                help: "Where to listen; port 0 takes a free one (default 127.0.0.1:8080)."),
            FlagSpec(
                name: "tile", value: "FORMAT", choices: ["png", "mvt"],
                help: "Format of the tiles (default png).",
                shortcut: Shortcut(path: origin + ["tile"])),
            FlagSpec(
                name: "bytes", value: "SIZE",
                help: "Size of a tile at least, as 20KiB.",
                shortcut: Shortcut(path: origin + ["bytes"])),
            FlagSpec(
                name: "cache-control", value: "TEXT",
                help: "Cache-Control of the tiles.",
                shortcut: Shortcut(path: origin + ["cache_control"])),
            FlagSpec(
                name: "latency-median", value: "TIME",
                help: "Median of the added latency; needs --latency-p99.",
                shortcut: Shortcut(path: origin + ["latency", "median"])),
            FlagSpec(
                name: "latency-p99", value: "TIME",
                help: "99th percentile of the added latency; needs --latency-median.",
                shortcut: Shortcut(path: origin + ["latency", "p99"])),
            FlagSpec(
                name: "token",
                help: "Tiles need a token of /token; implied by the flags below.",
                shortcut: Shortcut(path: origin + ["token"], form: .emptyObject)),
            FlagSpec(
                name: "ttl", value: "TIME",
                help: "Life of a token (default: until it is revoked).",
                shortcut: Shortcut(path: origin + ["token", "ttl"])),
            FlagSpec(
                name: "no-advertise",
                help: "Do not say how long a token lives.",
                shortcut: Shortcut(path: origin + ["token", "advertise"], form: .isFalse)),
            FlagSpec(
                name: "advertise", value: "TIME",
                help: "Say that a token lives so long, true or not.",
                shortcut: Shortcut(path: origin + ["token", "advertise"])),
            FlagSpec(
                name: "refuse-with", value: "SHAPE",
                help: "How a token that is not valid is refused: a status, or bare (401 without "
                    + "challenge or body), json or html (an error inside a 200), redirect (302 to "
                    + "a login) (default 401).",
                shortcut: Shortcut(path: origin + ["token", "refuse_with"])),
            FlagSpec(
                name: "late", value: "TIME",
                help: "Refusals, and only they, are answered so much later.",
                shortcut: Shortcut(path: origin + ["token", "late"])),
            FlagSpec(
                name: "issue-revokes",
                help: "A new token ends the older ones of its cell.",
                shortcut: Shortcut(path: origin + ["token", "issue_revokes"], form: .isTrue)),
            FlagSpec(
                name: "rotate-refresh",
                help: "Give refresh tokens that can be used once.",
                shortcut: Shortcut(path: origin + ["token", "rotate_refresh"], form: .isTrue)),
            FlagSpec(
                name: "verdict",
                help: "Judge the token renewal of the clients that come.",
                shortcut: Shortcut(path: origin + ["token"], form: .emptyObject)),
            FlagSpec(
                name: "hit-rate", value: "SHARE",
                help: "Simulate an edge cache that answers this share, as 90%.",
                shortcut: Shortcut(path: origin + ["edge_cache", "hit_rate"])),
            FlagSpec(
                name: "fault", value: "SHARE:KIND", isRepeatable: true,
                help: "Fault for a share of the tiles: a status, reset, truncate or stall, as "
                    + "1%:503. Repeatable.",
                shortcut: Shortcut(path: origin + ["faults"], form: .fault)),
            FlagSpec(
                name: "threads", value: "N",
                help: "Threads that serve (default 1).",
                shortcut: Shortcut(path: origin + ["threads"])),
            FlagSpec(
                name: "out", value: "DIR",
                help: "Folder for the verdict's files (default Reports/referee-<UTC time>); needs "
                    + "--verdict.",
                group: .output),
        ],
        examples: [
            ExampleSpec(
                line: "tilebench serve",
                comment: "PNG tiles at http://127.0.0.1:8080/{z}/{x}/{y}.png."),
            ExampleSpec(
                line: "tilebench serve --tile mvt --ttl 5s --latency-median 20ms "
                    + "--latency-p99 200ms",
                comment: "Vector tiles with latency and tokens that live five seconds."),
            ExampleSpec(
                line: "tilebench serve --listen 0.0.0.0:8080 --ttl 30s --refuse-with 401 "
                    + "--late 400ms --verdict",
                comment: "A referee for an app on another device."),
            ExampleSpec(
                line: "tilebench serve --hit-rate 90% --fault 1%:503 --fault 0.1%:reset",
                comment: "An edge cache, and a server that fails now and then."),
        ])
}
