package import Metrics

/// What the caches on the way said in the headers of one answer. Plain memory: it stands inside a
/// slot, takes header by header as they come, and allocates nothing.
///
/// The headers are believed in the order of `CacheEvidence.names`: a standard (RFC 9211) before a
/// product's own, a product's own before a mere custom, and an `Age` above 0 when nothing else
/// tells. One that says nothing known leaves the word to the next.
package struct CacheHeaders {
    /// Believed instead of all others; kept by `reset`.
    package var believed: BelievedHeader?
    /// By `CacheHeader.rawValue`, and that of the believed header last.
    private var chains = InlineArray<16, CacheChain>(repeating: CacheChain())
    /// `X-Check-Cacheable: NO`: Akamai was told not to store.
    private var isUncacheable = false
    private var hasAge = false

    package init() {}

    package mutating func reset() {
        chains = InlineArray(repeating: CacheChain())
        isUncacheable = false
        hasAge = false
    }

    /// One header line.
    package mutating func note(
        name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>
    ) {
        guard let believed else {
            guard let header = CacheHeader(name) else { return }
            read(header, value, into: Int(header.rawValue))
            return
        }
        guard believed.isNamed(name) else { return }
        read(believed.known, value, into: Int(CacheEvidence.configured))
    }

    /// Class, whether a cache behind the nearest decided, and the header that was believed as the
    /// index that `Recorder.serverCache` takes.
    ///
    /// - Parameter status: Of the answer: RFC 9211 leaves out what equals it.
    package func verdict(status: Int) -> (cls: CacheClass, isShield: Bool, evidence: UInt8) {
        if believed != nil { return verdict(of: CacheEvidence.configured, status: status) }
        var index = CacheHeader.cacheStatus.rawValue
        while index < CacheHeader.xCache.rawValue {
            let found = verdict(of: index, status: status)
            if found.cls != .unknown { return found }
            index += 1
        }
        let (reading, header) = xCacheFamily()
        if let cls = reading.cls { return (cls, reading.isShield, header.rawValue) }
        let found = verdict(of: CacheHeader.xVarnish.rawValue, status: status)
        if found.cls != .unknown { return found }
        return verdict(of: CacheHeader.age.rawValue, status: status)
    }

    private func verdict(
        of index: UInt8, status: Int
    ) -> (cls: CacheClass, isShield: Bool, evidence: UInt8) {
        let reading = chains[Int(index)].settled(status: status)
        guard let cls = reading.cls else { return (.unknown, false, CacheEvidence.none) }
        return (cls, reading.isShield, index)
    }

    private func settled(_ header: CacheHeader) -> CacheReading {
        // Of these headers none depends on the status.
        chains[Int(header.rawValue)].settled(status: 200)
    }

    /// X-Cache, and the three that say more about what it says.
    private func xCacheFamily() -> (CacheReading, CacheHeader) {
        let near = settled(.xCache)
        let remote = settled(.xCacheRemote)
        let detail = settled(.xCacheDetail)
        guard let cls = near.cls else {
            if remote != .nothing { return (remote.atShield, .xCacheRemote) }
            return (detail, .xCacheDetail)
        }
        if cls == .miss, remote.hasCopy { return (remote.atShield, .xCacheRemote) }
        if cls == .miss, isUncacheable { return (CacheReading(.bypass), .xCheckCacheable) }
        let isMoreExact =
            cls == .miss && detail.cls == .bypass || cls == .hit && detail.cls == .staleHit
        return isMoreExact ? (detail, .xCacheDetail) : (near, .xCache)
    }

    private mutating func read(
        _ header: CacheHeader?, _ value: UnsafeBufferPointer<UInt8>, into index: Int
    ) {
        switch header {
        case .cacheStatus:
            Self.forEachMember(of: value) { chains[index].append(Self.cacheStatus($0)) }
        case .akamai:
            Self.readAkamai(value, into: &chains[index])
        case .cloudflare:
            chains[index].append(Self.cloudflare(value))
        case .vercel:
            chains[index].append(Self.vercel(value))
        case .xCheckCacheable:
            isUncacheable = value.trimmed.equals("no")
        case .xCacheDetail:
            chains[index].append(Self.apacheDetail(value))
        case .xVarnish:
            Self.forEachMember(of: value) { chains[index].append(Self.varnish($0)) }
        case .age:
            // RFC 9111 section 5.1: of several the first, and an invalid one is ignored.
            if !hasAge { chains[index].append(Self.age(value)) }
            hasAge = true
        case .bunny, .geoWebCache, .xCacheStatus, .xProxyCache, .xNginxCache, .xCache,
            .xCacheRemote, nil:
            // Each cache appends: the last is the nearest to the client.
            Self.forEachMember(of: value) { chains[index].append(CacheWord.reading($0)) }
        }
    }

    /// The members of a comma-separated list; commas inside quotes separate nothing.
    static func forEachMember(
        of value: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        var start = 0
        while start < value.count {
            let end = value.end(of: UInt8(ascii: ","), from: start)
            body(value.part(start..<end).trimmed)
            start = end + 1
        }
    }
}
