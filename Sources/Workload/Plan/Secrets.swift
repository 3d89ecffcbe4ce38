/// Texts that no report, log line, error or process list may show.
package struct Secrets: Sendable {
    package static let mask = "***"
    /// Values from `${…}`, `{"file"}` and `auth`. Values under 3 characters are not searched for.
    package private(set) var values: [String] = []
    /// Query parameters whose values are never shown, lower case.
    package var queryNames: [String] = CachePlan.stripDefault

    package init() {}

    /// Adds a value to hide, longest first so that a value inside another one cannot leave a tail.
    package mutating func add(_ value: String) {
        guard value.utf8.count >= 3, !values.contains(value) else { return }
        values.append(value)
        values.sort { $0.utf8.count > $1.utf8.count }
    }
}
