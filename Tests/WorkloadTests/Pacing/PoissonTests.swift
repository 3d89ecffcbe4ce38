import Foundation
import Testing

@testable import Workload

struct PoissonTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func gapsAreExponential(seed: UInt64) throws {
        let rate = 2000.0
        let pacer = try pacer(.rate(perSecond: rate, arrivals: .poisson), seed: seed)
        let count = 100_000
        let starts = starts(pacer, count)
        let gaps = zip([0] + starts, starts).map { Double($1 - $0) * rate / 1e9 }
        let mean = gaps.reduce(0, +) / Double(count)
        let square = gaps.reduce(0) { $0 + $1 * $1 } / Double(count)
        // Five standard errors: 1 / sqrt(n) of the mean, sqrt(20 / n) of the mean square (which
        // is 2 for exponential gaps; its variance is 24 - 4).
        #expect(abs(mean - 1) < 5 / Double(count).squareRoot(), "seed \(seed)")
        #expect(abs(square - 2) < 5 * (20 / Double(count)).squareRoot(), "seed \(seed)")
        // Chi-square over ten classes of equal chance: 9 degrees of freedom, p = 10^-5 at 40.8.
        var classes = [Double](repeating: 0, count: 10)
        for gap in gaps { classes[min(Int(-expm1(-gap) * 10), 9)] += 1 }
        let expected = Double(count) / 10
        let chi = classes.reduce(0) { $0 + ($1 - expected) * ($1 - expected) / expected }
        #expect(chi < 40.8, "seed \(seed): \(classes)")
    }

    @Test func countsPerSecondSpreadAsPoissonDoes() throws {
        let rate = 400.0
        let pacer = try pacer(.rate(perSecond: rate, arrivals: .poisson), seed: 8)
        let windows = 2000
        var previous: UInt64 = 0
        var sum = 0.0
        var squares = 0.0
        // Windows of a second hold more than a block, of 0.1 s less.
        for number in 1...windows {
            let count = pacer.count(before: seconds(Double(number)))
            let inside = Double(count - previous)
            previous = count
            sum += inside
            squares += (inside - rate) * (inside - rate)
        }
        let mean = sum / Double(windows)
        #expect(abs(mean - rate) < 5 * (rate / Double(windows)).squareRoot())
        // The variance equals the mean; its standard error is about sqrt(2 / n) of it.
        let ratio = squares / Double(windows) / rate
        #expect(abs(ratio - 1) < 5 * (2 / Double(windows)).squareRoot())
    }

    @Test func seedsDiffer() throws {
        let shape = LoadPlan.Shape.rate(perSecond: 10, arrivals: .poisson)
        #expect(starts(try pacer(shape, seed: 1), 10) == starts(try pacer(shape, seed: 1), 10))
        #expect(starts(try pacer(shape, seed: 1), 10) != starts(try pacer(shape, seed: 2), 10))
    }

    @Test func stagesBendTheProcess() throws {
        let stages = [stage(20, 0, 1000), stage(10, 1000, 1000), stage(20, 1000, 0)]
        let pacer = try pacer(.rateStages(stages, arrivals: .poisson), seed: 3)
        for (timeS, area) in [(10.0, 2500.0), (20, 10_000), (30, 20_000), (50, 30_000)] {
            let count = Double(pacer.count(before: seconds(timeS)))
            #expect(abs(count - area) < 5 * area.squareRoot(), "\(timeS) s: \(count)")
        }
        #expect(pacer.count(before: seconds(1e6)) == pacer.count(before: seconds(50)))
    }

    @Test func aDayOfPoissonIsCountedQuickly() throws {
        let pacer = try pacer(.rate(perSecond: 500, arrivals: .poisson))
        let count = Double(pacer.count(before: seconds(86_400)))
        #expect(abs(count - 43_200_000) < 5 * 43_200_000.0.squareRoot())
    }
}
