import Foundation
import JSONText
import Metrics
import Testing
import TileModel

@testable import Workload

@Suite("Workload and load")
struct PlanLoadTests {
    private func plan(load members: String) throws -> LoadPlan {
        try WorkloadTests.plan(local("\"load\": {\(members)}")).load
    }

    @Test("The table's defaults are the plan's")
    func defaults() throws {
        let plan = try WorkloadTests.plan(local())
        var bare = Plan(
            name: "scenario", target: plan.target,
            workload: WorkloadPlan(kind: .popular(exponent: 1, weights: .osm)),
            load: LoadPlan(shape: .users(10)))
        bare.load.durationNS = 10_000_000_000
        #expect(JSONWriter.encodeText(plan.json) == JSONWriter.encodeText(bare.json))
        let target = TargetPlan(templates: [])
        #expect(plan.target.options == target.options)
        #expect(plan.target.sources[0].tileSize == target.sources[0].tileSize)
        #expect(plan.cache.strip == bare.cache.strip)
    }

    @Test("Shapes")
    func shapes() throws {
        #expect(try plan(load: "\"users\": \"7\"").shape == .users(7))
        #expect(
            try plan(load: "\"rate\": \"60/m\", \"arrivals\": \"poisson\"").shape
                == .rate(perSecond: 1, arrivals: .poisson))
        let open = try plan(
            load:
                "\"stages\": [{\"for\": \"30s\", \"rate\": \"0/s -> 500/s\"}, {\"for\": 5, \"rate\": 500}]"
        )
        #expect(
            open.shape
                == .rateStages(
                    [
                        LoadPlan.Stage(durationNS: 30_000_000_000, from: 0, to: 500),
                        LoadPlan.Stage(durationNS: 5_000_000_000, from: 500, to: 500),
                    ], arrivals: .constant))
        #expect(open.durationNS == 35_000_000_000)
        let closed = try plan(
            load: "\"stages\": [{\"for\": \"1m\", \"users\": \"0 -> 20\"}], \"count\": 9")
        #expect(
            closed.shape
                == .userStages([LoadPlan.Stage(durationNS: 60_000_000_000, from: 0, to: 20)]))
        #expect(closed.count == 9)
    }

    @Test(
        "Shapes that make no sense",
        arguments: [
            ("\"stages\": []", "/load/stages: expected 1 to 1000 elements, found 0"),
            (
                "\"stages\": [{\"for\": 1}]",
                "/load/stages/0: a stage needs either `rate` or `users`"
            ),
            (
                "\"stages\": [{\"for\": 1, \"rate\": 1, \"users\": 1}]",
                "/load/stages/0: a stage needs either `rate` or `users`"
            ),
            (
                "\"stages\": [{\"for\": 1, \"rate\": 1}, {\"for\": 1, \"users\": 1}]",
                "/load/stages: the stages are of rate or of users, not of both"
            ),
            (
                "\"stages\": [{\"for\": 1, \"rate\": \"0/s -> 0/s\"}]",
                "/load/stages: no stage has a load of more than 0"
            ),
            ("\"stages\": [{\"rate\": 1}]", "/load/stages/0: `for` is missing"),
            (
                "\"stages\": [{\"for\": 1, \"rate\": \"1 -> 2 -> 3\"}]",
                "/load/stages/0/rate: expected a rate such as \"0/s -> 5000/s\" or \"500/s\", found \"1 -> 2 -> 3\""
            ),
            (
                "\"stages\": [{\"for\": 1, \"rate\": 1}], \"for\": 3",
                "/load/for: `for` and `stages` exclude each other"
            ),
            (
                "\"users\": 1, \"stages\": [{\"for\": 1, \"rate\": 1}]",
                "/load/stages: `stages` and `users` exclude each other"
            ),
            ("\"arrivals\": \"poisson\"", "/load/arrivals: `arrivals` is for an open load only"),
        ])
    func badShapes(members: String, expected: String) {
        let found = problems(local("\"load\": {\(members)}"))
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.hasSuffix(": " + expected) == true, "\(found)")
    }

    @Test("How long")
    func extent() throws {
        #expect(try plan(load: "").durationNS == 10_000_000_000)
        #expect(try plan(load: "\"count\": 5").durationNS == nil)
        let both = try plan(load: "\"count\": 5, \"for\": 2")
        #expect((both.count, both.durationNS) == (5, 2_000_000_000))
        let once = try WorkloadTests.plan(
            local("\"workload\": {\"kind\": \"pyramid\", \"zooms\": [0, 2]}"))
        #expect(once.load.durationNS == nil)
        #expect(once.load.count == nil)
    }

    @Test("The rest of load")
    func rest() throws {
        let load = try plan(
            load: """
                "warmup": "2s", "threads": 3, "transport": "libcurl", "max_in_flight": 5,
                "timeout": "1s", "grace": 0, "timeouts": {"connect": "1s", "tls": "2s",
                "first_byte": "3s", "body": "4s"}
                """)
        #expect(load.warmupNS == 2_000_000_000)
        #expect(load.threads == 3)
        #expect(load.transport == .libcurl)
        #expect(load.inFlightMax == 5)
        #expect(load.graceNS == 0)
        #expect(load.timeouts.requestNS == 1_000_000_000)
        #expect(load.timeouts.connectNS == 1_000_000_000)
        #expect(load.timeouts.tlsNS == 2_000_000_000)
        #expect(load.timeouts.firstByteNS == 3_000_000_000)
        #expect(load.timeouts.bodyNS == 4_000_000_000)
        let capped = try WorkloadTests.plan(
            local("\"load\": {\"users\": 6, \"max_in_flight\": 5}"))
        #expect(capped.notes.count == 1)
    }

    // MARK: - Workload

    @Test("Popular")
    func popular() throws {
        let plan = try WorkloadTests.plan(
            local(
                "\"workload\": {\"zipf\": 0.5, \"zooms\": [3, 5], \"zoom_weights\": {\"3\": 1, \"5\": \"2\"}, \"think\": \"1s\"}"
            ))
        guard case .popular(0.5, .weights([1, 0, 2])) = plan.workload.kind else {
            Issue.record("\(plan.workload.kind)")
            return
        }
        #expect(plan.workload.thinkNS == 1_000_000_000)
    }

    @Test(
        "Workloads that make no sense",
        arguments: [
            (
                "\"zooms\": [3, 5], \"zoom_weights\": [1, 2]",
                "/workload/zoom_weights: 2 weights for 3 zooms"
            ),
            (
                "\"zooms\": [3, 3], \"zoom_weights\": [0]",
                "/workload/zoom_weights: no weight is more than 0"
            ),
            (
                "\"zooms\": [3, 3], \"zoom_weights\": {\"3\": 1, \"4\": 1}",
                "/workload/zoom_weights/4: `4` is none of the zooms"
            ),
            (
                "\"order\": \"rows\"",
                "/workload/order: `order` is for kind \"pyramid\" only, this is \"popular\""
            ),
            (
                "\"tiles\": [\"0/0/0\"]",
                "/workload/tiles: `tiles` is for kind \"list\" only, this is \"popular\""
            ),
            (
                "\"kind\": \"pyramid\", \"zipf\": 1",
                "/workload/zipf: `zipf` is for kind \"popular\" and \"viewers\" only, this is \"pyramid\""
            ),
            (
                "\"kind\": \"pyramid\", \"cancel\": false",
                "/workload/cancel: `cancel` is for kind \"viewers\" only, this is \"pyramid\""
            ),
            (
                "\"kind\": \"viewers\", \"think\": \"1s\"",
                "/workload/think: `think` is not for viewers: they look at each view"
            ),
            (
                "\"kind\": \"viewers\", \"moves\": {\"pan\": 0, \"zoom_in\": 0, \"zoom_out\": 0}",
                "/workload: the shares of moves are numbers of 0 or more, not all 0"
            ),
            (
                "\"kind\": \"viewers\", \"viewport\": [20000, 20000]",
                "/workload: a viewport of 20000 x 20000 pixels has 6400 tiles of 256 pixels, more than 4096"
            ),
            ("\"kind\": \"replay\"", "/workload: kind \"replay\" needs `file`"),
            (
                "\"kind\": \"replay\", \"file\": \"no-such-file\"",
                "/workload/file: cannot read `no-such-file`: No such file or directory"
            ),
            (
                "\"places\": [{\"name\": \"a\", \"bounds\": [0, 0, 1, 1]}], \"bounds\": [0, 0, 1, 1]",
                "/workload/bounds: `bounds` and `places` exclude each other"
            ),
            (
                "\"places\": [{\"name\": \"a\", \"bounds\": [0, 0, 1, 1], \"weight\": 0}]",
                "/workload/places: no weight is more than 0"
            ),
            (
                "\"weights_file\": \"no-such-file\"",
                "/workload/weights_file: cannot read `no-such-file`: No such file or directory"
            ),
            ("\"kind\": \"list\"", "/workload: kind \"list\" needs `tiles`"),
            ("\"kind\": \"list\", \"tiles\": []", "/workload/tiles: holds no tile"),
            (
                "\"kind\": \"list\", \"tiles\": [\"0/0/0\", \"1/2/0\"]",
                "/workload/tiles/1: tile 1/2/0: column 2 is not within 0...1 of zoom 1"
            ),
            (
                "\"kind\": \"list\", \"tiles\": \"no-such-file\"",
                "/workload/tiles: cannot read `no-such-file`: No such file or directory"
            ),
            (
                "\"zooms\": [25, 26]",
                "/workload: OpenStreetMap's shares end at zoom 19: deeper zooms need zoom_weights of their own"
            ),
        ])
    func badWorkloads(members: String, expected: String) {
        let found = problems(local("\"workload\": {\(members)}"))
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.hasSuffix(": " + expected) == true, "\(found)")
    }

    @Test("Lists, in the file and beside it")
    func lists() throws {
        let inline = try WorkloadTests.plan(
            local("\"workload\": {\"kind\": \"list\", \"tiles\": [\"1/0/1\", \" 0/0/0 \"]}"))
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("tilebench-\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: path) }
        try Data("# tiles\n\n1/0/1\r\n  0/0/0  \n".utf8).write(to: path)
        for tiles in ["\"\(path.path)\"", "{\"file\": \"\(path.path)\"}"] {
            let beside = try WorkloadTests.plan(
                local("\"workload\": {\"kind\": \"list\", \"tiles\": \(tiles), \"zooms\": [0, 1]}"))
            for plan in [inline, beside] {
                guard case .list(let tiles) = plan.workload.kind else {
                    Issue.record("no list")
                    continue
                }
                #expect(tiles == [TileID(z: 1, x: 0, y: 1), TileID(z: 0, x: 0, y: 0)])
            }
            #expect(beside.notes.count == 1)
            #expect(beside.workload.tilesFile == path.path)
        }
        let lines = (0..<30).map { "\($0 + 1)/x/0" }.joined(separator: "\n")
        try Data(("0/0/0\n" + lines).utf8).write(to: path)
        let found = problems(
            local("\"workload\": {\"kind\": \"list\", \"tiles\": \"\(path.path)\"}"))
        #expect(found.count == 21)
        #expect(found.first?.contains("`\(path.path)`, line 2: \"1/x/0\" is no tile") == true)
        #expect(found.last?.hasSuffix("and 10 more lines that are no tiles") == true)
    }

    // MARK: - The rest

    @Test("Connection")
    func connection() throws {
        let plan = try WorkloadTests.plan(
            local(
                """
                "connection": {"http": 1.1, "reuse": false, "max": 3, "streams": 4, "ip": 4,
                  "resolve": {"A.example": "10.0.0.1", "b.example:81": ["::1", "10.0.0.2"]}, "dns": "pin",
                  "proxy": "http://me:password@127.0.0.1:3128", "verify": "false", "server_name": "n",
                  "unix_socket": "s.sock", "source_addresses": ["127.0.0.2"], "compression": false, "redirects": 1}
                """), directory: "folder")
        let connection = plan.connection
        #expect(connection.version == .http1)
        #expect(!connection.reuses)
        #expect((connection.maximum, connection.streams) == (3, 4))
        #expect(connection.family == .v4)
        #expect(
            connection.resolve == [
                ConnectionPlan.FixedAddress(host: "a.example", addresses: ["10.0.0.1"]),
                ConnectionPlan.FixedAddress(host: "b.example:81", addresses: ["::1", "10.0.0.2"]),
            ])
        #expect(connection.dns == .pin)
        #expect(connection.unixSocket == "folder/s.sock")
        #expect(connection.sourceAddresses == ["127.0.0.2"])
        #expect((connection.compression, connection.redirectsMax) == (false, 1))
        #expect(plan.secrets.values.contains("password"))
        #expect(!JSONWriter.encodeText(plan.json).contains("password"))
        #expect(plan.notes.contains { $0.contains("certificates are not checked") })
        for (members, pointer) in [
            ("\"resolve\": {\"a\": \"b\"}", "/connection/resolve/a"),
            ("\"source_addresses\": [\"eth0\"]", "/connection/source_addresses/0"),
            ("\"ca_file\": \"nothing.pem\"", "/connection/ca_file"),
            ("\"proxy\": \"gopher://a\"", "/connection/proxy"),
        ] {
            let found = problems(local("\"connection\": {\(members)}"))
            #expect(found.count == 1)
            #expect(found.first?.contains(": \(pointer): ") == true, "\(found)")
        }
    }

    @Test("Gates and conditions to abort")
    func gates() throws {
        let plan = try WorkloadTests.plan(
            local(
                """
                "gates": ["latency.response.all.p99 < 250ms",
                  {"gate": "cache.server.hit_rate > 90%", "level": "warn", "min_samples": 10, "allow_empty": true}],
                "abort_when": ["ledger.failed / ledger.started > 50%  after 1500ms", "failed_by.timeout > 3"]
                """))
        #expect(plan.gates.map(\.expression.text).count == 2)
        #expect(plan.gates[0].level == .fail)
        #expect(plan.gates[1].level == .warn)
        #expect(plan.gates[1].samplesMin == 10)
        #expect(plan.gates[1].allowsEmpty)
        #expect(plan.abortWhen.map(\.afterNS) == [1_500_000_000, 0])
        let single = try WorkloadTests.plan(
            local("\"abort_when\": \"failed_by.timeout > 3 after 2s\""))
        #expect(single.abortWhen.map(\.afterNS) == [2_000_000_000])
        for (member, pointer) in [
            ("\"gates\": [\"failed_by.timeout > 3 after 2s\"]", "/gates/0"),
            ("\"gates\": [{\"level\": \"warn\"}]", "/gates/0"),
            ("\"gates\": [{\"gate\": \"a < \"}]", "/gates/0/gate"),
            ("\"abort_when\": [\"failed_by.timeout > 3 after\"]", "/abort_when/0"),
            ("\"abort_when\": [\"failed_by.timeout > 3 after lunch\"]", "/abort_when/0"),
            ("\"gates\": [\"latency.response.all.p99 < 250MB\"]", "/gates/0"),
        ] {
            let found = problems(local(member))
            #expect(found.count == 1)
            #expect(found.first?.contains(": \(pointer): ") == true, "\(found)")
        }
    }

    @Test("Cache and checks")
    func cacheAndChecks() throws {
        let plan = try WorkloadTests.plan(
            local(
                """
                "cache": {"client": {"size": "1MiB", "per": "all", "strip": ["Sid"]}, "server_header": "X-My"},
                "checks": {"status": ["200"], "not_found": "ok", "tile": "png", "min_bytes": 1, "max_bytes": "1kB"},
                "report": {"directory": "out", "samples": 3}, "on_invalid": "warn",
                "auth": {"static": "abc", "token": {"name": "T"}}
                """))
        #expect(plan.cache.client?.sizeBytes == 1_048_576)
        #expect(plan.cache.client?.isPerUser == false)
        #expect(plan.cache.strip == ["sid", "t"])
        #expect(plan.cache.serverHeader == "x-my")
        #expect(plan.secrets.queryNames == ["sid", "t"])
        #expect(plan.checks.statuses == [200])
        #expect(plan.checks.acceptsNotFound)
        #expect(plan.checks.tile == .png)
        #expect((plan.checks.bytesMin, plan.checks.bytesMax) == (1, 1000))
        #expect(plan.report.directory == "out")
        #expect(!plan.failsWhenInvalid)
    }
}
