/// A histogram that keeps only the cells in use: 8 bytes each, for the many rows of a timeline.
public struct PackedHistogram: Sendable, Hashable {
    package private(set) var count: UInt64 = 0
    package private(set) var overflow: UInt64 = 0
    package private(set) var sumNS: UInt128 = 0
    package private(set) var leastNS = UInt64.max
    package private(set) var greatestNS: UInt64 = 0
    /// Rising. The index is in the upper 16 bits, the count in the lower 48: at a million values a
    /// second into one cell they last for nine years.
    private var cells: [UInt64] = []

    /// An empty histogram.
    public init() {}

    package init(_ other: some HistogramReading) {
        add(other)
    }

    /// Cells in use: what it takes in memory.
    package var cellCount: Int { cells.count }

    /// Records one value; for the rare ones that come late, since it may move all cells behind it.
    package mutating func record(_ valueNS: UInt64) {
        let value = min(valueNS, HistogramLayout.highestNS)
        if value < valueNS { overflow += 1 }
        let index = HistogramLayout.index(of: value)
        let place = firstPlace(notBelow: index)
        if place < cells.count, Self.index(of: cells[place]) == index {
            cells[place] += 1
        } else {
            cells.insert(Self.cell(index, 1), at: place)
        }
        count += 1
        sumNS += UInt128(value)
        leastNS = min(leastNS, value)
        greatestNS = max(greatestNS, value)
    }

    /// Adds everything that the other one holds: the result is that of recording both's values.
    package mutating func add(_ other: some HistogramReading) {
        guard !other.isEmpty else { return }
        var merged: [UInt64] = []
        var next = 0
        other.visitCells { index, cellCount in
            while next < cells.count, Self.index(of: cells[next]) < index {
                merged.append(cells[next])
                next += 1
            }
            if next < cells.count, Self.index(of: cells[next]) == index {
                merged.append(cells[next] + cellCount)
                next += 1
            } else {
                merged.append(Self.cell(index, cellCount))
            }
            return true
        }
        merged.append(contentsOf: cells[next...])
        cells = merged
        count += other.count
        overflow += other.overflow
        sumNS += other.sumNS
        leastNS = min(leastNS, other.leastNS)
        greatestNS = max(greatestNS, other.greatestNS)
    }

    private func firstPlace(notBelow index: Int) -> Int {
        var low = 0
        var high = cells.count
        while low < high {
            let middle = (low + high) / 2
            if Self.index(of: cells[middle]) < index { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func cell(_ index: Int, _ count: UInt64) -> UInt64 {
        UInt64(index) << 48 + count
    }

    private static func index(of cell: UInt64) -> Int { Int(cell >> 48) }
}

extension PackedHistogram: HistogramReading {
    package func visitCells(_ body: (_ index: Int, _ count: UInt64) -> Bool) {
        for cell in cells {
            guard body(Self.index(of: cell), cell & (1 << 48 - 1)) else { return }
        }
    }
}
