/// Layers whose refusals are known not to speak of the token: it works elsewhere (R12). At most one
/// entry a layer; a lock ends by itself.
struct LayerLocks: Sendable {
    /// How long a layer's refusals stay under suspicion.
    static let lockNS: UInt64 = 5_000_000_000
    /// How long while it is not known yet whether they speak of the token.
    static let doubtNS: UInt64 = 1_000_000_000
    /// Layers beyond that share their locks with others: a lock alone changes nothing.
    static let layers = 64

    private var untilNS: [UInt64] = []

    mutating func lock(_ layer: UInt8, nowNS: UInt64) { extend(layer, to: nowNS + Self.lockNS) }

    /// One of its asks is held: until that is decided the first refusals of others start nothing,
    /// or new asks would renew the token faster than anything could be proven about it.
    mutating func doubt(_ layer: UInt8, nowNS: UInt64) { extend(layer, to: nowNS + Self.doubtNS) }

    private mutating func extend(_ layer: UInt8, to endNS: UInt64) {
        if untilNS.isEmpty { untilNS = [UInt64](repeating: 0, count: Self.layers) }
        let place = Int(layer) % Self.layers
        untilNS[place] = max(untilNS[place], endNS)
    }

    func isLocked(_ layer: UInt8, nowNS: UInt64) -> Bool {
        !untilNS.isEmpty && nowNS < untilNS[Int(layer) % Self.layers]
    }

    /// What is left of each lock.
    func appendState(to words: inout [UInt64], nowNS: UInt64) {
        for (layer, until) in untilNS.enumerated() where until > nowNS {
            words.append(UInt64(layer) << 56 | (until - nowNS))
        }
        words.append(.max)
    }
}
