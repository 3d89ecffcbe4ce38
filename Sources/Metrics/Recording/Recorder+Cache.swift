extension Recorder {
    /// An answer, by what the server's caches did with it. Counts in the measured part only.
    ///
    /// - Parameters:
    ///   - isShield: Whether a cache behind the nearest one decided; nil when unknown.
    ///   - evidence: Index into `CacheEvidence.names`, `CacheEvidence.configured` or `.none`.
    ///   - isGood: Whether its status is 2xx or 304: what a hit rate counts.
    public func serverCache(
        _ cls: CacheClass, isShield: Bool?, evidence: UInt8, isGood: Bool, bytes: UInt64,
        serviceNS: UInt64, zoom: UInt8, intendedNS: Int64
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
        timeline.row(atNS: intendedNS) { $0.asks.countGood(cls) }
    }

    /// A tile was looked up in the client's cache; told once its fate is known. Counts in the
    /// measured part only.
    public func clientCache(_ answer: ClientCacheAnswer, intendedNS: Int64) {
        guard intendedNS >= 0 else { return }
        switch answer {
        case .hit: tables.scalars.pointee.clientHits &+= 1
        case .revalidated: tables.scalars.pointee.clientRevalidated &+= 1
        case .miss: tables.scalars.pointee.clientMisses &+= 1
        }
        timeline.row(atNS: intendedNS) {
            $0.clientLookups &+= 1
            if answer == .hit { $0.clientHits &+= 1 }
        }
    }

    /// The client's cache took a tile in. The bytes it holds are followed from the beginning, the
    /// number of tiles stored counts in the measured part.
    public func clientStored(bytes: UInt64, intendedNS: Int64) {
        tables.scalars.pointee.clientBytes &+= bytes
        if intendedNS >= 0 { tables.scalars.pointee.clientStored &+= 1 }
    }

    /// The client's cache gave a tile up to make room, or replaced it.
    public func clientEvicted(bytes: UInt64, intendedNS: Int64) {
        tables.scalars.pointee.clientBytes &-= bytes
        if intendedNS >= 0 { tables.scalars.pointee.clientEvicted &+= 1 }
    }
}
