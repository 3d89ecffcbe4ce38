import TileModel
package import Workload

extension RunParts {
    /// Who looks at maps.
    package struct Viewers: Sendable {
        /// Viewers at a time in an open load at most: at a larger rate of views each looks at one
        /// for less time than `dwell`.
        static let openMax = 100_000

        package let rules: ViewerRules
        /// How many there are at a time: users, or in an open load as many as it takes for each to
        /// look at a view as long as `dwell` says at the highest rate.
        package let count: Int
        private let perHost: Int
        private let hosts: Int

        init(
            _ viewers: ViewerPlan, _ plan: Plan, templates: TileTemplateSet
        ) throws(SelectionError) {
            perHost = plan.connection.perUser ?? ConnectionPlan.perUserDefault
            hosts = max(1, templates.hosts().count)
            var target = ViewerRules.Target(sources: plan.target.sources)
            target.hostsBySum = templates.hostsBySum()
            target.perHostMax = perHost
            rules = try ViewerRules(
                viewers: viewers, workload: plan.workload, target: target, seed: plan.seed)
            if let users = UserSchedule(load: plan.load)?.usersMax {
                count = users
            } else {
                let views = plan.load.ratePerSecondMax * Double(viewers.dwellNS) / 1e9
                count = Int(min(max(views.rounded(.up), 1), Double(Self.openMax)))
            }
        }

        /// Connections to all hosts together that a viewer needs at most.
        ///
        /// - Parameter areShared: several requests are on one connection.
        func connections(areShared: Bool) -> Int { (areShared ? 1 : perHost) * hosts }

        /// Asks of a viewer under way to one host at most. Where streams may share a connection the
        /// transport alone keeps to the limit.
        func perHostMax(_ plan: Plan, _ transport: TransportChoice) -> Int {
            transport.kind == .libcurl && plan.mayShareConnections ? .max : rules.perHostMax
        }
    }
}

extension Plan {
    /// Several requests may be on one connection: HTTP/2 may be agreed upon.
    var mayShareConnections: Bool {
        connection.version != .http1 && target.templates.contains { $0.hasPrefix("https:") }
    }
}
