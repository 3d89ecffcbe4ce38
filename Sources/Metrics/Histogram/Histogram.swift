/// A histogram of durations as a value, for results. See `HistogramLayout` for its resolution.
///
/// Cells exist up to the highest one that was used, so an empty histogram takes no memory beyond
/// the struct.
public struct Histogram: Sendable, Hashable {
    package private(set) var count: UInt64 = 0
    package private(set) var overflow: UInt64 = 0
    package private(set) var sumNS: UInt128 = 0
    package private(set) var leastNS = UInt64.max
    package private(set) var greatestNS: UInt64 = 0
    private var counts: [UInt64] = []

    /// An empty histogram.
    public init() {}

    package init(_ other: some HistogramReading) {
        add(other)
    }

    /// The cells of a histogram whose values are not known exactly: each counts as the lowest value
    /// of its cell for the minimum, as the highest for the maximum, as the middle for the sum.
    init(cells: [(index: Int, count: UInt64)]) {
        for cell in cells where cell.count > 0 {
            let lowest = HistogramLayout.lowestNS(of: cell.index)
            let highest = HistogramLayout.highestNS(of: cell.index)
            grow(toHold: cell.index)
            counts[cell.index] += cell.count
            count += cell.count
            sumNS += (UInt128(lowest) + UInt128(highest)) * UInt128(cell.count) / 2
            leastNS = min(leastNS, lowest)
            greatestNS = max(greatestNS, min(highest, HistogramLayout.highestNS))
        }
    }

    /// Records one value; above `HistogramLayout.highestNS` it counts as overflow too.
    package mutating func record(_ valueNS: UInt64, count times: UInt64 = 1) {
        guard times > 0 else { return }
        let value = min(valueNS, HistogramLayout.highestNS)
        if value < valueNS { overflow += times }
        let index = HistogramLayout.index(of: value)
        grow(toHold: index)
        counts[index] += times
        count += times
        sumNS += UInt128(value) * UInt128(times)
        leastNS = min(leastNS, value)
        greatestNS = max(greatestNS, value)
    }

    /// Adds everything that the other one holds: the result is that of recording both's values.
    package mutating func add(_ other: some HistogramReading) {
        guard !other.isEmpty else { return }
        grow(toHold: HistogramLayout.index(of: other.greatestNS))
        other.visitCells { index, cellCount in
            grow(toHold: index)
            counts[index] += cellCount
            return true
        }
        count += other.count
        overflow += other.overflow
        sumNS += other.sumNS
        leastNS = min(leastNS, other.leastNS)
        greatestNS = max(greatestNS, other.greatestNS)
    }

    /// Replaces what cells alone cannot tell after decoding by the figures that were written beside
    /// them. The mean is taken to the nearest nanosecond of the sum.
    package mutating func restore(
        minNS: UInt64, maxNS: UInt64, meanNS: Double, overflow: UInt64 = 0
    ) {
        guard count > 0, meanNS.isFinite, meanNS >= 0, minNS <= maxNS else { return }
        leastNS = minNS
        greatestNS = maxNS
        self.overflow = overflow
        sumNS = UInt128((meanNS * Double(count)).rounded())
    }

    private mutating func grow(toHold index: Int) {
        guard index >= counts.count else { return }
        // By octaves: few steps, and no more than twice of what is needed.
        let cells = min((index >> 10 + 1) << 10, HistogramLayout.cells)
        counts.append(contentsOf: repeatElement(0, count: cells - counts.count))
    }
}

extension Histogram: HistogramReading {
    package func visitCells(_ body: (_ index: Int, _ count: UInt64) -> Bool) {
        guard count > 0 else { return }
        for (index, cellCount) in counts.enumerated() where cellCount > 0 {
            guard body(index, cellCount) else { return }
        }
    }
}
