import Testing

@testable import Engine

@Suite struct AnswersClientCacheTests {
    /// The same, said plainly: newest last.
    struct Model {
        struct Key: Hashable {
            var user: Int32
            var tile: UInt64
        }

        let sizeBytes: UInt64
        let isPerUser: Bool
        var kept: [(key: Key, bytes: UInt64)] = []

        func key(_ user: Int32, _ tile: UInt64) -> Key {
            Key(user: isPerUser ? max(0, user) : 0, tile: tile)
        }

        mutating func lookup(_ key: Key) -> Bool {
            guard let index = kept.firstIndex(where: { $0.key == key }) else { return false }
            kept.append(kept.remove(at: index))
            return true
        }

        mutating func store(_ key: Key, _ bytes: UInt64) -> Int {
            kept.removeAll { $0.key == key }
            let cost = max(1, bytes)
            guard cost <= sizeBytes else { return 0 }
            kept.append((key, cost))
            var evicted = 0
            while kept.filter({ $0.key.user == key.user }).reduce(0, { $0 + $1.bytes }) > sizeBytes,
                let oldest = kept.firstIndex(where: { $0.key.user == key.user })
            {
                kept.remove(at: oldest)
                evicted += 1
            }
            return evicted
        }
    }

    @Test(arguments: [11, 12, 13, 14] as [UInt64], [false, true])
    func asTheModel(_ seed: UInt64, _ isPerUser: Bool) {
        var random = SplitMix(seed)
        let size = UInt64.random(in: 50...2_000, using: &random)
        let cache = ClientCache(sizeBytes: size, isPerUser: isPerUser)
        var model = Model(sizeBytes: size, isPerUser: isPerUser)
        let tiles = UInt64.random(in: 20...400, using: &random)
        var hits = 0
        var evictions = 0
        for step in 0..<8_000 {
            let user = Int32.random(in: -1...5, using: &random)
            let tile = UInt64.random(in: 0..<tiles, using: &random) << 40
            let key = model.key(user, tile)
            if Bool.random(using: &random) {
                let isHit = cache.lookup(user: user, tile: tile)
                #expect(isHit == model.lookup(key), "seed \(seed) step \(step)")
                hits += isHit ? 1 : 0
            } else {
                let bytes = UInt64.random(in: 0...size / 8, using: &random)
                let isHuge = Int.random(in: 0..<200, using: &random) == 0
                let cost = isHuge ? size + 1 : bytes
                let evicted = cache.store(user: user, tile: tile, bytes: cost)
                #expect(evicted == model.store(key, cost), "seed \(seed) step \(step)")
                evictions += evicted
            }
            #expect(cache.count == model.kept.count, "seed \(seed) step \(step)")
            #expect(
                cache.bytes == model.kept.reduce(0) { $0 + $1.bytes }, "seed \(seed) step \(step)")
        }
        #expect(hits > 0 && evictions > 0, "seed \(seed)")
    }

    @Test func leastRecentlyUsedGoesFirst() {
        let cache = ClientCache(sizeBytes: 30, isPerUser: false)
        for tile in [1, 2, 3] as [UInt64] {
            #expect(cache.store(user: 0, tile: tile, bytes: 10) == 0)
        }
        #expect(cache.lookup(user: 9, tile: 1))
        #expect(cache.store(user: 0, tile: 4, bytes: 11) == 2)
        #expect(!cache.lookup(user: 0, tile: 2) && !cache.lookup(user: 0, tile: 3))
        #expect(cache.lookup(user: 0, tile: 1) && cache.lookup(user: 0, tile: 4))
        #expect(cache.bytes == 21)
    }

    @Test func nothingFitsIntoNothing() {
        let cache = ClientCache(sizeBytes: 0, isPerUser: true)
        #expect(cache.store(user: 1, tile: 1, bytes: 0) == 0)
        #expect(!cache.lookup(user: 1, tile: 1))
        #expect(cache.bytes == 0)
    }

    @Test func sharedByThreads() async {
        let cache = SharedClientCache(sizeBytes: 100_000)
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<4 as Range<UInt64> {
                group.addTask {
                    for tile in part * 100..<part * 100 + 100 {
                        _ = cache.store(tile: tile, bytes: 10)
                    }
                }
            }
        }
        #expect(cache.bytes == 4_000)
        #expect((0..<400).allSatisfy { cache.lookup(tile: $0) })
    }
}
