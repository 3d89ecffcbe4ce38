import Testing

@testable import Engine

/// One renewal with its tries, event by event.
@Suite struct RenewalFlightTests {
    private static let second: UInt64 = 1_000_000_000

    private func flight(
        timeoutS: UInt64 = 1, startNS: UInt64 = 0, seed: UInt64 = 1,
        _ change: (inout RenewalFlight.Limits) -> Void = { _ in }
    ) -> RenewalFlight {
        var limits = RenewalFlight.Limits(timeoutNS: timeoutS * Self.second)
        change(&limits)
        return RenewalFlight(limits: limits, seed: seed, nowNS: startNS)
    }

    /// What happens to the try under way, and when: the answer to it is the action expected.
    enum Event {
        case fails(retryAfterMS: UInt64?)
        case failsForGood
        case nothing
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        /// Milliseconds since the start, and what comes then.
        var events: [(atMS: UInt64, event: Event)]
        var tries: Int
        var end: RenewalFlight.Action?

        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "no answer yet", events: [(0, .nothing)], tries: 1, end: nil),
        Case(
            name: "one failure, then another try", events: [(5, .fails(retryAfterMS: nil))],
            tries: 2, end: nil),
        Case(
            name: "three failures",
            events: [
                (5, .fails(retryAfterMS: nil)), (300, .fails(retryAfterMS: nil)),
                (600, .fails(retryAfterMS: nil)),
            ], tries: 3, end: .fail(isPermanent: false, retryAfterNS: 0)),
        Case(
            name: "refused for good", events: [(5, .failsForGood)], tries: 1,
            end: .fail(isPermanent: true, retryAfterNS: 0)),
        Case(
            name: "refused for good after a failure",
            events: [(5, .fails(retryAfterMS: nil)), (300, .failsForGood)], tries: 2,
            end: .fail(isPermanent: true, retryAfterNS: 0)),
        Case(
            name: "asked to wait within the deadline", events: [(5, .fails(retryAfterMS: 2000))],
            tries: 1, end: nil),
        Case(
            name: "asked to wait beyond the deadline", events: [(5, .fails(retryAfterMS: 3995))],
            tries: 1, end: .fail(isPermanent: false, retryAfterNS: 3_995_000_000)),
        Case(name: "hangs past the deadline", events: [(4000, .nothing)], tries: 1, end: .giveUp),
        Case(
            name: "hangs past the deadline after a failure",
            events: [(900, .fails(retryAfterMS: nil)), (4000, .nothing)], tries: 2, end: .giveUp),
        Case(
            name: "fails too late for another try",
            events: [(1, .fails(retryAfterMS: 3000)), (3999, .fails(retryAfterMS: 1))], tries: 2,
            end: .fail(isPermanent: false, retryAfterNS: 1_000_000)),
    ]

    @Test(arguments: cases)
    func tries(_ test: Case) {
        var flight = flight()
        var last = RenewalFlight.Action.wait
        #expect(flight.tick(nowNS: 0) == .attempt(timeoutNS: Self.second))
        for (atMS, event) in test.events {
            let now = atMS * 1_000_000
            // What was due until then.
            while flight.dueNS < now { last = flight.tick(nowNS: flight.dueNS) }
            switch event {
            case .fails(let retryAfterMS):
                last = flight.tryFailed(
                    isPermanent: false, retryAfterNS: retryAfterMS.map { $0 * 1_000_000 },
                    nowNS: now)
            case .failsForGood:
                last = flight.tryFailed(isPermanent: true, retryAfterNS: nil, nowNS: now)
            case .nothing:
                last = flight.tick(nowNS: now)
            }
            // The pause after a failure is over at most a second later.
            if last == .wait, flight.dueNS <= now + Self.second {
                _ = flight.tick(nowNS: flight.dueNS)
            }
        }
        #expect(flight.tries == test.tries)
        switch last {
        case .fail, .giveUp:
            #expect(last == test.end)
            #expect(flight.dueNS == .max)
            #expect(flight.tick(nowNS: .max - 1) == .wait, "an ended flight has no more to say")
        case .wait, .attempt:
            #expect(test.end == nil)
            #expect(flight.dueNS != .max)
        }
    }

    @Test func aTryEndsNoLaterThanItsFlight() {
        var flight = flight(timeoutS: 2)
        _ = flight.tick(nowNS: 0)
        _ = flight.tryFailed(isPermanent: false, retryAfterNS: 7 * Self.second, nowNS: 10)
        #expect(
            flight.tick(nowNS: flight.dueNS) == .attempt(timeoutNS: Self.second - 10))
    }

    @Test func whatEndedIsLeftAlone() {
        var flight = flight()
        _ = flight.tick(nowNS: 0)
        flight.end()
        #expect(flight.tryFailed(isPermanent: true, retryAfterNS: nil, nowNS: 5) == .wait)
        #expect(flight.tick(nowNS: 10 * Self.second) == .wait)
    }

    /// Uniform from nothing to a ceiling that doubles: the mean is half of it.
    @Test func pausesHaveFullJitter() {
        var sums = [UInt64](repeating: 0, count: 7)
        var longest = sums
        for seed in 1...200 as ClosedRange<UInt64> {
            var flight = flight(timeoutS: 1000, seed: SplitMix.first(of: seed)) { $0.triesMax = 8 }
            var now: UInt64 = 0
            for index in sums.indices {
                #expect(flight.tick(nowNS: now) == .attempt(timeoutNS: 1000 * Self.second))
                #expect(
                    flight.tryFailed(isPermanent: false, retryAfterNS: nil, nowNS: now) == .wait)
                sums[index] += flight.dueNS - now
                longest[index] = max(longest[index], flight.dueNS - now)
                now = flight.dueNS
            }
        }
        for (index, ceilingMS) in [50, 100, 200, 400, 800, 1000, 1000].enumerated() {
            let ceiling = UInt64(ceilingMS) * 1_000_000
            let mean = sums[index] / 200
            #expect(longest[index] <= ceiling)
            #expect(mean > ceiling * 35 / 100 && mean < ceiling * 65 / 100, "try \(index + 1)")
        }
    }

    /// Whatever comes in whatever order: at most three tries, one end, none after the deadline.
    @Test(arguments: [31, 32, 33] as [UInt64]) func randomEvents(_ seed: UInt64) {
        var random = SplitMix(seed)
        for _ in 0..<1_000 {
            var flight = flight(startNS: 1000, seed: random.next())
            var now: UInt64 = 1000
            var attempts = 0
            var ends = 0
            for _ in 0..<40 {
                now += UInt64.random(in: 0...600_000_000, using: &random)
                let action =
                    switch Int.random(in: 0...9, using: &random) {
                    case 0...5: flight.tick(nowNS: now)
                    case 6...7:
                        flight.tryFailed(
                            isPermanent: false,
                            retryAfterNS: Bool.random(using: &random)
                                ? UInt64.random(in: 0...Self.second, using: &random) : nil,
                            nowNS: now)
                    default:
                        flight.tryFailed(
                            isPermanent: Int.random(in: 0...5, using: &random) == 0,
                            retryAfterNS: nil, nowNS: now)
                    }
                switch action {
                case .attempt(let timeoutNS):
                    attempts += 1
                    #expect(ends == 0, "seed \(seed): a try after the end")
                    #expect(
                        now + timeoutNS <= 1000 + 4 * Self.second,
                        "seed \(seed): a try that outlives its flight")
                case .fail, .giveUp: ends += 1
                case .wait: break
                }
            }
            #expect(attempts == flight.tries && attempts <= 3 && ends <= 1, "seed \(seed)")
            if now > 1000 + 4 * Self.second {
                while flight.dueNS <= now { _ = flight.tick(nowNS: now) }
                #expect(flight.dueNS == .max, "seed \(seed): it outlived its deadline")
            }
        }
    }
}

extension SplitMix {
    static func first(of seed: UInt64) -> UInt64 {
        var random = SplitMix(seed)
        return random.next()
    }
}
