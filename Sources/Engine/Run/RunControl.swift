import Synchronization

/// What the control thread tells the reactors: three numbers, read once a loop turn.
final class RunControl: Sendable {
    enum Phase: UInt8, AtomicRepresentable {
        /// Start what is due.
        case running
        /// Start nothing; what is open goes on.
        case draining
        /// Give everything up now.
        case stopping
    }

    let phase = Atomic<Phase>(.running)
    /// Monotonic ns after which nothing starts, when the run is ended early; `.max`: not.
    let startEndNS = Atomic<UInt64>(.max)
    /// Bumped to ask every reactor for a copy of its books.
    let booksAsked = Atomic<UInt64>(0)

    /// Moves forward only: a run that drains does not start again.
    func advance(to next: Phase) {
        if phase.load(ordering: .acquiring).rawValue < next.rawValue {
            phase.store(next, ordering: .releasing)
        }
    }
}

/// Running totals of one reactor, for progress: written by its thread about ten times a second,
/// read by the control thread. Atomic, relaxed; a reader may see one figure a moment older than
/// another.
final class ReactorPulse: Sendable {
    let started = Atomic<UInt64>(0)
    let ok = Atomic<UInt64>(0)
    let failed = Atomic<UInt64>(0)
    let inFlight = Atomic<UInt64>(0)
    let parked = Atomic<UInt64>(0)
    let refusals = Atomic<UInt64>(0)
    let requests = Atomic<UInt64>(0)
    /// Answers that were not refusals, for "refused from the start".
    let accepted = Atomic<UInt64>(0)
    /// Nothing will start any more; what is open goes on.
    let hasStartedAll = Atomic<Bool>(false)
    let isDone = Atomic<Bool>(false)
}
