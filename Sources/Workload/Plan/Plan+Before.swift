/// A request that prepares the target, such as the PURGE of a cache.
package struct BeforePlan: Sendable, Hashable {
    package var request: HookPlan
    /// Answers that are good; none: every 2xx.
    package var statuses: [Int] = []

    package init(request: HookPlan) {
        self.request = request
    }

    package func accepts(_ status: Int) -> Bool {
        statuses.isEmpty ? (200..<300).contains(status) : statuses.contains(status)
    }
}
