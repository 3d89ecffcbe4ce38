import Foundation
import Testing

@testable import Workload

struct ZipfTests {
    @Test(arguments: [0, 0.5, 0.9, 1, 1 + 1e-12, 1.2, 3, 50], [1, 2, 10, 5000] as [UInt64])
    func ranksComeAsTheirPowers(exponent: Double, count: UInt64) {
        let ranks = ZipfRanks(count: count, exponent: exponent)
        let random = SeededRandom(seed: 3, stream: .tile)
        let drawn = 60_000
        var seen = [Double](repeating: 0, count: Int(count))
        for index in 0..<UInt64(drawn) {
            var draws = random.draws(at: index)
            seen[Int(ranks.rank(&draws))] += 1
        }
        let weights = (1...count).map { pow(Double($0), -exponent) }
        let sum = weights.reduce(0, +)
        // Chi-square over classes of ranks that double in width, each of 5 expected at least.
        var (chi, classes) = (0.0, 0)
        var first = 0
        var width = 1
        while first < seen.count {
            let end = min(first + width, seen.count)
            let expected = weights[first..<end].reduce(0, +) / sum * Double(drawn)
            let observed = seen[first..<end].reduce(0, +)
            if expected >= 5 {
                chi += (observed - expected) * (observed - expected) / expected
                classes += 1
            } else {
                #expect(observed < 30)
            }
            (first, width) = (end, max(1, end / 2))
        }
        // Mean k - 1 and variance 2 (k - 1) of the distribution.
        let freedom = Double(classes - 1)
        #expect(chi <= freedom + 6 * (2 * freedom).squareRoot() + 1e-9, "\(exponent), \(count)")
    }

    @Test(arguments: [0.5, 0.9, 1.0, 1.2])
    func hugeNumbersOfRanks(exponent: Double) {
        let count: UInt64 = 1 << 60
        let ranks = ZipfRanks(count: count, exponent: exponent)
        let random = SeededRandom(seed: 5, stream: .tile)
        let drawn = 20_000
        // The sum of powers by Euler and Maclaurin, exact up to its first 1000 members.
        func sum(_ end: Double) -> Double {
            let first = (1...1000).reduce(0.0) { $0 + pow(Double($1), -exponent) }
            let power = 1 - exponent
            let rest =
                power == 0
                ? log(end / 1000) : (pow(end, power) - pow(1000, power)) / power
            return first + rest + (pow(end, -exponent) - pow(1000, -exponent)) / 2
        }
        for border in [0x1p20, 0x1p40, 0x1p55] {
            var below = 0.0
            for index in 0..<UInt64(drawn) {
                var draws = random.draws(at: index)
                let rank = ranks.rank(&draws)
                if Double(rank) < border { below += 1 }
            }
            let share = sum(border) / sum(Double(count))
            let deviation = (share * (1 - share) * Double(drawn)).squareRoot()
            #expect(
                abs(below - share * Double(drawn)) <= 5 * deviation + 1,
                "\(exponent) below \(border)")
        }
    }
}

struct PermutationTests {
    @Test func isOneToOne() {
        for count in (1...130).map({ UInt64($0) }) + [255, 256, 257, 1000, 4097] {
            for seed in 0..<3 as Range<UInt64> {
                let random = SeededRandom(seed: seed, stream: .permutation)
                let permutation = Permutation(count: count, random: random)
                let places = Set((0..<count).map { permutation.place(of: $0) })
                #expect(places.count == Int(count))
                #expect(places.allSatisfy { $0 < count })
            }
        }
    }

    @Test func anyIndexMayGoAnywhere() {
        // Index 0 of 12, over many seeds: each place as often as another.
        var seen = [Double](repeating: 0, count: 12)
        let drawn = 12_000
        for seed in 0..<UInt64(drawn) {
            let random = SeededRandom(seed: seed, stream: .permutation)
            seen[Int(Permutation(count: 12, random: random).place(of: 0))] += 1
        }
        let chi = seen.reduce(0) { $0 + ($1 - 1000) * ($1 - 1000) / 1000 }
        // 11 degrees of freedom, p = 10^-5.
        #expect(chi < 44, "\(seen)")
    }

    @Test func deepestZoom() {
        let random = SeededRandom(seed: 1, stream: .permutation)
        let permutation = Permutation(count: 1 << 60, random: random)
        let places = Set((0..<1000).map { permutation.place(of: $0) })
        #expect(places.count == 1000)
        #expect(places.contains { $0 >= 1 << 59 })
        #expect(places.contains { $0 < 1 << 59 })
    }
}
