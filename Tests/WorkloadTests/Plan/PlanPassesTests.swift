import JSONText
import Testing

@testable import Workload

@Suite struct PlanPassesTests {
    @Test func defaults() throws {
        let plan = try plan(local())
        #expect(plan.passes == ["run"])
        #expect(plan.before.isEmpty)
    }

    @Test func read() throws {
        let read = try plan(
            local(
                """
                "passes": ["cold", "warm_2"], "before": [
                  {"url": "http://127.0.0.1:9/purge", "method": "PURGE", "status": [200, 404],
                   "headers": {"X-Key": "all"}, "timeout": "2s"},
                  {"url": "http://127.0.0.1:9/ready", "body": {"a": 1}}]
                """))
        #expect(read.passes == ["cold", "warm_2"])
        #expect(read.before.count == 2)
        #expect(read.before[0].request.method == "PURGE")
        #expect(read.before[0].request.timeoutNS == 2_000_000_000)
        #expect(read.before[0].accepts(404) && !read.before[0].accepts(204))
        #expect(read.before[1].request.method == "GET")
        #expect(read.before[1].accepts(204) && !read.before[1].accepts(304))
        #expect(read.before[1].request.body?.text == "{\"a\":1}")
        let again = try plan(JSONWriter.encodeText(read.json))
        #expect(again.passes == read.passes)
        #expect(again.before.map(\.statuses) == read.before.map(\.statuses))
        #expect(again.before.map(\.request.url) == read.before.map(\.request.url))
    }

    @Test(arguments: [
        ("\"passes\": []", "/passes", "no pass is named"),
        ("\"passes\": [\"a b\"]", "/passes/0", "letters, digits"),
        ("\"passes\": [\"a/b\"]", "/passes/0", "letters, digits"),
        ("\"passes\": [\"..\"]", "/passes/0", "letters, digits"),
        ("\"passes\": [\"\"]", "/passes/0", "must not be empty"),
        ("\"passes\": [\"cold\", \"COLD\"]", "/passes/1", "is the name of a pass before it"),
        ("\"before\": [{}]", "/before/0", "url"),
        ("\"before\": [{\"url\": \"ftp://127.0.0.1/\"}]", "/before/0/url", ""),
        (
            "\"before\": [{\"url\": \"http://127.0.0.1/\", \"method\": \"A B\"}]",
            "/before/0/method", "is no method"
        ),
        (
            "\"before\": [{\"url\": \"http://127.0.0.1/{token}\"}]", "/before/0/url",
            "`{token}` has no value here"
        ),
    ])
    func refused(_ text: String, _ pointer: String, _ words: String) {
        let found = problems(local(text))
        #expect(
            found.contains { $0.contains(": \(pointer)") && $0.contains(words) }, "\(found)")
    }

    /// The host of a request that comes first is inside the fence because it is written.
    @Test func theFenceHoldsForThemToo() throws {
        let plan = try plan(
            local("\"before\": [{\"url\": \"http://127.0.0.2:81/purge\"}]"))
        #expect(plan.target.hosts.contains("127.0.0.2:81"))
        let found = problems(
            """
            {"target": {"tiles": "http://127.0.0.1/{z}/{x}/{y}", "hosts": ["127.0.0.1"]},
             "before": [{"url": "http://127.0.0.2/purge"}]}
            """)
        #expect(found.contains { $0.contains(": /before/0/url") }, "\(found)")
    }

    @Test func theEmbeddedOriginsAddressIsFilledIn() throws {
        let plan = try plan(
            """
            {"target": {"origin": {}}, "before": [{"url": "${ORIGIN}/0/0/0.png"}]}
            """)
        #expect(
            plan.resolvingOrigin(address: "http://127.0.0.1:8").before[0].request.url
                == "http://127.0.0.1:8/0/0/0.png")
    }
}
