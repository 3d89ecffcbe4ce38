import Testing
import Workload

@testable import Engine

/// MapLibre Native's ambient cache, which is not what HTTP says.
@Suite struct MapLibreNativeCacheTests {
    struct Row: CustomTestStringConvertible {
        var headers: [(String, String)]
        /// Seconds since it came; nil: for ever.
        var freshS: UInt64?
        var isShownStale = true
        var testDescription: String { headers.map { "\($0.0): \($0.1)" }.joined(separator: " | ") }

        init(_ headers: [(String, String)], _ freshS: UInt64?, isShownStale: Bool = true) {
            self.headers = headers
            self.freshS = freshS
            self.isShownStale = isShownStale
        }

        init(_ cacheControl: String, _ freshS: UInt64?, isShownStale: Bool = true) {
            self.init([("Cache-Control", cacheControl)], freshS, isShownStale: isShownStale)
        }
    }

    private static let one = "Thu, 01 Jan 2026 13:00:00 GMT"

    static let rows: [Row] = [
        Row([], nil), Row("max-age=60", 60), Row("no-store, max-age=60", 60),
        Row("no-cache", nil), Row("no-cache, max-age=60", 60), Row("private", nil),
        Row("s-maxage=60", nil), Row("Max-Age=60", nil), Row("max-age=abc", nil),
        Row("max-age=60, stale-while-revalidate=5", 60), Row("max-age=0", 0),
        Row("max-age=60, must-revalidate", 60, isShownStale: false),
        Row("max-age=60, Must-Revalidate", 60), Row("max-age=10, max-age=60", 60),
        Row([("Age", "50"), ("Cache-Control", "max-age=60")], 60),
        Row([("Vary", "*"), ("Cache-Control", "max-age=60")], 60),
        Row([("Last-Modified", "Thu, 01 Jan 2026 11:00:00 GMT")], nil),
        Row([("Date", "Thu, 01 Jan 2026 11:00:00 GMT"), ("Cache-Control", "max-age=60")], 60),
        // Expires wins, wherever it stands.
        Row([("Expires", one), ("Cache-Control", "max-age=60")], 3600),
        Row([("Cache-Control", "max-age=60"), ("Expires", one)], 3600),
        Row([("Expires", "0"), ("Cache-Control", "max-age=60")], 0),
        Row([("Cache-Control", "max-age=60"), ("Cache-Control", "max-age=7")], 7),
    ]

    @Test(arguments: rows) func freshness(_ row: Row) {
        let cache = ClientCache(sizeBytes: 1000, isPerUser: false, rules: .maplibreNative)
        let answer = NotedAnswer(.maplibreNative, row.headers + [("ETag", "\"a\"")])
        #expect(keep(cache, answer, 200) == 0)
        func state(_ ns: UInt64) -> CacheFinding.State {
            cache.lookup(user: 0, key: 7, tokenMark: 0, nowNS: ns).state
        }
        guard let freshS = row.freshS else {
            #expect(state(.max - 1) == .hit)
            return
        }
        if freshS > 0 { #expect(state(startNS + freshS * secondNS - 1) == .hit) }
        #expect(
            state(startNS + freshS * secondNS) == (row.isShownStale ? .refresh : .revalidate))
        // Shown once more while the first validation is under way.
        if row.isShownStale { #expect(state(startNS + freshS * secondNS + 1) == .hit) }
    }

    @Test(arguments: [(200, true), (206, true), (204, false), (404, false), (301, false)])
    func whatIsKept(_ status: Int, _ isKept: Bool) {
        let cache = ClientCache(sizeBytes: 1000, isPerUser: false, rules: .maplibreNative)
        #expect((keep(cache, NotedAnswer(.maplibreNative, []), status) != nil) == isKept)
    }

    /// The tag alone where there is one, else the date.
    @Test func validators() {
        let date = "Thu, 01 Jan 2026 11:00:00 GMT"
        for (headers, expected) in [
            ([("ETag", "abc"), ("Last-Modified", date)], ["If-None-Match: abc"]),
            ([("Last-Modified", date)], ["If-Modified-Since: \(date)"]), ([], []),
        ] as [([(String, String)], [String])] {
            let cache = ClientCache(sizeBytes: 1000, isPerUser: false, rules: .maplibreNative)
            _ = keep(cache, NotedAnswer(.maplibreNative, headers), 200)
            #expect(cache.conditionLines(key: 7) == expected)
        }
    }

    /// A 304 tells the end anew; an end that has passed but moves on is that of a wrong clock.
    @Test func validated() {
        func state(after headers: [(String, String)], atS seconds: UInt64) -> CacheFinding.State {
            let cache = ClientCache(sizeBytes: 1000, isPerUser: false, rules: .maplibreNative)
            let first = [
                ("Cache-Control", "must-revalidate"), ("ETag", "a"),
                ("Expires", "Thu, 01 Jan 2026 11:00:00 GMT"),
            ]
            _ = keep(cache, NotedAnswer(.maplibreNative, first), 200)
            cache.freshen(key: 7, with: NotedAnswer(.maplibreNative, headers), times: .at(10))
            return cache.lookup(
                user: 0, key: 7, tokenMark: 0, nowNS: startNS + seconds * secondNS
            ).state
        }
        let revalidates = ("Cache-Control", "must-revalidate")
        #expect(state(after: [("Cache-Control", "max-age=60")], atS: 69) == .hit)
        #expect(state(after: [("Cache-Control", "max-age=60")], atS: 70) == .refresh)
        #expect(state(after: [revalidates], atS: 1_000_000) == .hit)
        let same = ("Expires", "Thu, 01 Jan 2026 11:00:00 GMT")
        #expect(state(after: [revalidates, same], atS: 10) == .revalidate)
        let back = ("Expires", "Thu, 01 Jan 2026 10:00:00 GMT")
        #expect(state(after: [revalidates, back], atS: 10) == .revalidate)
        let aBitOn = ("Expires", "Thu, 01 Jan 2026 11:00:05 GMT")
        #expect(state(after: [revalidates, aBitOn], atS: 39) == .hit)
        #expect(state(after: [revalidates, aBitOn], atS: 40) == .revalidate)
        let aMinuteOn = ("Expires", "Thu, 01 Jan 2026 11:01:00 GMT")
        #expect(state(after: [revalidates, aMinuteOn], atS: 69) == .hit)
        #expect(state(after: [revalidates, aMinuteOn], atS: 70) == .revalidate)
    }

    private func keep(_ cache: ClientCache, _ answer: NotedAnswer, _ status: Int) -> Int? {
        cache.store(key: 7, status: status, answer)
    }
}
