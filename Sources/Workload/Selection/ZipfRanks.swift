import Glibc

/// Ranks 0 ..< count, rank k drawn with a chance proportional to 1 / (k + 1)^exponent.
///
/// Rejection-inversion: Hörmann and Derflinger, "Rejection-inversion to generate variates from
/// monotone discrete distributions", ACM TOMACS 6 (1996). No table: the time is the same for ten
/// ranks and for 10^18. Ranks above 2^53 are drawn to the precision of a `Double`.
struct ZipfRanks: Sendable {
    static let exponents = 0.0...50.0

    private let count: UInt64
    private let exponent: Double
    /// The integral of x^-exponent up to the first rank's and the last rank's far edge.
    private let areaFirst: Double
    private let areaLast: Double
    /// So near above a rank, no number is rejected.
    private let sureDistance: Double

    /// - Parameter count: at least 1.
    init(count: UInt64, exponent: Double) {
        self.count = count
        self.exponent = exponent
        areaFirst = ZipfRanks.area(1.5, exponent) - 1
        areaLast = ZipfRanks.area(Double(count) + 0.5, exponent)
        sureDistance =
            2
            - ZipfRanks.place(
                ZipfRanks.area(2.5, exponent) - ZipfRanks.density(2, exponent), exponent)
    }

    func rank(_ draws: inout SeededRandom.Draws) -> UInt64 {
        if exponent == 0 { return draws.below(count) }
        while true {
            let area = areaLast + draws.unit() * (areaFirst - areaLast)
            let place = ZipfRanks.place(area, exponent)
            let nearest = min(max(UInt64(max(place, 0) + 0.5), 1), count)
            let rank = Double(nearest)
            if rank - place <= sureDistance
                || area >= ZipfRanks.area(rank + 0.5, exponent) - ZipfRanks.density(rank, exponent)
            {
                return nearest - 1
            }
        }
    }

    private static func density(_ x: Double, _ exponent: Double) -> Double {
        exp(-exponent * log(x))
    }

    /// The integral of t^-exponent from 1 to x: (x^(1-e) - 1) / (1 - e), log x for e = 1.
    private static func area(_ x: Double, _ exponent: Double) -> Double {
        let logarithm = log(x)
        let power = (1 - exponent) * logarithm
        // expm1(p) / p, which the first terms of its series give near 0.
        let ratio = power.magnitude > 1e-8 ? expm1(power) / power : 1 + power / 2
        return ratio * logarithm
    }

    /// The inverse of `area`.
    private static func place(_ area: Double, _ exponent: Double) -> Double {
        // Rounding may lead beyond what the integral reaches for exponents above 1.
        let share = max((1 - exponent) * area, -1)
        let ratio = share.magnitude > 1e-8 ? log1p(share) / share : 1 - share / 2
        return exp(ratio * area)
    }
}
