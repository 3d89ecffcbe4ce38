/// Layers whose refusals are known not to speak of the token: it works elsewhere (R12). At most one
/// entry a layer; a lock ends by itself.
struct LayerLocks: Sendable {
    /// How long a layer's refusals stay under suspicion.
    static let lockNS: UInt64 = 5_000_000_000
    /// Layers beyond that share their locks with others: a lock alone changes nothing.
    static let layers = 64

    private var untilNS: [UInt64] = []

    mutating func lock(_ layer: UInt8, nowNS: UInt64) {
        if untilNS.isEmpty { untilNS = [UInt64](repeating: 0, count: Self.layers) }
        untilNS[Int(layer) % Self.layers] = nowNS + Self.lockNS
    }

    func isLocked(_ layer: UInt8, nowNS: UInt64) -> Bool {
        !untilNS.isEmpty && nowNS < untilNS[Int(layer) % Self.layers]
    }
}
