import Glibc
import Metrics
import Workload

/// Puts a run's renewal machinery together: the cell, its store, and the desk that renews.
struct TokenSetup {
    let store: TokenStore
    let renewal: RenewalDesk?
    let queue: RenewalQueue
    /// Said before the run, such as "the token store is readable by others and is not used".
    let notice: String?

    /// Nil when the plan has no `auth`.
    /// - Parameter tokenBytesMax: what a token may take in a URL.
    init?(plan: Plan, tokenBytesMax: Int, wakeReactors: @escaping @Sendable () -> Void) {
        guard let auth = plan.auth else { return nil }
        var limits = TokenCell.Limits()
        limits.refusalsMax = auth.refusalsMax
        limits.barrenMax = auth.barrenMax
        limits.coolDownMinNS = auth.coolDownMinNS
        limits.coolDownMaxNS = auth.coolDownMaxNS
        limits.renewBeforeNS = auth.renewBeforeNS
        limits.sendsCanary = auth.release == .canary
        queue = RenewalQueue()
        store = TokenStore(
            cell: TokenCell(limits: limits, deviations: Deviations(auth.client), seed: plan.seed),
            renewal: queue,
            wakeReactors: wakeReactors)
        let file = auth.storePath.map {
            TokenFile(
                path: $0, partNames: auth.partNames,
                firstRefreshToken: auth.renewal?.credentials.refreshToken)
        }
        // A refresh token that was spent in an earlier run must not be used again, whatever the run
        // starts with.
        let isWanted = auth.start == .stored || auth.renewal?.kind == .refreshToken
        let stored = isWanted ? file?.load() : nil
        notice = stored?.warning
        renewal = auth.renewal.map { [queue] renewal in
            var setup = RenewalDesk.Setup(
                plan: plan, renewal: renewal, tokenBytesMax: tokenBytesMax, tokenFile: file)
            setup.refreshToken = stored?.token?.refreshToken
            return RenewalDesk(setup, queue: queue)
        }
        let now = MonotonicClock.nowNS()
        if let token = auth.staticToken {
            store.begin(Credential(token), isDummy: false, nowNS: now)
        } else if auth.start == .stored, let token = stored?.token {
            store.begin(token.credential, isDummy: false, nowNS: now)
        } else if auth.start != .renew {
            let dummy = "tilebench-dummy"
            let parts = auth.partNames.map { _ in dummy }
            store.begin(Credential(dummy, parts: parts), isDummy: true, nowNS: now)
        }
    }

    /// `start: "renew"`: gets the first token before the warm-up; a sentence when it cannot.
    func renewFirst(isCancelled: () -> Bool) -> String? {
        let flight = store.beginByRenewal(nowNS: MonotonicClock.nowNS())
        var end = store.end(of: flight)
        while end == nil {
            if isCancelled() { return "interrupted before the first token was there" }
            usleep(1000)
            end = store.end(of: flight)
        }
        guard case .failed = end else { return nil }
        return "no token: \(renewal?.currentTally().lastFailure ?? "the renewal failed")"
    }
}
