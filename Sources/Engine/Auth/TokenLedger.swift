package import Metrics

/// What the renewal machine counted, and the record of each generation: part of `TokenCell`, so
/// that a count and the transition it belongs to happen in one step.
package struct TokenLedger: Sendable {
    /// Generations looked back at when a late answer is audited.
    private static let generationsKept = 1024
    /// Events kept for the report; the rest is counted.
    package static let eventsMax = 1000

    /// When things happened to one generation, monotonic ns; nil: not yet.
    package struct Life: Sendable {
        package var generation: UInt64
        package var installedNS: UInt64?
        package var firstRefusalNS: UInt64?
        package var flightStartNS: UInt64?
        /// Spoilt or revoked on purpose at that time.
        package var killedNS: UInt64?
        package var cause: AuthResult.Event.Cause?
    }

    package var refusalsTotal: UInt64 = 0
    package var refusalsTriggering: UInt64 = 0
    package var refusalsCoalesced: UInt64 = 0
    package var refusalsLate: UInt64 = 0
    package var refusalsExhausted: UInt64 = 0
    /// Asks that joined a running flight without having been refused.
    package var joined: UInt64 = 0
    package var parkedCount: UInt64 = 0
    package var parkedMax: UInt64 = 0
    package var flights: UInt64 = 0
    package var flightsOK: UInt64 = 0
    package var flightsFailed: UInt64 = 0
    package var flightsAbandoned: UInt64 = 0
    package var duplicates: UInt64 = 0
    package var tokensLost: UInt64 = 0
    package var tokensFailed: UInt64 = 0
    package var outdatedSends: UInt64 = 0
    package var knownDeadSends: UInt64 = 0
    package var acceptedWhileExpired = [UInt64](repeating: 0, count: CacheClass.allCases.count)
    package private(set) var expiryEvents: UInt64 = 0
    package private(set) var eventsWithRenewal: UInt64 = 0
    package private(set) var renewalsInEvents: UInt64 = 0
    package private(set) var renewalsPerEventMax: UInt64 = 0
    /// Times as monotonic ns here; the store shifts them to T0.
    package private(set) var events: [AuthResult.Event] = []
    package private(set) var timeInState = AuthResult.TimeInState()

    private var lives: [Life] = []
    /// Asks of the event's refused set that have not ended yet, by event.
    private var unrecovered: [Int: Int] = [:]
    /// The event that refusals and renewals belong to now.
    package private(set) var openEvent: Int?
    private var enteredNS: UInt64 = 0

    // MARK: lives of generations

    package func life(of generation: UInt64) -> Life? {
        lives.last { $0.generation == generation }
    }

    private mutating func withLife(_ generation: UInt64, _ change: (inout Life) -> Void) {
        if let index = lives.lastIndex(where: { $0.generation == generation }) {
            change(&lives[index])
            return
        }
        var life = Life(generation: generation)
        change(&life)
        if lives.count == Self.generationsKept { lives.removeFirst() }
        lives.append(life)
    }

    /// The token was spoilt or revoked on purpose.
    package mutating func killed(
        generation: UInt64, cause: AuthResult.Event.Cause, atNS: UInt64
    ) {
        withLife(generation) {
            $0.killedNS = $0.killedNS ?? atNS
            $0.cause = cause
        }
    }

    // MARK: events

    package mutating func refusal(generation: UInt64, isCold: Bool, atNS: UInt64) {
        var cause = AuthResult.Event.Cause.refused
        var isFirst = false
        withLife(generation) {
            isFirst = $0.firstRefusalNS == nil
            if isFirst { $0.firstRefusalNS = atNS }
            cause = $0.cause ?? .refused
        }
        if isCold { return }
        if isFirst {
            expiryEvents += 1
            if events.count < Self.eventsMax {
                var event = AuthResult.Event(generation: generation, cause: cause)
                event.firstRefusalNS = Int64(atNS)
                events.append(event)
                openEvent = events.count - 1
            } else {
                openEvent = nil
            }
        }
        if let openEvent, events[openEvent].generation == generation {
            events[openEvent].storm += 1
            unrecovered[openEvent, default: 0] += 1
        }
    }

    /// A refusal of an older generation belongs to the storm of the newest event.
    package mutating func lateRefusal() {
        guard let openEvent else { return }
        events[openEvent].storm += 1
        unrecovered[openEvent, default: 0] += 1
    }

    package mutating func parkedInEvent() {
        guard let openEvent else { return }
        events[openEvent].parked += 1
    }

    package mutating func flightStarted(generation: UInt64, atNS: UInt64) {
        flights += 1
        withLife(generation) { $0.flightStartNS = $0.flightStartNS ?? atNS }
        guard let openEvent, events[openEvent].generation == generation else { return }
        events[openEvent].renewalStartNS = events[openEvent].renewalStartNS ?? Int64(atNS)
    }

    package mutating func renewed(generation: UInt64, atNS: UInt64) {
        flightsOK += 1
        withLife(generation) { $0.installedNS = atNS }
        guard let openEvent, events[openEvent].generation == generation - 1 else { return }
        events[openEvent].renewalEndNS = Int64(atNS)
        events[openEvent].renewals += 1
        renewalsInEvents += 1
        if events[openEvent].renewals == 1 { eventsWithRenewal += 1 }
        renewalsPerEventMax = max(renewalsPerEventMax, events[openEvent].renewals)
    }

    package mutating func flightFailed(atNS: UInt64) {
        flightsFailed += 1
    }

    /// The first accepted answer of a newer generation ends the wait of the event before it.
    package mutating func confirmed(generation: UInt64, atNS: UInt64) {
        guard let openEvent, events[openEvent].generation < generation else { return }
        if events[openEvent].firstOKNS == nil { events[openEvent].firstOKNS = Int64(atNS) }
    }

    /// An ask that had been refused in `event` has ended.
    package mutating func recovered(event: Int, atNS: UInt64) {
        guard events.indices.contains(event), let left = unrecovered[event] else { return }
        if left > 1 {
            unrecovered[event] = left - 1
        } else {
            unrecovered[event] = nil
            if events[event].renewals > 0 { events[event].fullRecoveryNS = Int64(atNS) }
        }
    }

    /// True between a first refusal and its full recovery.
    package var isWindowOpen: Bool { !unrecovered.isEmpty }

    // MARK: time in state

    package mutating func leave(_ state: TokenCell.State, atNS: UInt64) {
        let spent = enteredNS == 0 ? 0 : atNS &- enteredNS
        switch state {
        case .empty: break
        case .fresh: timeInState.freshNS += spent
        case .renewing: timeInState.renewingNS += spent
        case .cooling: timeInState.coolingNS += spent
        case .dead: timeInState.deadNS += spent
        }
        enteredNS = atNS
    }
}
