/// Random numbers that are a function of a seed, a stream and an index: any one of them is had
/// without those before it, so that n shards or threads together draw what one would alone.
///
/// The mixing function is that of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom
/// number generators", OOPSLA 2014), with the index in place of its counter.
package struct SeededRandom: Sendable {
    /// What the numbers are for. Two streams of a seed have nothing in common.
    package enum Stream: UInt64, Sendable {
        case tile = 1
        case permutation
        case arrivals
        case arrivalBlocks
        case warmupArrivals
        case warmupArrivalBlocks
        case injections
        case viewers
    }

    /// The odd number nearest to 2^64 divided by the golden ratio.
    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    private let key: UInt64

    package init(seed: UInt64, stream: Stream) {
        self.init(
            key: SeededRandom.mix(
                SeededRandom.mix(seed &+ SeededRandom.step)
                    &+ stream.rawValue &* SeededRandom.step))
    }

    private init(key: UInt64) {
        self.key = key
    }

    /// 64 even bits of an index.
    package func bits(at index: UInt64) -> UInt64 {
        SeededRandom.mix(key &+ (index &+ 1) &* SeededRandom.step)
    }

    /// As many numbers as it takes for one index.
    package func draws(at index: UInt64) -> Draws {
        Draws(state: bits(at: index))
    }

    /// A stream of its own for a part of this one.
    package func part(_ number: UInt64) -> SeededRandom {
        SeededRandom(key: SeededRandom.mix(bits(at: number)))
    }

    /// A one-to-one function of 64 bits whose every output bit depends on every input bit.
    package static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// The numbers of one index, one after the other.
    package struct Draws: Sendable {
        private var state: UInt64

        fileprivate init(state: UInt64) {
            self.state = state
        }

        package mutating func bits() -> UInt64 {
            state &+= SeededRandom.step
            return SeededRandom.mix(state)
        }

        /// A number of 0 ..< 1, in steps of 2^-53.
        package mutating func unit() -> Double {
            Double(bits() >> 11) * 0x1p-53
        }

        /// A number of 0 ..< `bound`, each as likely as the next to within bound / 2^64.
        package mutating func below(_ bound: UInt64) -> UInt64 {
            bits().multipliedFullWidth(by: bound).high
        }
    }
}
