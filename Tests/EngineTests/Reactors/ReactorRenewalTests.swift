import Metrics
import Testing
import TileOrigin
import Workload

@testable import Engine

/// One token for all users, which ends ten times a second.
@Suite(.serialized)
struct ReactorRenewalTests {
    struct Load: CustomTestStringConvertible, Sendable {
        var name: String
        var shape: LoadPlan.Shape
        var placement = AuthPlan.Placement.query(name: "access_token")
        var kind: InjectionPlan.Kind
        var release = AuthPlan.Release.parts(10)
        /// One cache for all users, which all reactors then share.
        var hasSharedCache = false

        var testDescription: String { name }
    }

    static let loads = [
        Load(name: "users, token in the query, revoked", shape: .users(50), kind: .origin),
        Load(
            name: "users, token in a header, spoilt", shape: .users(50),
            placement: .header(name: "Authorization", prefix: "Bearer "), kind: .poison(.garbage),
            release: .per5ms(7), hasSharedCache: true),
        Load(
            name: "rate, token in the query, revoked",
            shape: .rate(perSecond: 500, arrivals: .poisson), kind: .origin, release: .all),
        Load(
            name: "rate, one tries the new token first",
            shape: .rate(perSecond: 500, arrivals: .poisson), kind: .origin, release: .canary),
        Load(
            name: "users, one tries the new token first", shape: .users(50),
            placement: .cookie(name: "access_token"), kind: .poison(.empty), release: .canary),
    ]

    @Test(arguments: loads)
    func theBooksEqualTheOrigins(_ load: Load) async throws {
        var run = ReactorRun(load.shape, placement: load.placement)
        run.plan.auth?.release = load.release
        if load.hasSharedCache {
            run.plan.cache.client = CachePlan.Client(sizeBytes: 64_000, isPerUser: false)
        }
        run.inject(load.kind, everyMS: 100)
        run.goOn { result, _ in result.auth?.expiryEvents ?? 0 >= 2 }
        let outcome = try await run.run()
        try outcome.expectBooks()
        try outcome.expectSingleFlights()
        let result = outcome.result
        // The control thread has asked the reactors for their books.
        #expect(outcome.looks > 0)
        #expect(result.ledger.ok > 0)
        #expect(result.ledger.inFlightAtEnd == 0)
        // An ask that lives through three ends of the token gives up: so often they come.
        let unauthorized = result.ledger.failedBy[Int(FailureCause.unauthorized.rawValue)]
        #expect(result.ledger.failed == unauthorized)
        let answered = result.requests.answered.values.reduce(0, +)
        #expect(answered == result.requests.sent)
        let auth = try outcome.auth
        #expect(auth.expiryEvents >= 2)
        #expect(auth.injections == UInt64(auth.injectionRows.count))
        #expect(auth.injectionRows.filter { $0.cells == 0 }.count == auth.injectionsMissed)
        // Each end that was made was seen, but for the last ones, which came too late for anybody:
        // of a token that is dead already there may be several.
        let ended = auth.injectionRows.filter { $0.cells > 0 }
        let observed = ended.map(\.observed)
        #expect(observed.allSatisfy { $0 <= 1 } && observed == observed.sorted(by: >))
        #expect(observed.first == 1)
        #expect(ended.allSatisfy { $0.atNS <= $0.doneNS && $0.atNS > 0 })
    }

    /// A new token that is refused costs one request when one ask tries it first.
    @Test func aDeadNewTokenMeetsOneAskOnly() async throws {
        var run = ReactorRun(.users(60))
        run.plan.auth?.release = .canary
        // An ask that has used up its refusals starts no renewal: the next one would try again.
        run.plan.auth?.refusalsMax = 10
        run.plan.auth?.barrenMax = 1_000_000
        run.inject(.renewal(.expired), atMS: 90)
        run.inject(.origin, atMS: 100)
        run.goOn { _, origin in
            guard origin.statistics().tokens.rejectedOnFirstUse >= 1 else { return false }
            origin.set(renewalFault: nil)
            return true
        }
        let outcome = try await run.run()
        try outcome.expectBooks()
        try outcome.expectSingleFlights()
        let tokens = outcome.truth.tokens
        #expect(tokens.rejectedOnFirstUse >= 1)
        #expect(tokens.rejectedOnFirstUse == (try outcome.auth).tokensFailed)
        // The server's view: each of those tokens was shown once.
        let dead = outcome.truth.expiries.records.filter { $0.generation > 1 }
        #expect(!dead.isEmpty && dead.allSatisfy { $0.refusals == 1 })
        #expect(outcome.result.ledger.inFlightAtEnd == 0)
    }
}
