/// What is known of layers whose refusals may not speak of the token (R12): it works elsewhere. At
/// most one entry a layer; locks and doubts end by themselves.
struct LayerLocks: Sendable {
    /// How long a layer's refusals are known to be its own.
    static let lockNS: UInt64 = 5_000_000_000
    /// How long they are under suspicion while it is not known yet whether they speak of the token.
    static let doubtNS: UInt64 = 1_000_000_000
    /// Layers beyond that share their entries with others: a lock alone changes nothing.
    static let layers = 64

    private struct Entry {
        var lockedUntilNS: UInt64 = 0
        var doubtedUntilNS: UInt64 = 0
        /// An ask ended before it was known what its refusal meant: the text of the token it was
        /// refused with, and when that was read. 0: none.
        var openSerial: UInt64 = 0
        var openReadNS: UInt64 = 0
    }

    private var entries: [Entry] = []
    /// Some layer has an open refusal.
    private(set) var hasOpen = false

    private mutating func change(_ layer: UInt8, _ body: (inout Entry) -> Void) {
        if entries.isEmpty { entries = [Entry](repeating: Entry(), count: Self.layers) }
        body(&entries[Int(layer) % Self.layers])
    }

    private func entry(_ layer: UInt8) -> Entry? {
        entries.isEmpty ? nil : entries[Int(layer) % Self.layers]
    }

    /// True: it was not locked before.
    mutating func lock(_ layer: UInt8, nowNS: UInt64) -> Bool {
        let isNew = !isLocked(layer, nowNS: nowNS)
        change(layer) { $0.lockedUntilNS = nowNS + Self.lockNS }
        return isNew
    }

    /// One of its asks is held: until that is decided the first refusals of others start nothing,
    /// or new asks would renew the token faster than anything could be proven about it.
    mutating func doubt(_ layer: UInt8, nowNS: UInt64) {
        change(layer) { $0.doubtedUntilNS = max($0.doubtedUntilNS, nowNS + Self.doubtNS) }
    }

    /// One of its asks ended without proof. That may still come: by an answer to somebody whom this
    /// end has set free.
    mutating func leaveOpen(_ layer: UInt8, serial: UInt64, readNS: UInt64, nowNS: UInt64) {
        hasOpen = true
        change(layer) {
            $0.doubtedUntilNS = max($0.doubtedUntilNS, nowNS + Self.lockNS)
            // Of one text the older refusal is proven by more answers; an older text is over.
            guard serial > $0.openSerial else { return }
            $0.openSerial = serial
            $0.openReadNS = readNS
        }
    }

    /// A request that was sent at that time was accepted with that text of the token: what was
    /// refused with it before is the layer's own doing. True: that has locked one anew.
    mutating func prove(serial: UInt64, sentNS: UInt64, nowNS: UInt64) -> Bool {
        guard hasOpen else { return false }
        var locksNew = false
        hasOpen = false
        for place in entries.indices where entries[place].openSerial > 0 {
            if entries[place].openSerial == serial, entries[place].openReadNS < sentNS {
                entries[place].openSerial = 0
                locksNew = locksNew || entries[place].lockedUntilNS <= nowNS
                entries[place].lockedUntilNS = nowNS + Self.lockNS
            } else if entries[place].openSerial >= serial {
                hasOpen = true
            } else {
                // Of a text that nobody sends any more.
                entries[place].openSerial = 0
            }
        }
        return locksNew
    }

    func isLocked(_ layer: UInt8, nowNS: UInt64) -> Bool {
        entry(layer).map { nowNS < $0.lockedUntilNS } ?? false
    }

    func isSuspect(_ layer: UInt8, nowNS: UInt64) -> Bool {
        entry(layer).map { nowNS < max($0.lockedUntilNS, $0.doubtedUntilNS) } ?? false
    }

    /// What is left of each lock and doubt, and whether there is an open refusal of that text.
    func appendState(to words: inout [UInt64], serial: UInt64, nowNS: UInt64) {
        for (layer, entry) in entries.enumerated() {
            let untilNS = max(entry.lockedUntilNS, entry.doubtedUntilNS)
            let isOpen = entry.openSerial == serial
            guard untilNS > nowNS || isOpen else { continue }
            words.append(UInt64(layer) << 56 | (isOpen ? 1 << 55 : 0))
            words.append(entry.lockedUntilNS > nowNS ? entry.lockedUntilNS - nowNS : 0)
            words.append(entry.doubtedUntilNS > nowNS ? entry.doubtedUntilNS - nowNS : 0)
        }
        words.append(.max)
    }

    /// When the open refusal of that text was read; nil: there is none.
    func openReadNS(_ layer: UInt8, serial: UInt64) -> UInt64? {
        entry(layer).flatMap { $0.openSerial == serial ? $0.openReadNS : nil }
    }
}
