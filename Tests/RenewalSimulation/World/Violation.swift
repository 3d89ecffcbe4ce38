/// What must never happen around a renewal machine, by the names that reports of a run use.
package enum Violation: String, CaseIterable, Sendable {
    /// A renewal began although the token in hand worked and nobody had reason to think otherwise.
    case needlessRenewal = "needless renewal"
    /// A second renewal of one generation although the first had not failed.
    case renewedTwice = "renewed twice"
    case twoFlights = "two flights at once"
    /// A third, a fourth... new token was fetched in a row although none of them worked.
    case barrenRenewals = "barren renewals"
    /// Nothing can happen any more, and somebody still waits.
    case parkedForEver = "parked for ever"
    /// It goes on and on although nothing new comes from outside.
    case endless
    case tooManySends = "too many sends"
    /// Sent again with the very token that the ask was refused with.
    case resentRefused = "sent again with the refused token"
    /// A completion too many.
    case completedTwice = "completed twice"
    /// Sent with an older token than the one in hand.
    case outdatedSend = "outdated send"
    /// Sent with a token although its replacement had been begun.
    case knownDeadSend = "known-dead send"
    /// An older token took the place of a newer one.
    case olderToken = "older token over a newer"
    /// An ask failed with a reason that nothing had given.
    case unjustFailure = "unjust failure"
    /// An untried token went out more than once, or again although it had been refused.
    case crowd = "a crowd with an untried token"
    /// Something that owners keep between two looks changed without notice.
    case unpublished = "unpublished change"
    /// A flight of a kind that the machine's state does not have.
    case structure = "state and flight do not fit"
    /// Something began after the run had ended.
    case afterTheEnd = "began after the end"
    /// A law of the books does not hold.
    case books = "books do not balance"
    /// A layer that is refused whatever the token has cost one token after another.
    case layerRenewals = "renewals for a layer that is always refused"
}

/// What of it happened.
package struct Violations: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package init(_ all: [Violation]) {
        self = all.reduce(into: []) { $0.insert(Violations($1)) }
    }

    package init(_ one: Violation) {
        rawValue = 1 << UInt32(Violation.allCases.firstIndex(of: one) ?? 0)
    }

    package var list: [Violation] {
        Violation.allCases.enumerated().filter { rawValue & (1 << UInt32($0.offset)) != 0 }
            .map(\.element)
    }

    package var names: String { list.map(\.rawValue).joined(separator: ", ") }
}
