import JSONText
import Testing

@testable import Workload

@Suite("Problems of scenarios, with their places")
struct ScenarioProblemTests {
    @Test(
        "Each is told with pointer, line and column",
        arguments: [
            ("", [":1:1: the file is empty"]),
            (" \n\t", [":1:1: the file is empty"]),
            ("[1]", [":1:1: expected an object, found an array"]),
            ("\n 5", [":2:2: expected an object, found a number"]),
            ("{}", [":1:1: `target` is missing"]),
            ("{\"target\": null}", [":1:1: `target` is missing"]),
            ("{\"target\": 5}", [":1:12: /target: expected an object, found 5"]),
            (
                "{\"target\": {}}",
                [
                    ":1:12: /target: needs one of tiles, tilejson, style, wmts, wms, arcgis, origin"
                ]
            ),
            (
                "{\n  \"target\": {\n    \"tiles\": \"http://127.0.0.1/{z}\",\n    \"origin\": {}\n  }\n}",
                [":4:15: /target/origin: `origin` and `tiles` exclude each other"]
            ),
            (
                "{\"targt\": {}}",
                [":1:1: `target` is missing", ":1:2: /targt: unknown key `targt`"]
            ),
            (
                "{\"target\": {\"tiles\": []}}",
                [":1:22: /target/tiles: expected 1 to 1000 elements, found 0"]
            ),
            (
                "{\"target\": {\"tiles\": \"\"}}",
                [":1:22: /target/tiles: must not be empty"]
            ),
            (
                "{\"target\": {\"tiles\": \"tiles/{z}/{x}/{y}\"}}",
                [":1:22: /target/tiles: is no absolute URL"]
            ),
            (
                "{\"target\": {\"tiles\": [\"http://127.0.0.1/{z}\", \"ftp://127.0.0.1/{z}\"]}}",
                [":1:47: /target/tiles/1: `ftp` is no scheme tilebench speaks"]
            ),
            (
                "{\"target\": {\"tiles\": \"http://127.0.0.1:99999/{z}\"}}",
                [
                    ":1:22: /target/tiles: the URL has no host that can be read:"
                        + " no valid port stands behind the host"
                ]
            ),
            (
                "{\"target\": {\"tiles\": \"http://127.0.0.1/{z}/{q}\"}}",
                [":1:22: /target/tiles: unknown placeholder {q}"]
            ),
        ])
    func places(text: String, expected: [String]) {
        #expect(problems(text) == expected.map { "folder/scenario.json" + $0 })
    }

    @Test(
        "Values out of their range or of another type",
        arguments: [
            ("\"load\": {\"users\": 0}", "/load/users: 0 is less than 1"),
            ("\"load\": {\"users\": 10000000}", "/load/users: 10000000 is more than 1000000"),
            ("\"load\": {\"users\": 1.5}", "/load/users: 1.5 is not whole"),
            (
                "\"load\": {\"users\": \"many\"}",
                "/load/users: expected a whole number, found \"many\""
            ),
            ("\"load\": {\"rate\": 0}", "/load/rate: a rate must be more than 0"),
            ("\"load\": {\"rate\": \"-1/s\"}", "/load/rate: \"-1/s\" is negative"),
            ("\"load\": {\"rate\": 1e999}", "/load/rate: 1e999 is too large"),
            (
                "\"load\": {\"rate\": true}",
                "/load/rate: expected a rate such as \"2000/s\", found true"
            ),
            ("\"load\": {\"for\": 0}", "/load/for: must be longer than 0"),
            ("\"load\": {\"for\": \"-3s\"}", "/load/for: \"-3s\" is negative"),
            ("\"load\": {\"count\": 0}", "/load/count: 0 is less than 1"),
            ("\"load\": {\"threads\": 0}", "/load/threads: 0 is less than 1"),
            ("\"load\": {\"max_in_flight\": 0}", "/load/max_in_flight: 0 is less than 1"),
            ("\"workload\": {\"zooms\": [3, 31]}", "/workload/zooms/1: 31 is more than 30"),
            (
                "\"workload\": {\"zooms\": [9, 3]}",
                "/workload/zooms: the first zoom 9 is more than the last 3"
            ),
            ("\"workload\": {\"zooms\": [3]}", "/workload/zooms: expected 2 elements, found 1"),
            (
                "\"workload\": {\"bounds\": [0, 0, 1]}",
                "/workload/bounds: expected 4 elements, found 3"
            ),
            (
                "\"workload\": {\"bounds\": [0, 0, 181, 1]}",
                "/workload/bounds/2: 181 is more than 180"
            ),
            (
                "\"workload\": {\"bounds\": [0, 9, 1, 1]}",
                "/workload/bounds: south 9.0 is north of north 1.0; bounds are west, south, east, north"
            ),
            ("\"workload\": {\"zipf\": -1}", "/workload/zipf: -1 is less than 0"),
            ("\"workload\": {\"kind\": \"lst\"}", nil),
            ("\"checks\": {\"status\": [99]}", "/checks/status/0: 99 is less than 100"),
            ("\"checks\": {\"status\": [600]}", "/checks/status/0: 600 is more than 599"),
            (
                "\"checks\": {\"min_bytes\": 5, \"max_bytes\": 4}",
                "/checks/min_bytes: `min_bytes` is more than `max_bytes`"
            ),
            ("\"on_invalid\": true", "/on_invalid: expected one of \"fail\", \"warn\", found true"),
            ("\"version\": 2", "/version: 2 is more than 1"),
            ("\"seed\": -1", "/seed: -1 is less than 0"),
            ("\"name\": \"a\\u0007\"", "/name: holds a control character"),
            (
                "\"connection\": {\"verify\": 1}",
                "/connection/verify: expected true or false, found 1"
            ),
            (
                "\"cache\": {\"client\": true}",
                "/cache/client: expected \"off\" or an object, found true"
            ),
            ("\"cache\": {\"client\": {\"size\": 0}}", "/cache/client/size: must be more than 0"),
        ] as [(String, String?)])
    func ranges(member: String, expected: String?) {
        let found = problems(local(member))
        #expect(found.count == 1, "\(found)")
        guard let expected else { return }
        #expect(found.first?.hasSuffix(": " + expected) == true, "\(found)")
    }

    @Test("All problems are told at once, in the order of the text")
    func allAtOnce() {
        let text = """
            {
              // a comment
              "target": { "tiles": "http://127.0.0.1:8080/{z}/{x}/{y}.png", "ratio": 0 },
              "load": { "users": 10, "rate": "20/s", "fro": "3s" },
              "gates": ["latency.response.all.p98 < 3ms", "ledger.failed"],
              "sead": 3
            }
            """
        #expect(
            problems(text) == [
                "folder/scenario.json:3:74: /target/ratio: 0 is less than 0.25",
                "folder/scenario.json:4:34: /load/rate: `rate` and `users` exclude each other",
                "folder/scenario.json:4:42: /load/fro: unknown key `fro`",
                "folder/scenario.json:5:13: /gates/0: the report has no number"
                    + " \"latency.response.all.p98\"",
                "folder/scenario.json:5:47: /gates/1: a gate is \"path op value\", such as"
                    + " \"latency.response.all.p99 < 250ms\"; \"ledger.failed\" has no comparison",
                "folder/scenario.json:6:3: /sead: unknown key `sead`",
            ])
    }

    @Test("A broken text hides neither what can be read nor invents what is missing")
    func brokenText() {
        let found = problems(
            "{\"target\": {\"tiles\": \"http://127.0.0.1/{z}\"}, \"sead\": 1, \"load\": {")
        #expect(found.count == 2)
        #expect(found.contains { $0.hasSuffix("/sead: unknown key `sead`") })
        #expect(!found.contains { $0.contains("missing") })
    }

    @Test(
        "Hints",
        arguments: [
            ("\"sead\": 3", "did you mean `seed`?"),
            ("\"users\": 3", "`users` belongs at load.users"),
            ("\"url\": 3", "`url` belongs at target.wms.url"),
            ("\"load\": {\"on_invalid\": 3}", "`on_invalid` belongs at the top"),
            ("\"on_invalid\": \"wran\"", "did you mean \"warn\"?"),
            (
                "\"gates\": [\"latency.response.all.p98 < 3ms\"]",
                "did you mean latency.response.all.p90_ms?"
            ),
            ("\"load\": {\"users\": 3, \"zzzzzzzzz\": 1}", nil),
        ] as [(String, String?)])
    func hints(member: String, hint: String?) throws {
        guard case .failure(let problems) = load(local(member)) else {
            Issue.record("no problem")
            return
        }
        let found = try #require(problems.list.first?.hint)
        if let hint {
            #expect(found == hint)
        } else {
            #expect(found.hasPrefix("known here: users, "))
        }
        #expect(problems.formatted.contains("\n    hint: \(found)"))
    }

    @Test("A list that is wrong throughout is cut short")
    func longLists() {
        let numbers = (0..<500).map { _ in "7" }.joined(separator: ",")
        let found = problems(
            local("\"workload\": {\"kind\": \"list\", \"tiles\": [\(numbers)]}, \"sead\": 1"))
        #expect(found.count == 22)
        #expect(found.contains { $0.contains("the other 480 elements were not looked at") })
        #expect(found.contains { $0.contains("unknown key `sead`") })
    }
}
