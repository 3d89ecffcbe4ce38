import JSONText
import Testing

@testable import Workload

@Suite("Faults on purpose")
struct PlanInjectionTests {
    private static let renewal = #""renewal": {"url": "http://127.0.0.1:9/token"}"#

    /// A scenario with a server of its own.
    private static func embedded(_ injection: String, auth: String = "", more: String = "")
        -> String
    {
        #"{"target": {"origin": {"token": {}}}, "auth": {\#(auth)}, "inject": [\#(injection)]\#(more)}"#
    }

    private static func foreign(_ injection: String) -> String {
        local(#""auth": {\#(renewal)}, "inject": [\#(injection)]"#)
    }

    private static let hook = HookPlan(url: "http://127.0.0.1:8080/revoke")

    @Test(
        "What each says",
        arguments: [
            (#""expire": "poison""#, InjectionPlan.Kind.poison(.garbage)),
            (#""expire": "poison", "with": "old""#, .poison(.old)),
            (#""expire": "poison", "with": "empty", "share": "100%""#, .poison(.empty)),
            (
                #""expire": "revoke", "request": {"url": "http://127.0.0.1:8080/revoke"}"#,
                .revoke(hook)
            ),
        ])
    func kinds(members: String, kind: InjectionPlan.Kind) throws {
        let plan = try plan(Self.foreign(#"{"at": 1, "every": "15s", \#(members)}"#))
        let injection = try #require(plan.injections.first)
        #expect(injection.kind == kind)
        #expect((injection.atNS, injection.everyNS) == (1_000_000_000, 15_000_000_000))
        #expect((injection.durationNS, injection.share) == (nil, 1))
    }

    @Test("Faults of the embedded origin")
    func faults() throws {
        for fault in InjectionPlan.RenewalFault.allCases {
            let text = #"{"at": 0, "for": "2s", "renewal": "\#(fault.rawValue)"}"#
            let injection = try #require(try plan(Self.embedded(text)).injections.first)
            #expect(injection.kind == .renewal(fault))
            #expect(injection.durationNS == 2_000_000_000)
        }
        for fault in InjectionPlan.TileFault.allCases {
            let text = #"{"at": 0, "tiles": "\#(fault.rawValue)"}"#
            let injection = try #require(try plan(Self.embedded(text)).injections.first)
            #expect(injection.kind == .tiles(fault))
            #expect(injection.durationNS == nil)
        }
        // A status may be written as the number that it is.
        let number = try plan(Self.embedded(#"{"at": 0, "renewal": 500}"#))
        #expect(number.injections.first?.kind == .renewal(.status500))
    }

    @Test("A share of the cells, where there are several")
    func shares() throws {
        let hook = #""revoke", "request": {"url": "${ORIGIN}/r/{user}"}"#
        for kind in [#""poison""#, #""origin""#, hook] {
            let text = #"{"at": 1, "share": "30%", "expire": \#(kind)}"#
            let plan = try plan(Self.embedded(text, auth: #""sharing": "user""#))
            #expect(plan.injections.first?.share == 0.3)
            let one = problems(Self.embedded(text))
            #expect(one.count == 1)
            #expect(one.first?.contains("/inject/0/share: all users share one token") == true)
        }
    }

    @Test("A hook that ends some users' tokens must be told whose")
    func sharesOfAHook() throws {
        func text(_ request: String) -> String {
            let entry = #"{"at": 1, "share": "30%", "expire": "revoke", "request": \#(request)}"#
            return Self.embedded(entry, auth: #""sharing": "user""#)
        }
        let silent = problems(text(#"{"url": "${ORIGIN}/r"}"#))
        #expect(silent.count == 1)
        #expect(silent.first?.contains("/inject/0/share: the server is not told whose") == true)
        for request in [
            #"{"url": "${ORIGIN}/r", "headers": {"X-Cell": "{user}"}}"#,
            #"{"url": "${ORIGIN}/r", "body": {"cell": "{user}"}}"#,
        ] {
            #expect(try plan(text(request)).injections.first?.share == 0.3)
        }
    }

    @Test("An origin that ends some users' tokens must know them by their numbers")
    func sharesAtTheOrigin() throws {
        func text(_ renewal: String) -> String {
            Self.embedded(
                #"{"at": 1, "share": "30%", "expire": "origin"}"#,
                auth: #""sharing": "user", "renewal": {\#(renewal)}"#)
        }
        let url = #""url": "${ORIGIN}/token"#
        let password = #""kind": "password", "password": "p", "username""#
        for renewal in [
            #"\#(url)?a=1&cell={user}""#, #"\#(url)", \#(password): "{user}""#,
            #"\#(url)?cell={user}", \#(password): "ann""#,
        ] {
            #expect(try plan(text(renewal)).injections.first?.share == 0.3)
        }
        for renewal in [
            #"\#(url)""#, #"\#(url)?cell=u{user}""#, #"\#(url)", \#(password): "load-{user}""#,
            #"\#(url)?cell=all", \#(password): "{user}""#,
            #"\#(url)", \#(password): "{user}", "body": {"form": {"username": "ann"}}"#,
        ] {
            let found = problems(text(renewal))
            #expect(found.count == 1)
            #expect(found.first?.contains("/inject/0/share: the embedded origin cannot") == true)
        }
    }

    @Test("The request of a hook")
    func hookRequest() throws {
        let plan = try plan(
            Self.embedded(
                """
                {"at": 1, "expire": "revoke", "request": {"url": "${ORIGIN}/revoke?a=1", "method": "PUT",
                 "headers": {"X-Admin-Key": "hidden-admin", "Content-Type": "text/plain"},
                 "body": "secret=hidden-body", "timeout": "250ms"}}
                """))
        guard case .revoke(let hook) = plan.injections.first?.kind else {
            Issue.record("no hook")
            return
        }
        #expect(hook.method == "PUT")
        #expect(hook.headers == [HeaderPlan(name: "X-Admin-Key", value: "hidden-admin")])
        #expect(hook.body?.text == "secret=hidden-body")
        #expect(hook.body?.contentType == "text/plain")
        #expect(hook.timeoutNS == 250_000_000)
        let written = JSONWriter.encodeText(plan.json)
        #expect(!written.contains("hidden-"))
        // The address is put in where `${ORIGIN}` stands.
        let resolved = plan.resolvingOrigin(address: "http://127.0.0.1:81")
        guard case .revoke(let own) = resolved.injections.first?.kind else { return }
        #expect(own.url == "http://127.0.0.1:81/revoke?a=1")
    }

    @Test("A hook stays inside the fence")
    func fence() throws {
        func text(_ hosts: String) -> String {
            """
            {"target": {"tiles": "http://127.0.0.1:8080/{z}"\(hosts)}, "auth": {\(Self.renewal)},
             "inject": [{"at": 1, "expire": "revoke", "request": {"url": "http://10.0.0.9:81/r"}}]}
            """
        }
        #expect(try plan(text("")).target.hosts.contains("10.0.0.9:81"))
        let found = problems(text(#", "hosts": ["127.0.0.1"]"#))
        #expect(found.count == 1)
        #expect(
            found.first?.contains("/inject/0/request/url: `10.0.0.9:81` is outside the fence")
                == true, "\(found)")
    }

    @Test(
        "What has no meaning",
        arguments: [
            (#"{"at": 1}"#, "/inject/0: needs one of `expire`, `renewal`, `tiles`"),
            (#"{"expire": "poison"}"#, "/inject/0: `at` is missing"),
            (
                #"{"at": 1, "expire": "origin"}"#,
                "/inject/0/expire: \"origin\" needs an embedded origin that gives tokens"
            ),
            (
                #"{"at": 1, "renewal": "slow"}"#,
                "/inject/0/renewal: \"slow\" needs an embedded origin that gives tokens"
            ),
            (
                #"{"at": 1, "tiles": "replication-lag"}"#,
                "/inject/0/tiles: \"replication-lag\" needs an embedded origin that gives tokens"
            ),
            (#"{"at": 1, "expire": "poison", "share": 0}"#, "/inject/0/share: a share of 0 hits"),
            (#"{"at": 1, "expire": "poison", "share": 2}"#, "/inject/0/share: 2 is too large"),
            (#"{"at": 1, "expire": "poison", "every": 0}"#, "/inject/0/every: must be longer"),
            (#"{"at": 1, "expire": "poison", "for": 1}"#, "/inject/0/for: `for` is for `renewal`"),
            (
                #"{"at": 1, "expire": "poison", "request": {"url": "http://127.0.0.1/"}}"#,
                "/inject/0/request: `request` is for \"expire\": \"revoke\" only"
            ),
            (
                #"{"at": 1, "expire": "revoke", "with": "old", "request": {"url": "http://127.0.0.1/"}}"#,
                "/inject/0/with: `with` is for \"expire\": \"poison\" only"
            ),
            (#"{"at": 1, "expire": "revoke"}"#, "/inject/0: `request` is missing"),
            (
                #"{"at": 1, "expire": "revoke", "request": {}}"#,
                "/inject/0/request: `url` is missing"
            ),
            (
                #"{"at": 1, "expire": "revoke", "request": {"url": "revoke"}}"#,
                "/inject/0/request/url: is no absolute URL"
            ),
            (
                #"{"at": 1, "expire": "revoke", "request": {"url": "http://127.0.0.1/{token}"}}"#,
                "/inject/0/request/url: `{token}` has no value here"
            ),
            (
                #"{"at": 1, "expire": "poison", "renewal": "slow"}"#,
                "/inject/0/renewal: `renewal` and `expire` exclude each other"
            ),
            (#"{"at": 1, "expire": "posion"}"#, "/inject/0/expire: expected one of"),
        ])
    func misfits(injection: String, expected: String) {
        let found = problems(Self.foreign(injection))
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.contains(": " + expected) == true, "\(found)")
    }

    @Test(
        "What the embedded origin cannot do",
        arguments: [
            (
                #"{"at": 1, "every": "5s", "for": "5s", "renewal": "slow"}"#,
                "/inject/0/every: the fault has not ended when it comes again"
            ),
            (
                #"{"at": 1, "every": "5s", "renewal": "slow"}"#,
                "/inject/0/every: the fault has not ended when it comes again"
            ),
            (
                #"{"at": 1, "renewal": "slow", "share": "100%"}"#,
                "/inject/0/share: `share` is for `expire` only"
            ),
            (
                #"{"at": 1, "expire": "revoke", "request": {"url": "${ORIGIN}.evil/"}}"#,
                "/inject/0/request/url: only a path may follow ${ORIGIN}"
            ),
        ])
    func originMisfits(injection: String, expected: String) {
        let found = problems(Self.embedded(injection))
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.contains(": " + expected) == true, "\(found)")
    }

    @Test("Expiry needs a token that is renewed")
    func withoutAuth() {
        let poison = #""inject": [{"at": 1, "expire": "poison"}]"#
        for text in [local(poison), local(poison + #", "auth": {"static": "abcdef"}"#)] {
            let found = problems(text)
            #expect(found.count == 1)
            #expect(found.first?.contains("\"poison\" needs `auth` with a renewal") == true)
        }
    }

    @Test("What lies behind the end is noted")
    func behindTheEnd() throws {
        let text = Self.embedded(
            #"{"at": "10s", "expire": "origin"}"#, more: #", "load": {"for": "10s"}"#)
        #expect(try plan(text).notes.contains { $0.contains("inject.0.at lies behind the end") })
    }
}
