import Testing
import Workload

@testable import Engine

/// The cache against one that is slow and obvious: lists of answers in the order of their last use,
/// which remember what the headers said and ask themselves each time what follows.
@Suite struct ClientCacheRandomTests {
    struct Model {
        struct Kept {
            var user: Int32
            var key: UInt64
            var bytes: UInt64
            var tag: String
            var maxAgeS: UInt64?
            var windowS: UInt64
            var isNoCache: Bool
            var variesWithToken: Bool
            var token: UInt64
            /// When the answer came, less its age.
            var bornS: Int64
            var isRefreshing = false
        }

        let sizeBytes: UInt64
        /// Least recently used first.
        var kept: [Kept] = []

        private func index(_ user: Int32, _ key: UInt64) -> Int? {
            kept.firstIndex { $0.user == user && $0.key == key }
        }

        mutating func lookup(
            _ user: Int32, _ key: UInt64, token: UInt64, nowS: Int64
        ) -> CacheFinding {
            guard let found = index(user, key) else { return CacheFinding() }
            kept.append(kept.remove(at: found))
            let last = kept.count - 1
            if kept[last].variesWithToken, kept[last].token != token { return CacheFinding() }
            let ageS = nowS - kept[last].bornS
            let lifetimeS = kept[last].isNoCache ? 0 : Int64(kept[last].maxAgeS ?? 0)
            if lifetimeS > ageS {
                return CacheFinding(state: .hit, isStale: false, bodyBytes: kept[last].bytes)
            }
            let windowS = kept[last].isNoCache ? 0 : Int64(kept[last].windowS)
            if windowS > 0, lifetimeS + windowS > ageS {
                let wasRefreshing = kept[last].isRefreshing
                kept[last].isRefreshing = true
                return CacheFinding(
                    state: wasRefreshing ? .hit : .refresh, isStale: true,
                    bodyBytes: kept[last].bytes)
            }
            if kept[last].tag.isEmpty { return CacheFinding() }
            return CacheFinding(state: .revalidate, isStale: true, bodyBytes: kept[last].bytes)
        }

        mutating func store(_ answer: Kept, mayBeKept: Bool) -> Int? {
            if let old = index(answer.user, answer.key) { kept.remove(at: old) }
            guard mayBeKept, max(1, answer.bytes) <= sizeBytes else { return nil }
            kept.append(answer)
            var evicted = 0
            while bytes(of: answer.user) > sizeBytes {
                guard let oldest = kept.firstIndex(where: { $0.user == answer.user }) else { break }
                kept.remove(at: oldest)
                evicted += 1
            }
            return evicted
        }

        func bytes(of user: Int32?) -> UInt64 {
            kept.filter { user == nil || $0.user == user }.reduce(0) { $0 + max(1, $1.bytes) }
        }

        mutating func freshen(_ user: Int32, _ key: UInt64, _ answer: Answer, nowS: Int64) {
            guard let found = index(user, key) else { return }
            if answer.isNoStore {
                kept.remove(at: found)
                return
            }
            kept[found].isRefreshing = false
            kept[found].bornS = nowS - Int64(answer.ageS)
            if answer.cacheControl != nil {
                kept[found].maxAgeS = answer.maxAgeS
                kept[found].windowS = answer.windowS
                kept[found].isNoCache = answer.isNoCache
            }
            if answer.variesWithToken { kept[found].variesWithToken = true }
        }

        mutating func endRefresh(_ user: Int32, _ key: UInt64) {
            if let found = index(user, key) { kept[found].isRefreshing = false }
        }

        func tag(_ user: Int32, _ key: UInt64) -> String {
            index(user, key).map { kept[$0].tag } ?? ""
        }
    }

    /// What a server may say.
    struct Answer {
        var maxAgeS: UInt64?
        var windowS: UInt64 = 0
        var isNoCache = false
        var isNoStore = false
        var variesWithToken = false
        var ageS: UInt64 = 0
        var tag = ""

        init(_ random: inout SplitMix) {
            func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
            if !chance(4) { maxAgeS = .random(in: 0...40, using: &random) }
            if chance(3) { windowS = .random(in: 1...40, using: &random) }
            isNoCache = chance(8)
            isNoStore = chance(12)
            variesWithToken = chance(6)
            if chance(3) { ageS = .random(in: 1...20, using: &random) }
            if !chance(3) {
                let length = Int.random(in: 1...120, using: &random)
                tag = String(repeating: chance(2) ? "a" : "b", count: length)
            }
        }

        var cacheControl: String? {
            var words: [String] = []
            if let maxAgeS { words.append("max-age=\(maxAgeS)") }
            if windowS > 0 { words.append("stale-while-revalidate=\(windowS)") }
            if isNoCache { words.append("no-cache") }
            if isNoStore { words.append("no-store") }
            return words.isEmpty ? nil : words.joined(separator: ", ")
        }

        var noted: NotedAnswer {
            NotedAnswer(.rfc9111, headers, changing: ["authorization"])
        }

        private var headers: [(String, String)] {
            var headers: [(String, String)] = []
            if let cacheControl { headers.append(("Cache-Control", cacheControl)) }
            if ageS > 0 { headers.append(("Age", "\(ageS)")) }
            if variesWithToken { headers.append(("Vary", "Authorization")) }
            if !tag.isEmpty { headers.append(("ETag", tag)) }
            return headers
        }
    }

    private static let seeds: [UInt64] = [11, 12, 13, 14]
    private static let steps = 6_000

    @Test(arguments: seeds, [false, true])
    func asTheModel(_ seed: UInt64, _ isPerUser: Bool) {
        var random = SplitMix(seed)
        let size = UInt64.random(in: 50...2_000, using: &random)
        let cache = ClientCache(sizeBytes: size, isPerUser: isPerUser, rules: .rfc9111)
        var model = Model(sizeBytes: size)
        let keys = UInt64.random(in: 20...300, using: &random)
        var states: [CacheFinding.State: Int] = [:]
        var evictions = 0
        var nowS: UInt64 = 100
        for step in 0..<Self.steps {
            let place: Comment = "seed \(seed) step \(step)"
            if Int.random(in: 0..<4, using: &random) == 0 {
                nowS += .random(in: 0...6, using: &random)
            }
            let user = Int32.random(in: -1...3, using: &random)
            let owner = isPerUser ? max(0, user) : 0
            let key = UInt64.random(in: 0..<keys, using: &random) << 40
            let token = UInt64.random(in: 1...2, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                let found = cache.lookup(
                    user: user, key: key, tokenMark: token, nowNS: startNS + nowS * secondNS)
                #expect(
                    found == model.lookup(owner, key, token: token, nowS: Int64(nowS)), place)
                states[found.state, default: 0] += 1
                let tag = model.tag(owner, key)
                #expect(
                    cache.conditionLines(user: user, key: key)
                        == (tag.isEmpty ? [] : ["If-None-Match: \(tag)"]), place)
            case 6, 7:
                let answer = Answer(&random)
                let isHuge = Int.random(in: 0..<200, using: &random) == 0
                let bytes = isHuge ? size + 1 : UInt64.random(in: 0...size / 8, using: &random)
                let stored = cache.store(
                    user: user, key: key, bodyBytes: bytes, tokenMark: token, answer.noted,
                    times: .at(nowS))
                let kept = Model.Kept(
                    user: owner, key: key, bytes: bytes, tag: answer.tag,
                    maxAgeS: answer.maxAgeS, windowS: answer.windowS,
                    isNoCache: answer.isNoCache, variesWithToken: answer.variesWithToken,
                    token: token, bornS: Int64(nowS) - Int64(answer.ageS))
                #expect(stored == model.store(kept, mayBeKept: !answer.isNoStore), place)
                evictions += stored ?? 0
            case 8:
                let answer = Answer(&random)
                cache.freshen(user: user, key: key, with: answer.noted, times: .at(nowS))
                model.freshen(owner, key, answer, nowS: Int64(nowS))
            default:
                cache.endRefresh(user: user, key: key)
                model.endRefresh(owner, key)
            }
            #expect(cache.count == model.kept.count, place)
            #expect(cache.bytes == model.bytes(of: nil), place)
        }
        #expect(states.count == 4 && evictions > 0, "seed \(seed): \(states)")
    }
}
