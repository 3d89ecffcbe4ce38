import Foundation
import Metrics
import Synchronization
import Testing
import TileModel
import TileOrigin
import Workload

@testable import Engine

/// A whole run in this process, with three reactors, against an origin in this process: short
/// enough for the thread sanitizer, and every thread of a run takes part.
struct ReactorRun: Sendable {
    var origin = OriginOptions()
    var plan: Plan
    /// What the test waits for. It is looked at once a second.
    private var isEnough: (@Sendable (RunResult, TileOrigin) -> Bool)?

    struct Outcome {
        var end: RunEnd
        var truth: OriginStatistics
        /// How often somebody looked at the run while it went on.
        var looks: Int
        var seconds: Double

        var result: RunResult { end.result }
        var auth: AuthResult {
            get throws { try #require(end.result.auth) }
        }
    }

    init(
        _ shape: LoadPlan.Shape, placement: AuthPlan.Placement = .query(name: "access_token"),
        durationNS: UInt64 = 1_200_000_000, thinkNS: UInt64 = 2_000_000
    ) {
        origin.token = OriginOptions.Token()
        origin.latency = OriginOptions.Latency(medianNS: 2_000_000, p99NS: 20_000_000)
        origin.threads = 2
        var workload = WorkloadPlan(kind: .popular(exponent: 1, weights: .osm))
        workload.zooms = 0...8
        workload.thinkNS = thinkNS
        var load = LoadPlan(shape: shape)
        load.durationNS = durationNS
        load.threads = 3
        // The sanitizer stops everybody while it looks at what it found.
        load.graceNS = 120_000_000_000
        load.timeouts.requestNS = 120_000_000_000
        plan = Plan(
            name: "reactors", target: TargetPlan(templates: []), workload: workload, load: load)
        var auth = AuthPlan()
        auth.placement = placement
        auth.renewal = RenewalPlan(url: "", timeoutNS: 5_000_000_000)
        auth.start = .renew
        plan.auth = auth
    }

    /// Each user has a token of its own.
    mutating func share(per user: Bool) { plan.auth?.sharing = user ? .user : .all }

    mutating func inject(
        _ kind: InjectionPlan.Kind, atMS: UInt64 = 100, everyMS: UInt64? = nil, share: Double = 1
    ) {
        var injection = InjectionPlan(atNS: atMS * 1_000_000, kind: kind)
        injection.everyNS = everyMS.map { $0 * 1_000_000 }
        injection.share = share
        plan.injections.append(injection)
    }

    /// The run goes on until this holds of it: how much happens within a time depends on what else
    /// the machine has to do. When it never does, the run ends after a minute and the test's own
    /// expectations say what is missing.
    mutating func goOn(until isEnough: @escaping @Sendable (RunResult, TileOrigin) -> Bool) {
        self.isEnough = isEnough
        plan.load.durationNS = 60_000_000_000
    }

    func run() async throws -> Outcome {
        let server = try TileOrigin(origin)
        defer { server.stop() }
        var plan = plan
        let isQuery = if case .query = plan.auth?.placement { true } else { false }
        plan.target.sources[0].templates = [
            server.tileTemplate + (isQuery ? "?access_token={token}" : "")
        ]
        plan.target.hosts = ["127.0.0.1:\(server.port)"]
        let cell = plan.auth?.sharing == .user ? "?cell={user}" : ""
        plan.auth?.renewal?.url = server.address + "/token" + cell
        return try await run(plan, server)
    }

    /// The origin's own word for a fault.
    private static func same<Plan: RawRepresentable, Origin: RawRepresentable>(
        _ fault: Plan
    ) -> Origin where Plan.RawValue == String, Origin.RawValue == String {
        guard let fault = Origin(rawValue: fault.rawValue) else {
            preconditionFailure("the origin does not know the fault \(fault.rawValue)")
        }
        return fault
    }

    /// It blocks its thread, which is therefore none of the pool that runs the tests.
    private func run(_ plan: Plan, _ server: TileOrigin) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                let looks = Atomic(0)
                var hooks = hooks(server)
                hooks.onProgress = { _ in looks.add(1, ordering: .relaxed) }
                hooks.abortReason = { result in
                    looks.add(1, ordering: .relaxed)
                    return isEnough?(result, server) == true ? "enough" : nil
                }
                let startNS = MonotonicClock.nowNS()
                continuation.resume(
                    with: Result {
                        let load = try LoadRun(
                            plan: plan, tool: ToolFacts(), signals: SignalWatch(), hooks: hooks)
                        let end = load.run()
                        return Outcome(
                            end: end, truth: server.statistics(),
                            looks: looks.load(ordering: .relaxed),
                            seconds: Double(MonotonicClock.nowNS() - startNS) / 1e9)
                    })
            }
        }
    }
}

extension ReactorRun {
    /// What the run does to the origin. Nothing goes wrong before the first tile was had.
    private func hooks(_ server: TileOrigin) -> RunHooks {
        var hooks = RunHooks()
        hooks.revokeOrigin = { share in
            Self.waitForATile(server)
            return server.revoke(share: share).cells
        }
        hooks.setRenewalFault = { fault in
            Self.waitForATile(server)
            server.set(renewalFault: fault.map { Self.same($0) })
        }
        hooks.setTileFault = { fault in
            Self.waitForATile(server)
            server.set(tileFault: fault.map { Self.same($0) })
        }
        return hooks
    }

    /// Holds the control thread, for 30 s at most.
    private static func waitForATile(_ server: TileOrigin) {
        let endNS = MonotonicClock.nowNS() + 30_000_000_000
        while server.statistics().tiles.ok == 0, MonotonicClock.nowNS() < endNS {
            Thread.sleep(forTimeInterval: 0.001)
        }
    }
}

extension ReactorRun.Outcome {
    /// What holds of every run, whatever client and fault: each side of the books equals the other.
    /// In a run that was cut off, a side may lack what was on the wire then: of each ask in flight
    /// a request, or its answer, and of each flight given up a try.
    func expectBooks(
        isCutOff: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let auth = try auth
        func expect(_ isTrue: Bool, _ what: String) {
            #expect(isTrue, "\(what)", sourceLocation: sourceLocation)
        }
        func expectEqual(_ name: String, _ ours: UInt64, _ theirs: UInt64, cutOff: UInt64) {
            let room = isCutOff ? cutOff : 0
            let isRight = ours + room >= theirs && theirs + room >= ours
            expect(isRight, "\(name): \(ours), at the server \(theirs), cut off \(room)")
        }
        let inFlight = result.ledger.inFlightAtEnd
        // On a busy machine a short run may be cut off before its first tile.
        let mayHaveNone = isCutOff && result.ledger.ok == 0
        expect(end.unmeasurable == nil || mayHaveNone, "\(end.unmeasurable ?? "")")
        expect(result.ledger.addsUp, "the ledger: \(result.ledger)")
        expect(result.brokenTokenLaws.isEmpty, "laws: \(result.brokenTokenLaws)")
        expect(
            isCutOff || inFlight == 0, "in flight at the end: \(inFlight)")
        expectEqual(
            "sent", result.requests.sent, truth.requests - truth.tokenRequests, cutOff: inFlight)
        expectEqual("refused", auth.refusals.total, truth.tiles.refused, cutOff: inFlight)
        expectEqual(
            "renewals", auth.renewals.attempted, truth.tokenRequests,
            cutOff: auth.renewals.flightsAbandoned)
    }

    /// What the right machine never does.
    func expectSingleFlights(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let auth = try auth
        func expect(_ isTrue: Bool, _ what: String) {
            #expect(isTrue, "\(what)", sourceLocation: sourceLocation)
        }
        expect(auth.renewals.perExpiryMax ?? 1 == 1, "renewals \(auth.renewals)")
        expect(auth.renewals.duplicates == 0, "duplicates \(auth.renewals.duplicates)")
        expect(auth.outdatedSends == 0, "outdated \(auth.outdatedSends)")
        expect(auth.knownDeadSends == 0, "known dead \(auth.knownDeadSends)")
        expect(truth.outdatedSends == 0, "outdated by the server \(truth.outdatedSends)")
        expect(truth.tokens.sum.concurrent == 0, "concurrent \(truth.tokens.sum.concurrent)")
    }
}
