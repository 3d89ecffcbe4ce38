import Synchronization
import Workload

/// The client caches as one reactor reaches them: its own, of the users that live on it, or the one
/// for the users of all threads. The cache is off unless a scenario asks for it, and shared only
/// when it says so, so that nobody else pays for the lock.
enum ClientCaches {
    case own(ClientCache)
    case shared(SharedClientCache)

    func use<Result>(_ body: (ClientCache) -> Result) -> Result {
        switch self {
        case .own(let cache): body(cache)
        case .shared(let shared): shared.use(body)
        }
    }
}

/// One `ClientCache` for the users of all threads.
final class SharedClientCache: @unchecked Sendable {
    // Sendable: `cache` is touched under `lock` only.
    private let cache: ClientCache
    private let lock = Mutex(())

    init(sizeBytes: UInt64, rules: CachePlan.Rules) {
        cache = ClientCache(sizeBytes: sizeBytes, isPerUser: false, rules: rules)
    }

    func use<Result>(_ body: (ClientCache) -> Result) -> Result {
        lock.withLock { _ in body(cache) }
    }
}
