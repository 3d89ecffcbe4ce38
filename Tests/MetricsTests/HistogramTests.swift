import Metrics
import Testing

@Suite struct HistogramTests {
    static let fractions: [(Double, Int, Int)] = [
        (0, 0, 1), (0.07, 7, 100), (0.29, 29, 100), (0.5, 1, 2), (0.57, 57, 100), (0.75, 3, 4),
        (0.9, 9, 10), (0.95, 19, 20), (0.99, 99, 100), (0.999, 999, 1000), (1, 1, 1),
    ]

    @Test(arguments: [1, 2, 3, 9, 10, 11, 99, 100, 101, 999, 1000, 1001, 5000])
    func percentilesAreThoseOfTheSortedValues(size: Int) {
        for seed in UInt64(1)...3 {
            var random = SeededGenerator(seed: seed)
            let values = (0..<size).map { _ in random.duration() }
            let sorted = values.sorted()
            let raw = RawHistogram.allocate()
            defer { raw.deallocate() }
            var dense = Histogram()
            var packed = PackedHistogram()
            for value in values {
                raw.record(value)
                dense.record(value)
                packed.record(value)
            }
            for (fraction, numerator, denominator) in Self.fractions {
                let exact = exactPercentile(sorted, numerator, per: denominator)
                let found = raw.percentileNS(fraction)
                #expect(
                    isWithinResolution(found, exact),
                    "seed \(seed), p \(fraction): \(found ?? 0), exactly \(exact)")
                #expect(dense.percentileNS(fraction) == found, "seed \(seed), p \(fraction)")
                #expect(packed.percentileNS(fraction) == found, "seed \(seed), p \(fraction)")
            }
            #expect(dense.minNS == sorted.first, "seed \(seed)")
            #expect(dense.maxNS == sorted.last, "seed \(seed)")
            #expect(dense.count == UInt64(size), "seed \(seed)")
            #expect(raw.snapshot() == dense, "seed \(seed)")
            #expect(PackedHistogram(dense) == packed, "seed \(seed)")
            #expect(Histogram(packed) == dense, "seed \(seed)")
        }
    }

    /// Values below 2,048 ns have a cell each, so nothing hides a rank that is off by one.
    @Test(arguments: [1, 2, 7, 10, 50, 99, 100, 101, 200, 1000, 2000])
    func ranksAreExact(size: Int) {
        var histogram = Histogram()
        for value in 1...UInt64(size) { histogram.record(value) }
        for percent in 1...100 {
            let rank = max(1, (percent * size + 99) / 100)
            let found = histogram.percentileNS(Double(percent) / 100)
            #expect(found == UInt64(rank), "p\(percent) of \(size)")
            let literal = Double("0." + (percent < 10 ? "0" : "") + "\(percent)") ?? 1
            guard percent < 100 else { continue }
            #expect(histogram.percentileNS(literal) == UInt64(rank), "p\(percent) of \(size)")
            #expect(histogram.samplesAbove(literal) == UInt64(size - rank))
        }
        #expect(histogram.percentileNS(0.999) == UInt64((999 * size + 999) / 1000))
    }

    @Test func valuesStayInTheirCellOverTheWholeRange() {
        var random = SeededGenerator(seed: 7)
        var values: [UInt64] = [0, 1, 1023, 1024, 2047, 2048, 2049, HistogramLayout.highestNS]
        for shift in UInt64(1)...41 {
            values += [1 << shift - 1, 1 << shift, 1 << shift + 1].filter {
                $0 <= HistogramLayout.highestNS
            }
        }
        values += (0..<10_000).map { _ in random.duration() }
        for value in values {
            // One other on either side, so that the clamping to the ends does not help.
            var histogram = PackedHistogram()
            histogram.record(0)
            histogram.record(value)
            histogram.record(HistogramLayout.highestNS)
            #expect(isWithinResolution(histogram.percentileNS(0.5), value), "\(value)")
        }
    }

    @Test func anEmptyHistogramHasNoFigures() {
        let histogram = Histogram()
        #expect(histogram.isEmpty)
        #expect(histogram.percentileNS(0.5) == nil)
        #expect(histogram.minNS == nil)
        #expect(histogram.maxNS == nil)
        #expect(histogram.meanNS == nil)
        #expect(histogram.stddevNS == nil)
        #expect(histogram.samplesAbove(0.5) == 0)
    }

    @Test func percentilesAreClampedToTheExactEnds() {
        var histogram = Histogram()
        // Both in one cell that reaches below and above them.
        histogram.record(1_000_000_003)
        histogram.record(1_000_000_017)
        for fraction in [0.01, 0.5] {
            #expect(histogram.percentileNS(fraction).map { $0 <= 1_000_000_017 } == true)
        }
        #expect(histogram.percentileNS(1) == 1_000_000_017)
        var single = PackedHistogram()
        single.record(123_456_789)
        for fraction in [0, 0.5, 0.999, 1] {
            #expect(single.percentileNS(fraction) == 123_456_789)
        }
    }

    @Test func theMeanOfEqualValuesIsExact() {
        for value: UInt64 in [1, 3, 123_456_789, 3_599_999_999_999] {
            var histogram = Histogram()
            histogram.record(value, count: 1_000_003)
            #expect(histogram.meanNS == Double(value))
            #expect(histogram.stddevNS == 0)
        }
        // A sum beyond 64 bits.
        var large = Histogram()
        large.record(HistogramLayout.highestNS, count: 1 << 40)
        #expect(large.meanNS == Double(HistogramLayout.highestNS))
    }

    @Test(arguments: [UInt64(1), 2, 3, 4, 5])
    func meanAndDeviationAreThoseOfTheValues(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let values = (0..<2000).map { _ in UInt64.random(in: 1_000...50_000_000, using: &random) }
        var histogram = Histogram()
        for value in values { histogram.record(value) }
        let mean = Double(values.reduce(0, +)) / Double(values.count)
        let squares = values.map { (Double($0) - mean) * (Double($0) - mean) }.reduce(0, +)
        let deviation = (squares / Double(values.count)).squareRoot()
        #expect(abs(try #require(histogram.meanNS) - mean) < 1e-6 * mean, "seed \(seed)")
        #expect(
            abs(try #require(histogram.stddevNS) - deviation) < 1e-3 * deviation, "seed \(seed)")
    }

    @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6])
    func addingIsRecordingBoth(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let values = (0..<Int.random(in: 0...300, using: &random)).map { _ in random.duration() }
        let cut = Int.random(in: 0...values.count, using: &random)
        var all = Histogram()
        var first = Histogram()
        var second = PackedHistogram()
        for (index, value) in values.enumerated() {
            all.record(value)
            if index < cut { first.record(value) } else { second.record(value) }
        }
        var packed = PackedHistogram(first)
        first.add(second)
        packed.add(second)
        #expect(first == all, "seed \(seed)")
        #expect(packed == PackedHistogram(all), "seed \(seed)")
    }

    @Test func valuesAboveTheTopAreCountedAsOverflow() {
        let raw = RawHistogram.allocate()
        defer { raw.deallocate() }
        var dense = Histogram()
        var packed = PackedHistogram()
        for value in [5, HistogramLayout.highestNS, HistogramLayout.highestNS + 1, UInt64.max] {
            raw.record(value)
            dense.record(value)
            packed.record(value)
        }
        #expect(dense.overflow == 2)
        #expect(dense.count == 4)
        #expect(dense.maxNS == HistogramLayout.highestNS)
        #expect(raw.snapshot() == dense)
        #expect(packed == PackedHistogram(dense))
    }

    @Test func aResetRawHistogramIsAsNew() {
        let raw = RawHistogram.allocate()
        defer { raw.deallocate() }
        raw.record(1)
        raw.record(HistogramLayout.highestNS)
        raw.reset()
        #expect(raw.snapshot() == Histogram())
        raw.record(77)
        var expected = Histogram()
        expected.record(77)
        #expect(raw.snapshot() == expected)
    }
}
