/// What all forms of a histogram have in common; every figure that is taken from a histogram is
/// computed here and nowhere else.
package protocol HistogramReading {
    /// Values recorded.
    var count: UInt64 { get }
    /// Of these, how many were above `HistogramLayout.highestNS` and were recorded as it.
    var overflow: UInt64 { get }
    /// Exact sum of the values.
    var sumNS: UInt128 { get }
    /// Exact smallest value; `UInt64.max` while empty.
    var leastNS: UInt64 { get }
    /// Exact largest value; 0 while empty.
    var greatestNS: UInt64 { get }

    /// Calls `body` with index and count of every cell that is not empty, in rising order, until it
    /// returns false.
    func visitCells(_ body: (_ index: Int, _ count: UInt64) -> Bool)
}

extension HistogramReading {
    package var isEmpty: Bool { count == 0 }
    /// Exact smallest value; nil while empty.
    package var minNS: UInt64? { count == 0 ? nil : leastNS }
    /// Exact largest value; nil while empty.
    package var maxNS: UInt64? { count == 0 ? nil : greatestNS }

    /// Mean of the exact values; nil while empty.
    package var meanNS: Double? {
        guard count > 0 else { return nil }
        let (whole, rest) = sumNS.quotientAndRemainder(dividingBy: UInt128(count))
        return Double(whole) + Double(rest) / Double(count)
    }

    /// Standard deviation of the population, each value taken as the middle of its cell; nil while
    /// empty. A cell is a thousandth wide, so values that differ by less have a deviation of about
    /// that order; equal values have exactly 0.
    package var stddevNS: Double? {
        guard let mean = meanNS else { return nil }
        guard leastNS < greatestNS else { return 0 }
        var squares = 0.0
        visitCells { index, cellCount in
            let middle = HistogramLayout.middleNS(of: index)
            let distance = min(max(middle, Double(leastNS)), Double(greatestNS)) - mean
            squares += distance * distance * Double(cellCount)
            return true
        }
        return (squares / Double(count)).squareRoot()
    }

    /// The ceil(p * n)-th smallest value: the largest value of its cell, clamped to the exact
    /// minimum and maximum. Nil while empty.
    ///
    /// - Parameter fraction: 0 (the minimum) to 1 (the maximum), such as 0.999.
    package func percentileNS(_ fraction: Double) -> UInt64? {
        guard count > 0 else { return nil }
        let rank = rank(of: fraction)
        // The ends are known exactly, whatever their cells say.
        if rank == count { return greatestNS }
        var seen: UInt64 = 0
        var found = greatestNS
        visitCells { index, cellCount in
            seen += cellCount
            guard seen >= rank else { return true }
            found = HistogramLayout.highestNS(of: index)
            return false
        }
        return min(max(found, leastNS), greatestNS)
    }

    /// How many values lie above that percentile by rank. Fewer than 10 make it `low_resolution`.
    package func samplesAbove(_ fraction: Double) -> UInt64 {
        count == 0 ? 0 : count - rank(of: fraction)
    }

    /// ceil(p * n), at least 1.
    ///
    /// `p` is meant as the decimal it was written as: 0.07 of 100 is the 7th although the nearest
    /// Double is a little more than 0.07. Nine decimals are kept, and the product is exact.
    private func rank(of fraction: Double) -> UInt64 {
        let scale: UInt128 = 1_000_000_000
        let parts = UInt128((min(max(fraction, 0), 1) * 1e9).rounded())
        let rank = (parts * UInt128(count) + scale - 1) / scale
        return max(1, UInt64(rank))
    }
}
