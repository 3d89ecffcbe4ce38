import Metrics

/// SplitMix64 (Steele, Lea, Flood 2014): small, and the same everywhere.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    /// Evenly over the octaves, as latencies are told apart.
    mutating func duration() -> UInt64 {
        let octave = UInt64.random(in: 0...41, using: &self)
        return min(next() >> (63 - octave), HistogramLayout.highestNS)
    }
}

let second: Int64 = 1_000_000_000

/// The ceil(p * n)-th smallest, p given as a fraction of whole numbers.
func exactPercentile(_ sorted: [UInt64], _ numerator: Int, per denominator: Int) -> UInt64 {
    let rank = (numerator * sorted.count + denominator - 1) / denominator
    return sorted[max(rank, 1) - 1]
}

/// Whether a histogram may say `found` where the values say `exact`: in the same cell, not below.
func isWithinResolution(_ found: UInt64?, _ exact: UInt64) -> Bool {
    guard let found else { return false }
    return found >= exact && found - exact <= exact / 1024
}

extension AskEnd {
    static func sample(
        zoom: UInt8 = 3, at intendedNS: Int64, _ cls: AskClass = .ok, cause: FailureCause = .status,
        detail: UInt16 = 0, status: UInt16 = 200, outcome: Outcome? = .tile,
        responseNS: UInt64 = 1_000_000, bytes: UInt64 = 100
    ) -> AskEnd {
        AskEnd(
            zoom: zoom, intendedNS: intendedNS, endedNS: intendedNS + Int64(responseNS), cls: cls,
            cause: cause, causeDetail: detail, status: status, outcome: outcome,
            responseNS: responseNS, serviceNS: responseNS / 2, bodyBytes: bytes)
    }
}

func merged(_ recorders: [Recorder], measuredNS: UInt64) -> RunResult {
    var result = RunResult()
    RecorderResult.merge(recorders.map(\.result), measuredNS: measuredNS, into: &result)
    return result
}
