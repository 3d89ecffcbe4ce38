/// What became of the tokens.
package struct TokenStatistics: Sendable {
    package var issued: UInt64 = 0
    /// Alive now: neither expired nor revoked.
    package var live = 0
    /// Tokens that a revocation killed while they lived.
    package var revoked: UInt64 = 0
    package var revocations: UInt64 = 0
    /// Tokens issued although the newest one lived, was not refused, no request had come without a
    /// known token, and more than half of its life was left.
    package var duplicates: UInt64 = 0
    /// Issued and never shown with success.
    package var neverUsed: UInt64 = 0
    /// Refused before any request with it was accepted.
    package var rejectedOnFirstUse: UInt64 = 0
    /// Tokens that were refused at least once: each is one storm of refusals.
    package var expiryEvents: UInt64 = 0
    /// Most refusals of one token.
    package var stormMax: UInt64 = 0
    /// Refusals of a token when a newer one had been issued.
    package var late: UInt64 = 0
    package var refusedMissing: UInt64 = 0
    package var refusedUnknown: UInt64 = 0
    package var refusedRevoked: UInt64 = 0
    package var refusedExpired: UInt64 = 0
}

/// The table of tokens, and what is counted of them. Owner: ``TokenDesk``, under its lock.
struct TokenBook {
    private struct Entry {
        let key: TokenKey
        let issuedAtNS: UInt64
        let expiresAtNS: UInt64
        var refusals: UInt64 = 0
        var accepted = false
    }

    /// Tokens remembered, dead ones too (a refused token should be known by its number). Beyond
    /// that the oldest half is forgotten, and would be refused as unknown.
    private static let limit = 1 << 20

    private var generations: [TokenKey: UInt64] = [:]
    /// The entry of generation g is at g - first.
    private var entries: [Entry] = []
    private var first: UInt64 = 1
    /// A refusal since the newest token was issued, of that token or of one not known here.
    private var newestFailed = true
    private var counts = TokenStatistics()

    /// Number of the token issued last; 0: none.
    var newest: UInt64 { first + UInt64(entries.count) - 1 }

    func generation(of key: TokenKey) -> UInt64? { generations[key] }

    func expiry(of generation: UInt64) -> UInt64? {
        generation >= first && generation <= newest
            ? entries[Int(generation - first)].expiresAtNS : nil
    }

    mutating func issue(
        _ key: TokenKey, nowNS: UInt64, expiresAtNS: UInt64, revokedThrough: UInt64
    ) {
        if let last = entries.last, !newestFailed, newest > revokedThrough,
            nowNS < last.expiresAtNS,
            last.expiresAtNS == .max
                || (last.expiresAtNS - nowNS) > (last.expiresAtNS - last.issuedAtNS) / 2
        {
            counts.duplicates += 1
        }
        if entries.count >= TokenBook.limit { forgetOldest(TokenBook.limit / 2) }
        entries.append(Entry(key: key, issuedAtNS: nowNS, expiresAtNS: expiresAtNS))
        generations[key] = newest
        newestFailed = false
        counts.issued += 1
        counts.neverUsed += 1
    }

    private mutating func forgetOldest(_ count: Int) {
        for entry in entries.prefix(count) { generations[entry.key] = nil }
        entries.removeFirst(count)
        first += UInt64(count)
    }

    mutating func accepted(_ generation: UInt64) {
        let index = Int(generation - first)
        guard !entries[index].accepted else { return }
        entries[index].accepted = true
        counts.neverUsed -= 1
    }

    mutating func refused(_ verdict: TokenVerdict, generation: UInt64?) {
        switch verdict {
        case .accepted: preconditionFailure("an accepted token is not refused")
        case .missing: counts.refusedMissing += 1
        case .unknown: counts.refusedUnknown += 1
        case .revoked: counts.refusedRevoked += 1
        case .expired: counts.refusedExpired += 1
        }
        guard let generation else {
            newestFailed = true
            return
        }
        let index = Int(generation - first)
        entries[index].refusals += 1
        if entries[index].refusals == 1 {
            counts.expiryEvents += 1
            if !entries[index].accepted { counts.rejectedOnFirstUse += 1 }
        }
        counts.stormMax = max(counts.stormMax, entries[index].refusals)
        if generation < newest { counts.late += 1 } else { newestFailed = true }
    }

    /// Counts a revocation of everything; the caller moves the border.
    mutating func revoke(nowNS: UInt64, revokedThrough: UInt64) -> Int {
        let dead = live(nowNS: nowNS, revokedThrough: revokedThrough)
        counts.revocations += 1
        counts.revoked += UInt64(dead)
        return dead
    }

    /// All tokens live equally long, so that the live ones are the newest ones.
    private func live(nowNS: UInt64, revokedThrough: UInt64) -> Int {
        var generation = newest
        var count = 0
        while generation >= first, generation > revokedThrough,
            entries[Int(generation - first)].expiresAtNS > nowNS
        {
            count += 1
            generation -= 1
        }
        return count
    }

    func statistics(nowNS: UInt64, revokedThrough: UInt64) -> TokenStatistics {
        var result = counts
        result.live = live(nowNS: nowNS, revokedThrough: revokedThrough)
        return result
    }
}
