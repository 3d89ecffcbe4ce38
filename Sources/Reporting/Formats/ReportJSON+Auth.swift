import JSONText
import Metrics

/// Token renewal.
extension ReportJSON {
    static func auth(_ auth: AuthResult) -> JSONNode {
        var parked = ObjectBuilder()
        parked.add("count", count: auth.parkedCount)
        parked.add("max", count: auth.parkedMax)
        parked.add("ms", distribution(auth.parkedTime))

        var node = ObjectBuilder()
        node.add("expiry_events", count: auth.expiryEvents)
        node.add("injections", count: auth.injections)
        node.add("injections_missed", count: auth.injectionsMissed)
        node.add("renewals", renewals(auth.renewals))
        node.add("refusals", refusals(auth.refusals))
        node.add("parked", parked.node)
        node.add("release_peak_per_10ms", count: auth.releasePeakPer10ms)
        node.add("amplification", exact: auth.amplification)
        node.add("attempts_max", count: auth.attemptsMax)
        node.add("success_in_window", exact: auth.successInWindow)
        node.add("outdated_sends", count: auth.outdatedSends)
        node.add("known_dead_sends", count: auth.knownDeadSends)
        node.add(
            "accepted_while_expired", counts: auth.acceptedWhileExpired, by: CacheClass.self,
            key: \.key)
        node.add("tokens_lost", count: auth.tokensLost)
        node.add("tokens_failed", count: auth.tokensFailed)
        node.add("asks_failed", counts: auth.asksFailed, by: AuthFailure.self, key: \.key)
        node.add("time_in_state_s", timeInState(auth.timeInState))
        node.add("cells", count: auth.cells)
        node.add("store_failures", count: auth.storeFailures)
        node.add("events", .array(auth.events.map(event)))
        return node.node
    }

    private static func renewals(_ renewals: AuthResult.Renewals) -> JSONNode {
        var node = ObjectBuilder()
        node.add("attempted", count: renewals.attempted)
        node.add("succeeded", count: renewals.succeeded)
        node.add("failed", count: renewals.failed)
        node.add("duplicates", count: renewals.duplicates)
        node.add("flights", count: renewals.flights)
        node.add("flights_ok", count: renewals.flightsOK)
        node.add("coalesced", count: renewals.coalesced)
        node.add("per_expiry_mean", exact: renewals.perExpiryMean)
        node.add("per_expiry_max", count: renewals.perExpiryMax)
        return node.node
    }

    private static func refusals(_ refusals: AuthResult.Refusals) -> JSONNode {
        var node = ObjectBuilder()
        node.add("total", count: refusals.total)
        node.add("triggering", count: refusals.triggering)
        node.add("coalesced", count: refusals.coalesced)
        node.add("late", count: refusals.late)
        node.add("locked", count: refusals.locked)
        node.add("exhausted", count: refusals.exhausted)
        return node.node
    }

    private static func timeInState(_ time: AuthResult.TimeInState) -> JSONNode {
        var node = ObjectBuilder()
        node.add("fresh", s: time.freshNS)
        node.add("renewing", s: time.renewingNS)
        node.add("cooling", s: time.coolingNS)
        node.add("dead", s: time.deadNS)
        return node.node
    }

    private static func event(_ event: AuthResult.Event) -> JSONNode {
        var node = ObjectBuilder()
        node.add("cell", count: event.cell)
        node.add("generation", count: event.generation)
        node.add("cause", text: event.cause.rawValue)
        node.add("first_refusal_s", s: event.firstRefusalNS)
        node.add("renewal_start_s", s: event.renewalStartNS)
        node.add("renewal_end_s", s: event.renewalEndNS)
        node.add("first_ok_s", s: event.firstOKNS)
        node.add("full_recovery_s", s: event.fullRecoveryNS)
        node.add("storm", count: event.storm)
        node.add("parked", count: event.parked)
        node.add("renewals", count: event.renewals)
        return node.node
    }
}
