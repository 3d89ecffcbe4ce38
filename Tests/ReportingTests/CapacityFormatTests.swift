import JSONText
import Metrics
import Testing
import Workload

@testable import Reporting

/// What a search for the capacity leaves, to the letter.
@Suite struct CapacityFormatTests {
    private static func step(
        _ number: Int, _ ratePerS: Double, _ p99NS: UInt64, failed: UInt64 = 0,
        _ end: CapacitySearch.StepEnd = .held, reason: String? = nil, reasons: [String] = []
    ) -> CapacityStep {
        var result = RunResult()
        result.run.measuredNS = 10_000_000_000
        result.run.validity = reasons.isEmpty ? .valid : .suspect
        result.run.reasons = reasons
        let asks = UInt64(ratePerS * 10)
        result.ledger.planned = asks
        result.ledger.started = asks
        result.ledger.ok = asks - failed
        result.ledger.failed = failed
        for number in 0..<asks {
            result.response.all.record(number * 100 < asks * 98 ? 4_000_000 : p99NS)
        }
        for second in 0..<10 as Range<UInt64> {
            var row = TimelineRow(startNS: second * 1_000_000_000, intervalNS: 1_000_000_000)
            row.inFlight = 10 + second * UInt64(number)
            result.timeline.append(row)
        }
        var judgement = StepJudgement(unmeasurable: reason ?? "")
        (judgement.end, judgement.reason) = (end, reason)
        return CapacityStep(
            number: number, folder: "step-0\(number)", ratePerS: ratePerS, result,
            judgement: judgement)
    }

    static let sample: CapacityResult = {
        let settings = CapacityResult.Settings(
            fromPerS: 100, toPerS: 5000, resolution: 0.2, stepNS: 10_000_000_000,
            warmupNS: 2_000_000_000,
            gates: ["ledger.ok / ledger.started > 99%", "latency.response.all.p99 < 1s"],
            hasOwnGates: true)
        var result = CapacityResult(settings: settings)
        result.tool = SampleResult.full.tool
        result.machine = SampleResult.full.machine
        result.scenario = SampleResult.small.scenario
        result.startedAt = "2026-03-14T10:15:30.250Z"
        result.end = .limit
        result.heldPerS = 336.3
        result.failedPerS = 400
        let slow = "latency.response.all.p99 < 1s: 1.53 s"
        let refused = "ledger.ok / ledger.started > 99%: 95 %"
        result.steps = [
            step(1, 100, 5_000_000), step(2, 200, 12_000_000, failed: 1),
            step(3, 400, 1_530_000_000, .failed, reason: slow),
            step(4, 400, 1_200_000_000, failed: 200, .failed, reason: refused),
            step(5, 282.8, 30_000_000, reasons: ["other virtual machines took 3 % of it"]),
            step(6, 336.3, 1_700_000_000, .failed, reason: slow),
            step(7, 336.3, 250_000_000),
        ]
        return result
    }()

    @Test func text() throws {
        try expectGolden(
            CapacityText.text(CapacityJSON.node(Self.sample), color: false), "capacity.txt")
    }

    @Test func json() throws {
        let bytes = ReportJSON.encode(CapacityJSON.node(Self.sample))
        try expectGolden(String(decoding: bytes, as: UTF8.self), "capacity.json")
    }

    @Test func csv() throws {
        try expectGolden(CapacityJSON.csv(CapacityJSON.node(Self.sample)), "capacity.csv")
    }

    /// How it ended, in words.
    @Test(
        arguments: [
            (
                CapacityResult.End.noLimit, 400.0, nil, nil,
                "small: the capacity is at least 400/s, the highest rate that was to be tried."
            ),
            (
                .failedAtStart, nil, 100, nil,
                "small: the gates do not even hold at 100/s, the first"
            ),
            (
                .generator, 336.3, nil, 1234,
                "small: the generator is the limit at 1,234/s, not the server; 336.3/s holds"
            ),
            (
                .generator, nil, nil, 100,
                "the generator is the limit at 100/s, not the server; no rate was seen to hold"
            ),
            (
                .unanswered, 200, nil, 400,
                "small: no answer came any more at 400/s; 200/s holds."
            ),
            (.interrupted, 200, 400, nil, "small: interrupted; 200/s holds so far."),
        ] as [(CapacityResult.End, Double?, Double?, Double?, String)])
    func ends(
        _ end: CapacityResult.End, _ held: Double?, _ failed: Double?, _ at: Double?,
        _ words: String
    ) {
        var result = Self.sample
        result.end = end
        (result.heldPerS, result.failedPerS, result.endedAtPerS) = (held, failed, at)
        let text = CapacityText.text(CapacityJSON.node(result), color: false)
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(text.contains(words), "\(text)")
    }

    @Test func withoutStepsThereIsNoTable() {
        var result = Self.sample
        result.steps = []
        result.end = .interrupted
        let text = CapacityText.text(CapacityJSON.node(result), color: false)
        #expect(text.hasPrefix("small: interrupted; "))
        #expect(!text.contains("verdict"))
    }

    @Test func filesAreWrittenTogether() throws {
        let scratch = try ScratchFolder()
        let node = CapacityJSON.node(Self.sample)
        let folder = RunFolder(path: scratch.path + "/search")
        try folder.write(capacity: node)
        #expect(try scratch.names(in: "search") == ["capacity.csv", "capacity.json"])
        #expect(try scratch.text("search/capacity.csv") == CapacityJSON.csv(node))
        try folder.write(capacity: node, ledger: .object([]))
        #expect(
            try scratch.names(in: "search") == ["capacity.csv", "capacity.json", "origin.json"])
    }
}
