import Glibc
import Metrics

/// What the runs of one benchmark cost.
struct Measurement {
    static let runs = 10

    /// CPU time of one operation, by run, in rising order.
    let sortedNS: [Double]
    /// Bytes that one operation allocated, freed ones included, in the run that allocated most.
    let bytes: Double

    var minNS: Double { sortedNS[0] }
    var medianNS: Double { (sortedNS[Self.runs / 2 - 1] + sortedNS[Self.runs / 2]) / 2 }

    /// One run to warm up, then those that count.
    static func of<Path: HotPath>(_ path: Path) throws -> Measurement {
        var state = try path.setUp()
        defer { path.tearDown(state) }
        Work.use(path.run(&state))
        var times: [Double] = []
        times.reserveCapacity(runs)
        var bytesMax: UInt64 = 0
        for _ in 0..<runs {
            // The clock is innermost: asking the allocator takes longer than asking the time.
            let allocatedBefore = Jemalloc.threadAllocatedBytes()
            let start = threadNS()
            let result = path.run(&state)
            let end = threadNS()
            let allocated = Jemalloc.threadAllocatedBytes() - allocatedBefore
            Work.use(result)
            times.append(Double(end - start) / Double(path.operations))
            bytesMax = max(bytesMax, allocated)
        }
        return Measurement(
            sortedNS: times.sorted(), bytes: Double(bytesMax) / Double(path.operations))
    }

    /// CPU time of this thread: other work on the machine disturbs it less than the time of day.
    private static func threadNS() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// Takes results in a way that the optimiser cannot see through.
enum Work {
    @inline(never)
    @_optimize(none)
    static func use(_ result: UInt64) {}
}
