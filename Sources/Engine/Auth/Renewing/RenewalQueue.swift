import Synchronization

/// Hands orders from the token cells to the renewal desk, and wakes it. Any thread.
package final class RenewalQueue: Sendable {
    package enum Order: Sendable, Hashable {
        case start(cell: Int, flight: UInt64)
        /// Nobody waits for that flight any more.
        case abort(cell: Int, flight: UInt64)
    }

    private struct Box {
        var orders: [Order] = []
        var isClosed = false
    }

    private let box = Mutex(Box())
    /// What the desk waits in.
    let poll = CurlPoll()

    package init() {}

    package func start(cell: Int, flight: UInt64) { put(.start(cell: cell, flight: flight)) }

    package func abort(cell: Int, flight: UInt64) { put(.abort(cell: cell, flight: flight)) }

    /// The desk gives up what it has and ends.
    package func closeQueue() {
        box.withLock { $0.isClosed = true }
        poll.wake()
    }

    /// The orders since the last look, in the order they came in.
    func take() -> (orders: [Order], isClosed: Bool) {
        box.withLock { box in
            let orders = box.orders
            box.orders = []
            return (orders, box.isClosed)
        }
    }

    private func put(_ order: Order) {
        let isFirst = box.withLock { box in
            box.orders.append(order)
            return box.orders.count == 1
        }
        // With others before it the desk is awake, or will be.
        if isFirst { poll.wake() }
    }
}
