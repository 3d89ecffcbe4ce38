package import CLinux
import Glibc

/// One epoll with an eventfd to be woken by: what a reactor waits on.
package final class EventLoop: Sendable {
    package static let wakeKey: UInt64 = .max
    package let epoll: Int32
    private let wakeDescriptor: Int32
    package static let eventsMax = 512

    package init() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        precondition(epoll >= 0 && wakeDescriptor >= 0, "no descriptors left for an event loop")
        control(EPOLL_CTL_ADD, wakeDescriptor, EPOLLIN.rawValue, key: Self.wakeKey)
    }

    deinit {
        close(wakeDescriptor)
        close(epoll)
    }

    /// Ends the wait of the loop's thread; any thread.
    package func wake() {
        var one: UInt64 = 1
        write(wakeDescriptor, &one, 8)
    }

    package func clearWake() {
        var count: UInt64 = 0
        read(wakeDescriptor, &count, 8)
    }

    /// False when epoll refuses it; errno says why.
    @discardableResult
    package func control(
        _ operation: Int32, _ descriptor: Int32, _ events: UInt32, key: UInt64
    ) -> Bool {
        var event = epoll_event()
        event.events = events
        event.data.u64 = key
        return epoll_ctl(epoll, operation, descriptor, &event) == 0
    }

    /// Events that are there within `timeoutNS`; negative: for ever.
    package func wait(_ events: UnsafeMutablePointer<epoll_event>, timeoutNS: Int64) -> Int {
        let count = tb_epoll_wait(epoll, events, Int32(Self.eventsMax), timeoutNS)
        precondition(count >= 0 || errno == EINTR, "epoll_pwait2 failed: \(errno)")
        return max(0, Int(count))
    }
}
