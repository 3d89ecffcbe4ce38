import Glibc

/// Random numbers as a pure function of (seed, purpose, request number), so that a run can be
/// repeated and no state is shared between threads.
enum OriginDraw {
    /// Keeps the draws of one request apart.
    enum Purpose: UInt64 {
        case fault = 0x9E37_79B9
        case edge = 0x85EB_CA6B
        case latency = 0xC2B2_AE35
        case latencyAngle = 0x27D4_EB2F
        case age = 0x1656_67B1
        case late = 0x2545_F491
        case lag = 0x5851_F42D
        case revocation = 0x1405_7B7E
    }

    /// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): every input bit reaches every output
    /// bit.
    @inline(__always)
    static func mix(_ value: UInt64) -> UInt64 {
        var word = value &+ 0x9E37_79B9_7F4A_7C15
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// Uniform in 0..<1.
    @inline(__always)
    static func uniform(_ seed: UInt64, _ purpose: Purpose, _ number: UInt64) -> Double {
        Double(word(seed, purpose, number) >> 11) * 0x1p-53
    }

    @inline(__always)
    static func word(_ seed: UInt64, _ purpose: Purpose, _ number: UInt64) -> UInt64 {
        mix(mix(seed ^ (purpose.rawValue << 32)) ^ number)
    }

    /// FNV-1a of a text: the same in every process.
    static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

/// A log-normal distribution through its median and 99th percentile.
package struct LogNormal {
    private let medianNS: Double
    /// Standard deviation of the logarithm: ln(p99 / median) / 2.3263, which is the 99th percentile
    /// of the standard normal distribution.
    private let sigma: Double

    package init(_ latency: OriginOptions.Latency) {
        medianNS = Double(latency.medianNS)
        let ratio = Double(latency.p99NS) / Double(max(latency.medianNS, 1))
        sigma = log(max(ratio, 1)) / 2.326_347_874
    }

    /// A delay in nanoseconds; at most a minute, whatever the tail says.
    package func drawNS(seed: UInt64, number: UInt64) -> UInt64 {
        // Box-Muller; 1 - u keeps the logarithm's argument above 0.
        let radius = sqrt(-2 * log(1 - OriginDraw.uniform(seed, .latency, number)))
        let angle = 2 * Double.pi * OriginDraw.uniform(seed, .latencyAngle, number)
        return UInt64(min(medianNS * exp(sigma * radius * cos(angle)), 60e9))
    }
}
