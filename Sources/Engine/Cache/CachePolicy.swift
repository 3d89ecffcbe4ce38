package import Workload

/// How the client caches of a run decide. Shared by all reactors, never changed.
package final class CachePolicy: Sendable {
    let rules: CachePlan.Rules
    /// Names of the request headers that are not the same in every request: those that the token
    /// stands in. What else `Vary` names always matches.
    let changing: WordSet

    package init(_ rules: CachePlan.Rules, changingHeaders: [String] = []) {
        self.rules = rules
        changing = WordSet(changingHeaders)
    }

    deinit { changing.free() }
}
