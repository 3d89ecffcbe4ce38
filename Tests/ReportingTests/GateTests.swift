import JSONText
import Metrics
import Testing
import Workload

@testable import Reporting

@Suite struct GateTests {
    private static let full = ReportJSON.node(result: SampleResult.full, verdict: Verdict())
    private static let small = ReportJSON.node(result: SampleResult.small, verdict: Verdict())

    private func judge(
        _ text: String, _ report: JSONNode = full, _ change: (inout GatePlan) -> Void = { _ in }
    ) throws -> GateResult {
        var plan = GatePlan(expression: try GateExpression.parse(text))
        change(&plan)
        let verdict = Verdict.judge(gates: [plan], report: report)
        let gate = try #require(verdict.gates.first)
        #expect(verdict.overall == (gate.fails ? .fail : .pass))
        return gate
    }

    @Test(arguments: [
        ("ledger.started == 9990", 9_990.0, GateResult.Outcome.pass),
        ("ledger.failed / ledger.started < 0.5%", 30.0 / 9_990, .pass),
        ("ledger.failed / ledger.started < 0.1%", 30.0 / 9_990, .fail),
        ("failed_by.timeout <= 5", 5, .pass),
        ("failed_by.timeout.first_byte != 5", 5, .fail),
        ("ledger.failed_by.status.503 == 12", 12, .pass),
        ("ledger.failed_by.unauthorized.park_timeout >= 4", 4, .pass),
        ("status.200 > 9852", 9_853, .pass),
        // A count that is not there is 0, as long as its part is.
        ("status.418 == 0", 0, .pass),
        ("failed_by.connect == 0", 0, .pass),
        ("ledger.failed_by.status.500 == 0", 0, .pass),
        ("requests.answered.500 < 1", 0, .pass),
        ("connections.by_protocol.h2 == 0", 0, .pass),
        ("connections.by_protocol.http/1.1 == 9964", 9_964, .pass),
        ("connections.by_address.127.0.0.1:8080 == 40", 40, .pass),
        ("cache.server.evidence.X-Cache > 0", 9_930, .pass),
        ("cache.client.hit_rate == 20%", 0.2, .pass),
        ("cache.server.hit_rate > 90%", 9_030.0 / 9_930, .pass),
        ("auth.renewals.per_expiry_max == 1", 1, .pass),
        ("auth.outdated_sends == 0", 0, .pass),
        ("zooms.12.started == 8990", 8_990, .pass),
        ("zooms.8.failed == 0", 0, .pass),
        ("timeline.3.refusals == 200", 200, .pass),
        ("latency.response.failed.max < 49.1ms", 49.000029, .pass),
        ("run.measured < 10s", 10, .fail),
    ])
    func table(_ text: String, _ observed: Double, _ outcome: GateResult.Outcome) throws {
        let gate = try judge(text)
        #expect(gate.observed == observed)
        #expect(gate.verdict == outcome)
        #expect(gate.expression == text)
        #expect(gate.reason == nil)
    }

    @Test(arguments: [
        ("auth.outdated_sends == 0", "the report has no auth.outdated_sends"),
        ("auth.asks_failed.dead == 0", "the report has no auth.asks_failed.dead"),
        ("cache.client.hit_rate > 0", "the report has no cache.client.hit_rate"),
        ("latency.response.failed.p99 < 1s", "the report has no latency.response.failed.p99_ms"),
        ("zooms.3.failed == 0", "the report has no zooms.3.failed"),
        ("ledger.ok / ledger.failed > 1", "ledger.failed is 0"),
    ])
    func noData(_ text: String, _ reason: String) throws {
        let gate = try judge(text, Self.small)
        #expect(gate.observed == nil)
        #expect(gate.verdict == .noData)
        #expect(gate.reason == reason)
        #expect(gate.fails)
        #expect(try judge(text, Self.small) { $0.allowsEmpty = true }.fails == false)
        #expect(try judge(text, Self.small) { $0.level = .warn }.fails == false)
    }

    /// No expiry had a renewal: 0 would say that it went well.
    @Test func maximumWithoutExpiryIsNoData() throws {
        var result = SampleResult.full
        result.auth?.renewals.perExpiryMax = nil
        let report = ReportJSON.node(result: result, verdict: Verdict())
        #expect(try judge("auth.renewals.per_expiry_max <= 1", report).verdict == .noData)
    }

    @Test(
        arguments: [
            ("latency.response.all.p99 < 1s", 9_986), ("latency.response.failed.p50 < 1s", 30),
            ("zooms.8.p99 < 1s", 1_000), ("ledger.failed / ledger.started < 1%", 9_990),
            ("cache.client.hit_rate > 1%", 12_500), ("cache.server.hit_rate > 1%", 9_930),
            ("auth.parked.ms.p50 < 1s", 812), ("rate.ok_per_s > 1/s", 9_990),
            ("ledger.failed < 31", 9_990),
        ] as [(String, UInt64)])
    func samples(_ text: String, _ count: UInt64) throws {
        #expect(try judge(text) { $0.samplesMin = count }.verdict == .pass)
        let gate = try judge(text) { $0.samplesMin = count + 1 }
        #expect(gate.verdict == .noData && gate.observed == nil && gate.fails)
        let words = "\(TextNumbers.count(count, "sample")) of at least"
        #expect(gate.reason?.hasPrefix(words) == true, "\(gate.reason ?? "")")
        #expect(
            try judge(text) {
                $0.samplesMin = count + 1; $0.allowsEmpty = true
            }.fails == false)
    }

    @Test func warningDoesNotFail() throws {
        let gate = try judge("ledger.failed == 0") { $0.level = .warn }
        #expect(gate.verdict == .warn && !gate.fails)
        #expect(try judge("ledger.failed == 30") { $0.level = .warn }.verdict == .pass)
    }

    @Test func overall() throws {
        #expect(Verdict.judge(gates: [], report: Self.full).overall == .none)
        let plans = try ["ledger.failed == 30", "ledger.failed == 0", "ledger.ok > 0"].map {
            GatePlan(expression: try GateExpression.parse($0))
        }
        let verdict = Verdict.judge(gates: plans, report: Self.full)
        #expect(verdict.gates.map(\.verdict) == [.pass, .fail, .pass])
        #expect(verdict.overall == .fail)
    }

    @Test(arguments: [
        ("latency.response.all.p99 < 1s", 12.34567, "12.3 ms"), ("run.measured < 1m", 10, "10 s"),
        ("cache.server.hit_rate > 1%", 0.9094, "90.94 %"), ("ledger.ok > 1", 12_345, "12,345"),
        ("ledger.failed / ledger.started < 1%", 0.0012, "0.12 %"),
        ("ledger.failed / ledger.started < 0.01", 0.0012, "0.0012"),
        ("bytes.body > 1", 1_500, "1.5 kB"), ("rate.bytes_per_s > 1MB/s", 1_500, "1.5 kB/s"),
        ("rate.ok_per_s > 1/s", 998.7, "999/s"), ("auth.amplification < 2", 1.0213, "1.02"),
        ("no gate at all", 0.5, "0.5"),
    ])
    func words(_ expression: String, _ value: Double, _ expected: String) {
        #expect(GateWords.observed(value, in: expression) == expected)
    }
}
