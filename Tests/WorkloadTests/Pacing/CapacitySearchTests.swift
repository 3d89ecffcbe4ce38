import Foundation
import Testing

@testable import Workload

/// The search against servers that are made up: which rates it tries, and what it finds.
struct CapacitySearchTests {
    typealias End = CapacitySearch.StepEnd

    /// Runs a search to its end and gives back the rates that it tried. It must end in so many
    /// steps, and try no rate beyond its bounds.
    private static func run(
        _ search: inout CapacitySearch, from: Double, to: Double, resolution: Double,
        _ step: (Double) -> End
    ) -> [Double] {
        var rates: [Double] = []
        let ratesMax = CapacitySearch.ratesMax(from: from, to: to, resolution: resolution)
        while let rate = search.next, rates.count <= ratesMax * CapacitySearch.triesMax {
            #expect(rate >= from && rate <= to)
            rates.append(rate)
            search.take(step(rate))
        }
        #expect(search.next == nil)
        #expect(search.outcome != nil)
        #expect(Set(rates).count <= ratesMax)
        let most = Dictionary(grouping: rates) { $0 }.values.map(\.count).max() ?? 0
        #expect(most <= CapacitySearch.triesMax)
        return rates
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var to = 1000.0
        var resolution = 0.05
        /// By rate, how its steps end; the last for all further ones. Other rates hold up to 390.
        var ends: [Double: [End]] = [:]
        var rates: [Double]
        var held: Double?
        var failed: Double?
        var outcome: CapacitySearch.Outcome

        var testDescription: String { name }
    }

    static let cases = [
        Case(
            name: "a limit",
            rates: [100, 200, 400, 400, 282.8, 336.3, 366.8, 383], held: 383, failed: 400,
            outcome: .limit),
        Case(
            name: "a wide resolution", resolution: 0.5, rates: [100, 200, 400, 400, 282.8],
            held: 282.8, failed: 400, outcome: .limit),
        Case(
            name: "any limit", resolution: 1, rates: [100, 200, 400, 400], held: 200, failed: 400,
            outcome: .limit),
        Case(
            name: "the highest rate holds", to: 350, rates: [100, 200, 350], held: 350,
            failed: nil, outcome: .noLimit),
        Case(
            name: "one rate", to: 100, rates: [100], held: 100, failed: nil, outcome: .noLimit),
        Case(
            name: "nothing holds", ends: [100: [.failed]], rates: [100, 100], held: nil,
            failed: 100, outcome: .failedAtStart),
        Case(
            name: "a hiccup", to: 200, ends: [100: [.failed, .held], 200: [.failed, .held]],
            rates: [100, 100, 200, 200], held: 200, failed: nil, outcome: .noLimit),
        Case(
            name: "the generator, from the start", ends: [100: [.invalid]], rates: [100, 100],
            held: nil, failed: nil, outcome: .generator(perSecond: 100)),
        Case(
            name: "the generator, later", ends: [200: [.invalid]], rates: [100, 200, 200],
            held: 100, failed: nil, outcome: .generator(perSecond: 200)),
        Case(
            name: "the generator, in between", ends: [282.8: [.invalid]],
            rates: [100, 200, 400, 400, 282.8, 282.8], held: 200, failed: 400,
            outcome: .generator(perSecond: 282.8)),
        Case(
            name: "now this, now that", to: 200, resolution: 1,
            ends: [200: [.invalid, .failed, .unanswered, .failed]],
            rates: [100, 200, 200, 200, 200], held: 100, failed: 200, outcome: .limit),
        Case(
            name: "a hiccup of the generator", to: 200, ends: [200: [.invalid, .held]],
            rates: [100, 200, 200], held: 200, failed: nil, outcome: .noLimit),
        Case(
            name: "nobody there", ends: [100: [.unanswered]], rates: [100], held: nil, failed: nil,
            outcome: .unanswered(perSecond: 100)),
        Case(
            name: "nobody there after a first failure", ends: [100: [.failed, .unanswered]],
            rates: [100, 100], held: nil, failed: nil, outcome: .unanswered(perSecond: 100)),
        Case(
            name: "gone", ends: [200: [.unanswered]], rates: [100, 200, 200], held: 100,
            failed: nil, outcome: .unanswered(perSecond: 200)),
        Case(
            name: "away for a moment", to: 200, ends: [200: [.unanswered, .held]],
            rates: [100, 200, 200], held: 200, failed: nil, outcome: .noLimit),
    ]

    @Test(arguments: cases)
    func triesTheRatesThatTell(_ row: Case) {
        var search = CapacitySearch(from: 100, to: row.to, resolution: row.resolution)
        var seen: [Double: Int] = [:]
        let rates = Self.run(&search, from: 100, to: row.to, resolution: row.resolution) { rate in
            defer { seen[rate, default: 0] += 1 }
            guard let ends = row.ends[rate] else { return rate <= 390 ? .held : .failed }
            return ends[min(seen[rate] ?? 0, ends.count - 1)]
        }
        #expect(rates == row.rates)
        #expect(search.held == row.held)
        #expect(search.failed == row.failed)
        #expect(search.outcome == row.outcome)
    }

    /// Bounds and resolution of a search, and the capacity of a server, all drawn.
    private struct Draw {
        var from: Double
        var to: Double
        var resolution: Double
        var capacity: Double

        init(_ random: inout TestRandom) {
            from = pow(10, Double.random(in: -1...3, using: &random))
            to = from * pow(10, Double.random(in: 0...4, using: &random))
            resolution = [0.005, 0.01, 0.02, 0.05, 0.2, 1].randomElement(using: &random) ?? 1
            let exponent = Double.random(in: -0.1...1.1, using: &random)
            capacity = from * pow(to / from, exponent)
        }
    }

    /// One bad step of each rate, of whatever kind, changes nothing.
    @Test(arguments: 1...500 as ClosedRange<UInt64>)
    func findsTheCapacityInSpiteOfHiccups(seed: UInt64) {
        var random = TestRandom(seed: seed)
        let draw = Draw(&random)
        var search = CapacitySearch(from: draw.from, to: draw.to, resolution: draw.resolution)
        var hiccups: Set<Double> = []
        _ = Self.run(&search, from: draw.from, to: draw.to, resolution: draw.resolution) { rate in
            let isTrue = rate <= draw.capacity
            let kinds: [End] = rate > draw.from ? [.failed, .invalid, .unanswered] : [.failed]
            if isTrue, Bool.random(using: &random), hiccups.insert(rate).inserted {
                return kinds.randomElement(using: &random) ?? .failed
            }
            return isTrue ? .held : .failed
        }
        if draw.capacity < draw.from {
            #expect(search.outcome == .failedAtStart, "seed \(seed): \(draw)")
        } else if draw.capacity >= draw.to {
            #expect(search.outcome == .noLimit && search.held == draw.to, "seed \(seed): \(draw)")
        } else {
            #expect(search.outcome == .limit, "seed \(seed): \(draw)")
            let (held, failed) = (search.held ?? 0, search.failed ?? 0)
            #expect(held <= draw.capacity && draw.capacity < failed, "seed \(seed): \(draw)")
            // Four digits: neighbours are a thousandth apart at most.
            #expect(failed / held <= 1 + max(draw.resolution, 0.0011), "seed \(seed): \(draw)")
        }
    }

    /// A server that wavers near its capacity: a step at that rate holds as often as not, one at
    /// 4 % less or more in 88 % or 12 % of the cases.
    @Test func aServerThatWavers() {
        let capacity = 3456.0
        var errors: [Double] = []
        for seed in 1...1000 as ClosedRange<UInt64> {
            var random = TestRandom(seed: seed)
            var search = CapacitySearch(from: 10, to: 100_000, resolution: 0.05)
            _ = Self.run(&search, from: 10, to: 100_000, resolution: 0.05) { rate in
                let chance = 1 / (1 + exp((rate / capacity - 1) / 0.02))
                return Double.random(in: 0..<1, using: &random) < chance ? .held : .failed
            }
            #expect(search.outcome == .limit)
            errors.append(abs((search.held ?? 0) / capacity - 1))
        }
        errors.sort()
        #expect(errors[500] < 0.05)
        #expect(errors[950] < 0.1)
        #expect(errors[990] < 0.2)
    }

    /// Whatever the steps say, the search ends, and what it says of them is true.
    @Test(arguments: 1...500 as ClosedRange<UInt64>)
    func endsWhateverComes(seed: UInt64) {
        var random = TestRandom(seed: seed)
        let draw = Draw(&random)
        var search = CapacitySearch(from: draw.from, to: draw.to, resolution: draw.resolution)
        var held: Set<Double> = []
        var tries: [Double: [End: Int]] = [:]
        _ = Self.run(&search, from: draw.from, to: draw.to, resolution: draw.resolution) { rate in
            let end = End.allCases.randomElement(using: &random) ?? .held
            if end == .held { held.insert(rate) }
            tries[rate, default: [:]][end, default: 0] += 1
            return end
        }
        #expect(search.held == held.max(), "seed \(seed)")
        let failed = tries.filter { $0.value[.failed] == 2 }.keys.min()
        #expect(search.failed == failed, "seed \(seed)")
        if let held = search.held, let failed = search.failed { #expect(held < failed) }
    }
}
