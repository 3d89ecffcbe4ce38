import Synchronization

/// What the server itself counts of its requests. Adding is one relaxed atomic addition.
///
/// Everything is counted when the answer is handed to the transport, before its first byte leaves:
/// whoever has read an answer finds it in the ledger.
final class OriginLedger: @unchecked Sendable {
    enum Counter: Int, CaseIterable {
        /// Requests but those that are control.
        case requests
        /// Requests to `/stats`, `/revoke` and `/fault`.
        case control
        /// 200 with a tile.
        case tilesOK
        /// Tiles refused for want of a live token.
        case tilesRefused
        case tilesNotModified
        /// Tile addresses outside the pyramid.
        case tilesNotFound
        /// Tile requests that met a fault.
        case faults
        /// Requests closed without an answer: resets and stalls.
        case unanswered
        /// Body bytes handed to the transport.
        case bodyBytes
        case edgeHits
        case edgeMisses
        /// Requests to `/token`.
        case tokenRequests
    }

    private static let statuses = 600

    // Counters first, then one per status. Written by all server threads, atomically.
    private let counts: UnsafeMutablePointer<Atomic<UInt64>>
    private let size = Counter.allCases.count + OriginLedger.statuses

    init() {
        counts = .allocate(capacity: size)
        for index in 0..<size { (counts + index).initialize(to: Atomic(0)) }
    }

    deinit {
        counts.deinitialize(count: size)
        counts.deallocate()
    }

    @inline(__always)
    func add(_ counter: Counter, _ amount: UInt64 = 1) {
        counts[counter.rawValue].wrappingAdd(amount, ordering: .relaxed)
    }

    @inline(__always)
    func answered(_ status: Int) {
        precondition(status >= 0 && status < OriginLedger.statuses, "not an HTTP status")
        counts[Counter.allCases.count + status].wrappingAdd(1, ordering: .relaxed)
    }

    subscript(counter: Counter) -> UInt64 { counts[counter.rawValue].load(ordering: .relaxed) }

    /// The statuses that were sent, ascending, with their counts.
    var answers: [(status: Int, count: UInt64)] {
        (0..<OriginLedger.statuses).compactMap { status in
            let count = counts[Counter.allCases.count + status].load(ordering: .relaxed)
            return count == 0 ? nil : (status, count)
        }
    }
}
