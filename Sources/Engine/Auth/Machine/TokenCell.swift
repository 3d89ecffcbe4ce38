package import Metrics

/// The renewal machine of one credential: a struct without I/O, clock or lock that returns what
/// its owner must do. Each credential has a generation; a request remembers the generation it was
/// sent with, and only a refusal of the current one may start a renewal.
///
/// Times are nanoseconds of the monotonic clock. `TokenStore` owns it and serialises its events.
/// What asks do to it is in `TokenCell+Asks`, what flights do in `TokenCell+Flights`.
package struct TokenCell: Sendable {
    package enum State: UInt8, Sendable { case empty, fresh, renewing, cooling, dead }

    package struct Limits: Sendable {
        /// A: refusals an ask may meet before it fails.
        package var refusalsMax = 2
        /// B: generations in a row refused before an answer confirmed one.
        package var barrenMax = 3
        package var coolDownMinNS: UInt64 = 500_000_000
        package var coolDownMaxNS: UInt64 = 30_000_000_000
        package var parkedMax = 100_000
        /// Of the books: expiries with a row of their own, and generations looked back at when a
        /// late answer is audited.
        package var expiryRowsMax = ExpiryBook.rowsMax
        package var generationsKept = 256
        /// Renewed so long before its told end, at most a quarter of its life; 0: never.
        package var renewBeforeNS: UInt64 = 10_000_000_000
        /// One ask tries a new token before the others go.
        package var sendsCanary = false

        package init() {}
    }

    /// What becomes of an ask that wants a token.
    package enum Admission: Sendable, Equatable {
        /// Send with the token of this generation.
        case send(generation: UInt64)
        /// The same, and the others wait for the answer; tell `canaryLost` if none comes.
        case canary(generation: UInt64)
        /// Wait for the end of this flight or canary.
        case park(flight: UInt64)
        /// Refused although the token may work: `reconsider` with the next news.
        case hold
        case fail(AuthFailure)
    }

    /// Effects for the owner to carry out after the event.
    package struct Effects: Sendable, Equatable {
        package var startsFlight: UInt64?
        package var abortsFlight: UInt64?
        /// Waiting asks have news: their flight ended, or the token changed.
        package var wakes = false
        /// From now on asks wait for a renewal of the current token.
        package var blocks = false

        package init() {}
    }

    /// How one flight ended, for the asks that wait for it.
    package enum FlightEnd: Sendable, Equatable {
        case ok
        case failed(AuthFailure)
    }

    /// A renewal that is under way.
    struct Flight: Sendable, Equatable {
        var number: UInt64
        /// Nobody waits for it: the token still works.
        var isBackground: Bool
    }

    package let limits: Limits
    package let deviations: Deviations
    package internal(set) var state = State.empty
    package internal(set) var generation: UInt64 = 0
    package internal(set) var credential = Credential("")
    /// Counts the texts that `credential` has had, spoilt ones included.
    package internal(set) var serial: UInt64 = 0
    /// Moves with every change of state, generation, credential or canary.
    package internal(set) var changes: UInt64 = 0
    /// The newest credential that somebody issued, and the one before it: what `poison` with `old`
    /// sends.
    var issued = Credential("")
    package internal(set) var previous = Credential("")
    package internal(set) var isConfirmed = false
    /// The token in hand was refused, or taken for refused.
    var isRefused = false
    package internal(set) var barren = 0
    /// The last generation that was refused before any answer confirmed it.
    var failedGeneration: UInt64 = 0
    var cools = 0
    package internal(set) var coolsUntilNS: UInt64 = 0
    /// The dummy or no token: its end is no expiry event.
    package internal(set) var isCold = true
    var life = TokenLife()
    var renewedAtNS: UInt64?
    var locks = LayerLocks()
    /// Asks refused since the last answer to anybody that was no refusal.
    var suspicions = 0
    /// Renewals for suspects since one helped, or since the layer was locked.
    var alarms = 0
    /// The layer that called for the last renewal, and until when its refusals are under suspicion
    /// unless one of its tiles was had since.
    var renewedFor: UInt8 = 0
    var renewedForUntilNS: UInt64 = 0
    /// The newest proof that a text of the token works: its serial, and when the request was sent.
    package internal(set) var provenSerial: UInt64 = 0
    package internal(set) var provenSentNS: UInt64 = 0
    package var ledger: TokenLedger

    var current: Flight?
    /// Flights beside the current one: `flightPerRefusal` alone has them.
    var others: [UInt64] = []
    var flightsBegun: UInt64 = 0
    /// Waited for in the place of a flight; nil: no canary is out.
    var canary: UInt64?
    var canariesBegun: UInt64 = 0
    package internal(set) var parked = 0
    var random: UInt64
    /// The run has ended: nothing starts any more.
    var isOver = false

    /// The last flights' ends; one that is not among them any more can be asked for as if it had
    /// been well: whoever waited for it comes to the machine again.
    var ends: [(flight: UInt64, end: FlightEnd)] = []
    private static let endsKept = 64
    private var newestFlightEnded: UInt64 = 0
    private var newestCanaryEnded: UInt64 = 0

    package init(limits: Limits, deviations: Deviations = [], seed: UInt64) {
        self.limits = limits
        self.deviations = deviations
        ledger = TokenLedger(
            expiryRowsMax: limits.expiryRowsMax, generationsKept: limits.generationsKept)
        random = seed | 1
    }

    /// The credential the run begins with. `isDummy`: it was never issued by anybody. `lifeNS` is
    /// what is left of its told life.
    package mutating func begin(
        _ credential: Credential, isDummy: Bool, lifeNS: UInt64? = nil, nowNS: UInt64
    ) {
        precondition(state == .empty, "a cell begins once")
        install(credential)
        if !isDummy { issued = credential }
        generation = 1
        ledger.generationAtStart = 1
        isCold = isDummy
        life = lifetime(sentNS: nowNS, lifeNS: lifeNS, nowNS: nowNS)
        enter(.fresh, nowNS)
    }

    /// The first token is fetched before any ask wants it; the flight's number.
    package mutating func beginByRenewal(nowNS: UInt64) -> (flight: UInt64, Effects) {
        precondition(state == .empty, "a cell begins once")
        var effects = Effects()
        startFlight(nowNS, &effects)
        return (flightsBegun, effects)
    }

    // MARK: what its owner may look at

    /// The newest flight that is under way.
    package var flight: UInt64? { current?.number }

    /// Asks may be sent without asking the machine, until `actsAtNS`.
    package var sendsFreely: Bool {
        if isOver { return false }
        return switch state {
        case .fresh: !awaitsCanary
        case .renewing: deviations.contains(.sendsWhileRenewing) && !isCold
        case .empty, .cooling, .dead: false
        }
    }

    /// When the next ask has to come by the machine although the token is fresh: it is to be
    /// renewed, or has ended by its told life.
    package var actsAtNS: UInt64 {
        state == .fresh
            ? (current == nil ? min(life.staleAtNS, life.endsAtNS) : life.endsAtNS) : .max
    }

    /// A new token is to be tried by one ask before the others.
    var awaitsCanary: Bool { limits.sendsCanary && !isConfirmed && !isCold }

    /// True between the first notice of an expiry and the end of the last ask that it met, and as
    /// long as there is no token: a renewal that failed has not recovered anything.
    package var isWindowOpen: Bool {
        ledger.expiries.isWindowOpen || (state != .fresh && state != .empty && !isCold)
    }

    /// One ask is trying a new token, and the others wait for its answer.
    package var hasCanary: Bool { canary != nil }

    /// What has ended, for those who wait.
    package var flightEnds: FlightEnds {
        FlightEnds(
            ends: ends, current: flight, others: others, canary: canary,
            newestFlight: newestFlightEnded, newestCanary: newestCanaryEnded,
            tellsAll: !deviations.contains(.noFanOut))
    }

    /// How that flight or canary ended; nil while it runs.
    package func end(of flight: UInt64) -> FlightEnd? { flightEnds.end(of: flight) }

    // MARK: parts

    mutating func install(_ new: Credential) {
        credential = new
        serial += 1
        changes += 1
    }

    mutating func end(_ flight: UInt64, _ end: FlightEnd) {
        if ends.count == Self.endsKept { ends.removeFirst() }
        ends.append((flight, end))
        if flight & Self.canaryMark == 0 {
            newestFlightEnded = max(newestFlightEnded, flight)
        } else {
            newestCanaryEnded = max(newestCanaryEnded, flight)
        }
    }

    mutating func enter(_ next: State, _ nowNS: UInt64) {
        ledger.leave(state, atNS: nowNS)
        state = next
        changes += 1
    }

    mutating func lifetime(sentNS: UInt64, lifeNS: UInt64?, nowNS: UInt64) -> TokenLife {
        TokenLife(
            sentNS: sentNS, lifeNS: lifeNS, renewBeforeNS: limits.renewBeforeNS,
            jitter: 1 + uniform() / 2, nowNS: nowNS)
    }

    /// In 0..<1, by xorshift.
    mutating func uniform() -> Double {
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        return Double(random >> 11) / Double(1 << 53)
    }
}
