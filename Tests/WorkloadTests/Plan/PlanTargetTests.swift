import JSONText
import Testing
import TileModel

@testable import Workload

@Suite("Target: templates, headers, fence, permission")
struct PlanTargetTests {
    private func remote(_ url: String, _ members: String = "", target: String = "") -> String {
        """
        {"target": {"tiles": "\(url)"\(target.isEmpty ? "" : ", " + target)}\
        \(members.isEmpty ? "" : ", " + members)}
        """
    }

    // MARK: - Headers

    @Test("Default headers, replaced or left out by any case of their names")
    func headers() throws {
        let none = try plan(local())
        #expect(
            none.target.headers == [
                HeaderPlan(name: "User-Agent", value: "tilebench/1.2.3"),
                HeaderPlan(name: "Accept", value: "image/webp,image/png,*/*;q=0.8"),
            ])
        let some = try plan(
            local(target: "\"headers\": {\"X-A\": \"1\", \"user-agent\": \"me\", \"ACCEPT\": null}")
        )
        #expect(
            some.target.headers == [
                HeaderPlan(name: "X-A", value: "1"), HeaderPlan(name: "user-agent", value: "me"),
            ])
    }

    @Test(
        "Headers that cannot be sent",
        arguments: [
            ("\"X A\": \"1\"", "/target/headers/X A: `X A` is no name of a header"),
            ("\"\": \"1\"", "/target/headers/: `` is no name of a header"),
            ("\"X-A\": \"a\\nb\"", "/target/headers/X-A: holds a control character"),
            ("\"X-A\": 5", "/target/headers/X-A: expected text, found 5"),
            (
                "\"X-A\": \"1\", \"x-a\": \"2\"",
                "/target/headers/x-a: the header `x-a` stands twice"
            ),
            (
                "\"Content-Length\": \"5\"",
                "/target/headers/Content-Length: `Content-Length` is the transport's own"
            ),
        ])
    func badHeaders(members: String, expected: String) {
        let found = problems(local(target: "\"headers\": {\(members)}"))
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.hasSuffix(": " + expected) == true, "\(found)")
    }

    // MARK: - Fence

    @Test(
        "Hosts written in the scenario",
        arguments: [
            ("http://127.0.0.1:8080/{z}", "", ["127.0.0.1:8080"]),
            ("http://LOCALHOST/{z}", "", ["localhost"]),
            (
                "https://{a-c}.example.org/{z}", "",
                ["a.example.org", "b.example.org", "c.example.org"]
            ),
            ("https://[::1]:444/{z}", "", ["[::1]:444"]),
            (
                "https://t.example.org/{z}",
                "\"renewal\": {\"url\": \"https://b.example.org:81/t\"}",
                ["t.example.org", "b.example.org:81"]
            ),
        ])
    func hosts(url: String, auth: String, expected: [String]) throws {
        let plan = try plan(remote(url, auth.isEmpty ? "" : "\"auth\": {\(auth)}"))
        #expect(plan.target.hosts == expected)
    }

    @Test(
        "What is outside an explicit fence",
        arguments: [
            ("[\"127.0.0.1:8080\"]", []), ("[\"127.0.0.1\"]", []),
            ("[\"http://127.0.0.1:8080\"]", []), ("[\"127.0.0.1:80\"]", ["/target/tiles"]),
            ("[]", ["/target/tiles"]),
            ("[\"*.example.org\"]", ["/target/tiles", "/target/hosts/0"]),
            ("[\"a/b\", \"127.0.0.1\"]", ["/target/hosts/0"]),
        ] as [(String, [String])])
    func fence(hosts: String, pointers: [String]) {
        let found = problems(local(target: "\"hosts\": \(hosts)"))
        #expect(found.count == pointers.count, "\(found)")
        for pointer in pointers { #expect(found.contains { $0.contains(": \(pointer): ") }) }
    }

    @Test("A token endpoint outside the fence")
    func fencedRenewal() {
        let found = problems(
            local(
                "\"auth\": {\"renewal\": {\"url\": \"http://127.0.0.2/token\"}}",
                target: "\"hosts\": [\"127.0.0.1\"]"))
        #expect(found.count == 1)
        #expect(
            found.first?.contains("/auth/renewal/url: `127.0.0.2` is outside the fence") == true)
    }

    // MARK: - Permission

    @Test(
        "Loads that need permission",
        arguments: [
            ("https://t.example.org/{z}", "{\"users\": 100}", nil),
            ("https://t.example.org/{z}", "{\"users\": 101}", "/load/users"),
            ("https://t.example.org/{z}", "{\"rate\": 200}", nil),
            ("https://t.example.org/{z}", "{\"rate\": \"201/s\"}", "/load/rate"),
            (
                "https://t.example.org/{z}",
                "{\"stages\": [{\"for\": 1, \"rate\": \"0/s -> 500/s\"}]}",
                "/load/stages"
            ),
            (
                "https://t.example.org/{z}",
                "{\"stages\": [{\"for\": 1, \"users\": \"0 -> 100\"}]}", nil
            ),
            (
                "https://t.example.org/{z}", "{\"stages\": [{\"for\": 1, \"users\": 101}]}",
                "/load/stages"
            ),
            ("http://8.8.8.8/{z}", "{\"users\": 101}", "/load/users"),
            ("http://10.1.2.3/{z}", "{\"users\": 5000}", nil),
            ("http://localhost/{z}", "{\"rate\": 100000}", nil),
            ("http://[::1]/{z}", "{\"rate\": 100000}", nil),
            ("https://tile.openstreetmap.org/{z}/{x}/{y}.png", "{\"users\": 1}", "/target/tiles"),
            (
                "https://{s}.tile.openstreetmap.org/{z}/{x}/{y}.png", "{\"users\": 1}",
                "/target/tiles"
            ),
        ] as [(String, String, String?)])
    func permission(url: String, load: String, pointer: String?) throws {
        let text = remote(url, "\"load\": \(load)")
        let found = problems(text)
        if let pointer {
            #expect(!found.isEmpty)
            #expect(found.allSatisfy { $0.contains(": \(pointer): ") }, "\(found)")
        } else {
            #expect(found == [])
        }
        let allowed = try plan(remote(url, "\"load\": \(load)", target: "\"permission\": true"))
        #expect(allowed.target.hasPermission)
    }

    @Test("The volume is announced where permission is neither given nor needed")
    func volume() throws {
        let few = try plan(remote("https://t.example.org/{z}/{x}/{y}", "\"load\": {\"users\": 50}"))
        #expect(few.notes == ["50 users for 10s against t.example.org, without target.permission"])
        let own = try plan(local("\"load\": {\"users\": 5000}"))
        #expect(own.notes == [])
    }

    @Test("A name that leads to private addresses is one's own server")
    func privateNames() throws {
        let text = remote("http://tiles.lan/{z}/{x}/{y}", "\"load\": {\"users\": 500}")
        #expect(try plan(text, lookUp: { $0 == "tiles.lan" ? ["192.168.1.4"] : [] }).notes == [])
        for addresses in [[], ["192.168.1.4", "8.8.8.8"]] {
            guard case .failure(let problems) = load(text, lookUp: { _ in addresses }) else {
                Issue.record("\(addresses) were taken for private")
                continue
            }
            #expect(problems.list.map(\.pointer) == ["/load/users"])
        }
        let fixed = remote(
            "http://tile.openstreetmap.org/{z}/{x}/{y}",
            "\"load\": {\"users\": 500}, \"connection\": {\"resolve\": {\"tile.openstreetmap.org\": \"127.0.0.1\"}}"
        )
        #expect(try plan(fixed).notes == [])
    }

    // MARK: - Origin

    @Test("The embedded origin")
    func origin() throws {
        let plan = try plan(
            """
            {"target": {"origin": {"tile": "mvt", "bytes": "2kB", "latency": {"median": "5ms", "p99": "20ms"},
              "token": {"ttl": "5s", "advertise": false, "refuse_with": 498}, "edge_cache": {"hit_rate": "90%"},
              "faults": [{"share": "1%", "status": 503}, {"share": 0.02, "reset": true}], "threads": 2}},
             "auth": {"token": {"in": "header"}}, "load": {"users": 5000}}
            """)
        let origin = try #require(plan.target.origin)
        #expect(plan.target.templates == ["${ORIGIN}/{z}/{x}/{y}.mvt"])
        #expect(origin.format == .mvt)
        #expect(origin.bytes == 2000)
        #expect(origin.latency?.medianNS == 5_000_000)
        #expect(origin.token?.ttlNS == 5_000_000_000)
        #expect(origin.token?.advertises == false)
        #expect(origin.token?.refuseWith == .status(498))
        #expect(origin.edgeHitRate == 0.9)
        #expect(origin.faults.map(\.kind) == [.status(503), .reset])
        #expect(origin.faults.map(\.share) == [0.01, 0.02])
        #expect(plan.auth?.renewal?.url == "${ORIGIN}/token")
        #expect(plan.auth?.renewal?.timeoutNS == 1_000_000_000)
        #expect(plan.target.hosts == [])
        #expect(plan.notes == [])

        let resolved = plan.resolvingOrigin(address: "http://127.0.0.1:4711")
        #expect(resolved.target.templates == ["http://127.0.0.1:4711/{z}/{x}/{y}.mvt"])
        #expect(resolved.auth?.renewal?.url == "http://127.0.0.1:4711/token")
        #expect(resolved.target.hosts == ["127.0.0.1:4711"])
    }

    @Test(
        "Origins that make no sense",
        arguments: [
            ("{\"faults\": [{\"share\": 1}]}", "/target/origin/faults/0: needs exactly one of"),
            (
                "{\"faults\": [{\"share\": 1, \"reset\": true, \"stall\": true}]}",
                "/target/origin/faults/0: needs exactly one of"
            ),
            ("{\"faults\": [{\"reset\": true}]}", "/target/origin/faults/0: `share` is missing"),
            (
                "{\"faults\": [{\"share\": \"60%\", \"reset\": true}, {\"share\": \"60%\", \"stall\": true}]}",
                "/target/origin/faults: the shares add up to more than 1"
            ),
            (
                "{\"edge_cache\": {\"hit_rate\": 2}}",
                "/target/origin/edge_cache/hit_rate: 2 is too large"
            ),
            (
                "{\"latency\": {\"median\": 2, \"p99\": 1}}",
                "/target/origin/latency/p99: is shorter than the median"
            ),
            ("{\"tokn\": {}}", "/target/origin/tokn: unknown key"),
        ])
    func badOrigins(origin: String, expected: String) {
        let found = problems("{\"target\": {\"origin\": \(origin)}}")
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.contains(": " + expected) == true, "\(found)")
    }

    // MARK: - Templates

    @Test("A template without placeholders is allowed, with a note")
    func constant() throws {
        let plan = try plan("{\"target\": {\"tiles\": \"http://127.0.0.1/a.png\"}}")
        #expect(
            plan.notes == ["the template has no placeholders: the run measures one cache entry"])
    }

    @Test("Options of templates")
    func options() throws {
        let plan = try plan(
            local(
                target:
                    "\"scheme\": \"tms\", \"ratio\": 2, \"unknown\": \"keep\", \"subdomains\": \"xy\", \"tile_size\": 512"
            ))
        #expect(
            plan.target.options
                == TemplateOptions(scheme: .tms, ratio: 2, unknown: .keep, subdomains: ["x", "y"]))
        #expect(plan.target.sources[0].tileSize == 512)
    }

    @Test("Proxy variables are ignored, and that is said without their value")
    func proxyVariables() throws {
        let plan = try plan(
            local(), environment: ["https_proxy": "http://u:p@proxy:1", "HTTP_PROXY": ""])
        #expect(plan.notes.count == 1)
        #expect(plan.notes[0].contains("(https_proxy)"))
        #expect(!plan.notes[0].contains("proxy:1"))
    }
}
