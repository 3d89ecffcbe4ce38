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
        (
            "connection.http", "{\"target\": {\"tiles\": \"https://127.0.0.1/{z}/{x}/{y}\"}}"
        ),
        ("connection.key_file", local("\"connection\": {\"cert_file\": \"\(#filePath)\"}")),
        ("auth.", local("\"auth\": {\(renewal)}")),
        ("auth.token.", local("\"auth\": {\(renewal), \"token\": {\"in\": \"header\"}}")),
        ("workload.tiles", local("\"workload\": {\"kind\": \"list\", \"tiles\": [\"0/0/0\"]}")),
        ("workload.order", local("\"workload\": {\"kind\": \"pyramid\"}")),
        ("load.arrivals", local("\"load\": {\"rate\": 5}")),
        ("load.stages[].", local("\"load\": {\"stages\": [{\"for\": \"1s\", \"rate\": 5}]}")),
        ("cache.client.", local("\"cache\": {\"client\": {}}")),
        (
            "inject[].",
            """
            {"target": {"origin": {"token": {}}}, "auth": {},
             "inject": [{"at": "1s", "expire": "poison"}]}
            """
        ),
        ("gates[].", local("\"gates\": [{\"gate\": \"ledger.failed == 0\"}]")),
        ("abort_when[].", local("\"abort_when\": [{\"gate\": \"ledger.failed > 0\"}]")),
    ]
    private static let renewal = "\"renewal\": {\"url\": \"http://127.0.0.1:9/token\"}"

    /// Values that only suit one key, and what to set instead of the key alone.
    private static let special: [String: [String]] = [
        "target.tiles": ["target.tiles=http://127.0.0.1/{z}"],
        "target.headers": ["target.headers={\"X-A\": \"b\"}", "target.headers={\"Accept\": null}"],
        "target.hosts": ["target.hosts=[\"127.0.0.1\", \"10.0.0.1\"]"],
        "target.origin.faults": ["target.origin.faults=[{\"share\": 0.2, \"status\": 500}]"],
        "target.origin.latency.median": ["target.origin.latency.median=1500us"],
        "target.origin.faults[].reset": [fault("reset")],
        "target.origin.faults[].truncate": [fault("truncate")],
        "target.origin.faults[].stall": [fault("stall")],
        "connection.resolve": ["connection.resolve={\"a\": \"10.0.0.1\"}"],
        "connection.ca_file": ["connection.ca_file=\(#filePath)"],
        "connection.cert_file": ["connection.cert_file=\(#filePath)"],
        "connection.key_file": ["connection.key_file=\(#filePath)"],
        "connection.proxy": ["connection.proxy=http://127.0.0.1:1"],
        "connection.source_addresses": ["connection.source_addresses=[\"127.0.0.1\"]"],
        "auth.token.in": ["auth.token={\"in\": \"query\"}", "auth.token.in=cookie"],
        "auth.renew_before": ["auth.renew_before=10s"],
        "auth.renewal.url": ["auth.renewal.url=http://127.0.0.1/other"],
        "auth.renewal.headers": ["auth.renewal.headers={\"X-A\": \"b\"}"],
        "auth.renewal.body": ["auth.renewal.body=a=1", "auth.renewal.body={\"form\": {\"a\": 1}}"],
        "auth.rejected_when.status": ["auth.rejected_when.status=[403]"],
        "auth.rejected_when.json.values": ["auth.rejected_when.json.values=[\"X\"]"],
        "auth.release": ["auth.release=all"],
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
        "inject[].expire": ["inject.0.expire=origin", "inject.0.expire=revoke"],
        "workload.kind": [
            "workload.kind=pyramid", "workload={\"kind\": \"list\", \"tiles\": [\"0/0/0\"]}",
            "workload.kind=viewers", "workload.kind=replay",
        ],
        "cache.client.per": ["cache.client.per=all"],
        "inject": ["inject=[{\"at\": 1, \"request\": {}}]"],
        "passes": ["passes=[\"cold\", \"warm\"]"], "before": ["before=[{}]"],
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
            let before = JSONWriter.encodeText(try plan(base).json)
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
                    let isChanged = JSONWriter.encodeText(plan.json) != before
                    #expect(isChanged, "\(setting) changes nothing")
                case .failure(let found):
                    refused += 1
                    #expect(found.list.count == 1, "\(setting): \(found.formatted)")
                    #expect(
                        found.list.allSatisfy { $0.message.hasSuffix("is not supported yet") },
                        "\(setting): \(found.formatted)")
                }
            }
        }
        #expect(changed > 110, "\(changed)")
        #expect(refused > 50, "\(refused)")
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
