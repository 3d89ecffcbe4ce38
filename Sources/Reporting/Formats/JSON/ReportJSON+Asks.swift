import JSONText
import Metrics

/// What became of the asks and the requests.
extension ReportJSON {
    static func ledger(_ ledger: Ledger) -> JSONNode {
        var detail = ObjectBuilder()
        detail.add("status", ObjectBuilder.counts(byStatus: ledger.failedByStatus))
        detail.add(
            "timeout", counts: ledger.failedByTimeout, by: TimeoutPhase.self, key: \.key)
        detail.add(
            "invalid_tile", counts: ledger.failedByDefect, by: TileDefect.self, key: \.key)
        detail.add(
            "unauthorized", counts: ledger.failedByAuth, by: AuthFailure.self, key: \.key)

        var node = ObjectBuilder()
        node.add("planned", count: ledger.planned)
        node.add("not_started", count: ledger.notStarted)
        node.add("started", count: ledger.started)
        node.add("ok", count: ledger.ok)
        node.add("failed", count: ledger.failed)
        node.add("failed_by", counts: ledger.failedBy, by: FailureCause.self, key: \.key)
        node.add("failed_by_detail", detail.node)
        node.add("cancelled", count: ledger.cancelled)
        node.add("in_flight_at_end", count: ledger.inFlightAtEnd)
        return node.node
    }

    static func requests(_ requests: RequestCounts) -> JSONNode {
        var node = ObjectBuilder()
        node.add("sent", count: requests.sent)
        node.add("replays", count: requests.replays)
        node.add("retried_on_closed", count: requests.retriedOnClosed)
        node.add("redirected", count: requests.redirected)
        node.add("answered", ObjectBuilder.counts(byStatus: requests.answered))
        return node.node
    }

    /// Per second of measured time; absent when there was none.
    static func rate(_ result: RunResult) -> JSONNode {
        let seconds = Double(result.run.measuredNS) / 1e9
        func perSecond(_ count: UInt64) -> Double? {
            seconds > 0 ? Double(count) / seconds : nil
        }
        var node = ObjectBuilder()
        node.add("planned_per_s", rounded: perSecond(result.ledger.planned))
        node.add("started_per_s", rounded: perSecond(result.ledger.started))
        node.add("ok_per_s", rounded: perSecond(result.ledger.ok))
        node.add("bytes_per_s", rounded: perSecond(result.bytes.measuredBody))
        return node.node
    }

    static func bytes(_ bytes: ByteCounts) -> JSONNode {
        var node = ObjectBuilder()
        node.add("received", count: bytes.received)
        node.add("sent", count: bytes.sent)
        node.add("body", count: bytes.body)
        return node.node
    }

    static func error(_ error: ErrorEntry) -> JSONNode {
        var node = ObjectBuilder()
        node.add("cause", text: error.cause)
        node.add("detail", text: error.detail)
        node.add("count", count: error.count)
        node.add("first_at_s", s: error.firstAtNS)
        node.add("samples", .array([]))
        return node.node
    }

    static func connections(_ connections: ConnectionCounts) -> JSONNode {
        var node = ObjectBuilder()
        node.add("opened", count: connections.opened)
        node.add("reused", count: connections.reused)
        node.add("by_protocol", ObjectBuilder.counts(byName: connections.byProtocol))
        node.add("by_address", ObjectBuilder.counts(byName: connections.byAddress))
        return node.node
    }
}
