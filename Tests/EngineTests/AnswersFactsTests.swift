import Metrics
import Testing

@testable import Engine

@Suite struct AnswersFactsTests {
    @Test(arguments: [
        ("image/png", AnswerFacts.ContentType.png), ("IMAGE/JPG", .jpeg), ("image/jpeg", .jpeg),
        ("image/webp", .webp), ("image/gif", .gif), ("image/avif", .image),
        ("image/svg+xml", .image), ("application/x-protobuf", .mvt),
        ("application/vnd.mapbox-vector-tile; v=2", .mvt),
        ("application/json;charset=utf-8", .json),
        ("application/problem+json", .json), ("text/html", .html),
        ("application/xhtml+xml", .html), ("application/vnd.ogc.se_xml", .xml),
        ("text/plain", .text), ("binary/octet-stream", .octetStream), ("video/mp4", .other),
        ("", .none),
    ])
    func contentTypes(_ value: String, _ type: AnswerFacts.ContentType) {
        #expect(facts([("content-TYPE", value)]).contentType == type)
    }

    @Test(arguments: [
        ("gzip", AnswerFacts.ContentEncoding.gzip), ("X-GZIP", .gzip), ("br", .brotli),
        ("deflate", .deflate), ("zstd", .zstd), ("identity", .none), ("gzip, br", .other),
    ])
    func contentEncodings(_ value: String, _ encoding: AnswerFacts.ContentEncoding) {
        #expect(facts([("Content-Encoding", value)]).contentEncoding == encoding)
    }

    @Test func marks() {
        let none = facts([])
        #expect(!none.isBlocked && !none.isNoTile && !none.hasLocation)
        #expect(none.challenges.isEmpty)
        #expect(none.contentLength == -1 && none.retryAfterS == -1)
        #expect(facts([("x-blocked", "go away")]).isBlocked)
        #expect(facts([("X-VE-Tile-Info", "No-Tile")]).isNoTile)
        #expect(!facts([("X-VE-Tile-Info", "other")]).isNoTile)
        #expect(facts([("Blank-Tile", "TRUE")]).isNoTile)
        #expect(!facts([("blank-tile", "false")]).isNoTile)
        #expect(facts([("Location", "/a")]).hasLocation)
        #expect(facts([("Content-Length", " 1234 ")]).contentLength == 1234)
        #expect(facts([("Content-Length", "12x")]).contentLength == -1)
    }

    @Test(arguments: [
        ("Bearer error=\"invalid_token\"", true), ("bearer ERROR=Invalid_Token", true),
        ("Bearer realm=\"tiles, all\", error = \"invalid_token\", scope=\"a b\"", true),
        ("Basic realm=\"x\", Bearer error=invalid_token", true),
        ("Negotiate YII==, DPoP algs=\"ES256\", error=\"invalid_token\"", true),
        ("Bearer error=\"inval\\id_token\"", true), ("Bearer ,,error=\"invalid_token\",", true),
        ("Bearer error=\"invalid_token", true),
        ("Bearer error=\"invalid_token_format\"", false), ("Bearer error=\"token\"", false),
        ("Bearer error_description=\"invalid_token\"", false),
        ("Bearer realm=\"error=\\\"invalid_token\\\"\"", false),
        ("Bearer realm=\"a\\\\\", error=\"invalid_token\"", true),
        ("Bearer realm=invalid_token", false), ("invalid_token", false), ("Bearer", false),
        ("error", false), ("error=", false), ("error=\"", false), ("\"error=invalid_token", false),
        ("x-error=invalid_token", false), ("", false), ("=", false), ("\\", false),
    ])
    func challenges(_ value: String, _ isExpired: Bool) {
        let facts = facts([("www-AUTHENTICATE", value)])
        #expect(facts.challenges.contains(ChallengeErrors.invalidToken) == isExpired)
    }

    /// Several lines count together; beyond what is kept apart the first ones stay.
    @Test func severalChallenges() {
        let lines = [
            "Basic realm=x", "Bearer error=insufficient_scope", "DPoP error=invalid_token",
        ]
        let two = facts(lines.map { ("WWW-Authenticate", $0) })
        #expect(two.challenges.contains(ChallengeErrors.invalidToken))
        #expect(two.challenges.contains(ChallengeErrors.insufficientScope))
        #expect(!two.challenges.contains(ChallengeErrors.hash(of: "invalid_request")))
        let many = facts((0..<9).map { ("WWW-Authenticate", "Bearer error=e\($0)") })
        #expect(many.challenges.contains(ChallengeErrors.hash(of: "E0")))
        #expect(many.challenges.contains(ChallengeErrors.hash(of: "e3")))
        #expect(!many.challenges.contains(ChallengeErrors.hash(of: "e4")))
    }

    @Test func statusLinesBeginAnew() {
        var facts = facts([("Content-Type", "image/png"), ("X-Blocked", "1"), ("X-Cache", "HIT")])
        Array("HTTP/2 200\r\n".utf8).withUnsafeBytes { facts.note(line: $0) }
        #expect(facts.contentType == .none && !facts.isBlocked)
        #expect(facts.cache.verdict(status: 200).cls == .unknown)
    }

    @Test func retryAfter() {
        #expect(facts([("Retry-After", "120")]).retryAfterS == 120)
        #expect(facts([("Retry-After", "-1")]).retryAfterS == -1)
        #expect(facts([("Retry-After", "soon")]).retryAfterS == -1)
        #expect(facts([("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT")]).retryAfterS == 0)
        #expect(facts([("Retry-After", "Sun, 06 Nov 2994 08:49:37 GMT")]).retryAfterS > 1_000_000)
    }

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200),
            ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
            ("Tue, 31 Dec 2069 23:59:59 GMT", 3_155_759_999),
            ("0", nil), ("-1", nil), ("", nil), ("Sun, 06 Nov 1994", nil),
            ("Sun, 06 Nov 1994 24:00:00 GMT", nil), ("Sun, 99 Nov 1994 08:49:37 GMT", nil),
        ] as [(String, Int64?)])
    func httpDates(_ text: String, _ seconds: Int64?) {
        #expect(withBytes(text) { HTTPDate.epochSeconds($0) } == seconds)
    }

    /// Whatever a server sends: nothing traps, and what is said stays within its vocabulary.
    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func randomLines(_ seed: UInt64) {
        var random = SplitMix(seed)
        let names =
            CacheEvidence.names + [
                "Content-Type", "Date", "Retry-After", "WWW-Authenticate", "Content-Length",
                "HTTP/1.1",
            ]
        let alphabet = Array("hit;miss=,\"\\? \tfwd-stale:304ttl-TCP_0123456789N/A\r\n".utf8)
        var lines = 0
        for _ in 0..<5_000 {
            var facts = AnswerFacts()
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                let name = names.randomElement(using: &random) ?? ""
                var line = Bool.random(using: &random) ? Array("\(name):".utf8) : []
                for _ in 0..<Int.random(in: 0...40, using: &random) {
                    let isPlain = Int.random(in: 0...9, using: &random) > 0
                    let any = UInt8.random(in: 0...255, using: &random)
                    line.append(isPlain ? alphabet.randomElement(using: &random) ?? any : any)
                }
                line.withUnsafeBytes { facts.note(line: $0) }
                lines += 1
            }
            let verdict = facts.cache.verdict(status: Int.random(in: 0...600, using: &random))
            #expect(
                (verdict.cls == .unknown) == (verdict.evidence == CacheEvidence.none),
                "seed \(seed)")
            #expect(
                verdict.evidence == CacheEvidence.none
                    || Int(verdict.evidence) < CacheEvidence.names.count, "seed \(seed)")
        }
        #expect(lines > 1_000)
    }

    /// Random bodies, also cut short and of lying lengths, never trap.
    @Test(arguments: [5, 6] as [UInt64]) func randomBodies(_ seed: UInt64) {
        var random = SplitMix(seed)
        let seeds: [[UInt8]] = [
            [0x1A, 7, 0x0A], [0x89, 0x50], Array("RIFF".utf8), Array("cb({".utf8),
            Array("{\"error\":{\"code\":".utf8), [0x1A, 0xFF, 0xFF, 0xFF], [0x82, 0x01], [],
        ]
        var counts: [Outcome: Int] = [:]
        for _ in 0..<5_000 {
            var body = seeds.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 0...30, using: &random) {
                body.append(UInt8.random(in: 0...255, using: &random))
            }
            let length = UInt64.random(in: 0...4096, using: &random)
            let facts = facts(Bool.random(using: &random) ? [] : [("Content-Type", "image/png")])
            let outcome = body.withUnsafeBufferPointer { prefix in
                _ = refusalRule().isRefusal(status: 200, facts: facts, prefix: prefix)
                return OutcomeRule.outcome(
                    status: 200, facts: facts, prefix: prefix, bodyBytes: length,
                    isUnpacked: length % 2 == 0, isRefusal: false)
            }
            counts[outcome, default: 0] += 1
        }
        #expect(counts.count > 2, "seed \(seed)")
    }
}
