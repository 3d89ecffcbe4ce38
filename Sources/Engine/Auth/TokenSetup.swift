import Glibc
import Metrics
import Workload

/// Puts a run's renewal machinery together: the cells and the desk that renews for them.
struct TokenSetup {
    let cells: TokenCells
    let renewal: RenewalDesk?
    let queue: RenewalQueue
    /// Said before the run, such as "the token store is readable by others and is not used", or
    /// that none can be written.
    let notice: String?
    /// Why the run must not begin: something that is no token store stands in its place.
    let obstacle: String?
    /// The longest a flight may take.
    private let flightNS: UInt64

    /// Nil when the plan has no `auth`.
    /// - Parameters:
    ///   - users: of a closed load, at most.
    ///   - tokenBytesMax: what a token may take in a URL.
    ///   - firstAnswer: of the token endpoint, that came already.
    init?(plan: Plan, users: Int?, tokenBytesMax: Int, firstAnswer: OneShot.Answer? = nil) {
        guard let auth = plan.auth else { return nil }
        queue = RenewalQueue()
        cells = TokenCells(
            perUser: auth.sharing == .user ? users : nil, limits: TokenCell.Limits(auth),
            deviations: Deviations(auth.client), seed: plan.seed, renewal: queue)
        let file = TokenFile(plan)
        obstacle = file?.obstacle()
        // A refresh token that was spent in an earlier run must not be used again, whatever the run
        // starts with.
        let isWanted = auth.start == .stored || auth.renewal?.kind == .refreshToken
        var stored = isWanted ? file?.load() : nil
        let setup = auth.renewal.map { renewal in
            var setup = RenewalDesk.Setup(
                plan: plan, renewal: renewal, tokenBytesMax: tokenBytesMax, tokenFile: file)
            setup.refreshToken = stored?.refreshToken
            setup.firstAnswer = firstAnswer
            return setup
        }
        if let token = stored?.token, setup?.fits(token.credential) == false {
            stored?.token = nil
            stored?.warning = "the stored token is not used: it is too long for a tile's URL"
        }
        notice = stored?.warning ?? file?.folderProblem()
        renewal = setup.map { [queue] in RenewalDesk($0, queue: queue) }
        flightNS = RenewalFlight.Limits(timeoutNS: auth.renewal?.timeoutNS ?? 0).flightNS
        let dummy = "tilebench-dummy"
        let now = MonotonicClock.nowNS()
        for store in cells.stores {
            if let token = auth.staticToken {
                store.begin(Credential(token), isDummy: false, nowNS: now)
            } else if auth.start == .stored, let token = stored?.token {
                store.begin(
                    token.credential, isDummy: false, lifeNS: token.lifeLeftNS, nowNS: now)
            } else if auth.start != .renew {
                let parts = auth.partNames.map { _ in dummy }
                store.begin(Credential(dummy, parts: parts), isDummy: true, nowNS: now)
            }
        }
    }

    /// As many flights have failed as run at once.
    var hasGivenUp: Bool {
        cells.flightsFailed >= min(cells.stores.count, RenewalLoop.runningMax)
    }

    /// `start: "renew"`: gets the first tokens before the warm-up; a sentence when it cannot.
    ///
    /// All cells renew at once, as far as the desk lets them. A cell whose renewal fails while
    /// others get theirs tries again when an ask comes: that is only said.
    func renewFirst(isCancelled: () -> Bool, say: ((String) -> Void)?) -> String? {
        let startNS = MonotonicClock.nowNS()
        let rounds = UInt64(cells.stores.count / RenewalLoop.runningMax + 1)
        let deadlineNS = startNS &+ rounds &* flightNS &+ 1_000_000_000
        let flights = cells.stores.map { $0.beginByRenewal(nowNS: startNS) }
        var failed = 0
        for (store, flight) in zip(cells.stores, flights) {
            var end = store.end(of: flight)
            while end == nil {
                if isCancelled() { return "interrupted before the first token was there" }
                if MonotonicClock.nowNS() > deadlineNS {
                    return "no token: the renewals before the start took too long"
                }
                usleep(1000)
                end = store.end(of: flight)
            }
            if case .failed = end { failed += 1 }
            // An endpoint that fails everybody is not asked by thousands.
            if failed >= RenewalLoop.runningMax, cells.isCold { break }
        }
        guard failed > 0 else { return nil }
        let why = renewal?.currentTally().lastFailure ?? "the renewal failed"
        if cells.isCold { return "no token: \(why)" }
        say?("no token at the start for \(failed) of \(flights.count) users: \(why)")
        return nil
    }
}

extension TokenCell.Limits {
    init(_ auth: AuthPlan) {
        self.init()
        refusalsMax = auth.refusalsMax
        barrenMax = auth.barrenMax
        parkedMax = auth.parkedMax
        coolDownMinNS = auth.coolDownMinNS
        coolDownMaxNS = auth.coolDownMaxNS
        renewBeforeNS = auth.renewBeforeNS
        sendsCanary = auth.release == .canary
    }
}

extension IssuedToken {
    /// What is left of its told life; nil: not told, or over by the clock, which may be wrong: then
    /// a refusal has to say so.
    var lifeLeftNS: UInt64? {
        guard let expiresAtEpochS else { return nil }
        let leftS = expiresAtEpochS - Double(MonotonicClock.epochNS()) / 1e9
        return leftS > 0 ? UInt64(min(leftS, 1e9) * 1e9) : nil
    }
}
