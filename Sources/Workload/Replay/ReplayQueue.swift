import Glibc
import Synchronization

/// Hands the asks of one reader thread to any number of reactors, in the order of time.
///
/// A ring of fixed size whose places carry turn numbers (D. Vyukov, "Bounded MPMC queue"): taking
/// is one compare-and-swap, without a lock. A reactor takes the next ask when it has none in hand
/// and keeps it until it is due; so the asks in hand are always the earliest ones, and no reactor
/// waits for another.
package final class ReplayQueue: Sendable {
    package enum Taken: Sendable, Hashable {
        case entry(ReplayEntry)
        /// The reader is behind; try again soon.
        case empty
        /// All have been taken.
        case ended
    }

    private let capacity: Int
    /// "reader thread writes, turn taken over by the reactor whose swap succeeded"
    nonisolated(unsafe) private let entries: UnsafeMutablePointer<ReplayEntry>
    /// Place p holds ask number t when its turn is t + 1, and room for it when its turn is t.
    nonisolated(unsafe) private let turns: UnsafeMutablePointer<Atomic<UInt64>>
    private let taken = Atomic<UInt64>(0)
    private let put = Atomic<UInt64>(0)
    private let isFinished = Atomic<Bool>(false)
    private let isStopped = Atomic<Bool>(false)
    /// The reader waits for room.
    private let isWaiting = Atomic<Bool>(false)
    private let outcome = Mutex<Outcome>(Outcome())
    nonisolated(unsafe) private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    nonisolated(unsafe) private let roomMade: UnsafeMutablePointer<pthread_cond_t>

    /// How the reading went, once it has ended.
    package struct Outcome: Sendable {
        package var counts = ReplayCounts()
        /// Why the log could not be read to its end.
        package var failure: LogError?
    }

    /// - Parameter capacity: asks between reader and reactors at most, rounded up to a power of 2.
    package init(capacity: Int = 1 << 12) {
        var size = 2
        while size < capacity { size *= 2 }
        self.capacity = size
        entries = .allocate(capacity: size)
        turns = .allocate(capacity: size)
        for place in 0..<size { (turns + place).initialize(to: Atomic(UInt64(place))) }
        mutex = .allocate(capacity: 1)
        roomMade = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(roomMade, nil)
    }

    deinit {
        pthread_cond_destroy(roomMade)
        pthread_mutex_destroy(mutex)
        roomMade.deallocate()
        mutex.deallocate()
        turns.deinitialize(count: capacity)
        turns.deallocate()
        entries.deallocate()
    }

    // MARK: - The reader's side

    /// The reader thread's body: reads until the log ends, cannot be read on or nobody wants more.
    package func run(_ reader: ReplayReader) {
        var failure: LogError?
        do throws(LogError) {
            while let entry = try reader.next() {
                if !put(entry) { break }
            }
        } catch {
            failure = error
        }
        outcome.withLock { $0 = Outcome(counts: reader.counts, failure: failure) }
        isFinished.store(true, ordering: .releasing)
    }

    /// False: nobody wants more.
    func put(_ entry: ReplayEntry) -> Bool {
        let number = put.load(ordering: .relaxed)
        let place = Int(number & UInt64(capacity - 1))
        if turns[place].load(ordering: .acquiring) != number { waitForRoom(place, number) }
        guard !isStopped.load(ordering: .acquiring) else { return false }
        (entries + place).initialize(to: entry)
        turns[place].store(number + 1, ordering: .releasing)
        put.store(number + 1, ordering: .relaxed)
        return true
    }

    /// Until the ring is half empty, so that reader and reactors do not wake each other per ask.
    private func waitForRoom(_ place: Int, _ number: UInt64) {
        pthread_mutex_lock(mutex)
        isWaiting.store(true, ordering: .sequentiallyConsistent)
        while !isStopped.load(ordering: .sequentiallyConsistent),
            isOverHalf(taken.load(ordering: .sequentiallyConsistent), number)
                || turns[place].load(ordering: .sequentiallyConsistent) != number
        {
            pthread_cond_wait(roomMade, mutex)
        }
        isWaiting.store(false, ordering: .sequentiallyConsistent)
        pthread_mutex_unlock(mutex)
    }

    /// A reactor may know less of what was put than of what was taken.
    private func isOverHalf(_ taken: UInt64, _ put: UInt64) -> Bool {
        Int64(bitPattern: put &- taken) > Int64(capacity / 2)
    }

    // MARK: - The reactors' side

    /// The earliest ask that nobody has taken.
    package func take() -> Taken {
        // Before the ring is looked at: what was put before the end is then seen.
        let isLast = isFinished.load(ordering: .acquiring)
        var number = taken.load(ordering: .relaxed)
        while true {
            let place = Int(number & UInt64(capacity - 1))
            let turn = turns[place].load(ordering: .acquiring)
            if turn == number + 1 {
                let swap = taken.weakCompareExchange(
                    expected: number, desired: number + 1, ordering: .sequentiallyConsistent)
                if swap.exchanged {
                    let entry = entries[place]
                    turns[place].store(
                        number + UInt64(capacity), ordering: .sequentiallyConsistent)
                    wakeReader()
                    return .entry(entry)
                }
                number = swap.original
            } else if turn <= number {
                return isLast ? .ended : .empty
            } else {
                number = taken.load(ordering: .relaxed)
            }
        }
    }

    /// By what all have taken until now: one that was kept from giving back its place is the last
    /// to do so, and what it took itself was long ago.
    private func wakeReader() {
        guard isWaiting.load(ordering: .sequentiallyConsistent),
            !isOverHalf(
                taken.load(ordering: .sequentiallyConsistent), put.load(ordering: .relaxed))
        else { return }
        pthread_mutex_lock(mutex)
        pthread_cond_signal(roomMade)
        pthread_mutex_unlock(mutex)
    }

    /// Nobody wants more: the reader ends, even in the middle of a log. One that waits for a pipe
    /// ends with the next line that comes out of it.
    package func stop() {
        pthread_mutex_lock(mutex)
        isStopped.store(true, ordering: .sequentiallyConsistent)
        pthread_cond_signal(roomMade)
        pthread_mutex_unlock(mutex)
    }

    /// Nil: the reader has not ended.
    package func result() -> Outcome? {
        isFinished.load(ordering: .acquiring) ? outcome.withLock { $0 } : nil
    }
}
