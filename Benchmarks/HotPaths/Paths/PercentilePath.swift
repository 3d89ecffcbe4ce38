import Metrics

/// A percentile of a histogram whose values spread over seven decades.
struct PercentilePath: HotPath {
    let operations = 1000

    func setUp() -> RawHistogram {
        let histogram = RawHistogram.allocate()
        var mixed: UInt64 = 1
        for _ in 0..<1_000_000 {
            // An octave by the upper bits, a place in it by the lower ones.
            mixed = mixed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let octave = 10 + mixed >> 58 % 24
            histogram.record(1 << octave | mixed >> 20 & (1 << octave - 1))
        }
        return histogram
    }

    func run(_ histogram: inout RawHistogram) -> UInt64 {
        var sum: UInt64 = 0
        for _ in 0..<operations { sum &+= histogram.percentileNS(0.99) ?? 0 }
        return sum
    }

    func tearDown(_ histogram: RawHistogram) { histogram.deallocate() }
}
