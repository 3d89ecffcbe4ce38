/// A rate as a fraction, so that the start of an ask is a division of whole numbers: no drift,
/// however long the run.
///
/// A `Double` cannot hold a rate like 0.1/s, and the ask that is due at 10 s sharp would come a
/// nanosecond before it. The fraction is the one that was written whenever it is a multiple of a
/// millionth per second, minute or hour.
struct SteadyRate: Sendable {
    /// A millionth per hour, as parts of one per second.
    private static let partsPerUnit: Double = 3_600_000_000
    /// No start has a finer unit than the nanosecond.
    private static let perSecondMax: Double = 1_000_000_000

    /// Asks per `periodNS`.
    private let asks: UInt128
    private let periodNS: UInt128

    /// A rate of 0 or less has no asks; one of more than an ask per nanosecond is cut to that.
    init(perSecond: Double) {
        let rate = min(max(perSecond, 0), SteadyRate.perSecondMax)
        let parts = (rate * SteadyRate.partsPerUnit).rounded()
        if parts / SteadyRate.partsPerUnit == rate {
            asks = UInt128(parts)
            periodNS = UInt128(SteadyRate.partsPerUnit) * 1_000_000_000
        } else {
            // The number as it is in binary, to the last bit above 2^-62 per second.
            let bits = min(52 - rate.exponent, 62)
            asks = UInt128((rate * Double(sign: .plus, exponent: bits, significand: 1)).rounded())
            periodNS = 1_000_000_000 << UInt128(bits)
        }
    }

    /// floor(index / rate), in ns; `UInt64.max` when it is beyond 584 years or never.
    func startNS(of index: UInt64) -> UInt64 {
        guard asks > 0 else { return .max }
        let (product, overflow) = UInt128(index).multipliedReportingOverflow(by: periodNS)
        return overflow ? .max : UInt64(clamping: product / asks)
    }

    /// The number of indices whose start is less: ceil(time * rate).
    func count(before timeNS: UInt64) -> UInt64 {
        let product = UInt128(timeNS) * asks
        return UInt64(clamping: product / periodNS + (product % periodNS == 0 ? 0 : 1))
    }
}
