extension Recorder {
    /// An answer, by what the server's caches did with it. Counts in the measured part only.
    ///
    /// - Parameters:
    ///   - isShield: Whether a cache behind the nearest one decided; nil when unknown.
    ///   - evidence: Index into `CacheEvidence.names`, `CacheEvidence.configured` or `.none`.
    ///   - isGood: Whether its status is 2xx or 304: what a hit rate counts.
    public func serverCache(
        _ cls: CacheClass, isShield: Bool?, evidence: UInt8, isGood: Bool, bytes: UInt64,
        serviceNS: UInt64, zoom: UInt8, source: UInt16 = 0, intendedNS: Int64
    ) {
        guard intendedNS >= 0 else { return }
        let index = Int(cls.rawValue)
        tables.server[index].count &+= 1
        tables.server[index].bytes &+= bytes
        if let isShield {
            if isShield {
                tables.server[index].shield &+= 1
            } else {
                tables.server[index].edge &+= 1
            }
        }
        tables.serverService[index].record(serviceNS)
        if Int(evidence) < CacheEvidence.places { tables.evidence[Int(evidence)] &+= 1 }
        guard isGood else { return }
        tables.server[index].good &+= 1
        tables.zoomCounters[Int(zoom & 31)].countGood(cls)
        if Int(source) < tables.sources { tables.sourceCounters[Int(source)].countGood(cls) }
        timeline.row(atNS: intendedNS) { $0.asks.countGood(cls) }
    }

    /// The same answer, by the edge location and the address that it came from; an empty name is
    /// none. Counts in the measured part only. Allocates when a place is new.
    package func serverPlace(
        edge: UnsafeBufferPointer<UInt8>, address: UnsafeBufferPointer<UInt8>, _ cls: CacheClass,
        isGood: Bool, bytes: UInt64, serviceNS: UInt64, intendedNS: Int64
    ) {
        guard intendedNS >= 0 else { return }
        tables.places.pointee.edges.add(
            edge, cls, isGood: isGood, bytes: bytes, serviceNS: serviceNS)
        tables.places.pointee.addresses.add(
            address, cls, isGood: isGood, bytes: bytes, serviceNS: serviceNS)
    }

    /// A tile was looked up in the client's cache; told once its fate is known. Counts in the
    /// measured part only.
    ///
    /// - Parameter savedBytes: Of the kept body, which the network did not have to carry.
    public func clientCache(
        _ answer: ClientCacheAnswer, savedBytes: UInt64, intendedNS: Int64
    ) {
        guard intendedNS >= 0 else { return }
        switch answer {
        case .hit, .staleHit:
            tables.scalars.pointee.clientHits &+= 1
            tables.scalars.pointee.clientHitBytes &+= savedBytes
            if answer == .staleHit { tables.scalars.pointee.clientStaleHits &+= 1 }
        case .revalidated:
            tables.scalars.pointee.clientRevalidated &+= 1
            tables.scalars.pointee.clientRevalidatedBytes &+= savedBytes
        case .miss:
            tables.scalars.pointee.clientMisses &+= 1
        }
        timeline.row(atNS: intendedNS) {
            $0.clientLookups &+= 1
            if answer == .hit || answer == .staleHit { $0.clientHits &+= 1 }
        }
    }

    /// A stale hit makes an ask for its validation. Counts in the measured part only.
    public func clientRefresh(intendedNS: Int64) {
        if intendedNS >= 0 { tables.scalars.pointee.clientRefreshes &+= 1 }
    }

    /// The client's cache took a tile in and gave up `evicted` others to make room. Counts in the
    /// measured part only.
    public func clientStored(evicted: Int, intendedNS: Int64) {
        guard intendedNS >= 0 else { return }
        tables.scalars.pointee.clientStored &+= 1
        tables.scalars.pointee.clientEvicted &+= UInt64(evicted)
    }

    /// Bytes of the tiles that the client's cache holds now. One reactor tells of a shared cache.
    public func clientHolds(bytes: UInt64) {
        tables.scalars.pointee.clientBytes = bytes
    }
}
