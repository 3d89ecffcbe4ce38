import Glibc

/// A histogram in raw memory, for recording: no allocation, no reference count, no check of
/// exclusivity. One thread only.
///
/// The struct is a pair of pointers and owns nothing: whoever called `allocate` calls `deallocate`
/// once.
@frozen
public struct RawHistogram {
    @usableFromInline
    struct Header {
        @usableFromInline var count: UInt64 = 0
        @usableFromInline var overflow: UInt64 = 0
        @usableFromInline var leastNS = UInt64.max
        @usableFromInline var greatestNS: UInt64 = 0
        @usableFromInline var sumNS: UInt128 = 0

        @usableFromInline
        init() {}
    }

    @usableFromInline let header: UnsafeMutablePointer<Header>
    @usableFromInline let counts: UnsafeMutablePointer<UInt64>

    /// An empty histogram. Its 264 KiB become real memory page by page, as values are recorded.
    public static func allocate() -> RawHistogram {
        let header = UnsafeMutablePointer<Header>.allocate(capacity: 1)
        header.initialize(to: Header())
        guard let zeros = calloc(HistogramLayout.cells, MemoryLayout<UInt64>.stride) else {
            fatalError("out of memory for a histogram")
        }
        return RawHistogram(
            header: header,
            counts: zeros.bindMemory(to: UInt64.self, capacity: HistogramLayout.cells))
    }

    private init(header: UnsafeMutablePointer<Header>, counts: UnsafeMutablePointer<UInt64>) {
        self.header = header
        self.counts = counts
    }

    /// Gives the memory back; no copy of the struct may be used afterwards.
    public func deallocate() {
        header.deallocate()
        free(counts)
    }

    /// Records one value in nanoseconds; above `HistogramLayout.highestNS` it counts as overflow.
    @inlinable
    public func record(_ valueNS: UInt64) {
        var value = valueNS
        if _slowPath(value > HistogramLayout.highestNS) {
            value = HistogramLayout.highestNS
            header.pointee.overflow &+= 1
        }
        counts[HistogramLayout.index(of: value)] &+= 1
        header.pointee.count &+= 1
        header.pointee.sumNS &+= UInt128(truncatingIfNeeded: value)
        if value < header.pointee.leastNS { header.pointee.leastNS = value }
        if value > header.pointee.greatestNS { header.pointee.greatestNS = value }
    }

    /// Empties it, touching only what was used.
    package func reset() {
        guard header.pointee.count > 0 else { return }
        let first = HistogramLayout.index(of: header.pointee.leastNS)
        let last = HistogramLayout.index(of: header.pointee.greatestNS)
        (counts + first).update(repeating: 0, count: last - first + 1)
        header.pointee = Header()
    }

    /// What it holds, as a value.
    package func snapshot() -> Histogram { Histogram(self) }
}

extension RawHistogram: HistogramReading {
    package var count: UInt64 { header.pointee.count }
    package var overflow: UInt64 { header.pointee.overflow }
    package var sumNS: UInt128 { header.pointee.sumNS }
    package var leastNS: UInt64 { header.pointee.leastNS }
    package var greatestNS: UInt64 { header.pointee.greatestNS }

    package func visitCells(_ body: (_ index: Int, _ count: UInt64) -> Bool) {
        guard count > 0 else { return }
        let first = HistogramLayout.index(of: leastNS)
        for index in first...HistogramLayout.index(of: greatestNS) where counts[index] > 0 {
            guard body(index, counts[index]) else { return }
        }
    }
}
