import Metrics
import Testing
import Workload

@testable import Reporting

/// Whether a step says that the server stands its rate, does not, or nothing of the server.
@Suite struct StepJudgementTests {
    /// A good step of ten seconds at 1000/s.
    static let good: RunResult = {
        var result = RunResult()
        result.tool.build = "release"
        result.run.measuredNS = 10_000_000_000
        result.ledger.planned = 10_000
        result.ledger.started = 10_000
        result.ledger.ok = 10_000
        for _ in 0..<10_000 { result.response.all.record(20_000_000) }
        for _ in 0..<10_000 { result.generator.startLag.record(50_000) }
        for second in 0..<10 {
            var row = TimelineRow(
                startNS: UInt64(second) * 1_000_000_000, intervalNS: 1_000_000_000)
            row.inFlight = 20
            result.timeline.append(row)
        }
        return result
    }()

    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var end: CapacitySearch.StepEnd
        var words = ""
        /// With `on_invalid: "warn"`; nil: the same.
        var endWhenWarned: CapacitySearch.StepEnd?
        var change: @Sendable (inout RunResult) -> Void

        var testDescription: String { name }
    }

    private static func start(late share: Double, _ result: inout RunResult) {
        result.ledger.started = UInt64(10_000 * (1 - share))
        result.ledger.notStarted = 10_000 - result.ledger.started
        result.ledger.ok = result.ledger.started
    }

    private static let rows: [Row] = [
        Row(name: "all is well", end: .held) { _ in },
        Row(name: "suspect", end: .held) { $0.tool.build = "debug" },
        Row(name: "a gate", end: .failed, words: "> 99%: 98 %") {
            $0.ledger.ok -= 200
            $0.ledger.failed += 200
            $0.ledger.failedBy[Int(FailureCause.connect.rawValue)] = 200
        },
        Row(name: "another gate", end: .failed, words: "p99 < 1s: 3 s") {
            for _ in 0..<200 { $0.response.all.record(3_000_000_000) }
        },
        Row(name: "abort_when", end: .failed, words: "abort_when: ledger.failed > 5") {
            $0.run.aborted = "ledger.failed > 5"
        },
        // Half a second's load is 500 asks.
        Row(name: "a backlog that may be", end: .held) { $0.timeline[9].inFlight = 520 },
        Row(name: "a backlog", end: .failed, words: "fell behind by 501 asks, those of 501 ms") {
            $0.timeline[9].inFlight = 521
        },
        Row(name: "a backlog of those who wait for a token", end: .failed, words: "fell behind") {
            $0.timeline[9].parked = 501
        },
        Row(name: "a backlog that was there before", end: .held) {
            for row in $0.timeline.indices { $0.timeline[row].inFlight = 700 }
        },
        Row(name: "a backlog after the end", end: .held) {
            var row = TimelineRow(startNS: 10_000_000_000, intervalNS: 1_000_000_000)
            row.inFlight = 900
            $0.timeline.append(row)
        },
        Row(name: "late", end: .invalid, words: "started late", endWhenWarned: .held) {
            for _ in 0..<200 { $0.generator.startLag.record(10_000_000) }
        },
        Row(
            name: "late, and a gate", end: .invalid, words: "started late", endWhenWarned: .failed
        ) {
            for _ in 0..<200 { $0.generator.startLag.record(400_000_000) }
            for _ in 0..<200 { $0.response.all.record(3_000_000_000) }
        },
        // The rate was not reached: whatever the gates say, it did not hold.
        Row(name: "short", end: .invalid, words: "only 90 %") { start(late: 0.1, &$0) },
        Row(name: "short, and full", end: .failed, words: "all 1,000 asks") {
            start(late: 0.1, &$0)
            $0.timeline[5].inFlight = 990
        },
        Row(
            name: "short, full and busy", end: .invalid, words: "only 90 %"
        ) {
            start(late: 0.1, &$0)
            $0.timeline[5].inFlight = 990
            $0.generator.busiestReactor = 0.97
        },
        Row(name: "full", end: .held) { $0.timeline[5].inFlight = 990 },
        Row(
            name: "miscounted, and full", end: .invalid, words: "does not add up",
            endWhenWarned: .held
        ) {
            $0.ledger.ok -= 1
            $0.timeline[5].inFlight = 990
        },
        Row(name: "busy", end: .held) { $0.generator.busiestReactor = 0.97 },
        Row(
            name: "busy, and a gate", end: .invalid, words: "a reactor was busy",
            endWhenWarned: .failed
        ) {
            $0.generator.busiestReactor = 0.97
            for _ in 0..<200 { $0.response.all.record(3_000_000_000) }
        },
        Row(
            name: "throttled, and a gate", end: .invalid, words: "a CPU quota throttled",
            endWhenWarned: .failed
        ) {
            $0.generator.throttledNS = 300_000_000
            for _ in 0..<200 { $0.response.all.record(3_000_000_000) }
        },
        Row(name: "a rate limiter, and a gate", end: .failed, words: "98 %") {
            $0.ledger.ok -= 200
            $0.ledger.failed += 200
            $0.ledger.failedBy[Int(FailureCause.status.rawValue)] = 200
            $0.ledger.failedByStatus = [429: 200]
            $0.outcomes[Int(Outcome.rateLimited.rawValue)] = 200
            $0.outcomes[Int(Outcome.tile.rawValue)] = 9_800
        },
    ]

    private static func judge(
        _ change: (inout RunResult) -> Void, failsWhenInvalid: Bool
    ) throws -> StepJudgement {
        var result = good
        change(&result)
        (result.run.validity, result.run.reasons) = Validity.judge(result, isOpen: true)
        var plan = Plan(
            name: "step", target: TargetPlan(templates: ["http://127.0.0.1/{z}/{x}/{y}"]),
            workload: WorkloadPlan(kind: .pyramid(order: .rows)),
            load: LoadPlan(shape: .rate(perSecond: 1000, arrivals: .constant)))
        plan.load.inFlightMax = 1000
        plan.failsWhenInvalid = failsWhenInvalid
        plan.gates = try [
            "ledger.ok / ledger.started > 99%", "latency.response.all.p99 < 1s",
        ].map { GatePlan(expression: try GateExpression.parse($0)) }
        let report = ReportJSON.node(result: result, verdict: Verdict())
        return StepJudgement(
            result, gates: Verdict.judge(gates: plan.gates, report: report), plan: plan)
    }

    @Test(arguments: rows)
    func aStepIsJudged(_ row: Row) throws {
        let judged = try Self.judge(row.change, failsWhenInvalid: true)
        #expect(judged.end == row.end)
        #expect((judged.reason == nil) == (row.end == .held))
        #expect(judged.reason?.contains(row.words) ?? row.words.isEmpty, "\(judged)")
        let warned = try Self.judge(row.change, failsWhenInvalid: false)
        #expect(warned.end == row.endWhenWarned ?? row.end, "\(warned)")
    }

    @Test func oneThatCouldNotBeMeasuredIsUnanswered() {
        let judged = StepJudgement(unmeasurable: "nobody there")
        #expect(judged.end == .unanswered)
        #expect(judged.reason == "nobody there")
    }
}
