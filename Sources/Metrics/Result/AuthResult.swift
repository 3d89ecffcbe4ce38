/// The token renewal figures, named as in the report's `auth`.
package struct AuthResult: Sendable {
    package struct Renewals: Sendable, Hashable {
        /// Tries at the token endpoint.
        package var attempted: UInt64 = 0
        /// Tries that gave an accepted new token, proactive ones included.
        package var succeeded: UInt64 = 0
        package var failed: UInt64 = 0
        /// Successes for tokens that cells began without: they belong to no expiry.
        package var initial: UInt64 = 0
        /// Renewals beside one in flight, or while the token was neither dead nor refused.
        package var duplicates: UInt64 = 0
        package var flights: UInt64 = 0
        package var flightsOK: UInt64 = 0
        /// Flights that ended without a token: all who waited failed with them, unless their token
        /// still worked.
        package var flightsFailed: UInt64 = 0
        /// Flights that were broken off: by the end of the run, a watchdog or a barren trip.
        package var flightsAbandoned: UInt64 = 0
        /// Flights begun while their token still worked, because its end was near.
        package var proactive: UInt64 = 0
        /// Proactive flights that somebody had to wait for after all.
        package var converted: UInt64 = 0
        /// Tries that gave the same token again; part of `failed`.
        package var same: UInt64 = 0
        /// Tries broken off because nobody waited for the token any more; part of `failed`.
        package var abandoned: UInt64 = 0
        /// Asks that joined a running flight.
        package var coalesced: UInt64 = 0
        /// Absent when no event had a renewal.
        package var perExpiryMean: Double?
        package var perExpiryMax: UInt64?

        package init() {}
    }
    package struct Refusals: Sendable, Hashable {
        package var total: UInt64 = 0
        /// Started a flight.
        package var triggering: UInt64 = 0
        /// Joined one.
        package var coalesced: UInt64 = 0
        /// Of a generation older than the cell's when read.
        package var late: UInt64 = 0
        package var locked: UInt64 = 0
        /// Budget used up, barren trips, and refusals while cooling or dead.
        package var exhausted: UInt64 = 0

        package init() {}
    }
    package struct TimeInState: Sendable, Hashable {
        package var freshNS: UInt64 = 0
        package var renewingNS: UInt64 = 0
        package var coolingNS: UInt64 = 0
        package var deadNS: UInt64 = 0

        package init() {}
    }
    /// The end of one generation as the cell saw it.
    package struct Event: Sendable, Hashable {
        package enum Cause: String, Sendable {
            case refused, poisoned, revoked
            /// Its told end came before a refusal.
            case expired
            /// It was replaced before its end.
            case proactive
        }

        package var cell = 0
        /// The generation that ended.
        package var generation: UInt64
        package var cause: Cause
        /// From T0; nil when it did not happen.
        package var firstRefusalNS: Int64?
        /// Its told end came, and asks had to wait from then on.
        package var expiredNS: Int64?
        package var renewalStartNS: Int64?
        package var renewalEndNS: Int64?
        package var firstOKNS: Int64?
        package var fullRecoveryNS: Int64?
        /// Refusals of that generation.
        package var storm: UInt64 = 0
        /// Asks that waited.
        package var parked: UInt64 = 0
        package var renewals: UInt64 = 0
        /// Hit rates in the last full row of the timeline before the event and the first one after
        /// its renewal; nil without samples. Of all cells together.
        package var serverHitRateBefore: Double?
        package var serverHitRateAfter: Double?
        package var clientHitRateBefore: Double?
        package var clientHitRateAfter: Double?

        package init(generation: UInt64, cause: Cause) {
            self.generation = generation
            self.cause = cause
        }
    }

    /// Asks of the measured part that ended inside or outside the windows between a first refusal
    /// (or a local expiry that made asks wait) and its full recovery. An ask that was refused or
    /// waited for a token is inside wherever it ends. Together they are the asks of
    /// `RunResult.response.all`.
    package struct Window: Sendable {
        package var asks: UInt64 = 0
        package var ok: UInt64 = 0
        /// Response time of all of them, in ns.
        package var response = Histogram()

        /// ok / asks; nil without asks.
        package var success: Double? { asks == 0 ? nil : Double(ok) / Double(asks) }

        package init() {}
    }
    /// One injection as it was done.
    package struct Injection: Sendable, Hashable {
        /// As in the scenario: poison, revoke, origin, renewal:slow, tiles:late-refusals, ...
        package var kind: String
        /// What a poisoned token was replaced with; nil: it was not.
        package var with: String?
        /// From T0: when it was begun, and when the server had answered it or a fault had ended.
        package var atNS: Int64
        package var doneNS: Int64
        /// Cells whose token it ended.
        package var cells: UInt64
        /// Those of them that have seen it: an idle cell sees nothing.
        package var observed: UInt64
        /// Requests to the server's hook that revoked nothing.
        package var failed: UInt64 = 0

        package init(
            kind: String, with: String? = nil, atNS: Int64, doneNS: Int64, cells: UInt64 = 0,
            observed: UInt64 = 0
        ) {
            self.kind = kind
            self.with = with
            self.atNS = atNS
            self.doneNS = doneNS
            self.cells = cells
            self.observed = observed
        }
    }

    package var expiryEvents: UInt64 = 0
    /// Expiries that are counted but not listed in `events`.
    package var eventsDropped: UInt64 { expiryEvents - min(expiryEvents, UInt64(events.count)) }
    package var insideWindows = Window()
    package var outsideWindows = Window()
    /// At most `injectionRowsMax`; `injections` counts all.
    package var injectionRows: [Injection] = []
    package static let injectionRowsMax = 1000
    /// From the begin of an event to its first good answer with a newer token, and to the end of
    /// the last ask that was refused in it; of all events, listed or not.
    package var firstOKTimes = Histogram()
    package var fullRecoveryTimes = Histogram()
    /// Most refusals of one event.
    package var stormMax: UInt64 = 0
    package var injections: UInt64 = 0
    /// Injections that found no fresh token to end, or no server that did it.
    package var injectionsMissed: UInt64 = 0
    package var renewals = Renewals()
    package var refusals = Refusals()
    /// From the first byte sent to the last received, of the requests that were refused.
    package var refusedService = Histogram()
    /// Entries into the queue of those that wait for a token, and leavings, as the cells counted
    /// them.
    package var parkedCount: UInt64 = 0
    package var parkedLeft: UInt64 = 0
    package var parkedMax: UInt64 = 0
    /// Time from entering the queue to leaving it.
    package var parkedTime = Histogram()
    package var releasePeakPer10ms: UInt64 = 0
    /// Requests / asks.
    package var amplification: Double?
    /// Requests of the ask that needed most.
    package var attemptsMax: UInt64 = 0
    /// Nil: nothing ended inside a window.
    package var successInWindow: Double? { insideWindows.success }
    package var outdatedSends: UInt64 = 0
    package var knownDeadSends: UInt64 = 0
    /// 2xx answers to a token known to be dead, by `CacheClass.rawValue`.
    package var acceptedWhileExpired = [UInt64](repeating: 0, count: CacheClass.allCases.count)
    package var tokensLost: UInt64 = 0
    package var tokensFailed: UInt64 = 0
    /// By `AuthFailure.rawValue`, the whole process long.
    package var asksFailed = [UInt64](repeating: 0, count: AuthFailure.allCases.count)
    package var timeInState = TimeInState()
    package var cells: UInt64 = 1
    /// Sums over all cells of the generation they began with and of the one they ended with.
    package var generationsAtStart: UInt64 = 0
    package var generationsAtEnd: UInt64 = 0
    /// The run is over: nothing waits and no flight is out, so the books must balance.
    package var isClosed = false
    package var events: [Event] = []
    /// Failed writes of the token store.
    package var storeFailures: UInt64 = 0

    package init() {}
}
