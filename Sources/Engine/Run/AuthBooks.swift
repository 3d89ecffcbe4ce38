import Metrics

/// The ledgers of all token cells in the report's words: monotonic times become times from T0.
struct AuthBooks {
    let tokens: TokenSetup
    let t0NS: UInt64
    let nowNS: UInt64
    let injections: InjectionBook

    var result: AuthResult {
        var auth = AuthResult()
        auth.cells = UInt64(tokens.cells.stores.count)
        auth.injections = injections.count
        auth.injectionRows = injections.rows
        auth.injectionsMissed = injections.missed
        auth.releasePeakPer10ms = tokens.cells.hub.releaseWatch.peakPer10ms
        auth.parkedMax = tokens.cells.hub.parkedMax
        var expiries = ExpirySums()
        for store in tokens.cells.stores {
            let (ledger, generation) = store.closedLedger(nowNS: nowNS)
            auth.generationsAtStart += ledger.generationAtStart
            auth.generationsAtEnd += generation
            addRenewals(to: &auth, ledger)
            addRefusals(to: &auth, ledger)
            auth.timeInState.add(ledger.timeInState)
            expiries.add(ledger.expiries, cell: store.number)
            for number in ledger.seenInjections where Int(number) < auth.injectionRows.count {
                auth.injectionRows[Int(number)].observed += 1
            }
        }
        addTally(to: &auth)
        expiries.fill(&auth)
        auth.events = auth.events.map { fromT0($0) }
        for index in auth.injectionRows.indices {
            auth.injectionRows[index].atNS -= Int64(t0NS)
            auth.injectionRows[index].doneNS -= Int64(t0NS)
        }
        return auth
    }

    private func addTally(to auth: inout AuthResult) {
        guard let tally = tokens.renewal?.currentTally() else { return }
        auth.renewals.attempted = tally.attempted
        auth.renewals.succeeded = tally.succeeded
        auth.renewals.failed = tally.failed
        auth.renewals.same = tally.same
        auth.renewals.abandoned = tally.abandoned
        auth.storeFailures = tally.storeFailures
    }

    private func addRenewals(to auth: inout AuthResult, _ ledger: TokenLedger) {
        auth.renewals.duplicates += ledger.duplicates
        auth.renewals.flights += ledger.flights
        auth.renewals.flightsOK += ledger.flightsOK
        auth.renewals.flightsFailed += ledger.flightsFailed
        auth.renewals.flightsAbandoned += ledger.flightsAbandoned
        auth.renewals.proactive += ledger.flightsProactive
        auth.renewals.converted += ledger.flightsConverted
        auth.renewals.coalesced += ledger.refusalsCoalesced + ledger.joined
        auth.tokensLost += ledger.tokensLost
        auth.tokensFailed += ledger.tokensFailed
    }

    private func addRefusals(to auth: inout AuthResult, _ ledger: TokenLedger) {
        auth.refusals.total += ledger.refusalsTotal
        auth.refusals.triggering += ledger.refusalsTriggering
        auth.refusals.coalesced += ledger.refusalsCoalesced
        auth.refusals.late += ledger.refusalsLate
        auth.refusals.locked += ledger.refusalsLocked
        auth.refusals.exhausted += ledger.refusalsExhausted
        auth.parkedCount += ledger.parkedCount
        auth.parkedLeft += ledger.parkedLeft
        auth.outdatedSends += ledger.outdatedSends
        auth.knownDeadSends += ledger.knownDeadSends
        for index in auth.acceptedWhileExpired.indices {
            auth.acceptedWhileExpired[index] += ledger.acceptedWhileExpired[index]
        }
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

/// The expiries of all cells together.
private struct ExpirySums {
    private var count: UInt64 = 0
    private var withRenewal: UInt64 = 0
    private var renewals: UInt64 = 0
    private var renewalsMax: UInt64 = 0
    private var stormMax: UInt64 = 0
    private var firstOKTimes = Histogram()
    private var fullRecoveryTimes = Histogram()
    private var rows: [AuthResult.Event] = []

    mutating func add(_ book: ExpiryBook, cell: Int) {
        guard book.count > 0 else { return }
        count += book.count
        withRenewal += book.withRenewal
        renewals += book.renewals
        renewalsMax = max(renewalsMax, book.renewalsMax)
        stormMax = max(stormMax, book.stormMax)
        firstOKTimes.add(book.firstOKTimes)
        fullRecoveryTimes.add(book.fullRecoveryTimes)
        for row in book.rows {
            rows.append(row)
            rows[rows.count - 1].cell = cell
        }
    }

    /// The earliest events have rows; those of many cells beyond the limit are only counted.
    func fill(_ auth: inout AuthResult) {
        auth.expiryEvents = count
        auth.stormMax = stormMax
        auth.firstOKTimes = firstOKTimes
        auth.fullRecoveryTimes = fullRecoveryTimes
        auth.renewals.initial = auth.renewals.flightsOK - renewals
        if withRenewal > 0 {
            auth.renewals.perExpiryMean = Double(renewals) / Double(withRenewal)
            auth.renewals.perExpiryMax = renewalsMax
        }
        func begin(_ event: AuthResult.Event) -> Int64 {
            min(event.beganNS ?? .max, event.renewalStartNS ?? .max)
        }
        auth.events = Array(
            rows.sorted { (begin($0), $0.cell) < (begin($1), $1.cell) }
                .prefix(ExpiryBook.rowsMax))
    }
}

extension AuthResult.TimeInState {
    fileprivate mutating func add(_ other: Self) {
        freshNS += other.freshNS
        renewingNS += other.renewingNS
        coolingNS += other.coolingNS
        deadNS += other.deadNS
    }
}
