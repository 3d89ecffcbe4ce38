package import Metrics

/// What the renewal machine counted: part of `TokenCell`, so that a count and the transition it
/// belongs to happen in one step. Expiry events are in `ExpiryBook`.
package struct TokenLedger: Sendable {
    /// When things happened to one generation, monotonic ns; nil: not yet.
    package struct Life: Sendable {
        package var generation: UInt64
        /// Every thread could see it from then on.
        package var installedNS: UInt64?
        package var firstRefusalNS: UInt64?
        /// There was a reason to renew: refused, at its told end, or near it.
        package var endSeenNS: UInt64?
        /// Every thread could see that it is being replaced.
        package var flightSeenNS: UInt64?
        /// Spoilt or revoked on purpose at that time, as the text of that serial number.
        package var killedNS: UInt64?
        package var killedSerial: UInt64 = 0
        package var cause = AuthResult.Event.Cause.refused
    }

    package var refusalsTotal: UInt64 = 0
    package var refusalsTriggering: UInt64 = 0
    package var refusalsCoalesced: UInt64 = 0
    package var refusalsLate: UInt64 = 0
    /// Refused although the token works: the tile's own answer.
    package var refusalsLocked: UInt64 = 0
    package var refusalsExhausted: UInt64 = 0
    /// Asks that joined a running flight without having been refused.
    package var joined: UInt64 = 0
    package var parkedCount: UInt64 = 0
    /// Released, timed out, cancelled or failed with their flight.
    package var parkedLeft: UInt64 = 0
    package var generationAtStart: UInt64 = 0
    package var flights: UInt64 = 0
    package var flightsOK: UInt64 = 0
    package var flightsFailed: UInt64 = 0
    package var flightsAbandoned: UInt64 = 0
    /// Begun while the token still worked, and those of them that asks came to wait for.
    package var flightsProactive: UInt64 = 0
    package var flightsConverted: UInt64 = 0
    package var duplicates: UInt64 = 0
    package var tokensLost: UInt64 = 0
    package var tokensFailed: UInt64 = 0
    package var outdatedSends: UInt64 = 0
    package var knownDeadSends: UInt64 = 0
    package var acceptedWhileExpired = [UInt64](repeating: 0, count: CacheClass.allCases.count)
    package var expiries: ExpiryBook
    package private(set) var timeInState = AuthResult.TimeInState()

    /// Injections that ended a token, until somebody has seen its end; and those that were seen.
    private var unseenInjections: [(generation: UInt64, number: Int32)] = []
    package private(set) var seenInjections: [Int32] = []

    private var lives: [Life] = []
    private let generationsKept: Int
    private var enteredNS: UInt64 = 0

    package init(
        expiryRowsMax: Int = ExpiryBook.rowsMax, generationsKept: Int = 256
    ) {
        expiries = ExpiryBook(rowsMax: expiryRowsMax)
        self.generationsKept = generationsKept
    }

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
        if lives.count == generationsKept { lives.removeFirst() }
        lives.append(life)
    }

    /// The token was spoilt or revoked on purpose, by the injection of that number; `isSeen`: it
    /// has been noticed already; `serial`: of the text that is certainly dead, or 0.
    package mutating func killed(
        generation: UInt64, serial: UInt64, cause: AuthResult.Event.Cause, injection: Int = 0,
        isSeen: Bool = false, atNS: UInt64
    ) {
        withLife(generation) {
            $0.killedNS = atNS
            $0.killedSerial = serial
            $0.cause = cause
        }
        // A server that revokes may have refused somebody before it answered us.
        expiries.explain(generation: generation, cause: cause)
        guard injection < AuthResult.injectionRowsMax else { return }
        if isSeen {
            seenInjections.append(Int32(injection))
        } else {
            unseenInjections.removeAll { $0.generation < generation }
            unseenInjections.append((generation, Int32(injection)))
        }
    }

    private mutating func seeInjections(_ generation: UInt64) {
        for unseen in unseenInjections where unseen.generation == generation {
            seenInjections.append(unseen.number)
        }
        unseenInjections.removeAll { $0.generation <= generation }
    }

    /// A refusal of a generation that has been replaced since.
    package mutating func lateRefusal(generation: UInt64) {
        refusalsLate += 1
        if !unseenInjections.isEmpty { seeInjections(generation) }
        expiries.lateRefusal()
    }

    /// The change that made this generation current, or that began to replace it, has been
    /// published: what is sent from now on should know.
    package mutating func seen(generation: UInt64, isFlight: Bool, atNS: UInt64) {
        withLife(generation) {
            if isFlight {
                $0.flightSeenNS = $0.flightSeenNS ?? atNS
            } else {
                $0.installedNS = $0.installedNS ?? atNS
            }
        }
    }

    /// A look back at an answer: was it sent although a newer token was here, or although its own
    /// was known to be dead? `serial`: the text it was sent with.
    package mutating func audit(
        generation: UInt64, serial: UInt64, sentNS: UInt64, isAccepted: Bool,
        cacheClass: CacheClass
    ) {
        if let next = life(of: generation + 1)?.installedNS, next < sentNS {
            outdatedSends += 1
            return
        }
        guard let life = life(of: generation) else { return }
        if let seen = life.flightSeenNS, seen < sentNS { knownDeadSends += 1 }
        guard isAccepted else { return }
        let killedNS = life.killedSerial == serial ? life.killedNS : nil
        let isDead =
            (killedNS.map { $0 < sentNS } ?? false)
            || (life.firstRefusalNS.map { $0 < sentNS } ?? false)
        if isDead { acceptedWhileExpired[Int(cacheClass.rawValue)] += 1 }
    }

    // MARK: what the machine tells

    package mutating func refusal(generation: UInt64, isCold: Bool, atNS: UInt64) {
        if !unseenInjections.isEmpty { seeInjections(generation) }
        var life = Life(generation: generation)
        var isFirst = false
        withLife(generation) {
            isFirst = $0.firstRefusalNS == nil
            if isFirst { $0.firstRefusalNS = atNS }
            $0.endSeenNS = $0.endSeenNS ?? atNS
            life = $0
        }
        if isCold { return }
        if isFirst {
            expiries.begin(generation: generation, cause: life.cause)
            expiries.firstRefusal(atNS: atNS)
        }
        expiries.refusal(generation: generation)
    }

    /// The token's told end came before any refusal.
    package mutating func expiredLocally(generation: UInt64, atNS: UInt64) {
        sawEnd(generation, cause: .expired, atNS)
        expiries.expired(atNS: atNS)
    }

    /// A renewal begins although the token still works.
    package mutating func startedProactively(generation: UInt64, atNS: UInt64) {
        flightsProactive += 1
        sawEnd(generation, cause: .proactive, atNS)
    }

    private mutating func sawEnd(
        _ generation: UInt64, cause: AuthResult.Event.Cause, _ atNS: UInt64
    ) {
        withLife(generation) { $0.endSeenNS = $0.endSeenNS ?? atNS }
        expiries.begin(generation: generation, cause: cause)
    }

    /// That generation was at its told end, and goes on all the same.
    package mutating func goesOn(generation: UInt64) {
        withLife(generation) {
            $0.endSeenNS = nil
            $0.flightSeenNS = nil
        }
    }

    package mutating func flightStarted(generation: UInt64, atNS: UInt64) {
        flights += 1
        expiries.renewalStarted(generation: generation, atNS: atNS)
    }

    package mutating func renewed(generation: UInt64, atNS: UInt64) {
        flightsOK += 1
        expiries.renewed(atNS: atNS)
    }

    // MARK: time in state

    package mutating func leave(_ state: TokenCell.State, atNS: UInt64) {
        let spent = enteredNS == 0 || atNS < enteredNS ? 0 : atNS - enteredNS
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
