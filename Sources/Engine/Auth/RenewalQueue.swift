import CLinux
import Glibc
import Synchronization

/// Hands flights from the token cell to the renewal thread: a number each way and an eventfd.
package final class RenewalQueue: Sendable {
    /// The flight to run next; 0: none.
    private let ordered = Atomic<UInt64>(0)
    /// Flights up to this one are to be given up.
    private let aborted = Atomic<UInt64>(0)
    private let isClosed = Atomic<Bool>(false)
    private let descriptor: Int32

    package init() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        precondition(descriptor >= 0, "no eventfd for the renewal thread")
    }

    deinit { close(descriptor) }

    package func start(flight: UInt64) {
        ordered.store(flight, ordering: .releasing)
        wake()
    }

    package func abort(flight: UInt64) {
        aborted.store(flight, ordering: .releasing)
        wake()
    }

    package func closeQueue() {
        isClosed.store(true, ordering: .releasing)
        wake()
    }

    /// True when nobody waits for that flight any more.
    package func isAborted(_ flight: UInt64) -> Bool {
        isClosed.load(ordering: .acquiring) || aborted.load(ordering: .acquiring) >= flight
    }

    /// The next flight; nil when the queue is closed. Blocks.
    package func next() -> UInt64? {
        while !isClosed.load(ordering: .acquiring) {
            let flight = ordered.exchange(0, ordering: .acquiringAndReleasing)
            if flight != 0 { return flight }
            wait(milliseconds: -1)
        }
        return nil
    }

    /// Sleeps; returns early (true) when the flight is aborted.
    package func sleep(nanoseconds: UInt64, flight: UInt64) -> Bool {
        let end = MonotonicClock.nowNS() + nanoseconds
        while !isAborted(flight) {
            let now = MonotonicClock.nowNS()
            if now >= end { return false }
            wait(milliseconds: Int32(clamping: (end - now) / 1_000_000 + 1))
        }
        return true
    }

    private func wait(milliseconds: Int32) {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, milliseconds) > 0 else { return }
        var count: UInt64 = 0
        read(descriptor, &count, 8)
    }

    private func wake() {
        var one: UInt64 = 1
        write(descriptor, &one, 8)
    }
}
