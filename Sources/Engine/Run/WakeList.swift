import Synchronization

/// The event loops that news of the token must reach.
final class WakeList: Sendable {
    private let loops = Mutex<[EventLoop]>([])

    func set(_ loops: [EventLoop]) { self.loops.withLock { $0 = loops } }

    func wakeAll() {
        for loop in loops.withLock({ $0 }) { loop.wake() }
    }
}
