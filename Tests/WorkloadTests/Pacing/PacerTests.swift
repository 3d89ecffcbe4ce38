import Testing

@testable import Workload

func pacer(_ shape: LoadPlan.Shape, seed: UInt64 = 1) throws -> Pacer {
    try #require(Pacer(load: LoadPlan(shape: shape), seed: seed))
}

func seconds(_ seconds: Double) -> UInt64 { UInt64(seconds * 1e9) }

func stage(_ durationS: Double, _ from: Double, _ to: Double) -> LoadPlan.Stage {
    LoadPlan.Stage(durationNS: seconds(durationS), from: from, to: to)
}

/// The starts of the first asks of a pacer, in order.
func starts(_ pacer: Pacer, _ count: Int) -> [UInt64] {
    var cursor = pacer.cursor(first: 0, stride: 1)
    return (0..<count).map { _ in
        defer { cursor.advance() }
        return cursor.intendedNS
    }
}

let openShapes: [LoadPlan.Shape] = [
    .rate(perSecond: 50_000, arrivals: .constant),
    .rate(perSecond: 333.3, arrivals: .constant),
    .rate(perSecond: 1.0 / 3, arrivals: .constant),
    .rate(perSecond: 1234.567_891_234, arrivals: .constant),
    .rate(perSecond: 700, arrivals: .poisson),
    .rateStages([stage(3, 0, 500), stage(2, 500, 500), stage(1, 500, 0)], arrivals: .constant),
    .rateStages([stage(1, 900, 100), stage(1, 0, 0), stage(2, 300, 7)], arrivals: .constant),
    .rateStages([stage(3, 0, 500), stage(2, 500, 0), stage(1, 0, 90)], arrivals: .poisson),
]

struct PacerTests {
    @Test func closedLoadsHaveNone() {
        for shape in [LoadPlan.Shape.users(3), .userStages([stage(1, 0, 5)])] {
            #expect(Pacer(load: LoadPlan(shape: shape), seed: 1) == nil)
            #expect(LoadPlan(shape: shape).warmupPacer(seed: 1) == nil)
        }
    }

    @Test(
        arguments: [
            (50_000.0, 86_400 * 50_000, 86_400_000_000_000), (50_000, 1, 20_000),
            (50_000, 86_400 * 50_000 - 1, 86_400_000_000_000 - 20_000),
            (3, 1, 333_333_333), (3, 2, 666_666_666), (3, 259_200, 86_400_000_000_000),
            (0.1, 1, 10_000_000_000), (0.7, 7, 10_000_000_000), (1.1, 11, 10_000_000_000),
            (2000.0 / 60, 2000, 60_000_000_000), (100.0 / 3600, 100, 3_600_000_000_000),
            (1_000_000, 1_000_001, 1_000_001_000),
        ] as [(Double, UInt64, UInt64)])
    func constantIsExact(rate: Double, index: UInt64, startNS: UInt64) throws {
        let pacer = try pacer(.rate(perSecond: rate, arrivals: .constant))
        #expect(pacer.cursor(first: index, stride: 1).intendedNS == startNS)
        #expect(pacer.count(before: startNS + 1) == index + 1)
        // Only when the start is no rounded one does it lie right on the border.
        #expect(pacer.count(before: startNS) <= index + 1)
    }

    @Test func asManyAsWritten() throws {
        for (rate, forS, count) in [
            (0.1, 10.0, 1), (1.1, 10, 11), (50_000, 86_400, 4_320_000_000), (2000.0 / 60, 60, 2000),
            (0.3, 10, 3), (7, 1, 7), (1e-4, 86_400, 9),
        ] as [(Double, Double, UInt64)] {
            let pacer = try pacer(.rate(perSecond: rate, arrivals: .constant))
            #expect(pacer.count(before: seconds(forS)) == count, "\(rate)/s for \(forS) s")
        }
    }

    @Test func noRateMeansNoAsk() throws {
        for shape in [
            LoadPlan.Shape.rate(perSecond: 0, arrivals: .constant),
            .rate(perSecond: 0, arrivals: .poisson), .rateStages([], arrivals: .constant),
            .rateStages([stage(5, 0, 0)], arrivals: .poisson),
        ] {
            let pacer = try pacer(shape)
            #expect(pacer.cursor(first: 0, stride: 1).intendedNS == .max)
            #expect(pacer.count(before: .max) == 0)
        }
    }

    @Test(arguments: openShapes)
    func sameAsksForAnyNumberOfCursors(shape: LoadPlan.Shape) throws {
        let pacer = try pacer(shape, seed: 99)
        let count = 2100
        let alone = starts(pacer, count)
        for stride in [2, 3, 7] {
            var together = [UInt64](repeating: 0, count: count)
            for first in 0..<stride {
                var cursor = pacer.cursor(first: UInt64(first), stride: UInt64(stride))
                while cursor.index < count {
                    together[Int(cursor.index)] = cursor.intendedNS
                    cursor.advance()
                }
            }
            #expect(together == alone, "\(stride) cursors")
        }
        #expect(alone == alone.sorted())
    }

    @Test(arguments: openShapes)
    func countIsTheNumberOfEarlierStarts(shape: LoadPlan.Shape) throws {
        let pacer = try pacer(shape, seed: 5)
        let all = starts(pacer, 3000)
        let last = try #require(all.last)
        var times: [UInt64] = [0, 1, seconds(0.5), seconds(1), seconds(2), seconds(3), seconds(5)]
        for index in stride(from: 0, to: 2900, by: 97) where all[index] < .max {
            times += [all[index], all[index] + 1]
        }
        for time in times where time <= last {
            let expected = all.prefix { $0 < time }.count
            #expect(pacer.count(before: time) == UInt64(expected), "\(shape) before \(time)")
        }
    }

    @Test(arguments: [(0.0, 5000.0, 30.0), (5000, 0, 30), (100, 900, 7), (900, 100, 0.37)])
    func aRampStartsItsArea(from: Double, to: Double, forS: Double) throws {
        let pacer = try pacer(.rateStages([stage(forS, from, to)], arrivals: .constant))
        let area = (from + to) / 2 * forS
        #expect(abs(Double(pacer.count(before: seconds(forS))) - area) <= 1)
        // Half-way the integral is known too.
        let half = (from + (from + to) / 2) / 2 * forS / 2
        #expect(abs(Double(pacer.count(before: seconds(forS / 2))) - half) <= 1)
    }

    @Test func theLastRateHolds() throws {
        let holds = try pacer(.rateStages([stage(10, 0, 100)], arrivals: .constant))
        #expect(holds.count(before: seconds(20)) == 500 + 1000)
        let ends = try pacer(.rateStages([stage(10, 100, 0)], arrivals: .constant))
        #expect(ends.count(before: seconds(1000)) == 500)
        var cursor = ends.cursor(first: 499, stride: 1)
        #expect(cursor.intendedNS < seconds(10))
        cursor.advance()
        #expect(cursor.intendedNS == .max)
        cursor.advance()
        #expect(cursor.intendedNS == .max)
    }

    @Test func aStageOfOneRateIsExact() throws {
        let staged = try pacer(.rateStages([stage(3, 1000, 1000)], arrivals: .constant))
        let plain = try pacer(.rate(perSecond: 1000, arrivals: .constant))
        #expect(starts(staged, 5000) == starts(plain, 5000))
    }

    @Test func warmupGoesAtTheStartingRate() throws {
        for (shape, count) in [
            (.rate(perSecond: 250, arrivals: .constant), 500),
            (
                .rateStages(
                    [stage(1, 0, 0), stage(9, 0, 80), stage(9, 5, 5)], arrivals: .constant), 160
            ),
            (.rateStages([stage(9, 30, 80)], arrivals: .constant), 60),
        ] as [(LoadPlan.Shape, UInt64)] {
            let warmup = try #require(LoadPlan(shape: shape).warmupPacer(seed: 1))
            #expect(warmup.count(before: seconds(2)) == count)
        }
        let poisson = LoadPlan(shape: .rate(perSecond: 250, arrivals: .poisson))
        let warmup = try #require(poisson.warmupPacer(seed: 1))
        #expect(starts(warmup, 100) != starts(try #require(Pacer(load: poisson, seed: 1)), 100))
    }
}
