import Glibc

/// Arrival times of a Poisson process of one arrival per unit of time.
///
/// Gaps are exponential, each a function of the seed and its index. Their sum would take a walk
/// from the first one, so it goes by blocks of 256: the time a block takes is one number of the
/// gamma distribution, and its 256 gaps are drawn to proportion and scaled to that sum. Sum and
/// proportions of exponential gaps are independent, so the process is the same one (Devroye,
/// "Non-Uniform Random Variate Generation", 1986, chapter V).
struct PoissonArrivals: Sendable {
    private static let blockLength: UInt64 = 256

    private let gaps: SeededRandom
    private let blocks: SeededRandom

    private var block: UInt64 = 0
    /// When the block begins and ends.
    private var start = 0.0
    private var end: Double
    /// Unscaled gaps of the block up to `next`, and all of them.
    private var next: UInt64 = 0
    private var partial = 0.0
    private var total = 0.0
    private var reached = 0.0

    /// For cursors that have no use for one.
    static let none = PoissonArrivals(
        gaps: SeededRandom(seed: 0, stream: .arrivals),
        blocks: SeededRandom(seed: 0, stream: .arrivalBlocks))

    init(gaps: SeededRandom, blocks: SeededRandom) {
        self.gaps = gaps
        self.blocks = blocks
        end = PoissonArrivals.gamma(blocks.draws(at: 0))
    }

    /// When an arrival takes place. Indices must become greater from call to call.
    mutating func position(of index: UInt64) -> Double {
        while index / PoissonArrivals.blockLength > block { nextBlock() }
        if total == 0 { weigh() }
        while next <= index {
            partial += gap(next)
            next += 1
        }
        reached = min(start + (end - start) * (partial / total), end)
        return reached
    }

    /// The number of arrivals whose start on a curve is before a time.
    func count(before timeNS: UInt64, on curve: RateCurve) -> UInt64 {
        var arrivals = self
        var place = curve.place
        while place.startNS(of: arrivals.end) < timeNS { arrivals.nextBlock() }
        // The look at the end of the block may have gone into a later segment.
        place = curve.place
        var index = arrivals.next
        while place.startNS(of: arrivals.position(of: index)) < timeNS { index += 1 }
        return index
    }

    private mutating func nextBlock() {
        block += 1
        start = end
        end += PoissonArrivals.gamma(blocks.draws(at: block))
        next = block * PoissonArrivals.blockLength
        partial = 0
        total = 0
    }

    /// Adds up the block's gaps in the order in which `position` will.
    private mutating func weigh() {
        for offset in 0..<PoissonArrivals.blockLength { total += gap(next + offset) }
    }

    private func gap(_ index: UInt64) -> Double {
        // 0 < u <= 1
        -log(Double((gaps.bits(at: index) >> 11) + 1) * 0x1p-53)
    }

    /// A number of the gamma distribution with `blockLength` as its shape: the sum of that many
    /// exponential gaps. Marsaglia and Tsang, "A simple method for generating gamma variables",
    /// ACM TOMS 26 (2000).
    private static func gamma(_ draws: SeededRandom.Draws) -> Double {
        var draws = draws
        let scale = Double(blockLength) - 1.0 / 3
        let width = 1 / (9 * scale).squareRoot()
        while true {
            // Box and Muller's normal variable.
            let normal = (-2 * log(1 - draws.unit())).squareRoot() * cos(2 * .pi * draws.unit())
            let root = 1 + width * normal
            guard root > 0 else { continue }
            let cube = root * root * root
            let chance = log(1 - draws.unit())
            if chance < normal * normal / 2 + scale * (1 - cube + log(cube)) {
                return scale * cube
            }
        }
    }
}
