import JSONText
import TileOrigin
import Workload

/// The embedded server of a scenario that asks for one, and the plan that knows its address.
final class EmbeddedOrigin: Sendable {
    let plan: Plan
    let threads: Int
    private let server: TileOrigin

    /// Nil when the scenario aims elsewhere.
    ///
    /// - Throws: exit 3 when the server cannot start.
    init?(_ written: Plan) throws(Failure) {
        guard let origin = written.target.origin else { return nil }
        do {
            server = try TileOrigin(OriginOptions(origin, seed: written.seed))
        } catch {
            throw Failure(.unmeasurable, error.description)
        }
        threads = origin.threads
        plan = written.resolvingOrigin(address: server.address)
    }

    /// Kills the tokens of that share of the cells, and names these.
    func revoke(share: Double) -> [String] { server.revoke(share: share).cells }

    /// Until it is set again; nil: none.
    func set(renewalFault fault: InjectionPlan.RenewalFault?) {
        server.set(renewalFault: fault.map { OriginOptions.RenewalFault($0) })
    }

    func set(tileFault fault: InjectionPlan.TileFault?) {
        server.set(tileFault: fault.map { OriginOptions.TileFault($0) })
    }

    /// What the server itself has counted so far.
    var ledger: JSONNode { server.statistics().json }

    func stop() { server.stop() }
}
