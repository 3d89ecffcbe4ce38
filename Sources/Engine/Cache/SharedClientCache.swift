import Synchronization

/// One `ClientCache` for the users of all threads. The cache is off unless a scenario asks for it,
/// and shared only when it says so, so that nobody else pays for the lock.
package final class SharedClientCache: Sendable {
    private let cache: Mutex<ClientCache>

    package init(sizeBytes: UInt64) {
        cache = Mutex(ClientCache(sizeBytes: sizeBytes, isPerUser: false))
    }

    /// As `ClientCache.lookup`.
    package func lookup(tile: UInt64) -> Bool {
        cache.withLock { $0.lookup(user: 0, tile: tile) }
    }

    /// As `ClientCache.store`.
    package func store(tile: UInt64, bytes: UInt64) -> Int {
        cache.withLock { $0.store(user: 0, tile: tile, bytes: bytes) }
    }

    package var bytes: UInt64 { cache.withLock { $0.bytes } }
}
