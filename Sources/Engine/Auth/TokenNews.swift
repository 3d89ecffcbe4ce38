import Synchronization

/// The cells that have news for one reactor: flights and canaries that ended. Cells put, the
/// reactor's thread takes.
final class NewsBox: Sendable {
    private let cells = Mutex<[Int32]>([])
    private let isFilled = Atomic<Bool>(false)
    private let loop: EventLoop

    init(loop: EventLoop) { self.loop = loop }

    /// - Parameter cell: as the reactor numbers them.
    func put(_ cell: Int32) {
        let isFirst = cells.withLock { cells in
            if cells.last != cell { cells.append(cell) }
            isFilled.store(true, ordering: .relaxed)
            return cells.count == 1
        }
        // With others before it the reactor is awake, or will be.
        if isFirst { loop.wake() }
    }

    /// Nothing to take is one atomic load.
    @inline(__always)
    var hasNews: Bool { isFilled.load(ordering: .relaxed) }

    /// Changes places with `taken`, which must be empty: so neither list needs new memory.
    func take(into taken: inout [Int32]) {
        cells.withLock { cells in
            swap(&cells, &taken)
            isFilled.store(false, ordering: .relaxed)
        }
    }
}

/// Where the news of a cell goes: a token of all users is everybody's, a user's token is of use to
/// the one reactor that has the user.
final class TokenNews: Sendable {
    private let boxes = Mutex<[NewsBox]>([])
    private let isPerUser: Bool

    init(isPerUser: Bool) { self.isPerUser = isPerUser }

    /// The boxes of all reactors, in their order; before that there is nobody to tell.
    func set(_ boxes: [NewsBox]) { self.boxes.withLock { $0 = boxes } }

    func tell(cell: Int) {
        let boxes = boxes.withLock { $0 }
        guard isPerUser else {
            for box in boxes { box.put(0) }
            return
        }
        guard !boxes.isEmpty else { return }
        // User u lives on reactor u mod n and is number u / n there.
        boxes[cell % boxes.count].put(Int32(cell / boxes.count))
    }
}
