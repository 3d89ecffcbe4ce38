/// A seeded order of 0 ..< count in which each number comes once, without a table.
///
/// A Feistel network over the fewest bits that hold the numbers, repeated until the result is one
/// of them ("cycle walking": Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA
/// 2002): fewer than two rounds of it on average. The halves differ by a bit when the bits are odd
/// in number, so they take turns instead of changing places.
struct Permutation: Sendable {
    private static let turns: UInt64 = 4

    private let count: UInt64
    private let random: SeededRandom
    private let lowBits: UInt64
    private let lowMask: UInt64
    private let highMask: UInt64

    /// - Parameter count: at least 1.
    init(count: UInt64, random: SeededRandom) {
        self.count = count
        self.random = random
        let bits = UInt64(64 - (count - 1).leadingZeroBitCount)
        let highBits = bits / 2
        lowBits = bits - highBits
        lowMask = (1 << lowBits) - 1
        highMask = (1 << highBits) - 1
    }

    /// - Parameter index: less than `count`, as is the result.
    func place(of index: UInt64) -> UInt64 {
        var value = index
        repeat {
            var low = value & lowMask
            var high = value >> lowBits
            for turn in 0..<Permutation.turns {
                // The turn's number is above the bits of a half, at most 32.
                high ^= random.bits(at: turn << 33 | low) & highMask
                low ^= random.bits(at: turn << 33 | 1 << 32 | high) & lowMask
            }
            value = high << lowBits | low
        } while value >= count
        return value
    }
}
