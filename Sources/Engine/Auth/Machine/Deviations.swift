package import Workload

/// What a renewal machine can leave out or do otherwise. None of them is right: with a set of them
/// the cell behaves as clients in the field do (`auth.client`), and each alone is what the tests
/// must notice.
package struct Deviations: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A refusal of an older token counts as one of the token in hand.
    package static let noCompare = Deviations(rawValue: 1 << 0)
    /// Decides by a look taken before the lock, as an actor does that awaits in between.
    package static let looksOutsideLock = Deviations(rawValue: 1 << 1)
    /// Sends what has been handed over although the token was replaced meanwhile.
    package static let noRecheck = Deviations(rawValue: 1 << 2)
    /// Those who wait are not told of a failure.
    package static let noFanOut = Deviations(rawValue: 1 << 3)
    /// A flight that hangs is never given up.
    package static let noWatchdog = Deviations(rawValue: 1 << 4)
    /// The result of a flight that was given up is taken.
    package static let noFlightID = Deviations(rawValue: 1 << 5)
    /// An ask may be refused without end.
    package static let noRefusalLimit = Deviations(rawValue: 1 << 6)
    /// New tokens may be refused without end.
    package static let noBarrenLimit = Deviations(rawValue: 1 << 7)
    /// Each refusal starts a flight of its own.
    package static let flightPerRefusal = Deviations(rawValue: 1 << 8)
    /// Flights of a cell run one after another: a lock is held over each.
    package static let serialFlights = Deviations(rawValue: 1 << 9)
    /// Asks go out with the old token while a renewal runs.
    package static let sendsWhileRenewing = Deviations(rawValue: 1 << 10)
    /// "Renewed less than 5 s ago" takes the place of the comparison of tokens.
    package static let window = Deviations(rawValue: 1 << 11)
    /// Who was refused once more is believed when nobody has proven the contrary in time.
    package static let noSuspicions = Deviations(rawValue: 1 << 12)

    /// The machine that `auth.client` names.
    package init(_ client: AuthPlan.Client) {
        self =
            switch client {
            case .singleFlight: []
            case .naive: [.noCompare, .noRecheck, .sendsWhileRenewing, .flightPerRefusal]
            case .lockOnly:
                [.noCompare, .noRecheck, .sendsWhileRenewing, .flightPerRefusal, .serialFlights]
            case .flightOnly: [.noCompare, .noRecheck, .sendsWhileRenewing]
            case .window: [.noCompare, .noRecheck, .sendsWhileRenewing, .window]
            case .overlayArticle:
                [
                    .noCompare, .noRecheck, .sendsWhileRenewing, .window, .noFanOut,
                    .noRefusalLimit, .noBarrenLimit,
                ]
            }
    }
}
