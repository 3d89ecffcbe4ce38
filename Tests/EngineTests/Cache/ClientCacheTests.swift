import Testing
import Workload

@testable import Engine

@Suite struct ClientCacheTests {
    private static let date = "Thu, 01 Jan 2026 11:00:00 GMT"

    @Test func leastRecentlyUsedGoesFirst() {
        let cache = ClientCache(sizeBytes: 30, isPerUser: false, rules: .none)
        for key in [1, 2, 3] as [UInt64] { #expect(keep(cache, key, 10) == 0) }
        #expect(isHit(cache, 1, user: 9))
        #expect(keep(cache, 4, 11) == 2)
        #expect(!isHit(cache, 2) && !isHit(cache, 3))
        #expect(isHit(cache, 1) && isHit(cache, 4))
        #expect(cache.bytes == 21)
    }

    @Test func nothingFitsIntoNothing() {
        let cache = ClientCache(sizeBytes: 0, isPerUser: true, rules: .none)
        #expect(keep(cache, 1, 0, user: 1) == nil)
        #expect(!isHit(cache, 1, user: 1))
        #expect(cache.bytes == 0)
    }

    @Test func withoutRulesATileIsGoodForEver() {
        let cache = ClientCache(sizeBytes: 100, isPerUser: false, rules: .none)
        for (status, isKept) in [(200, true), (204, false), (404, false)] {
            let kept = keep(cache, UInt64(status), 10, status: status)
            #expect((kept != nil) == isKept)
            #expect(isHit(cache, UInt64(status), nowNS: .max - 1) == isKept)
        }
    }

    @Test func sharedByThreads() async {
        let cache = SharedClientCache(sizeBytes: 100_000, rules: .none)
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<4 as Range<UInt64> {
                group.addTask {
                    for key in part * 100..<part * 100 + 100 {
                        _ = cache.use { keep($0, key, 10) }
                    }
                }
            }
        }
        #expect(cache.use { $0.bytes } == 4_000)
        #expect((0..<400).allSatisfy { key in cache.use { isHit($0, key) } })
    }

    // MARK: Validation

    @Test(
        arguments: [
            ([("ETag", "\"a\"")], ["If-None-Match: \"a\""]),
            // To the letter: MapProxy's has no quotes, and its server compares the text.
            (
                [("ETag", "0cc175b9c0f1b6a831c399e269772661")],
                [
                    "If-None-Match: 0cc175b9c0f1b6a831c399e269772661"
                ]
            ),
            (
                [("ETag", "W/\"a\""), ("Last-Modified", date)],
                [
                    "If-None-Match: W/\"a\"", "If-Modified-Since: \(date)",
                ]
            ),
            ([("Last-Modified", "yesterday")], ["If-Modified-Since: yesterday"]),
            (
                [("ETag", String(repeating: "x", count: 1024))],
                [
                    "If-None-Match: " + String(repeating: "x", count: 1024)
                ]
            ),
            ([("ETag", String(repeating: "x", count: 1025))], []), ([("ETag", "")], []), ([], []),
        ] as [([(String, String)], [String])])
    func conditions(_ headers: [(String, String)], _ expected: [String]) {
        let cache = ClientCache(sizeBytes: 100, isPerUser: false, rules: .rfc9111)
        let answer = NotedAnswer(.rfc9111, headers + [("Cache-Control", "max-age=5")])
        #expect(keep(cache, 1, 10, answer) == 0)
        let found = cache.lookup(
            user: 0, key: 1, tokenMark: 0, nowNS: startNS + 5 * secondNS)
        #expect(found.state == (expected.isEmpty ? .miss : .revalidate))
        #expect(found.bodyBytes == (expected.isEmpty ? 0 : 10))
        #expect(cache.conditionLines(key: 1) == expected)
    }

    @Test func a304FreshensAndReplacesWhatItSays() {
        func fresh(
            _ first: [(String, String)], then second: [(String, String)]
        ) -> UInt64 {
            let cache = ClientCache(sizeBytes: 100, isPerUser: false, rules: .rfc9111)
            _ = keep(cache, 1, 10, NotedAnswer(.rfc9111, first + [("ETag", "\"a\"")]))
            let answer = NotedAnswer(.rfc9111, second)
            cache.freshen(key: 1, with: answer, times: .at(100))
            // The last second in which it is fresh, counted from the 304.
            var seconds: UInt64 = 0
            while seconds < 200, isHit(cache, 1, nowNS: startNS + (100 + seconds) * secondNS) {
                seconds += 1
            }
            return seconds
        }
        let minute = ("Cache-Control", "max-age=60")
        #expect(fresh([minute], then: []) == 60)
        #expect(fresh([minute], then: [("Cache-Control", "max-age=7")]) == 7)
        #expect(fresh([minute], then: [("Cache-Control", "no-cache")]) == 0)
        #expect(fresh([minute], then: [("Cache-Control", "public")]) == 0)
        #expect(fresh([("Cache-Control", "no-cache")], then: [minute]) == 60)
        // The age of the first answer is over, that of the 304 counts.
        #expect(fresh([minute, ("Age", "50")], then: []) == 60)
        #expect(fresh([minute, ("Age", "50")], then: [("Age", "20")]) == 40)
        let expires = ("Expires", "Thu, 01 Jan 2026 12:02:00 GMT")
        #expect(fresh([expires], then: []) == 20)
        #expect(fresh([expires], then: [("Expires", "Thu, 01 Jan 2026 12:01:43 GMT")]) == 3)
        #expect(fresh([minute, expires], then: []) == 60)
        #expect(fresh([minute], then: [("Vary", "*")]) == 0)
        #expect(fresh([minute], then: [("Cache-Control", "no-store")]) == 0)
    }

    @Test func whatA304TellsNotToKeepIsForgotten() {
        let cache = ClientCache(sizeBytes: 100, isPerUser: false, rules: .rfc9111)
        _ = keep(cache, 1, 10, NotedAnswer(.rfc9111, [("ETag", "\"a\"")]))
        let answer = NotedAnswer(.rfc9111, [("Cache-Control", "no-store")])
        cache.freshen(key: 1, with: answer, times: .at(1))
        #expect(cache.count == 0 && cache.bytes == 0)
        // Of a key that is gone.
        cache.freshen(key: 1, with: answer, times: .at(1))
        #expect(cache.count == 0)
    }

    @Test func anAnswerThatMayNotBeKeptTakesThePlaceOfTheOld() {
        let cache = ClientCache(sizeBytes: 100, isPerUser: false, rules: .rfc9111)
        _ = keep(cache, 1, 10, NotedAnswer(.rfc9111, [("ETag", "\"a\"")]))
        let answer = NotedAnswer(.rfc9111, [("Cache-Control", "no-store")])
        #expect(keep(cache, 1, 10, answer) == nil)
        #expect(cache.count == 0)
    }

    @Test func oneValidationAtATimeWhileItIsShown() {
        let cache = ClientCache(sizeBytes: 100, isPerUser: false, rules: .rfc9111)
        let headers = [("Cache-Control", "max-age=5, stale-while-revalidate=10"), ("ETag", "x")]
        _ = keep(cache, 1, 10, NotedAnswer(.rfc9111, headers))
        func look(_ seconds: UInt64) -> CacheFinding {
            cache.lookup(user: 0, key: 1, tokenMark: 0, nowNS: startNS + seconds * secondNS)
        }
        #expect(look(4) == CacheFinding(state: .hit, isStale: false, bodyBytes: 10))
        #expect(look(5) == CacheFinding(state: .refresh, isStale: true, bodyBytes: 10))
        #expect(look(6) == CacheFinding(state: .hit, isStale: true, bodyBytes: 10))
        cache.endRefresh(user: 0, key: 1)
        #expect(look(7).state == .refresh)
        cache.freshen(key: 1, with: NotedAnswer(.rfc9111, []), times: .at(8))
        #expect(look(12) == CacheFinding(state: .hit, isStale: false, bodyBytes: 10))
        #expect(look(13).state == .refresh)
        #expect(look(23).state == .revalidate)
    }

    // MARK: Vary

    @Test func varyLooksAtWhatChanges() {
        for (vary, hitsWithAnother) in [
            ("Authorization", false), ("Accept, authorization", false), ("Accept-Encoding", true),
            ("Origin", true), ("*", false),
        ] {
            let cache = ClientCache(sizeBytes: 100, isPerUser: false, rules: .rfc9111)
            let answer = NotedAnswer(
                .rfc9111, [("Cache-Control", "max-age=60"), ("Vary", vary)],
                changing: ["Authorization"])
            #expect(keep(cache, 1, 10, answer, tokenMark: 5) == 0)
            let same = cache.lookup(user: 0, key: 1, tokenMark: 5, nowNS: startNS).state
            #expect((same == .hit) == (vary != "*"), "\(vary)")
            let another = cache.lookup(user: 0, key: 1, tokenMark: 6, nowNS: startNS).state
            #expect((another == .hit) == hitsWithAnother, "\(vary)")
            #expect(hitsWithAnother || another == .miss)
        }
    }

    // MARK: Support

    private func keep(
        _ cache: ClientCache, _ key: UInt64, _ bytes: UInt64, _ answer: NotedAnswer? = nil,
        user: Int32 = 0, status: Int = 200, tokenMark: UInt64 = 0
    ) -> Int? {
        cache.store(
            user: user, key: key, bodyBytes: bytes, status: status, tokenMark: tokenMark, answer)
    }

    private func isHit(
        _ cache: ClientCache, _ key: UInt64, user: Int32 = 0, nowNS: UInt64 = startNS
    ) -> Bool {
        cache.lookup(user: user, key: key, tokenMark: 0, nowNS: nowNS).state == .hit
    }
}
