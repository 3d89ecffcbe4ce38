import JSONText
import TileModel
import Testing

@testable import Workload

@Suite("Keys that have no meaning beside others")
struct KeyCombinationTests {
    private static let renewal = "\"renewal\": {\"url\": \"http://127.0.0.1:9/token\"}"

    @Test(
        "Are refused where they stand",
        arguments: [
            (
                "\"connection\": {\"http\": \"2\"}",
                "/connection/http: HTTP/2 to http://127.0.0.1:8080, without TLS, is not supported yet"
            ),
            (
                "\"load\": {\"rate\": 5}, \"workload\": {\"think\": \"1s\"}",
                "/workload/think: `think` is for a closed load only: an open one has no users"
            ),
            (
                "\"load\": {\"stages\": [{\"for\": 1, \"rate\": 5}]}, \"workload\": {\"think\": 1}",
                "/workload/think: `think` is for a closed load only: an open one has no users"
            ),
            (
                "\"load\": {\"rate\": 5}, \"cache\": {\"client\": {\"per\": \"user\"}}",
                "/cache/client/per: \"user\" is for a closed load only: an open one has no users"
            ),
            (
                "\"abort_when\": [{\"gate\": \"ledger.failed > 3\", \"level\": \"warn\"}]",
                "/abort_when/0/level: unknown key `level`"
            ),
            (
                "\"abort_when\": [{\"gate\": \"ledger.failed > 3\", \"allow_empty\": true}]",
                "/abort_when/0/allow_empty: unknown key `allow_empty`"
            ),
            (
                "\"auth\": {\"static\": \"abcdef\", \"start\": \"renew\"}",
                "/auth/start: `start` is for a token that is renewed, not for `static`"
            ),
            (
                "\"auth\": {\"static\": \"abcdef\", \"start\": \"dummy\"}",
                "/auth/start: `start` is for a token that is renewed, not for `static`"
            ),
            (
                "\"auth\": {\"static\": \"abcdef\", \"store\": \"s.json\"}",
                "/auth/store: `store` is for a token that is renewed, not for `static`"
            ),
            (
                "\"auth\": {\"static\": \"abcdef\", \"release\": \"all\"}",
                "/auth/release: `release` is for a token that is renewed, not for `static`"
            ),
            (
                "\"auth\": {\"static\": \"abcdef\", \"max_refusals\": 2}",
                "/auth/max_refusals: `max_refusals` is for a token that is renewed, not for `static`"
            ),
            (
                "\"auth\": {\"static\": \"abcdef\", \"max_barren\": 3}",
                "/auth/max_barren: `max_barren` is for a token that is renewed, not for `static`"
            ),
            (
                "\"auth\": {\"static\": \"abcdef\", \"cool_down\": \"1s..2s\"}",
                "/auth/cool_down: `cool_down` is for a token that is renewed, not for `static`"
            ),
            (
                "\"auth\": {\"max_refusals\": 11, \(renewal)}",
                "/auth/max_refusals: 11 is more than 10"
            ),
        ])
    func refused(members: String, expected: String) throws {
        guard case .failure(let found) = load(local(members)) else {
            Issue.record("\(members) is taken")
            return
        }
        #expect(found.list.count == 1, "\(found.formatted)")
        let problem = try #require(found.list.first)
        #expect("\(problem.pointer): \(problem.message)" == expected)
        #expect(problem.hint != nil)
        #expect(problem.place?.line == 1)
    }

    @Test("Their neighbours are taken")
    func taken() throws {
        for members in [
            "\"connection\": {\"http\": \"1.1\"}", "\"connection\": {\"http\": \"auto\"}",
            "\"load\": {\"rate\": 5}, \"workload\": {\"think\": \"0s\"}",
            "\"load\": {\"users\": 5}, \"workload\": {\"think\": \"1s\"}",
            "\"load\": {\"users\": 5}, \"cache\": {\"client\": {\"per\": \"user\"}}",
            "\"load\": {\"rate\": 5}, \"cache\": {\"client\": {\"per\": \"all\"}}",
            "\"auth\": {\"static\": \"abcdef\", \"start\": \"stored\"}",
            "\"auth\": {\"max_refusals\": 10, \(Self.renewal)}",
            "\"abort_when\": [{\"gate\": \"ledger.failed > 3 after 1s\", \"min_samples\": 5}]",
        ] {
            #expect(problems(local(members)) == [], "\(members)")
        }
    }

    @Test("HTTP/2 wants TLS on every host")
    func http2() throws {
        let version = "\"connection\": {\"http\": \"2\"}"
        let secure = "\"https://127.0.0.1/{z}\""
        #expect(
            try plan("{\"target\": {\"tiles\": \(secure)}, \(version)}").connection.version
                == .http2)
        for target in ["\"tiles\": [\(secure), \"http://127.0.0.1/{z}\"]", "\"origin\": {}"] {
            let found = problems("{\"target\": {\(target)}, \(version)}")
            #expect(found.count == 1)
            #expect(
                found.first?.contains("/connection/http: HTTP/2 to ") == true, "\(found)")
        }
    }

    @Test("A client cache is one per user, but in an open load one for all")
    func cachePerDefault() throws {
        let closed = try plan(local("\"cache\": {\"client\": {}}"))
        #expect(closed.cache.client?.isPerUser == true)
        let open = try plan(local("\"load\": {\"rate\": 5}, \"cache\": {\"client\": {}}"))
        #expect(open.cache.client?.isPerUser == false)
    }

    @Test("An override takes away what has no meaning beside it")
    func overrides() throws {
        let closed = local(
            "\"workload\": {\"think\": 1}, \"cache\": {\"client\": {\"per\": \"user\"}}")
        let open = try plan(closed, set: ["load.rate=5/s"])
        #expect(open.workload.thinkNS == 0)
        #expect(open.cache.client?.isPerUser == false)
        #expect(problems(closed, set: ["load.rate=5/s", "workload.think=2s"]).count == 1)
        let renewed = local(
            "\"auth\": {\(Self.renewal), \"start\": \"renew\", \"store\": \"s\", \"release\": \"all\"}"
        )
        let fixed = try plan(renewed, set: ["auth.static=abcdef"])
        #expect(fixed.auth?.renewal == nil)
        #expect((fixed.auth?.start, fixed.auth?.storePath) == (.stored, nil))
        #expect(problems(renewed, set: ["auth.static=abcdef", "auth.start=dummy"]).count == 1)
    }

    @Test("What changes less than one may think is noted")
    func notes() throws {
        let template = "\"tiles\": \"http://127.0.0.1/{z}/{x}/{y}?{random}\""
        let cached = try plan("{\"target\": {\(template)}, \"cache\": {\"client\": {}}}")
        #expect(cached.notes.contains { $0.contains("{random}") })
        #expect(try plan("{\"target\": {\(template)}}").notes == [])
        #expect(try plan(local("\"cache\": {\"client\": {}}")).notes == [])
        #expect(try plan(local(target: "\"tile_size\": 512")).notes.count == 1)
        #expect(try plan(local(target: "\"tile_size\": 256")).notes == [])
    }

    @Test("A box may be a line or a point", arguments: ["[8, 47, 8, 47]", "[8, 47, 9, 47]"])
    func thinBounds(box: String) throws {
        for kind in ["popular", "pyramid"] {
            let text = local("\"workload\": {\"kind\": \"\(kind)\", \"bounds\": \(box)}")
            #expect(try plan(text).workload.bounds?.north == 47)
        }
    }
}
