import JSONText

extension ScenarioKeys {
    static let auth: [ScenarioKey] = [
        ScenarioKey(
            "token", .object(token),
            default: .object([("in", .string("query")), ("name", .string("access_token"))]),
            "Where the token stands; replaced, never appended twice; percent-encoded."),
        ScenarioKey("static", .text, "A token that is not renewed."),
        ScenarioKey("renewal", .object(renewal), "The request that fetches a new token."),
        ScenarioKey(
            "profile", .words(of: AuthPlan.Profile.self), default: .string("generic"),
            "Kind of service: sets the defaults of token, renewal and rejected_when."),
        ScenarioKey(
            "rejected_when", .object(rejectedWhen), default: .object([]),
            "What says that the token has expired."),
        ScenarioKey(
            "start", .word(["stored", "dummy", "renew"]), default: .string("stored"),
            "`stored`: a stored token if there is one, else a dummy."),
        ScenarioKey(
            "store", .text, words: "none",
            "File that keeps the token, mode 0600, relative to the working directory."),
        ScenarioKey(
            "renew_before", .either([.word(["off"]), .duration, .bool]), default: .string("10s"),
            "A token is renewed so long before its told end, at most a quarter of its life; 0, off"
                + " or false: not before it is refused."),
        ScenarioKey(
            "sharing", .word(["all", "user"]), default: .string("all"),
            "One token for all users, or each user of a closed load its own."),
        ScenarioKey(
            "client", .words(of: AuthPlan.Client.self), default: .string("single-flight"),
            "Or a flawed client, to see what it costs."),
        ScenarioKey(
            "release",
            .either([
                .word(["paced", "all", "canary"]),
                .object([
                    ScenarioKey(
                        "per_5ms", .count(from: 1, to: 1_000_000), required: true,
                        "Asks let go every 5 ms.")
                ]),
            ]), default: .string("paced"),
            "How waiting asks are let go; `paced`: ten equal parts, 5 ms apart; `canary`: one, and"
                + " the others when it was accepted."),
        ScenarioKey(
            "max_refusals", .count(from: 0, to: 10), default: .int(2),
            "An ask is sent at most once more than this."),
        ScenarioKey(
            "max_barren", .count(from: 1, to: 100), default: .int(3),
            "New tokens in a row that may be refused before any works."),
        ScenarioKey(
            "cool_down", .durationSpan, default: .string("500ms..30s"),
            "Pause after failed renewals, first and longest."),
    ]

    private static let token: [ScenarioKey] = [
        ScenarioKey(
            "in", .word(["query", "header", "cookie", "template"]), default: .string("query"),
            "Part of the request; `template`: where {token} stands."),
        ScenarioKey(
            "name", .text, words: "access_token; for a header Authorization",
            "Name of the parameter, header or cookie."),
        ScenarioKey(
            "prefix", .textOrEmpty, words: "\"Bearer \" for Authorization, else none",
            "Stands before the token in a header."),
    ]

    private static let rejectedWhen: [ScenarioKey] = [
        ScenarioKey(
            "status", .list(.status, 0...500),
            default: .array([.int(401), .int(498), .int(499)]), "Status codes."),
        ScenarioKey(
            "json",
            .object([
                ScenarioKey("path", .text, default: .string("error.code"), "Names joined by dots."),
                ScenarioKey(
                    "values",
                    .list(
                        .either([
                            .textOrEmpty, .count(0...UInt64.max), .number(-1e300...1e300), .bool,
                        ])),
                    default: .array([.int(498), .int(499)]),
                    "Texts, numbers or booleans there; an empty array: JSON is not looked at."),
            ]), default: .object([]), "A value in a JSON body, whatever its status and type."),
        ScenarioKey(
            "html", .either([.bool, .text]), default: .string("Invalid Token"),
            "Words of a page where a tile is due, of any case; false: pages are not looked at."),
        ScenarioKey(
            "redirect", .bool, default: .bool(false),
            "True: a redirect leads to a login, and is not followed."),
        ScenarioKey(
            "www_authenticate", .either([.bool, .text]), default: .string("invalid_token"),
            "The error of a challenge, whatever the status; insufficient_scope is then no refusal,"
                + " even with a listed status (RFC 6750). False: challenges are not looked at."),
    ]
}
