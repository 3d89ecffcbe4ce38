import JSONText
import Testing
import Workload

@testable import Engine

@Suite struct FreshnessTests {
    /// A map client's cache is a private one: what the vectors say of shared ones is not looked at.
    @Test func everyVector() throws {
        let all = try #require(try vectors("freshness-vectors.json")["vectors"]?.array)
        #expect(all.count > 20)
        for vector in all {
            let name = try #require(vector["name"]?.string)
            let expected = try #require(vector["expected"]?["private"], "\(name)")
            let status = try #require(vector["status"]?.int, "\(name)")
            let first = headerList(vector["request_headers"])
            let second = vector["second_request_headers"].map(headerList) ?? first
            let changing = first.filter { header in
                !second.contains { $0.0 == header.0 && $0.1 == header.1 }
            }
            let answer = NotedAnswer(
                .rfc9111, withDate(headerList(vector["response_headers"])),
                changing: changing.map(\.0))
            let times = AnswerTimes.at()
            if let storable = expected["storable"]?.bool {
                #expect(
                    Freshness.isStorable(answer.headers, status: status) == storable, "\(name)")
            }
            if let lifetimeS = expected["freshness_lifetime_s"]?.double {
                let lifetimeNS = Freshness.lifetimeNS(
                    answer.headers, status: status, receivedEpochS: vectorEpochS)
                #expect(Double(lifetimeNS) / 1e9 == lifetimeS, "\(name)")
            }
            let afterS = try #require(vector["after_s"]?.double, "\(name)")
            let afterNS = UInt64(afterS * 1e9)
            if let ageS = expected["age_s"]?.double {
                let ageNS = Freshness.ageNS(answer.headers, times) + afterNS
                #expect(Double(ageNS) / 1e9 == ageS, "\(name)")
            }
            let found = look(
                answer, status, times, isSame: changing.isEmpty, nowNS: startNS + afterNS)
            if let fresh = expected["fresh_at_after"]?.bool {
                #expect((found.state == .hit) == fresh, "\(name)")
            }
            if let stale = expected["stale_while_revalidate"]?.bool {
                #expect((found.state == .refresh) == stale, "\(name)")
            }
        }
    }

    /// The vectors' answers came at the time of their Date unless they say another.
    private func withDate(_ headers: [(String, String)]) -> [(String, String)] {
        headers.contains { $0.0.lowercased() == "date" }
            ? headers : headers + [("Date", "Thu, 01 Jan 2026 12:00:00 GMT")]
    }

    private func look(
        _ answer: NotedAnswer, _ status: Int, _ times: AnswerTimes, isSame: Bool, nowNS: UInt64
    ) -> CacheFinding {
        let cache = ClientCache(sizeBytes: 1000, isPerUser: false, rules: .rfc9111)
        _ = cache.store(key: 7, status: status, tokenMark: 1, answer, times: times)
        return cache.lookup(user: 0, key: 7, tokenMark: isSame ? 1 : 2, nowNS: nowNS)
    }

    struct Row: CustomTestStringConvertible {
        var headers: [(String, String)]
        var status = 200
        /// Of the freshness lifetime; nil: not storable.
        var lifetimeS: Double?
        var testDescription: String { headers.map { "\($0.0): \($0.1)" }.joined(separator: " | ") }

        init(_ headers: [(String, String)], _ lifetimeS: Double?, status: Int = 200) {
            self.headers = headers
            self.lifetimeS = lifetimeS
            self.status = status
        }

        init(_ cacheControl: String, _ lifetimeS: Double?) {
            self.init([("Cache-Control", cacheControl)], lifetimeS)
        }
    }

    private static let noon = "Thu, 01 Jan 2026 12:00:00 GMT"
    private static let one = "Thu, 01 Jan 2026 13:00:00 GMT"
    private static let eleven = "Thursday, 01-Jan-26 11:00:00 GMT"

    static let rows: [Row] = [
        Row("max-age=60", 60), Row("MAX-AGE=60", 60), Row("max-age=\"60\"", 60),
        Row(" max-age = 60 , public", 60), Row("max-age=60;", 0), Row("max-age=-1", 0),
        Row("max-age=", 0), Row("max-age", 0), Row("max-age=6.5", 0),
        // Of several the first.
        Row("max-age=60, max-age=10", 60),
        Row([("Cache-Control", "public"), ("cache-control", "max-age=60")], 60),
        Row([("Cache-Control", "max-age=60"), ("Cache-Control", "no-store")], nil),
        // What no 32 bits can hold.
        Row("max-age=99999999999999999999999", 2_147_483_647),
        Row("max-age=4294967296", 2_147_483_647),
        Row("s-maxage=60", 0), Row("s-maxage=60, max-age=5", 5), Row("private, max-age=60", 60),
        Row("no-cache, max-age=60", 0), Row("No-Cache=\"Set-Cookie\", max-age=60", 0),
        Row("no-store", nil), Row("NO-STORE, max-age=60", nil),
        Row("foo=\"a, no-store\", max-age=60", 60),
        Row([("Pragma", "no-cache"), ("Expires", one)], 0),
        Row([("Pragma", "no-cache"), ("Cache-Control", "max-age=60")], 60),
        Row([("Expires", one)], 3600), Row([("Expires", "0")], 0), Row([("Expires", "-1")], 0),
        Row([("Expires", eleven)], 0), Row([("Date", noon), ("Expires", one)], 3600),
        Row([("Date", one), ("Expires", one)], 0), Row([("Date", "x"), ("Expires", one)], 3600),
        Row([("Expires", one), ("Expires", "0")], 3600),
        Row([("Cache-Control", "max-age=0"), ("Expires", one)], 0),
        Row([("Last-Modified", eleven)], 360), Row([("Last-Modified", one)], 0),
        Row([("Last-Modified", "x")], 0),
        Row([("Last-Modified", eleven), ("Expires", "x")], 0),
        Row([("Last-Modified", eleven), ("Cache-Control", "no-cache")], 0),
        Row([("Vary", "Accept-Encoding, *"), ("Cache-Control", "max-age=60")], 0),
        Row([("Vary", "Accept-Encoding"), ("Cache-Control", "max-age=60")], 60),
        Row([("Cache-Control", "max-age=60")], 60, status: 204),
        Row([("Cache-Control", "max-age=60")], 60, status: 404),
        Row([("Cache-Control", "max-age=60")], nil, status: 206),
        Row([("Cache-Control", "max-age=60")], nil, status: 503),
        Row([("Cache-Control", "max-age=60")], 60, status: 302),
        Row([], nil, status: 302), Row([], 0, status: 301), Row([], 0, status: 410),
        Row([("Expires", one)], 3600, status: 307), Row([], nil, status: 401),
    ]

    @Test(arguments: rows) func lifetime(_ row: Row) {
        let headers = NotedAnswer(.rfc9111, row.headers).headers
        #expect(Freshness.isStorable(headers, status: row.status) == (row.lifetimeS != nil))
        let lifetimeNS = Freshness.lifetimeNS(
            headers, status: row.status, receivedEpochS: vectorEpochS)
        #expect(Double(lifetimeNS) / 1e9 == row.lifetimeS ?? 0)
    }

    /// RFC 9111 section 4.2.3, and what it says of odd ages in section 5.1.
    @Test(
        arguments: [
            ([], 0, 0), ([], 3, 3), ([("Age", "40")], 0, 40), ([("Age", "40")], 3, 43),
            ([("Age", "57, 12")], 0, 57), ([("Age", "57"), ("Age", "12")], 0, 57),
            ([("Age", "abc")], 2, 2), ([("Age", "-5")], 0, 0), ([("Age", "1.5")], 0, 0),
            ([("Date", "Thu, 01 Jan 2026 11:59:00 GMT")], 0, 60),
            ([("Date", "Thu, 01 Jan 2026 11:59:00 GMT"), ("Age", "100")], 2, 102),
            ([("Date", "Thu, 01 Jan 2026 11:59:00 GMT"), ("Age", "10")], 0, 60),
            ([("Date", noon), ("Age", "10")], 0, 10), ([("Date", one)], 0, 0),
            ([("Date", "x")], 0, 0),
        ] as [([(String, String)], UInt64, Double)])
    func age(_ headers: [(String, String)], _ delayS: UInt64, _ expectedS: Double) {
        let headers = NotedAnswer(.rfc9111, headers).headers
        let ageNS = Freshness.ageNS(headers, .at(100, delayS: delayS).shifted())
        #expect(Double(ageNS) / 1e9 == expectedS)
    }

    /// Equal is stale: fresh is what has a lifetime greater than its age.
    @Test func theLastMoment() {
        let answer = NotedAnswer(.rfc9111, [("Cache-Control", "max-age=60"), ("Age", "20")])
        let freshness = Freshness(answer.headers, status: 200, times: .at())
        #expect(freshness.freshUntilNS == startNS + 40 * secondNS)
        #expect(freshness.showableUntilNS == 0)
        #expect(
            look(answer, 200, .at(), isSame: true, nowNS: startNS + 40 * secondNS - 1).state
                == .hit)
        #expect(
            look(answer, 200, .at(), isSame: true, nowNS: startNS + 40 * secondNS).state == .miss)
    }

    @Test(arguments: [
        ("max-age=60, stale-while-revalidate=30", 90 as UInt64),
        ("max-age=0, stale-while-revalidate=30", 30),
        ("max-age=60, stale-while-revalidate=30, must-revalidate", 0),
        ("no-cache, stale-while-revalidate=30", 0), ("stale-while-revalidate=x", 0),
        ("max-age=60, stale-while-revalidate=0", 0), ("max-age=60", 0),
    ])
    func shownWhileItIsValidated(_ cacheControl: String, _ endS: UInt64) {
        let answer = NotedAnswer(.rfc9111, [("Cache-Control", cacheControl)])
        let freshness = Freshness(answer.headers, status: 200, times: .at())
        #expect(freshness.showableUntilNS == (endS == 0 ? 0 : startNS + endS * secondNS))
    }
}

extension AnswerTimes {
    /// The same, with the wall clock at the vectors' time.
    fileprivate func shifted() -> AnswerTimes {
        AnswerTimes(sentNS: sentNS, receivedNS: receivedNS, receivedEpochS: vectorEpochS)
    }
}
