/// Where a value lies in every histogram of this tool: HdrHistogram's layout for values from 1 to
/// 3,600,000,000,000 ns (an hour) with 3 significant digits.
///
/// Values below 2,048 have a cell each; every further octave is cut into 1,024 cells, so a cell is
/// never wider than a thousandth of its values. See http://hdrhistogram.org.
@frozen
public enum HistogramLayout {
    /// The largest value that is told apart; larger ones are recorded as this one.
    @inlinable public static var highestNS: UInt64 { 3_600_000_000_000 }
    /// Decimal digits kept of every value.
    static let significantDigits = 3
    /// 32 octaves of 1,024 cells, and 1,024 more for the values below 1,024.
    static let cells = 33 * 1024

    /// The cell of a value of at most `highestNS`.
    @inlinable
    public static func index(of valueNS: UInt64) -> Int {
        // 0 for everything below 2,048, then one more per octave.
        let octave = 53 &- (valueNS | 2047).leadingZeroBitCount
        return (octave &<< 10) &+ Int(truncatingIfNeeded: valueNS &>> UInt64(octave))
    }

    /// The smallest value of a cell.
    static func lowestNS(of index: Int) -> UInt64 {
        let octave = octave(of: index)
        return UInt64(index - octave << 10) << UInt64(octave)
    }

    /// The largest value of a cell.
    static func highestNS(of index: Int) -> UInt64 {
        lowestNS(of: index) + (1 << UInt64(octave(of: index))) - 1
    }

    /// The value that stands for a cell in sums over cells.
    static func middleNS(of index: Int) -> Double {
        Double(lowestNS(of: index)) + Double((1 << UInt64(octave(of: index))) - 1) / 2
    }

    private static func octave(of index: Int) -> Int { max(0, index >> 10 - 1) }
}
