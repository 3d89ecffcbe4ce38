import Engine
import Workload

/// Which kind of service an answer and its URL look like: marks that only that kind has.
struct ProbeProfile {
    let profile: AuthPlan.Profile
    /// What it was known by, as the end of "by …".
    let mark: String
    /// Whether the profile's rule takes the answer for an expired token.
    let isRefusal: Bool

    /// Nil when nothing speaks for any.
    init?(_ answer: OneShot.Answer, _ facts: AnswerFacts, url: String) {
        guard let (profile, mark) = Self.known(answer, url: url) else { return nil }
        let rule = RefusalRule(AuthProfile.named(profile).rejection)
        self.profile = profile
        self.mark = mark
        isRefusal = answer.body.withUnsafeBufferPointer {
            rule.isRefusal(status: answer.status, facts: facts, prefix: $0)
        }
    }

    private static func known(
        _ answer: OneShot.Answer, url: String
    ) -> (AuthPlan.Profile, mark: String)? {
        let lower = url.lowercased()
        let host =
            lower.split(separator: "/", omittingEmptySubsequences: false)
            .dropFirst(2).first.map(String.init) ?? ""
        let names = Self.queryNames(lower)
        func header(_ name: String) -> String {
            answer.headers.filter { $0.name.lowercased() == name }
                .map { $0.value.lowercased() }.joined(separator: ", ")
        }
        if names.contains("key-pair-id") { return (.cloudfront, "Key-Pair-Id in its URL") }
        if header("x-cache").contains("cloudfront") || header("server").contains("cloudfront") {
            return (.cloudfront, "the cache that answers")
        }
        if isHost(host, "tile.googleapis.com") || names.isSuperset(of: ["session", "key"]) {
            return (.google, "session and key in its URL")
        }
        if isHost(host, "api.mapbox.com") { return (.mapbox, "its host") }
        let services = ["/mapserver/", "/imageserver/", "/vectortileserver/", "/arcgis/rest/"]
        if services.contains(where: { lower.contains($0) }) { return (.arcgis, "its path") }
        if names.isSuperset(of: ["md5", "expires"]) {
            return (.signedURL410, "md5 and expires in its URL")
        }
        return nil
    }

    private static func isHost(_ host: String, _ name: String) -> Bool {
        let bare = host.split(separator: ":").first.map(String.init) ?? host
        return bare == name || bare.hasSuffix("." + name)
    }

    private static func queryNames(_ url: String) -> Set<String> {
        guard let mark = url.firstIndex(of: "?") else { return [] }
        let query = url[mark...].dropFirst().prefix { $0 != "#" }
        return Set(
            query.split(separator: "&").compactMap { parameter in
                parameter.firstIndex(of: "=").map { String(parameter[..<$0]) }
            })
    }
}
