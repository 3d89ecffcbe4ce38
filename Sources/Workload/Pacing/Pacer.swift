/// When each ask of an open load is meant to start: index -> nanoseconds from T0.
///
/// A function of the load, the seed and the index alone: however the indices are dealt out to
/// shards and threads, the union is the same run.
///
/// - A constant load starts index s at s / rate, exactly, rounded down to the nanosecond.
/// - In stages the rate is a line from `from` to `to`, and index s starts when the integral of the
///   rate reaches s. After the last stage its last rate holds, until the run's end or for ever.
/// - Poisson arrivals are those of a process of one arrival per unit, with the integral of the
///   rate in place of the clock; the first one starts after the first gap.
package struct Pacer: Sendable {
    enum Clock: Sendable {
        case steady(SteadyRate)
        case curve(RateCurve)
        case poisson(RateCurve, PoissonArrivals)
    }

    let clock: Clock

    /// Nil for a closed load, where an answer is what starts the next ask, and for a log's times.
    package init?(load: LoadPlan, seed: UInt64) {
        let gaps = SeededRandom(seed: seed, stream: .arrivals)
        let blocks = SeededRandom(seed: seed, stream: .arrivalBlocks)
        switch load.shape {
        case .users, .userStages, .logged:
            return nil
        case .rate(let perSecond, .constant):
            clock = .steady(SteadyRate(perSecond: perSecond))
        case .rate(let perSecond, .poisson):
            clock = .poisson(
                RateCurve(perSecond: perSecond), PoissonArrivals(gaps: gaps, blocks: blocks))
        case .rateStages(let stages, .constant):
            clock = .curve(RateCurve(stages: stages))
        case .rateStages(let stages, .poisson):
            clock = .poisson(
                RateCurve(stages: stages), PoissonArrivals(gaps: gaps, blocks: blocks))
        }
    }

    private init(clock: Clock) {
        self.clock = clock
    }

    /// The pacer of the warm-up, in nanoseconds from its beginning: the load's arrivals at its
    /// starting rate, which for stages is the first that is not 0. Nil as the other.
    package static func warmup(load: LoadPlan, seed: UInt64) -> Pacer? {
        let (perSecond, arrivals): (Double, LoadPlan.Arrivals)
        switch load.shape {
        case .users, .userStages, .logged:
            return nil
        case .rate(let rate, let kind):
            (perSecond, arrivals) = (rate, kind)
        case .rateStages(let stages, let kind):
            (perSecond, arrivals) = (stages.startingValue, kind)
        }
        switch arrivals {
        case .constant:
            return Pacer(clock: .steady(SteadyRate(perSecond: perSecond)))
        case .poisson:
            return Pacer(
                clock: .poisson(
                    RateCurve(perSecond: perSecond),
                    PoissonArrivals(
                        gaps: SeededRandom(seed: seed, stream: .warmupArrivals),
                        blocks: SeededRandom(seed: seed, stream: .warmupArrivalBlocks))))
        }
    }

    /// How many asks are meant to start before a time: exactly the indices whose intended start
    /// is less. Takes a moment for Poisson arrivals: about 1 ms for each 2 million.
    package func count(before timeNS: UInt64) -> UInt64 {
        switch clock {
        case .steady(let rate): rate.count(before: timeNS)
        case .curve(let curve): curve.count(before: timeNS)
        case .poisson(let curve, let arrivals): arrivals.count(before: timeNS, on: curve)
        }
    }

    /// The asks `first`, `first + stride`, `first + 2 * stride`, ...
    package func cursor(first: UInt64, stride: UInt64) -> PacerCursor {
        PacerCursor(pacer: self, first: first, stride: stride)
    }
}

extension LoadPlan {
    /// The pacer of the warm-up (see `Pacer.warmup`); nil for a closed load.
    package func warmupPacer(seed: UInt64) -> Pacer? {
        Pacer.warmup(load: self, seed: seed)
    }
}

extension [LoadPlan.Stage] {
    /// The first value that is not 0, or 0.
    var startingValue: Double {
        for stage in self {
            if stage.from > 0 { return stage.from }
            if stage.to > 0 { return stage.to }
        }
        return 0
    }
}
