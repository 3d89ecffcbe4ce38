import CJemalloc

/// The process's allocator and its own statistics.
package enum Jemalloc {
    /// Its version text; nil when the build left it out (sanitizers, valgrind).
    package static var version: String? {
        tb_jemalloc_version().map { String(cString: $0) }
    }

    /// Bytes in live allocations, and bytes of physical memory the allocator holds, of the whole
    /// process; nil without jemalloc.
    package static func statistics() -> (allocatedBytes: UInt64, residentBytes: UInt64)? {
        var allocated: UInt64 = 0
        var resident: UInt64 = 0
        guard tb_jemalloc_statistics(&allocated, &resident) else { return nil }
        return (allocated, resident)
    }

    /// Bytes that the calling thread has allocated since it began, freed ones included; 0 without
    /// jemalloc.
    package static func threadAllocatedBytes() -> UInt64 {
        tb_jemalloc_thread_allocated()
    }
}
