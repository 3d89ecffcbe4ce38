import Testing

@testable import Workload

@Suite("Numbers with units")
struct UnitTextTests {
    @Test(
        "Durations",
        arguments: [
            ("30s", 30_000_000_000), ("250ms", 250_000_000), ("1m", 60_000_000_000),
            ("1h30m", 5_400_000_000_000), ("1.5s", 1_500_000_000), ("0.1s", 100_000_000),
            ("15", 15_000_000_000), ("0.25", 250_000_000), ("10 s", 10_000_000_000), ("7us", 7000),
            ("7µs", 7000), ("3ns", 3), ("1d", 86_400_000_000_000), ("0s", 0), ("0", 0),
            (" 2min ", 120_000_000_000),
        ] as [(String, UInt64)])
    func duration(text: String, nanoseconds: UInt64) throws {
        #expect(try UnitText.duration(text) == nanoseconds)
    }

    @Test(
        "What is no duration",
        arguments: [
            ("", .malformed), ("s", .malformed), ("10 apples", .malformed), ("1e3s", .malformed),
            ("10ss", .malformed), ("-5s", .negative), ("-5", .negative), ("5s-3ms", .negative),
            ("11 d 4000d", .tooLarge), ("99999999999999999999", .tooLarge), ("inf", .malformed),
            ("0x10s", .malformed), ("1_000s", .malformed), ("1.2.3s", .malformed),
        ] as [(String, UnitText.Failure)])
    func noDuration(text: String, failure: UnitText.Failure) {
        #expect(throws: failure) { try UnitText.duration(text) }
    }

    @Test(
        "Sizes, rates and shares",
        arguments: [
            ("64MiB", 67_108_864, nil, nil), ("100kB", 100_000, nil, nil),
            ("1.5KiB", 1536, nil, nil),
            ("12", 12, 12, nil), ("1", 1, 1, 1), ("0", 0, 0, 0), ("2000/s", nil, 2000, nil),
            ("60/m", nil, 1, nil), ("3600 /h", nil, 1, nil), ("0.1%", nil, nil, 0.001),
            ("50 %", nil, nil, 0.5), ("0.25", nil, 0.25, 0.25), ("100%", nil, nil, 1),
            ("101%", nil, nil, nil), ("-1", nil, nil, nil), ("", nil, nil, nil),
            ("20000000/s", nil, nil, nil), ("1.5", nil, 1.5, nil), ("5 s", nil, nil, nil),
        ] as [(String, UInt64?, Double?, Double?)])
    func others(text: String, size: UInt64?, rate: Double?, share: Double?) {
        #expect((try? UnitText.size(text)) == size)
        #expect((try? UnitText.rate(text)) == rate)
        #expect((try? UnitText.share(text)) == share)
    }

    @Test("What is written reads back")
    func roundTrip() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var state = seed
        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 11
        }
        for _ in 0..<2000 {
            // Beyond 2^53 ns a duration is not exact: that is 104 days.
            let duration = next() >> (next() % 53)
            let durationText = UnitText.text(durationNS: duration)
            #expect(
                try UnitText.duration(durationText) == duration, "\(durationText), seed \(seed)")
            let size = (next() % 1_000_000) << (next() % 3 * 10)
            let sizeText = UnitText.text(bytes: size)
            #expect(try UnitText.size(sizeText) == size, "\(sizeText), seed \(seed)")
            let rate = Double(next() % 1_000_000_000) / 1000 + 0.001
            let rateText = UnitText.text(perSecond: rate)
            #expect(try UnitText.rate(rateText) == rate, "\(rateText), seed \(seed)")
        }
    }

    @Test("Pairs")
    func pairs() throws {
        let arrow = try #require(UnitText.pair("0/s -> 5000/s", separator: "->"))
        #expect(arrow == ("0/s", "5000/s"))
        let tight = try #require(UnitText.pair("500ms..30s", separator: ".."))
        #expect(tight == ("500ms", "30s"))
        let single = try #require(UnitText.pair("7", separator: "->"))
        #expect(single == ("7", "7"))
        #expect(UnitText.pair("1 -> 2 -> 3", separator: "->") == nil)
    }
}
