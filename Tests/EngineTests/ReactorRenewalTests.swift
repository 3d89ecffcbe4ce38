import Foundation
import Metrics
import Synchronization
import Testing
import TileModel
import TileOrigin
import Workload

@testable import Engine

/// Whole runs in this process, with three reactors, against an origin in this process: short enough
/// for the thread sanitizer, and every thread of a run takes part.
@Suite(.serialized)
struct ReactorRenewalTests {
    struct Load: CustomTestStringConvertible, Sendable {
        var name: String
        var shape: LoadPlan.Shape
        var placement: AuthPlan.Placement
        var kind: InjectionPlan.Kind
        var release = AuthPlan.Release.parts(10)
        /// One cache for all users, which all reactors then share.
        var hasSharedCache = false

        var testDescription: String { name }
    }

    static let loads = [
        Load(
            name: "users, token in the query, revoked", shape: .users(50),
            placement: .query(name: "access_token"), kind: .origin),
        Load(
            name: "users, token in a header, spoilt", shape: .users(50),
            placement: .header(name: "Authorization", prefix: "Bearer "), kind: .poison(.garbage),
            release: .per5ms(7), hasSharedCache: true),
        Load(
            name: "rate, token in the query, revoked",
            shape: .rate(perSecond: 500, arrivals: .poisson),
            placement: .query(name: "access_token"), kind: .origin, release: .all),
    ]

    @Test(arguments: loads)
    func theBooksEqualTheOrigins(_ load: Load) async throws {
        var options = OriginOptions()
        options.token = OriginOptions.Token()
        options.latency = OriginOptions.Latency(medianNS: 2_000_000, p99NS: 20_000_000)
        options.threads = 2
        let origin = try TileOrigin(options)
        defer { origin.stop() }
        let (end, looks) = try await run(plan(load, origin), origin)
        #expect(end.unmeasurable == nil)
        let result = end.result
        let truth = origin.statistics()
        let auth = try #require(result.auth)
        #expect(looks > 0)

        #expect(result.ledger.addsUp)
        #expect(result.ledger.ok > 0)
        #expect(result.ledger.inFlightAtEnd == 0)
        // An ask that lives through three ends of the token gives up: so often they come.
        let unauthorized = result.ledger.failedBy[Int(FailureCause.unauthorized.rawValue)]
        #expect(result.ledger.failed == unauthorized)

        #expect(result.requests.sent == truth.requests - truth.tokenRequests)
        let answered = result.requests.answered.values.reduce(0, +)
        #expect(answered == result.requests.sent)
        #expect(auth.renewals.attempted == truth.tokenRequests)
        #expect(auth.renewals.attempted == auth.renewals.succeeded + auth.renewals.failed)
        #expect(auth.refusals.total == truth.tiles.refused)
        let refusals = auth.refusals
        #expect(
            refusals.total == refusals.triggering + refusals.coalesced + refusals.late
                + refusals.locked + refusals.exhausted)
        #expect(auth.parkedCount == auth.parkedTime.count)
        #expect(auth.expiryEvents >= 2)
        #expect(auth.renewals.perExpiryMax == 1)
        #expect(auth.renewals.duplicates == 0)
        #expect(auth.outdatedSends == 0)
        #expect(auth.knownDeadSends == 0)
        #expect(truth.outdatedSends == 0)
    }

    private func plan(_ load: Load, _ origin: TileOrigin) -> Plan {
        let query = load.placement == .query(name: "access_token") ? "?access_token={token}" : ""
        var target = TargetPlan(templates: [origin.tileTemplate + query])
        target.hosts = ["127.0.0.1:\(origin.port)"]
        var workload = WorkloadPlan(kind: .popular(exponent: 1, weights: .osm))
        workload.zooms = 0...8
        workload.thinkNS = 2_000_000
        var duration = LoadPlan(shape: load.shape)
        // Just over one second, so that the control thread asks the reactors for their books.
        duration.durationNS = 1_200_000_000
        duration.threads = 3
        // The sanitizer stops everybody while it looks at what it found.
        duration.graceNS = 120_000_000_000
        duration.timeouts.requestNS = 120_000_000_000
        var plan = Plan(name: "renewals", target: target, workload: workload, load: duration)
        var auth = AuthPlan()
        auth.placement = load.placement
        auth.renewal = RenewalPlan(
            url: origin.address + "/token", timeoutNS: 5_000_000_000)
        auth.start = .renew
        auth.release = load.release
        plan.auth = auth
        if load.hasSharedCache {
            plan.cache.client = CachePlan.Client(sizeBytes: 64_000, isPerUser: false)
        }
        var injection = InjectionPlan(atNS: 100_000_000, kind: load.kind)
        injection.everyNS = 100_000_000
        plan.injections = [injection]
        return plan
    }

    /// How the run ended, and how often somebody looked at it meanwhile. It blocks its thread,
    /// which is therefore none of the pool that runs the tests.
    private func run(_ plan: Plan, _ origin: TileOrigin) async throws -> (RunEnd, Int) {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                let looks = Atomic(0)
                var hooks = RunHooks()
                hooks.revokeOrigin = { origin.revoke() }
                hooks.onProgress = { _ in looks.add(1, ordering: .relaxed) }
                hooks.abortReason = { _ in
                    looks.add(1, ordering: .relaxed)
                    return nil
                }
                continuation.resume(
                    with: Result {
                        let load = try LoadRun(
                            plan: plan, tool: ToolFacts(), signals: SignalWatch(), hooks: hooks)
                        return (load.run(), looks.load(ordering: .relaxed))
                    })
            }
        }
    }
}
