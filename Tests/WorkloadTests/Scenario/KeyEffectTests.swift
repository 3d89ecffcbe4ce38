import JSONText
import Testing

@testable import Workload

@Suite("Every key of the table has an effect or is refused")
struct KeyEffectTests {
    /// The scenarios that keys are tried in, by the longest beginning of the key's path.
    private static let bases: [(prefix: String, text: String)] = [
        ("", local()),
        (
            "target.origin.",
            """
            {"target": {"origin": {"latency": {"median": "1ms", "p99": "2ms"}, "token": {},
              "edge_cache": {"hit_rate": 0.5}, "faults": [{"share": 0.1, "status": 503}]}}}
            """
        ),
        ("target.wmts.", #"{"target": {"wmts": {"capabilities": "http://127.0.0.1/c.xml"}}}"#),
        ("target.wmts.template", wmtsTemplate), ("target.wmts.matrix", wmtsTemplate),
        ("target.wms.", #"{"target": {"wms": {"url": "http://127.0.0.1/wms"}}}"#),
        (
            "connection.http", "{\"target\": {\"tiles\": \"https://127.0.0.1/{z}/{x}/{y}\"}}"
        ),
        ("connection.key_file", local("\"connection\": {\"cert_file\": \"\(#filePath)\"}")),
        ("auth.", local("\"auth\": {\(renewal)}")),
        ("auth.token.", local("\"auth\": {\(renewal), \"token\": {\"in\": \"header\"}}")),
        ("auth.renewal.client_", kind("client_credentials")),
        ("auth.renewal.scope", kind("client_credentials")),
        ("auth.renewal.username", kind("password")), ("auth.renewal.password", kind("password")),
        ("auth.renewal.refresh_token", kind("refresh_token")),
        ("auth.renewal.referer", kind("arcgis")), ("auth.renewal.expiration", kind("arcgis")),
        (
            "auth.renewal.parts",
            """
            {"target": {"tiles": "http://127.0.0.1/{token.a}/{z}"}, "auth": {"token": {"in": "template"},
             "renewal": {"url": "http://127.0.0.1/", "parts": ["a"]}}}
            """
        ),
        ("workload.tiles", local("\"workload\": {\"kind\": \"list\", \"tiles\": [\"0/0/0\"]}")),
        ("workload.order", local("\"workload\": {\"kind\": \"pyramid\"}")),
        ("workload.client", local(viewers)), ("workload.viewport", local(viewers)),
        ("workload.moves", local(viewers)), ("workload.dwell", local(viewers)),
        ("workload.cancel", local(viewers)), ("connection.per_user", local(viewers)),
        (
            "workload.places[].",
            local(
                "\"workload\": {\"places\": [{\"name\": \"a\", \"bounds\": [0, 0, 1, 1]}]}")
        ),
        ("workload.file", local(replay)), ("workload.format", local(replay)),
        ("workload.speed", local(replay)),
        ("load.arrivals", local("\"load\": {\"rate\": 5}")),
        ("load.stages[].", local("\"load\": {\"stages\": [{\"for\": \"1s\", \"rate\": 5}]}")),
        ("cache.client.", local("\"cache\": {\"client\": {}}")),
        ("before", local("\"before\": [{\"url\": \"http://127.0.0.1:9/\"}]")),
        ("inject", injecting("\"expire\": \"poison\"")),
        (
            "inject[].request.",
            injecting("\"expire\": \"revoke\", \"request\": {\"url\": \"${ORIGIN}/revoke\"}")
        ),
        ("inject[].renewal", injecting("\"renewal\": \"slow\"")),
        ("inject[].for", injecting("\"renewal\": \"slow\"")),
        ("inject[].tiles", injecting("\"tiles\": \"late-refusals\"")),
        ("gates[].", local("\"gates\": [{\"gate\": \"ledger.failed == 0\"}]")),
        ("abort_when[].", local("\"abort_when\": [{\"gate\": \"ledger.failed > 0\"}]")),
    ]
    private static let wmtsTemplate =
        #"{"target": {"wmts": {"template": "http://127.0.0.1/{TileMatrix}/{TileRow}/{TileCol}"}}}"#
    private static let viewers = "\"workload\": {\"kind\": \"viewers\"}"
    private static let replay = "\"workload\": {\"kind\": \"replay\", \"file\": \"-\"}"
    /// A log of requests, and one of tiles.
    nonisolated(unsafe) private static let requests = try? LogFile("1/0/0\n1/1/1\n")
    nonisolated(unsafe) private static let log = try? LogFile("1/0/0 5\n1/1/1 6\n")
    private static let renewal = "\"renewal\": {\"url\": \"http://127.0.0.1:9/token\"}"

    private static func kind(_ kind: String) -> String {
        let credentials = [
            "client_credentials": #""client_id": "id", "client_secret": "abcdef""#,
            "password": #""username": "me", "password": "abcdef""#,
            "arcgis": #""username": "me", "password": "abcdef""#,
            "refresh_token": #""refresh_token": "abcdef""#,
        ]
        return local(
            """
            "auth": {"renewal": {"url": "http://127.0.0.1/", "kind": "\(kind)", \(credentials[kind] ?? "")}}
            """)
    }

    private static func injecting(_ members: String) -> String {
        """
        {"target": {"origin": {"token": {}}}, "auth": {"sharing": "user"},
         "inject": [{"at": "1s", \(members)}]}
        """
    }

    /// Values that only suit one key, and what to set instead of the key alone.
    private static let special: [String: [String]] = [
        "target.tiles": ["target.tiles=http://127.0.0.1/{z}"],
        "target.tilejson": ["target.tilejson=http://127.0.0.1/t.json"],
        "target.style": ["target.style=http://127.0.0.1/s.json"],
        "target.arcgis": ["target.arcgis=http://127.0.0.1/A/MapServer"],
        "target.wmts": ["target.wmts={\"capabilities\": \"http://127.0.0.1/c.xml\"}"],
        "target.wmts.capabilities": ["target.wmts.capabilities=http://127.0.0.1/d.xml"],
        "target.wmts.template": ["target.wmts.template=http://127.0.0.1/{TileMatrix}/{TileRow}"],
        "target.wmts.matrix": ["target.wmts.matrix={z:02}"],
        "target.wmts.dimensions": ["target.wmts.dimensions={\"time\": \"now\"}"],
        "target.wms": ["target.wms={\"url\": \"http://127.0.0.1/wms\"}"],
        "target.wms.url": ["target.wms.url=http://127.0.0.1/other"],
        "target.headers": ["target.headers={\"X-A\": \"b\"}", "target.headers={\"Accept\": null}"],
        "target.hosts": ["target.hosts=[\"127.0.0.1\", \"10.0.0.1\"]"],
        "target.origin.faults": ["target.origin.faults=[{\"share\": 0.2, \"status\": 500}]"],
        "target.origin.latency.median": ["target.origin.latency.median=1500us"],
        "target.origin.faults[].reset": [fault("reset")],
        "target.origin.faults[].truncate": [fault("truncate")],
        "target.origin.faults[].stall": [fault("stall")],
        "target.origin.token.advertise": [
            "target.origin.token.advertise=false", "target.origin.token.advertise=30s",
        ],
        "target.origin.token.refuse_with": ["403", "bare", "json", "html", "redirect"].map {
            "target.origin.token.refuse_with=\($0)"
        },
        "connection.resolve": ["connection.resolve={\"a\": \"10.0.0.1\"}"],
        "connection.ca_file": ["connection.ca_file=\(#filePath)"],
        "connection.cert_file": ["connection.cert_file=\(#filePath)"],
        "connection.key_file": ["connection.key_file=\(#filePath)"],
        "connection.proxy": ["connection.proxy=http://127.0.0.1:1"],
        "connection.source_addresses": ["connection.source_addresses=[\"127.0.0.1\"]"],
        "auth.token.in": ["auth.token={\"in\": \"query\"}", "auth.token.in=cookie"],
        "auth.renew_before": ["auth.renew_before=20s", "auth.renew_before=off"],
        "auth.profile": [
            "overlay-article", "cloudfront", "google", "mapbox", "signed-url-410",
        ].map { "auth.profile=\($0)" } + [
            """
            auth={"profile": "arcgis", "renewal": {"url": "http://127.0.0.1/", "username": "me", "password": "x"}}
            """
        ],
        "auth.renewal.kind": [
            "auth.renewal.kind=document",
            """
            auth.renewal={"url": "http://127.0.0.1/", "kind": "basic", "username": "me", "password": "x"}
            """,
        ]
            + ["client_credentials", "password", "refresh_token", "arcgis"].compactMap {
                try? "auth=" + JSONWriter.encodeText(plan(kind($0)).json["auth"] ?? .null)
            },
        "auth.renewal.expiration": ["auth.renewal.expiration=60"],
        "auth.renewal.parts": ["auth.renewal.parts={\"a\": \"b.c\"}"],
        "auth.rejected_when.html": [
            "auth.rejected_when.html=Sign in", "auth.rejected_when.html=false",
        ],
        "auth.rejected_when.www_authenticate": [
            "auth.rejected_when.www_authenticate=stale",
            "auth.rejected_when.www_authenticate=false",
        ],
        "auth.renewal.url": ["auth.renewal.url=http://127.0.0.1/other"],
        "auth.renewal.headers": ["auth.renewal.headers={\"X-A\": \"b\"}"],
        "auth.renewal.body": ["auth.renewal.body=a=1", "auth.renewal.body={\"form\": {\"a\": 1}}"],
        "auth.rejected_when.status": ["auth.rejected_when.status=[403]"],
        "auth.rejected_when.json.values": ["auth.rejected_when.json.values=[\"X\"]"],
        "auth.release": ["auth.release=all", "auth.release=canary"],
        "auth.release.per_5ms": ["auth.release={\"per_5ms\": 7}"],
        "auth.cool_down": ["auth.cool_down=1s..2s"],
        "workload.bounds": ["workload.bounds=[0, 0, 1, 1]"],
        "workload.zooms": ["workload.zooms=[1, 2]"],
        "workload.tiles": ["workload.tiles=[\"1/0/0\"]"],
        "workload.zoom_weights": ["workload.zoom_weights={\"3\": 1}"],
        "load.stages": ["load.stages=[{\"for\": 1, \"rate\": 7}]"],
        "load.stages[].users": ["load.stages.0={\"for\": \"1s\", \"users\": 3}"],
        "load.stages[].rate": ["load.stages.0.rate=1/s -> 9/s"],
        "cache.client": ["cache.client={}"],
        "cache.client.strip": ["cache.client.strip=[\"a\"]"],
        "checks.status": ["checks.status=[200]"],
        "inject[].expire": [
            "inject.0.expire=origin",
            "inject.0={\"at\": 1, \"expire\": \"revoke\", \"request\": {\"url\": \"${ORIGIN}/x\"}}",
        ],
        "inject[].renewal": InjectionPlan.RenewalFault.allCases.dropFirst().map {
            "inject.0.renewal=\($0.rawValue)"
        },
        "inject[].tiles": ["inject.0.tiles=replication-lag"],
        "inject[].request.url": ["inject.0.request.url=http://127.0.0.1/other"],
        "inject[].request.headers": ["inject.0.request.headers={\"X-A\": \"b\"}"],
        "inject[].request.body": ["inject.0.request.body={\"a\": 1}"],
        "workload.kind": [
            "workload.kind=pyramid", "workload={\"kind\": \"list\", \"tiles\": [\"0/0/0\"]}",
            "workload.kind=viewers", "workload={\"kind\": \"replay\", \"file\": \"-\"}",
        ],
        "workload.file": ["workload.file=\(requests?.path ?? "")"],
        "workload.weights_file": ["workload.weights_file=\(log?.path ?? "")"],
        "workload.viewport": ["workload.viewport=[100, 100]"],
        "workload.places": [
            "workload.places=[{\"name\": \"a\", \"bounds\": [0, 0, 1, 1]}]"
        ],
        "workload.places[].bounds": ["workload.places.0.bounds=[0, 0, 2, 2]"],
        "cache.client.per": ["cache.client.per=all"],
        "cache.client.honour": [
            "cache.client.honour=rfc9111", "cache.client.honour=maplibre-native",
        ],
        "inject": ["inject=[]"],
        "passes": ["passes=[\"cold\", \"warm\"]"], "before": ["before=[]"],
        "before[].url": ["before.0.url=http://127.0.0.1/other"],
        "before[].headers": ["before.0.headers={\"X-A\": \"b\"}"],
        "before[].body": ["before.0.body={\"a\": 1}"],
        "before[].status": ["before.0.status=[404]"],
        "gates": ["gates=[\"ledger.ok > 5\"]", "gates=ledger.ok > 5"],
        "gates[].gate": ["gates.0.gate=ledger.ok > 5"],
        "abort_when": ["abort_when=[\"ledger.failed > 5\"]"],
        "abort_when[].gate": ["abort_when.0.gate=ledger.failed > 5 after 1s"],
        "report.formats": ["report.formats=[\"html\"]"],
    ]

    private static func fault(_ kind: String) -> String {
        "target.origin.faults.0={\"share\": 0.1, \"\(kind)\": true}"
    }

    /// For editors, and the only version there is.
    private static let idle: Set<String> = ["$schema", "version"]

    @Test("Whatever is written there")
    func effects() throws {
        var keys: [(path: String, key: ScenarioKey)] = []
        ScenarioKeys.visit { keys.append(($0, $1)) }
        var later: [String] = []
        var changed = 0
        var refused = 0
        for (path, key) in keys where !Self.idle.contains(path) {
            if later.contains(where: { path.hasPrefix($0 + ".") || path.hasPrefix($0 + "[]") }) {
                continue
            }
            let base = Self.bases.last { path.hasPrefix($0.prefix) }?.text ?? ""
            let place = path.split(separator: ".").map { name in
                name.hasSuffix("[]") ? name.dropLast(2) + ".0" : String(name)
            }.joined(separator: ".")
            let before = Self.picture(try plan(base))
            if key.isLater {
                later.append(path)
                let found = problems(base, set: ["\(place)=1"])
                #expect(found.contains { $0.hasSuffix("is not supported yet") }, "\(path)")
                refused += 1
                continue
            }
            var isContainer = false
            if case .object = key.kind { isContainer = true }
            let values = Self.values(key)
            let settings = Self.special[path] ?? values.map { "\(place)=\($0)" }
            #expect(isContainer || !settings.isEmpty, "\(path) is not tried")
            for setting in settings {
                switch load(base, set: [setting]) {
                case .success(let plan):
                    changed += 1
                    #expect(Self.picture(plan) != before, "\(setting) changes nothing")
                case .failure(let found):
                    refused += 1
                    #expect(found.list.count == 1, "\(setting): \(found.formatted)")
                    #expect(
                        found.list.allSatisfy { $0.message.hasSuffix("is not supported yet") },
                        "\(setting): \(found.formatted)")
                }
            }
        }
        #expect(changed > 190, "\(changed)")
        #expect(refused > 2, "\(refused)")
    }

    /// The plan as it is written, and what is hidden there.
    private static func picture(_ plan: Plan) -> String {
        let credentials = plan.auth?.renewal.map { "\($0.credentials)" } ?? ""
        return JSONWriter.encodeText(plan.json) + credentials
    }

    /// Legal values that are not the default.
    private static func values(_ key: ScenarioKey) -> [String] {
        let standard = key.defaultNode
        return switch key.kind {
        case .word(let words): words.map(\.text).filter { $0 != standard?.string }
        case .bool: [standard?.bool == true ? "false" : "true"]
        case .count(let range):
            ["\(min(range.upperBound, (standard?.uint ?? range.lowerBound) + 1))"]
        case .number(let range): ["\(min(range.upperBound, (standard?.double ?? 0) + 1))"]
        case .share: ["0.25"]
        case .duration: ["1234ms"]
        case .size: ["4321B"]
        case .rate: ["7/s"]
        case .text, .textOrEmpty, .path: ["other"]
        default: []
        }
    }
}
