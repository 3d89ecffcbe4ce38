import CLinux
import CMicrohttpd
import Glibc

/// Wakes delayed connections: one thread sleeps until the earliest of them is due.
///
/// A suspended connection costs the server's epoll thread nothing, and its request handler is
/// called again after the wake-up.
final class LatencyTimer: @unchecked Sendable {
    private struct Sleeper {
        let dueNS: UInt64
        let connection: OpaquePointer
    }

    /// Sleepers due this soon are woken together: each wake-up makes libmicrohttpd look at all
    /// suspended connections of the thread.
    private static let togetherNS: UInt64 = 100_000

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    /// A binary heap, earliest first. Under `mutex`.
    private var sleepers: [Sleeper] = []
    /// Under `mutex`.
    private var stopping = false
    private var thread: pthread_t?

    init() {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        changed = .allocate(capacity: 1)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        changed.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Starts the thread; it must be stopped before the timer is released.
    func start() throws(OriginThreadError) {
        var thread = pthread_t()
        let context = Unmanaged.passUnretained(self).toOpaque()
        let status = pthread_create(&thread, nil, runLatencyTimer, context)
        guard status == 0 else { throw OriginThreadError(code: status) }
        self.thread = thread
    }

    /// Wakes everything that sleeps, lets nothing sleep any more, and ends the thread.
    func stop() {
        pthread_mutex_lock(mutex)
        stopping = true
        pthread_cond_signal(changed)
        pthread_mutex_unlock(mutex)
        if let thread { pthread_join(thread, nil) }
        thread = nil
    }

    /// Resumes the suspended `connection` at `dueNS` of the monotonic clock, or at once if the
    /// timer is stopping.
    func resume(_ connection: OpaquePointer, atNS dueNS: UInt64) {
        pthread_mutex_lock(mutex)
        if stopping {
            pthread_mutex_unlock(mutex)
            MHD_resume_connection(connection)
            return
        }
        push(Sleeper(dueNS: dueNS, connection: connection))
        if sleepers[0].dueNS == dueNS { pthread_cond_signal(changed) }
        pthread_mutex_unlock(mutex)
    }

    fileprivate func run() {
        tb_name_thread("origin-latency")
        tb_set_timer_slack(1)
        var due: [OpaquePointer] = []
        pthread_mutex_lock(mutex)
        while !stopping {
            let nowNS = MonotonicClock.nowNS()
            while let first = sleepers.first, first.dueNS <= nowNS + LatencyTimer.togetherNS {
                due.append(first.connection)
                pop()
            }
            if due.isEmpty {
                wait()
            } else {
                // Resuming takes the daemon's lock, which its threads hold when they ask to sleep.
                pthread_mutex_unlock(mutex)
                for connection in due { MHD_resume_connection(connection) }
                due.removeAll(keepingCapacity: true)
                pthread_mutex_lock(mutex)
            }
        }
        let rest = sleepers
        sleepers = []
        pthread_mutex_unlock(mutex)
        for sleeper in rest { MHD_resume_connection(sleeper.connection) }
    }

    private func wait() {
        guard let first = sleepers.first else {
            pthread_cond_wait(changed, mutex)
            return
        }
        var limit = timespec(
            tv_sec: Int(first.dueNS / 1_000_000_000), tv_nsec: Int(first.dueNS % 1_000_000_000))
        pthread_cond_timedwait(changed, mutex, &limit)
    }

    private func push(_ sleeper: Sleeper) {
        sleepers.append(sleeper)
        var child = sleepers.count - 1
        while child > 0, sleepers[(child - 1) / 2].dueNS > sleepers[child].dueNS {
            sleepers.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private func pop() {
        sleepers.swapAt(0, sleepers.count - 1)
        sleepers.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < sleepers.count {
                if sleepers[child].dueNS < sleepers[least].dueNS { least = child }
            }
            guard least != parent else { return }
            sleepers.swapAt(parent, least)
            parent = least
        }
    }
}

/// The system gave no thread.
struct OriginThreadError: Error {
    let code: Int32
}

enum MonotonicClock {
    @inline(__always)
    static func nowNS() -> UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }

    /// 0 when the second time is the earlier one: threads read the clock before they take a lock,
    /// so what is written under it need not be in the order of its times.
    @inline(__always)
    static func elapsedNS(from startNS: UInt64, to endNS: UInt64) -> UInt64 {
        endNS > startNS ? endNS - startNS : 0
    }
}

private func runLatencyTimer(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<LatencyTimer>.fromOpaque(context).takeUnretainedValue().run()
    return nil
}
