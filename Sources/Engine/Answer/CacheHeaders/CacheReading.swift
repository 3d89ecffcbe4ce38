import Metrics

/// What one cache on the way said about one answer; a byte, since each answer holds many.
struct CacheReading: Equatable {
    private let code: UInt8

    /// No cache spoke, or not in words that are known.
    static let nothing = CacheReading(code: 255)
    /// RFC 9211 `fwd=stale` without `fwd-status`, which is then the status of the answer.
    static let forwardedStale = CacheReading(code: 0x40)
    /// RFC 9211 `fwd=stale` whose next hop failed: a good answer is then the stale copy.
    static let forwardedStaleFailed = CacheReading(code: 0x41)
    private static let shieldBit: UInt8 = 0x10

    private init(code: UInt8) { self.code = code }

    init(_ cls: CacheClass, isShield: Bool = false) {
        code = cls.rawValue | (isShield ? Self.shieldBit : 0)
    }

    var isShield: Bool { self != .nothing && code & Self.shieldBit != 0 }

    /// Nil when nothing was said, or when it depends on the status: see `settled`.
    var cls: CacheClass? {
        code < 0x20 ? CacheClass(rawValue: code & ~Self.shieldBit) : nil
    }

    /// Nothing was fetched for it, or only a confirmation: a copy was kept here.
    var hasCopy: Bool {
        switch cls {
        case .hit, .staleHit, .revalidated: true
        default: false
        }
    }

    /// With what depends on the status of the answer decided.
    func settled(status: Int) -> CacheReading {
        switch self {
        case .forwardedStale: CacheReading(status == 304 ? .revalidated : .miss)
        case .forwardedStaleFailed: CacheReading(status < 400 ? .staleHit : .miss)
        default: self
        }
    }

    var atShield: CacheReading { cls.map { CacheReading($0, isShield: true) } ?? self }
}

/// The caches that one answer passed, as far as they matter: the nearest to the client, and the
/// nearest copy behind caches that missed.
struct CacheChain {
    private(set) var nearest = CacheReading.nothing
    private(set) var upstream = CacheReading.nothing

    /// One more cache, nearer to the client than all before.
    mutating func append(_ reading: CacheReading) {
        guard reading != .nothing else { return }
        if nearest.hasCopy {
            upstream = nearest
        } else if nearest != .nothing, nearest.settled(status: 200).cls != .miss {
            // Whoever stayed out hides what was behind it.
            upstream = .nothing
        }
        nearest = reading
    }

    /// The cache behind the nearest.
    mutating func setUpstream(_ reading: CacheReading) {
        if reading.hasCopy { upstream = reading }
    }

    /// The nearest cache decides, unless it missed and one behind it had a copy.
    func settled(status: Int) -> CacheReading {
        let near = nearest.settled(status: status)
        let isOpen = near == .nothing || near.cls == .miss
        return isOpen && upstream != .nothing ? upstream.atShield : near
    }
}
