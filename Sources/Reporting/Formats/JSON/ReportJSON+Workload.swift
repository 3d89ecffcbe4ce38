import JSONText
import Metrics

/// Views, places and logs.
extension ReportJSON {
    /// Counts first, then the time to a full view.
    static func views(_ views: ViewsResult) -> JSONNode {
        var node = ObjectBuilder()
        node.add("sessions", count: views.sessions)
        node.add("requested", count: views.requested)
        node.add("full", count: views.full)
        node.add("incomplete", count: views.incomplete)
        node.add("abandoned", count: views.abandoned)
        node.add("open_at_end", count: views.openAtEnd)
        node.add("tiles", count: views.tiles)
        node.add("tiles_held", count: views.tilesHeld)
        node.add("tiles_failed", count: views.tilesFailed)
        node.add("tiles_missing", count: views.tilesMissing)
        if views.requested > 0 {
            node.add("tiles_per_view", rounded: Double(views.tiles) / Double(views.requested))
        }
        for member in distribution(views.fullTimes).members ?? [] {
            node.add(member.name, member.node)
        }
        node.add("all", distribution(views.allTimes))
        return node.node
    }

    static func place(_ row: PlaceRow) -> JSONNode {
        var node = ObjectBuilder()
        node.add("name", text: row.name)
        node.add("started", count: row.started)
        node.add("ok", count: row.ok)
        node.add("failed", count: row.failed)
        node.add("cancelled", count: row.cancelled)
        node.add("in_flight_at_end", count: row.inFlightAtEnd)
        node.add("bytes", count: row.bytes)
        node.add("p50_ms", ms: row.response.percentileNS(0.5))
        node.add("p90_ms", ms: row.response.percentileNS(0.9))
        node.add("p99_ms", ms: row.response.percentileNS(0.99))
        node.add("max_ms", ms: row.response.maxNS)
        node.add("views", row.views.map(views))
        return node.node
    }

    static func replay(_ replay: ReplayResult) -> JSONNode {
        var node = ObjectBuilder()
        node.add("format", text: replay.format)
        node.add("lines", count: replay.lines)
        node.add("passes", count: replay.passes)
        node.add("tiles", count: replay.tiles)
        node.add(
            "skipped",
            .object(zip(ReplayResult.reasons, replay.skipped).map { ($0, .uint($1)) }))
        node.add("reordered", count: replay.reordered)
        node.add("late", count: replay.late)
        node.add("failure", text: replay.failure)
        return node.node
    }
}
