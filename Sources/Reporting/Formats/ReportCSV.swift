package import JSONText

/// The CSV files of a run. Their columns are the names of the report, the same in every run, so
/// that rows of several runs can stand in one table.
package enum ReportCSV {
    /// One row: every scalar of the report whose name is fixed, with dots between the names of
    /// parts. What is in arrays or goes by status, address or header is in report.json alone.
    package static func summary(_ report: JSONNode) -> String {
        var text = ""
        CSV.append(summaryColumns.map { $0.joined(separator: ".") }, to: &text)
        CSV.append(
            summaryColumns.map { names in
                CSV.field(names.reduce(report as JSONNode?) { $0?[$1] })
            }, to: &text)
        return text
    }

    /// One row per interval.
    package static func timeline(_ report: JSONNode) -> String {
        table(report["timeline"], of: ReportSchema.interval)
    }

    /// One row per zoom level.
    package static func zooms(_ report: JSONNode) -> String {
        table(report["zooms"], of: ReportSchema.zoom)
    }

    /// One row per pass.
    package static func passes(_ report: JSONNode) -> String {
        table(report["passes"], of: ReportSchema.pass)
    }

    /// One row per expiry event; the header alone when there were none.
    package static func renewals(_ report: JSONNode) -> String {
        renewals(events: report["auth"]?["events"])
    }

    static func renewals(events: JSONNode?) -> String {
        table(events, of: ReportSchema.event)
    }

    /// In the order of the report, then those of `laterColumns`: a column keeps its place whatever
    /// the report gains.
    static let summaryColumns: [[String]] = {
        let all = scalars(of: ReportSchema.node, at: [])
        let later =
            laterColumns.map { $0.split(separator: ".").map(String.init) }
            + laterParts.flatMap { part in all.filter { $0[0] == part } }
        return all.filter { !later.contains($0) } + later
    }()

    /// What the report gained since the first version of these files, in the order it came. Only
    /// ever added to, at the end.
    private static let laterColumns = [
        "cache.client.stale_hits", "cache.client.refreshes", "cache.client.hit_bytes",
        "cache.client.revalidated_bytes", "run.pass", "cache.server.foreign_hits",
        "cache.server.edges_beyond", "cache.server.addresses_beyond", "auth.renewals.abandoned",
        "outcomes.gzip_twice",
    ]

    /// Parts that came after those, with all of their columns.
    private static let laterParts = ["views", "replay"]

    private static func table(_ rows: JSONNode?, of schema: JSONNode) -> String {
        let columns = scalars(of: schema, at: [])
        var text = ""
        CSV.append(columns.map { $0.joined(separator: ".") }, to: &text)
        for row in rows?.array ?? [] {
            CSV.append(
                columns.map { names in
                    CSV.field(names.reduce(row as JSONNode?) { $0?[$1] })
                }, to: &text)
        }
        return text
    }

    private static func scalars(of schema: JSONNode, at path: [String]) -> [[String]] {
        var paths: [[String]] = []
        for member in schema["properties"]?.members ?? [] {
            let node = ReportSchema.resolved(member.node)
            let type = node["type"]?.string
            if type == "object" {
                paths += scalars(of: node, at: path + [member.name])
            } else if let type, type != "array", node["contentEncoding"] == nil {
                paths.append(path + [member.name])
            }
        }
        return paths
    }
}
