import Metrics
import Testing

@testable import Reporting

/// Each row of the table of the measures: what makes a run suspect or invalid.
@Suite struct ValidityTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var closed: RunFacts.Validity
        var open: RunFacts.Validity
        /// In the reason's words.
        var words: String
        var change: @Sendable (inout RunResult) -> Void

        var testDescription: String { name }
    }

    private static let rows: [Row] = [
        Row(name: "ledger", closed: .invalid, open: .invalid, words: "does not add up") {
            $0.ledger.ok += 1
        },
        Row(name: "overflow", closed: .invalid, open: .invalid, words: "longer than an hour") {
            $0.response.all.record(4_000_000_000_000)
        },
        Row(name: "overflow of a recovery", closed: .invalid, open: .invalid, words: "an hour") {
            $0.auth?.fullRecoveryTimes.record(4_000_000_000_000)
        },
        Row(name: "refusals", closed: .invalid, open: .invalid, words: "(refusals: total =") {
            $0.auth?.refusals.late += 1
        },
        Row(name: "parked", closed: .invalid, open: .invalid, words: "(parked: entered = left)") {
            $0.auth?.parkedLeft -= 1
        },
        Row(name: "parked by reactors", closed: .invalid, open: .invalid, words: "(parked: ") {
            $0.auth?.parkedTime.record(1)
        },
        Row(name: "flights", closed: .invalid, open: .invalid, words: "flights = flights_ok +") {
            $0.auth?.renewals.flights += 1
        },
        Row(name: "generation", closed: .invalid, open: .invalid, words: "generation at the end") {
            $0.auth?.generationsAtEnd += 1
        },
        Row(name: "tries", closed: .invalid, open: .invalid, words: "attempted = succeeded +") {
            $0.auth?.renewals.attempted += 1
        },
        Row(name: "windows", closed: .invalid, open: .invalid, words: "(windows: inside.asks +") {
            $0.auth?.outsideWindows.asks -= 1
        },
        Row(name: "flights still out", closed: .valid, open: .valid, words: "") {
            $0.auth?.isClosed = false
            $0.auth?.renewals.flights += 1
        },
        Row(name: "own errors", closed: .invalid, open: .invalid, words: "own making") {
            $0.ledger.failed += 1
            $0.ledger.ok -= 1
            $0.ledger.failedBy[Int(FailureCause.generator.rawValue)] = 1
        },
        Row(name: "own errors in the warm-up", closed: .invalid, open: .invalid, words: "EMFILE") {
            $0.errors.append(
                ErrorEntry(cause: "generator", detail: "EMFILE", count: 1, firstAtNS: -5))
        },
        Row(name: "nothing", closed: .invalid, open: .invalid, words: "no ask was started") {
            $0.ledger = Ledger()
            $0.auth = nil
            $0.cache.client?.hits = 0
            $0.ledger.planned = 20
            $0.ledger.notStarted = 20
        },
        Row(name: "not started", closed: .valid, open: .invalid, words: "only 98.99 %") {
            $0.ledger.planned = 10_092
            $0.ledger.notStarted = 102
        },
        Row(name: "lag invalid", closed: .valid, open: .invalid, words: "start lag p99 6 ms") {
            $0.generator.startLag = times(6_000_000)
            $0.response.all = times(59_000_000)
        },
        Row(name: "lag large but small beside p99", closed: .valid, open: .valid, words: "") {
            $0.generator.startLag = times(6_000_000)
            $0.response.all = times(130_000_000)
        },
        Row(
            name: "lag suspect", closed: .valid, open: .suspect, words: "of the response time's p50"
        ) {
            $0.generator.startLag = times(1_100_000)
            $0.response.all = times(20_000_000)
        },
        Row(name: "lag below 1 ms", closed: .valid, open: .valid, words: "") {
            $0.generator.startLag = times(990_000)
            $0.response.all = times(1_000_000)
        },
        Row(name: "busy reactor", closed: .suspect, open: .suspect, words: "busy for 96 %") {
            $0.generator.busiestReactor = 0.96
        },
        Row(name: "throttled", closed: .suspect, open: .suspect, words: "throttled") {
            $0.generator.throttledNS = 201_000_000
        },
        Row(name: "stolen", closed: .suspect, open: .suspect, words: "other virtual machines") {
            $0.generator.stolenShare = 0.021
        },
        Row(name: "debug", closed: .suspect, open: .suspect, words: "debug build") {
            $0.tool.build = "debug"
        },
        Row(name: "short", closed: .suspect, open: .suspect, words: "measured for 999 ms only") {
            $0.run.measuredNS = 999_000_000
            $0.generator.throttledNS = 0
        },
        Row(name: "few", closed: .suspect, open: .suspect, words: "99 tiles were asked for") {
            $0.ledger = Ledger()
            $0.auth = nil
            $0.ledger.planned = 99
            $0.ledger.started = 99
            $0.ledger.ok = 99
        },
        Row(name: "rate limiter", closed: .suspect, open: .suspect, words: "rate limiter") {
            $0.outcomes[Int(Outcome.rateLimited.rawValue)] = 102
        },
    ]

    @Test(arguments: rows)
    func row(_ row: Row) {
        var result = SampleResult.full
        row.change(&result)
        for (isOpen, expected) in [(false, row.closed), (true, row.open)] {
            let (validity, reasons) = Validity.judge(result, isOpen: isOpen)
            #expect(validity == expected, "\(reasons)")
            #expect(reasons.count == (expected == .valid ? 0 : 1))
            if let reason = reasons.first {
                #expect(reason.contains(row.words), "\(reason)")
            }
        }
    }

    @Test func soundRunIsValid() {
        for isOpen in [true, false] {
            let (validity, reasons) = Validity.judge(SampleResult.full, isOpen: isOpen)
            #expect(validity == .valid && reasons.isEmpty)
        }
    }

    @Test func worstComesFirst() {
        var result = SampleResult.full
        result.tool.build = "debug"
        result.ledger.ok += 1
        let (validity, reasons) = Validity.judge(result, isOpen: false)
        #expect(validity == .invalid)
        #expect(reasons.count == 2)
        #expect(reasons.first?.contains("ledger") == true)
    }

    private static func times(_ valueNS: UInt64) -> Histogram {
        var histogram = Histogram()
        histogram.record(valueNS, count: 100)
        return histogram
    }
}
