import Metrics

/// A header that caches speak in. The raw value is its place in `CacheEvidence.names`, which is
/// the order of belief.
enum CacheHeader: UInt8, CaseIterable {
    case cacheStatus
    case cloudflare
    case akamai
    case vercel
    case bunny
    case geoWebCache
    case xCacheStatus
    case xProxyCache
    case xNginxCache
    case xCache
    case xCacheRemote
    case xCheckCacheable
    case xCacheDetail
    case xVarnish
    case age

    /// The header of that name; by its length first, since most headers are none of these.
    init?(_ name: UnsafeBufferPointer<UInt8>) {
        switch name.count {
        case 3 where name.equals("age"): self = .age
        case 7 where name.equals("x-cache"): self = .xCache
        case 9 where name.equals("cdn-cache"): self = .bunny
        case 9 where name.equals("x-varnish"): self = .xVarnish
        case 12 where name.equals("cache-status"): self = .cacheStatus
        case 13 where name.equals("x-proxy-cache"): self = .xProxyCache
        case 13 where name.equals("x-nginx-cache"): self = .xNginxCache
        case 14 where name.equals("x-cache-status"): self = .xCacheStatus
        case 14 where name.equals("x-cache-remote"): self = .xCacheRemote
        case 14 where name.equals("x-cache-detail"): self = .xCacheDetail
        case 14 where name.equals("x-vercel-cache"): self = .vercel
        case 15 where name.equals("cf-cache-status"): self = .cloudflare
        case 17 where name.equals("x-check-cacheable"): self = .xCheckCacheable
        case 19 where name.equals("akamai-cache-status"): self = .akamai
        case 24 where name.equals("geowebcache-cache-result"): self = .geoWebCache
        default: return nil
        }
    }
}

/// The header that a scenario names to be believed instead of the known ones. Its name is kept in
/// memory that is never freed, so that it can stand in raw memory; a run has one.
package struct BelievedHeader: @unchecked Sendable {
    private let name: UnsafeBufferPointer<UInt8>
    let known: CacheHeader?

    package init(_ name: String) {
        let bytes = name.utf8.map { $0 >= 65 && $0 <= 90 ? $0 | 0x20 : $0 }
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = copy.initialize(from: bytes)
        self.name = UnsafeBufferPointer(copy)
        known = CacheHeader(self.name)
    }

    func isNamed(_ other: UnsafeBufferPointer<UInt8>) -> Bool { other.equals(name) }
}
