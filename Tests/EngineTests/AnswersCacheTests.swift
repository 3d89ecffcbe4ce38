import JSONText
import Metrics
import Testing

@testable import Engine

@Suite struct AnswersCacheTests {
    static let classNames: [String: CacheClass] = [
        "hit": .hit, "stale_hit": .staleHit, "revalidated": .revalidated, "miss": .miss,
        "bypass": .bypass, "dynamic": .dynamic, "synthetic": .synthetic, "error": .error,
        "unknown": .unknown,
    ]

    @Test func everyVector() throws {
        let all = try #require(try vectors("cache-headers.json")["vectors"]?.array)
        #expect(all.count > 50)
        for vector in all {
            let id = try #require(vector["id"]?.string)
            let status = try #require(vector["status"]?.int)
            let expected = try #require(vector["expected"])
            let name = try #require(expected["cls"]?.string)
            let cls = try #require(Self.classNames[name])
            let verdict = facts(headerList(vector["headers"]), status: status)
                .cache.verdict(status: status)
            #expect(verdict.cls == cls, "\(id)")
            #expect(verdict.isShield == (expected["tier"]?.string == "shield"), "\(id)")
            #expect((verdict.evidence == CacheEvidence.none) == (cls == .unknown), "\(id)")
            if expected["inferred"]?.bool == true {
                #expect(CacheEvidence.names[Int(verdict.evidence)] == "Age", "\(id)")
            }
        }
    }

    /// The raw values are places in the table that the report takes its names from.
    @Test(arguments: CacheHeader.allCases) func tableOfNames(_ header: CacheHeader) {
        let name = CacheEvidence.names[Int(header.rawValue)]
        #expect(withBytes(name) { CacheHeader($0) } == header)
        #expect(withBytes(name.uppercased()) { CacheHeader($0) } == header)
        #expect(withBytes(name + "x") { CacheHeader($0) } == nil)
        #expect(CacheEvidence.names.count == CacheHeader.allCases.count)
        #expect(Int(CacheEvidence.configured) == CacheHeader.allCases.count)
    }

    struct Row: CustomTestStringConvertible {
        var headers: [(String, String)]
        var status = 200
        var cls: CacheClass
        var isShield = false
        var evidence: String?
        var testDescription: String { headers.map { "\($0.0): \($0.1)" }.joined(separator: " | ") }
    }

    /// A hit in each header's own words, in the order in which they are believed.
    static let inOrder: [(String, String)] = [
        ("Cache-Status", "A; hit"), ("CF-Cache-Status", "HIT"),
        ("Akamai-Cache-Status", "Hit from child"), ("x-vercel-cache", "HIT"),
        ("CDN-Cache", "HIT"), ("geowebcache-cache-result", "HIT"), ("X-Cache-Status", "HIT"),
        ("X-Proxy-Cache", "HIT"), ("X-Nginx-Cache", "HIT"), ("X-Cache", "HIT"),
        ("X-Varnish", "77 66"), ("Age", "5"),
    ]

    /// Of two headers the earlier in the order is believed, whichever comes first.
    @Test(arguments: inOrder.indices) func precedence(_ place: Int) {
        let first = Self.inOrder[place]
        for second in Self.inOrder[(place + 1)...] {
            for headers in [[first, second], [second, first]] {
                let verdict = facts(headers).cache.verdict(status: 200)
                #expect(verdict.cls == .hit, "\(headers)")
                #expect(CacheEvidence.names[Int(verdict.evidence)] == first.0, "\(headers)")
            }
        }
    }

    static let cacheStatusValues: [(String, CacheClass, Bool)] = [
        ("A; hit; ttl=5", .hit, false), ("A; hit; ttl=-30", .staleHit, false),
        ("A; hit; ttl=-0", .hit, false), ("A; hit=?0; fwd=miss", .miss, false),
        ("A; fwd=stale; fwd-status=304", .revalidated, false),
        ("A; fwd=stale; fwd-status=503", .staleHit, false),
        ("A; fwd=method", .bypass, false), ("A; fwd=request", .bypass, false),
        ("O; hit; ttl=1100, \"CDN, Inc; hit\"; fwd=uri-miss", .hit, true),
        ("O; hit, E; hit; ttl=545", .hit, false),
        ("O; hit; ttl=-1, E; fwd=miss", .staleHit, true),
        ("O; hit, M; fwd=miss, E; fwd=miss", .hit, true),
        ("O; hit, M; fwd=bypass, E; fwd=miss", .miss, false),
        ("O; hit, E; fwd=bypass", .bypass, false),
        ("O; hit, E; detail=\"says; fwd=miss\"", .hit, false),
        ("A;detail=x", .unknown, false), ("A", .unknown, false), ("", .unknown, false),
        ("hit", .hit, false), ("uncacheable", .bypass, false), ("disabled", .dynamic, false),
        ("A ; FWD=Stale ; fwd-status=304", .revalidated, false),
    ]

    static let cacheStatus = cacheStatusValues.map {
        Row(headers: [("Cache-Status", $0.0)], cls: $0.1, isShield: $0.2)
    }

    static let others: [Row] = [
        Row(headers: [("Cache-Status", "A; fwd=stale")], status: 304, cls: .revalidated),
        Row(headers: [("Cache-Status", "A; fwd=stale; fwd-status=503")], status: 503, cls: .miss),
        Row(
            headers: [("cache-status", "O; hit"), ("cache-status", "E; fwd=miss")], cls: .hit,
            isShield: true, evidence: "Cache-Status"),
        Row(
            headers: [("X-Cache", "MISS"), ("CF-Cache-Status", "HIT")], cls: .hit,
            evidence: "CF-Cache-Status"),
        Row(
            headers: [("CF-Cache-Status", "nonsense"), ("X-Cache", "MISS")], cls: .miss,
            evidence: "X-Cache"),
        Row(headers: [("CF-Cache-Status", "DYNAMIC"), ("Age", "9")], cls: .dynamic),
        Row(headers: [("CF-Cache-Status", "UPDATING")], cls: .staleHit),
        Row(headers: [("CF-Cache-Status", "BYPASS")], cls: .bypass),
        Row(headers: [("X-Cache", "FunctionGeneratedResponse from cloudfront")], cls: .synthetic),
        Row(headers: [("X-Cache", "Miss from cloudfront")], cls: .miss),
        Row(headers: [("X-Cache", "OriginShieldHit from cloudfront")], cls: .hit, isShield: true),
        Row(headers: [("X-Cache", "LimitExceeded from cloudfront")], cls: .error),
        Row(
            headers: [("X-Cache", "HIT"), ("X-Cache", "Miss from cloudfront")], cls: .hit,
            isShield: true),
        Row(headers: [("X-Cache", "MISS from squid1, HIT from squid2")], cls: .hit),
        Row(headers: [("X-Cache", "HIT, MISS, MISS")], cls: .hit, isShield: true),
        Row(
            headers: [("X-Cache", "MISS from sq"), ("X-Cache-Lookup", "HIT from sq:3128")],
            cls: .miss),
        Row(headers: [("X-Cache-Lookup", "HIT from sq:3128")], cls: .unknown),
        Row(headers: [("X-Cache", "TCP_REFRESH_HIT from a1")], cls: .revalidated),
        Row(headers: [("X-Cache", "TCP_EXPIRED_MISS from a1")], cls: .miss),
        Row(
            headers: [("X-Cache", "TCP_MISS from a1"), ("X-Check-Cacheable", "NO")], cls: .bypass,
            evidence: "X-Check-Cacheable"),
        Row(headers: [("X-Check-Cacheable", "YES"), ("X-Cache", "TCP_MISS")], cls: .miss),
        Row(headers: [("X-Cache", "TCP_HIT"), ("X-Check-Cacheable", "NO")], cls: .hit),
        Row(
            headers: [("X-Cache", "TCP_MISS"), ("X-Cache-Remote", "TCP_MISS")], cls: .miss,
            evidence: "X-Cache"),
        Row(
            headers: [("X-Cache-Remote", "TCP_REFRESH_HIT"), ("X-Cache", "TCP_MISS")],
            cls: .revalidated, isShield: true, evidence: "X-Cache-Remote"),
        Row(
            headers: [("Akamai-Cache-Status", "Miss from child, Miss from parent")], cls: .miss),
        Row(
            headers: [("Akamai-Cache-Status", "Miss from child, RefreshHit from parent")],
            cls: .revalidated, isShield: true),
        Row(
            headers: [("Akamai-Cache-Status", "NotCacheable from child, Hit from parent")],
            cls: .bypass),
        Row(headers: [("X-Cache", "INVALIDATE from host")], cls: .miss),
        Row(
            headers: [
                ("X-Cache", "MISS from host"),
                ("X-Cache-Detail", "\"cache unwilling to store response\" from host"),
            ], cls: .bypass, evidence: "X-Cache-Detail"),
        Row(
            headers: [("X-Cache-Detail", "\"conditional cache hit: entity refreshed\" from h")],
            cls: .revalidated),
        Row(headers: [("x-vercel-cache", "PRERENDER")], cls: .hit),
        Row(headers: [("x-vercel-cache", "REVALIDATED")], cls: .miss),
        Row(headers: [("X-Cache-Status", "STALE")], cls: .staleHit),
        Row(headers: [("X-Cache-Status", "-"), ("Age", "3")], cls: .hit, evidence: "Age"),
        Row(headers: [("X-Varnish", "1 2, 77")], cls: .hit, isShield: true),
        Row(headers: [("X-Varnish", "77 x")], cls: .unknown),
        Row(headers: [("X-Varnish", "")], cls: .unknown),
        Row(headers: [("Age", "0")], cls: .unknown),
        Row(headers: [("Age", "-5")], cls: .unknown),
        Row(headers: [("Age", "1.5")], cls: .unknown),
        Row(headers: [("Age", "0, 5")], cls: .unknown),
        Row(headers: [("Age", "0"), ("Age", "5")], cls: .unknown),
        Row(headers: [("Age", "99999999999999999999999")], cls: .hit),
        Row(headers: [], cls: .unknown),
    ]

    @Test(arguments: cacheStatus + others) func table(_ row: Row) {
        let verdict = facts(row.headers, status: row.status).cache.verdict(status: row.status)
        #expect(verdict.cls == row.cls)
        #expect(verdict.isShield == row.isShield)
        if let evidence = row.evidence {
            #expect(CacheEvidence.names[Int(verdict.evidence)] == evidence)
        }
    }

    @Test(arguments: [
        ("X-My-Cache", "HIT", CacheClass.hit), ("x-my-cache", "EXPIRED", .miss),
        ("Cdn-Status", "revalidated", .revalidated), ("cache-status", "a; fwd=stale", .miss),
        ("cf-cache-status", "NONE/UNKNOWN", .dynamic), ("age", "12", .hit),
        ("x-tier", "?", .unknown),
    ])
    func believedHeader(_ name: String, _ value: String, _ cls: CacheClass) {
        let others = [("X-Cache", "Error from cloudfront"), ("X-Nginx-Cache", "BYPASS")]
        let verdict = facts([others[0], (name, value), others[1]], believing: name)
            .cache.verdict(status: 200)
        #expect(verdict.cls == cls)
        let expected = cls == .unknown ? CacheEvidence.none : CacheEvidence.configured
        #expect(verdict.evidence == expected)
        // When it does not come, nothing else is believed.
        #expect(facts(others, believing: name).cache.verdict(status: 200).cls == .unknown)
    }

    @Test func resetForgetsAllButTheBelievedHeader() {
        var facts = facts([("X-Mine", "HIT")], believing: "X-Mine")
        #expect(facts.cache.verdict(status: 200).cls == .hit)
        facts.reset()
        #expect(facts.cache.verdict(status: 200).cls == .unknown)
        Array("x-mine: MISS".utf8).withUnsafeBytes { facts.note(line: $0) }
        #expect(facts.cache.verdict(status: 200).cls == .miss)
    }
}
