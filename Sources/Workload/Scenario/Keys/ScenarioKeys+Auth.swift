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
            "profile",
            .word([
                "generic", .later("overlay-article"), .later("arcgis"), .later("cloudfront"),
                .later("google"), .later("mapbox"), .later("signed-url-410"),
            ]), default: .string("generic"), "Sets the defaults of the keys below."),
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
            support: .only([.string("off"), .uint(0), .bool(false)]),
            "Proactive renewal, at most a quarter of the life. Until it is built \"0s\" holds."),
        ScenarioKey(
            "sharing", .word(["all", .later("user")]), default: .string("all"),
            "One token for all users, or each user its own."),
        ScenarioKey(
            "client",
            .word([
                "single-flight", .later("naive"), .later("lock-only"), .later("flight-only"),
                .later("window"), .later("overlay-article"),
            ]), default: .string("single-flight"), "Or a flawed client, to see what it costs."),
        ScenarioKey(
            "release",
            .either([
                .word(["paced", "all", .later("canary")]),
                .object([
                    ScenarioKey(
                        "per_5ms", .count(from: 1, to: 1_000_000), required: true,
                        "Asks let go every 5 ms.")
                ]),
            ]), default: .string("paced"),
            "How waiting asks are let go; `paced`: ten equal parts, 5 ms apart."),
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

    private static let renewal: [ScenarioKey] = [
        ScenarioKey(
            "kind",
            .word([
                "url", .later("client_credentials"), .later("password"), .later("refresh_token"),
                .later("basic"), .later("arcgis"), .later("document"),
            ]), default: .string("url"), "How a token is got; `url`: one request."),
        ScenarioKey(
            "url", .text, words: "${ORIGIN}/token with an embedded origin",
            "Address of the token endpoint."),
        ScenarioKey("method", .text, default: .string("GET"), "Method of the request."),
        ScenarioKey("headers", .map(.textOrEmpty, keepsNull: false), "Headers of the request."),
        ScenarioKey(
            "body", .anything,
            "Text as it is, an object as JSON, {\"form\": {…}} urlencoded."),
        ScenarioKey(
            "token_path", .text, words: "the first of token, access_token, accessToken",
            "Where the answer has the token: names joined by dots, numbers index arrays."),
        ScenarioKey(
            "expires_path", .text, words: "the usual names",
            "Where the answer tells the token's life."),
        ScenarioKey(
            "parts", .anything, support: .later, "Several values that make the credential."),
        ScenarioKey(
            "timeout", .time, words: "5s; 1s on loopback",
            "Of one try; a renewal with its tries has four times that."),
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
                    "values", .list(.either([.count(0...UInt64.max), .text])),
                    default: .array([.int(498), .int(499)]),
                    "Values there; an empty array: bodies are not looked at."),
            ]), default: .object([]), "A value in a JSON body."),
        ScenarioKey(
            "html", .text, default: .string("Invalid Token"), support: .later,
            "Words in an HTML body where an image is due."),
        ScenarioKey(
            "redirect", .bool, default: .bool(false), support: .only([.bool(false)]),
            "True: a redirect to a login."),
        ScenarioKey(
            "www_authenticate", .text, default: .string("invalid_token"), support: .later,
            "The error of RFC 6750."),
    ]
}
