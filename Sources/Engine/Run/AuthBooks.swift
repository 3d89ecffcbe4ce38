import Metrics

/// The token ledger in the report's words: monotonic times become times from T0.
struct AuthBooks {
    let tokens: TokenSetup
    let t0NS: UInt64
    let nowNS: UInt64
    let injections: InjectionSchedule

    var result: AuthResult {
        var auth = AuthResult()
        let (ledger, generation) = tokens.store.closedLedger(nowNS: nowNS)
        auth.generationsAtStart = ledger.generationAtStart
        auth.generationsAtEnd = generation
        auth.injections = injections.count
        auth.injectionsMissed = injections.missed
        auth.releasePeakPer10ms = tokens.store.releaseWatch.peakPer10ms
        fillRenewals(&auth, ledger)
        auth.refusals.total = ledger.refusalsTotal
        auth.refusals.triggering = ledger.refusalsTriggering
        auth.refusals.coalesced = ledger.refusalsCoalesced
        auth.refusals.late = ledger.refusalsLate
        auth.refusals.locked = ledger.refusalsLocked
        auth.refusals.exhausted = ledger.refusalsExhausted
        auth.parkedCount = ledger.parkedCount
        auth.parkedLeft = ledger.parkedLeft
        auth.parkedMax = ledger.parkedMax
        auth.outdatedSends = ledger.outdatedSends
        auth.knownDeadSends = ledger.knownDeadSends
        auth.acceptedWhileExpired = ledger.acceptedWhileExpired
        auth.tokensLost = ledger.tokensLost
        auth.tokensFailed = ledger.tokensFailed
        auth.timeInState = ledger.timeInState
        auth.stormMax = ledger.expiries.stormMax
        auth.firstOKTimes = Histogram(ledger.expiries.firstOKTimes)
        auth.fullRecoveryTimes = Histogram(ledger.expiries.fullRecoveryTimes)
        auth.expiryEvents = ledger.expiries.count
        auth.events = ledger.expiries.rows.map { fromT0($0) }
        return auth
    }

    private func fillRenewals(_ auth: inout AuthResult, _ ledger: TokenLedger) {
        if let tally = tokens.renewal?.currentTally() {
            auth.renewals.attempted = tally.attempted
            auth.renewals.succeeded = tally.succeeded
            auth.renewals.failed = tally.failed
            auth.storeFailures = tally.storeFailures
        }
        auth.renewals.duplicates = ledger.duplicates
        auth.renewals.flights = ledger.flights
        auth.renewals.flightsOK = ledger.flightsOK
        auth.renewals.flightsFailed = ledger.flightsFailed
        auth.renewals.flightsAbandoned = ledger.flightsAbandoned
        auth.renewals.proactive = ledger.flightsProactive
        auth.renewals.converted = ledger.flightsConverted
        auth.renewals.coalesced = ledger.refusalsCoalesced + ledger.joined
        let expiries = ledger.expiries
        auth.renewals.initial = ledger.flightsOK - expiries.renewals
        guard expiries.withRenewal > 0 else { return }
        auth.renewals.perExpiryMean = Double(expiries.renewals) / Double(expiries.withRenewal)
        auth.renewals.perExpiryMax = expiries.renewalsMax
    }

    private func fromT0(_ event: AuthResult.Event) -> AuthResult.Event {
        var event = event
        func shift(_ time: inout Int64?) { time = time.map { $0 - Int64(t0NS) } }
        shift(&event.firstRefusalNS)
        shift(&event.expiredNS)
        shift(&event.renewalStartNS)
        shift(&event.renewalEndNS)
        shift(&event.firstOKNS)
        shift(&event.fullRecoveryNS)
        return event
    }
}
