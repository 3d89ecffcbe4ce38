import JSONText

extension ScenarioKeys {
    static let renewal: [ScenarioKey] = [
        ScenarioKey(
            "kind", .words(of: RenewalPlan.Kind.self), default: .string("url"),
            "How a token is got; `url`: by the request written here."),
        ScenarioKey(
            "url", .text, words: "${ORIGIN}/token with an embedded origin",
            "Address of the token endpoint; {user} in it, in a header, in the body or in a"
                + " credential is the number of the user who renews."),
        ScenarioKey(
            "method", .text, default: .string("GET"), "Method of the request; for url and basic."),
        ScenarioKey("headers", .map(.textOrEmpty, keepsNull: false), "Headers of the request."),
        ScenarioKey(
            "body", .anything,
            "Text as it is, an object as JSON, {\"form\": {…}} urlencoded; for the kinds that send"
                + " a form, further fields of it."),
        ScenarioKey("client_id", .text, "For the kinds of OAuth."),
        ScenarioKey("client_secret", .text, "For the kinds of OAuth."),
        ScenarioKey(
            "client_auth", .word(["basic", "body"]), default: .string("basic"),
            "Where client_id and client_secret stand: in an Authorization header, or in the form."),
        ScenarioKey("scope", .text, "For the kinds of OAuth."),
        ScenarioKey("username", .text, "For password, basic and arcgis."),
        ScenarioKey("password", .text, "For password, basic and arcgis."),
        ScenarioKey(
            "refresh_token", .text, "For refresh_token: the first one; an answer may replace it."),
        ScenarioKey("referer", .text, "For arcgis: what the token is bound to."),
        ScenarioKey(
            "expiration", .count(from: 1, to: 525_600),
            "For arcgis: minutes the token shall live."),
        ScenarioKey(
            "token_path", .text, words: "the first of token, access_token, accessToken",
            "Where the answer has the token: names joined by dots, numbers index arrays."),
        ScenarioKey(
            "expires_path", .text, words: "the usual names",
            "Where the answer tells the token's life; jwt: the token itself does."),
        ScenarioKey(
            "parts",
            .either([.list(.text, 1...20), .map(.text, keepsNull: false)]),
            "Several values that make the credential, each {token.NAME}: names in the answer, or an"
                + " object of NAME and path."),
        ScenarioKey(
            "timeout", .time, words: "5s; 1s on loopback",
            "Of one try; a renewal with its tries has four times that."),
    ]
}
