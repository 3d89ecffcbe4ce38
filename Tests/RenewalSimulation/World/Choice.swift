/// One thing that can happen next.
package struct Choice: Sendable, Hashable {
    package enum Kind: UInt8, Sendable, CaseIterable {
        // Of an ask.
        case admit
        /// The same, by what its reactor saw before.
        case admitByOldLook
        case handOver
        case arrive
        case read
        /// Of `looksOutsideLock`: what was seen is acted upon.
        case act
        case reconsider
        case overdue
        // Of a reactor.
        case takeNews
        // Of a flight.
        case send
        case issue
        case deliver
        /// The same, of a flight that was given up.
        case deliverLate
        case retry
        // The clock.
        case tick
        // What may go wrong, as often as the policy allows.
        case watchdog
        case issueDead
        case issueAgain
        case fail
        case failForGood
        case hang
        case vanish
        case kill
        case poison
        case poisonOld
        case lose
        case cancel
        case timeOut
        case jump
        case shutDown
    }

    package var kind: Kind
    /// Of the ask, the reactor, the cell, or the flight: 16 for each cell.
    package var index: UInt8

    init(_ kind: Kind, _ index: Int = 0) {
        self.kind = kind
        self.index = UInt8(truncatingIfNeeded: index)
    }
}

extension Choice.Kind {
    /// Drawn less often, or the troubles of a run would all come at its beginning.
    var isRare: Bool { rawValue >= Choice.Kind.watchdog.rawValue }
}
