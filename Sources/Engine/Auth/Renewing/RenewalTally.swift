/// Counts of the tries at the token endpoint, and what went wrong.
package struct RenewalTally: Sendable {
    package var attempted: UInt64 = 0
    package var succeeded: UInt64 = 0
    package var failed: UInt64 = 0
    /// Tries broken off because nobody waited for the token any more, as at the end of a run; part
    /// of `failed`.
    package private(set) var abandoned: UInt64 = 0
    /// Tries that brought the token again that was there already; part of `failed`.
    package var same: UInt64 = 0
    package var storeFailures: UInt64 = 0
    /// (what went wrong, first time in monotonic ns, count)
    package private(set) var errors: [(text: String, firstNS: UInt64, count: UInt64)] = []
    /// Monotonic ns of the first successes.
    package private(set) var successesNS: [UInt64] = []
    /// Why the last try failed.
    package private(set) var lastFailure: String?

    private static let errorsMax = 32
    private static let successesMax = 100_000

    package init() {}

    mutating func note(success nowNS: UInt64) {
        succeeded += 1
        if successesNS.count < Self.successesMax { successesNS.append(nowNS) }
    }

    /// A try that failed; the text holds no secret.
    mutating func note(failure text: String, nowNS: UInt64) {
        failed += 1
        lastFailure = text
        note(error: text, nowNS: nowNS)
    }

    /// A proactive try that brought the token in hand, which still works: no news, and no error.
    mutating func noteKept() {
        failed += 1
        same += 1
    }

    /// A try whose end is nobody's fault: no error.
    mutating func noteAbandoned() {
        failed += 1
        abandoned += 1
    }

    mutating func note(storeFailure text: String, nowNS: UInt64) {
        storeFailures += 1
        note(error: text, nowNS: nowNS)
    }

    private mutating func note(error text: String, nowNS: UInt64) {
        if let index = errors.firstIndex(where: { $0.text == text }) {
            errors[index].count += 1
        } else if errors.count < Self.errorsMax {
            errors.append((text, nowNS, 1))
        }
    }
}
