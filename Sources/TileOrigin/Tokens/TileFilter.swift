import Synchronization

/// Says without a lock that a tile is not among those left, as nearly all are not: one bit for
/// every hash, which several tiles may share.
final class TileFilter: Sendable {
    private static let words = 1 << 10

    // Written under the lock of the book that owns the tiles.
    private let bits: Words

    private struct Words: @unchecked Sendable {
        let start: UnsafeMutablePointer<Atomic<UInt64>>
    }

    init() {
        let start = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: TileFilter.words)
        for index in 0..<TileFilter.words { (start + index).initialize(to: Atomic(0)) }
        bits = Words(start: start)
    }

    deinit {
        bits.start.deinitialize(count: TileFilter.words)
        bits.start.deallocate()
    }

    @inline(__always)
    func mayContain(_ hash: UInt64) -> Bool {
        let word = bits.start[TileFilter.word(hash)].load(ordering: .acquiring)
        return word >> (hash & 63) & 1 == 1
    }

    func insert(_ hash: UInt64) {
        bits.start[TileFilter.word(hash)].bitwiseOr(1 << (hash & 63), ordering: .releasing)
    }

    func clear() {
        for index in 0..<TileFilter.words { bits.start[index].store(0, ordering: .releasing) }
    }

    @inline(__always)
    private static func word(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash >> 6) & (words - 1)
    }
}
