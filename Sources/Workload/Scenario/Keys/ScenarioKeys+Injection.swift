import JSONText

extension ScenarioKeys {
    static let injection: [ScenarioKey] = [
        ScenarioKey("at", .duration, required: true, "First time, from T0."),
        ScenarioKey("every", .time, "Again after so long."),
        ScenarioKey(
            "expire", .word(["poison", "origin", "revoke"]),
            "The token stops working: ours is spoilt, the embedded origin revokes it, or a request"
                + " makes the server revoke it."),
        ScenarioKey(
            "with", .word(["garbage", "empty", "old"]), default: .string("garbage"),
            "For poison: the spoilt text."),
        ScenarioKey(
            "share", .share, default: .int(1),
            "Share of the token cells hit; one token for all users is one cell."),
        ScenarioKey("request", .object(hook), "For revoke: the server's own hook."),
        ScenarioKey(
            "for", .time, words: "to the end", "How long a fault of the embedded origin lasts."),
        ScenarioKey(
            "renewal", .words(of: InjectionPlan.RenewalFault.self),
            "Fault of the embedded origin's token endpoint."),
        ScenarioKey(
            "tiles", .words(of: InjectionPlan.TileFault.self),
            "Fault of the embedded origin's tiles."),
    ]

    private static let hook = request(method: "POST")

    static let before =
        request(method: "GET") + [
            ScenarioKey(
                "status", .list(.status, 1...500), words: "every 2xx", "Answers that are good.")
        ]

    /// A request that is no tile.
    private static func request(method: String) -> [ScenarioKey] {
        [
            ScenarioKey("url", .text, required: true, "Address, inside the fence."),
            ScenarioKey("method", .text, default: .string(method), "Method of the request."),
            ScenarioKey("headers", .map(.textOrEmpty, keepsNull: false), "Headers of the request."),
            ScenarioKey(
                "body", .anything,
                "Text as it is, an object as JSON, {\"form\": {…}} urlencoded."),
            ScenarioKey("timeout", .time, default: .string("5s"), "Of the request."),
        ]
    }
}
