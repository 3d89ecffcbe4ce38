import Glibc

/// The one clock of the engine.
package enum MonotonicClock {
    /// CLOCK_MONOTONIC in ns; never 0.
    @inline(__always)
    package static func nowNS() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// CLOCK_REALTIME in ns since 1970, for the one time in a report that is a date.
    package static func epochNS() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
