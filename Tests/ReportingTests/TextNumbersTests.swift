import Foundation
import Metrics
import Testing

@testable import Reporting

@Suite struct TextNumbersTests {
    @Test(
        arguments: [
            (0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"),
            (UInt64.max, "18,446,744,073,709,551,615"),
        ] as [(UInt64, String)])
    func grouped(_ value: UInt64, _ text: String) {
        #expect(TextNumbers.grouped(value) == text)
    }

    @Test(
        arguments: [
            (0, 2, "0.00"), (1.005, 1, "1.0"), (2.5, 0, "3"), (-0.04, 1, "0.0"),
            (-1.25, 2, "-1.25"),
            (0.05, 2, "0.05"), (12.3456, 3, "12.346"),
        ] as [(Double, Int, String)])
    func fixed(_ value: Double, _ decimals: Int, _ text: String) {
        #expect(TextNumbers.fixed(value, decimals: decimals) == text)
    }

    @Test(
        arguments: [
            (0, "0 ns"), (850, "850 ns"), (12_340, "12.3 µs"), (999_499, "999 µs"),
            (999_500, "1 ms"), (4_500_000, "4.5 ms"), (162_345_678, "162 ms"),
            (1_234_000_000, "1.23 s"), (10_000_000_000, "10 s"), (119_400_000_000, "119 s"),
            (125_000_000_000, "2 min 5 s"), (3_600_000_000_000, "60 min"),
        ] as [(Double, String)])
    func duration(_ ns: Double, _ text: String) {
        #expect(TextNumbers.duration(ns: ns) == text)
    }

    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (999.6, "1 kB"), (1_234_567, "1.23 MB"),
            (5e15, "5,000 TB"),
        ] as [(Double, String)])
    func bytes(_ value: Double, _ text: String) {
        #expect(TextNumbers.bytes(value) == text)
    }

    @Test(
        arguments: [
            (0, "0 %"), (1, "100 %"), (0.5, "50 %"), (0.9998, "99.98 %"), (0.9999999, "99.99 %"),
            (0.0000001, "<0.01 %"), (0.001, "0.1 %"), (1.5, "150 %"),
        ] as [(Double, String)])
    func percent(_ share: Double, _ text: String) {
        #expect(TextNumbers.percent(share) == text)
    }

    @Test func singularAndPlural() {
        #expect(TextNumbers.count(0, "tile") == "0 tiles")
        #expect(TextNumbers.count(1, "tile") == "1 tile")
        #expect(TextNumbers.count(2, "expiry", "expiries") == "2 expiries")
    }

    /// Against the calendar of another library, over 1,000 years.
    @Test func calendar() throws {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        let seed = UInt64.random(in: 0...UInt64.max)
        var state = seed
        for _ in 0..<2_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let ms = Int64(state >> 20) % 9_000_000_000_000
            let time = UTCTime(epochNS: ms * 1_000_000)
            let expected = formatter.string(from: Date(timeIntervalSince1970: Double(ms) / 1_000))
            #expect(time.rfc3339 == expected, "seed \(seed)")
        }
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_400, "2000-02-29T00:00:00.000Z"),
            (4_107_542_399, "2100-02-28T23:59:59.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.000Z"),
        ] as [(Int64, String)])
    func days(_ seconds: Int64, _ text: String) {
        #expect(UTCTime(epochNS: seconds * 1_000_000_000).rfc3339 == text)
    }

    @Test func bucketsHoldEverything() {
        let report = ReportJSON.node(result: SampleResult.full, verdict: Verdict())
        let times = SampleResult.full.response.all
        let lookup = ReportLookup(report)
        for rowsMax in [2, 6, 12, 40] {
            let buckets = LatencyBuckets(
                times, leastNS: (lookup.number("latency.response.all.min_ms") ?? 0) * 1e6,
                greatestNS: (lookup.number("latency.response.all.max_ms") ?? 0) * 1e6,
                rowsMax: rowsMax)
            #expect(buckets.rows.reduce(0) { $0 + $1.count } == times.count)
            #expect(buckets.rows.first?.count != 0 && buckets.rows.last?.count != 0)
            for (row, next) in zip(buckets.rows, buckets.rows.dropFirst()) {
                #expect(row.toNS == next.fromNS)
            }
        }
    }
}
