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
        node.add("events_dropped", count: auth.eventsDropped)
        node.add("injections", count: auth.injections)
        node.add("injections_missed", count: auth.injectionsMissed)
        node.add("injected", .array(auth.injectionRows.map(injection)))
        node.add("renewals", renewals(auth.renewals))
        node.add("refusals", refusals(auth))
        node.add("storm_max", count: auth.stormMax)
        node.add("parked", parked.node)
        node.add("windows", windows(auth))
        node.add("recovery", recovery(auth))
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
        node.add("initial", count: renewals.initial)
        node.add("same", count: renewals.same)
        node.add("abandoned", count: renewals.abandoned)
        node.add("duplicates", count: renewals.duplicates)
        node.add("flights", count: renewals.flights)
        node.add("flights_ok", count: renewals.flightsOK)
        node.add("flights_failed", count: renewals.flightsFailed)
        node.add("flights_abandoned", count: renewals.flightsAbandoned)
        node.add("proactive", count: renewals.proactive)
        node.add("converted", count: renewals.converted)
        node.add("coalesced", count: renewals.coalesced)
        node.add("per_expiry_mean", exact: renewals.perExpiryMean)
        node.add("per_expiry_max", count: renewals.perExpiryMax)
        return node.node
    }

    private static func refusals(_ auth: AuthResult) -> JSONNode {
        let refusals = auth.refusals
        var node = ObjectBuilder()
        node.add("total", count: refusals.total)
        node.add("triggering", count: refusals.triggering)
        node.add("coalesced", count: refusals.coalesced)
        node.add("late", count: refusals.late)
        node.add("locked", count: refusals.locked)
        node.add("exhausted", count: refusals.exhausted)
        node.add("service_ms", distribution(auth.refusedService))
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

    private static func windows(_ auth: AuthResult) -> JSONNode {
        func window(_ window: AuthResult.Window) -> JSONNode {
            var node = ObjectBuilder()
            node.add("asks", count: window.asks)
            node.add("ok", count: window.ok)
            node.add("success", exact: window.success)
            node.add("response", distribution(window.response))
            return node.node
        }
        var node = ObjectBuilder()
        node.add("inside", window(auth.insideWindows))
        node.add("outside", window(auth.outsideWindows))
        return node.node
    }

    private static func recovery(_ auth: AuthResult) -> JSONNode {
        var node = ObjectBuilder()
        node.add("first_ok_ms", distribution(auth.firstOKTimes))
        node.add("full_ms", distribution(auth.fullRecoveryTimes))
        return node.node
    }

    private static func injection(_ injection: AuthResult.Injection) -> JSONNode {
        var node = ObjectBuilder()
        node.add("kind", text: injection.kind)
        node.add("at_s", s: injection.atNS)
        node.add("done_s", s: injection.doneNS)
        node.add("cells", count: injection.cells)
        node.add("observed", count: injection.observed)
        node.add("failed", count: injection.failed)
        node.add("with", text: injection.with)
        return node.node
    }

    private static func event(_ event: AuthResult.Event) -> JSONNode {
        var node = ObjectBuilder()
        node.add("cell", count: event.cell)
        node.add("generation", count: event.generation)
        node.add("cause", text: event.cause.rawValue)
        node.add("first_refusal_s", s: event.firstRefusalNS)
        node.add("expired_s", s: event.expiredNS)
        node.add("renewal_start_s", s: event.renewalStartNS)
        node.add("renewal_end_s", s: event.renewalEndNS)
        node.add("first_ok_s", s: event.firstOKNS)
        node.add("full_recovery_s", s: event.fullRecoveryNS)
        node.add("storm", count: event.storm)
        node.add("parked", count: event.parked)
        node.add("renewals", count: event.renewals)
        node.add("first_ok_ms", ms: event.firstOKAfterNS)
        node.add("full_recovery_ms", ms: event.fullRecoveryAfterNS)
        node.add("server_hit_rate_before", exact: event.serverHitRateBefore)
        node.add("server_hit_rate_after", exact: event.serverHitRateAfter)
        node.add("client_hit_rate_before", exact: event.clientHitRateBefore)
        node.add("client_hit_rate_after", exact: event.clientHitRateAfter)
        return node.node
    }
}
