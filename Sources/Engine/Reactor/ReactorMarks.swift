import CLinux
import Metrics

/// What a reactor's thread had used at T0 and at the end of the measured part. Reactor thread only
/// until joined.
struct ReactorMarks {
    private(set) var cpuAtT0NS: UInt64?
    private(set) var cpuAtEndNS: UInt64?
    private(set) var allocatedAtT0: UInt64 = 0
    private(set) var allocatedAtEnd: UInt64 = 0
    private(set) var wallAtT0NS: UInt64 = 0
    private(set) var wallAtEndNS: UInt64 = 0

    private(set) var requestsAtT0: UInt64 = 0
    private(set) var requestsAtEnd: UInt64 = 0

    @inline(__always)
    func isDue(_ nowNS: UInt64, t0NS: UInt64, endNS: UInt64) -> Bool {
        (cpuAtT0NS == nil && nowNS >= t0NS) || (cpuAtEndNS == nil && nowNS >= endNS)
    }

    /// T0 has come, or the end of the measured part. `requests`: sent so far.
    mutating func note(_ nowNS: UInt64, t0NS: UInt64, requests: UInt64) {
        if cpuAtT0NS == nil { begin(nowNS, requests) } else { end(nowNS, requests) }
    }

    /// The reactor has nothing left to do.
    mutating func noteEnd(requests: UInt64) {
        let now = MonotonicClock.nowNS()
        if cpuAtT0NS == nil { begin(now, requests) }
        if cpuAtEndNS == nil { end(now, requests) }
    }

    private mutating func begin(_ nowNS: UInt64, _ requests: UInt64) {
        requestsAtT0 = requests
        cpuAtT0NS = tb_thread_cpu_ns()
        allocatedAtT0 = Jemalloc.threadAllocatedBytes()
        wallAtT0NS = nowNS
    }

    private mutating func end(_ nowNS: UInt64, _ requests: UInt64) {
        requestsAtEnd = requests
        cpuAtEndNS = tb_thread_cpu_ns()
        allocatedAtEnd = Jemalloc.threadAllocatedBytes()
        wallAtEndNS = nowNS
    }

    /// CPU time of the measured part, ns.
    var cpuNS: UInt64 { (cpuAtEndNS ?? 0) &- (cpuAtT0NS ?? 0) }
    var allocatedBytes: UInt64 { allocatedAtEnd &- allocatedAtT0 }
    var requests: UInt64 { requestsAtEnd &- requestsAtT0 }
    /// Share of the measured time that the thread was on a core, 0...1.
    var busyShare: Double {
        let wall = wallAtEndNS &- wallAtT0NS
        return wall == 0 ? 0 : Double(cpuNS) / Double(wall)
    }
}
