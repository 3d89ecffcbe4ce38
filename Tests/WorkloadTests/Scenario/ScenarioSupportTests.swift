import JSONText
import Testing

@testable import Workload

@Suite("What is refused until it is built")
struct ScenarioSupportTests {
    @Test(
        "Each key and value of it",
        arguments: [
            ("target", "tilejson", "\"x\""), ("target", "style", "\"x\""), ("target", "wmts", "{}"),
            ("target", "wms", "{}"), ("target", "arcgis", "\"x\""), ("target", "max_zoom", "14"),
            ("target", "compat", "\"maplibre-native\""), ("target", "compat", "\"leaflet\""),
            ("target", "compat", "\"maplibre-gl\""),
            ("connection", "http", "\"2-prior-knowledge\""), ("connection", "per_user", "2"),
            ("load", "transport", "\"direct\""), ("report", "samples", "4"),
            ("", "inject", "[{\"at\": 1, \"expire\": \"poison\", \"share\": \"30%\"}]"),
            ("auth", "profile", "\"overlay-article\""), ("auth", "profile", "\"arcgis\""),
            ("auth", "renewal", "{\"url\": \"http://127.0.0.1/\", \"kind\": \"password\"}"),
            ("auth", "renewal", "{\"kind\": \"document\"}"),
            ("auth", "renewal", "{\"url\": \"http://127.0.0.1/\", \"parts\": {}}"),
            ("auth", "renewal", "{\"url\": \"http://127.0.0.1/\", \"expires_path\": \"jwt\"}"),
            ("auth", "rejected_when", "{\"html\": \"x\"}"),
            ("auth", "rejected_when", "{\"redirect\": true}"),
            ("auth", "rejected_when", "{\"www_authenticate\": \"x\"}"),
            ("auth", "renew_before", "\"10s\""), ("auth", "renew_before", "true"),
            ("auth", "sharing", "\"user\""), ("auth", "client", "\"naive\""),
            ("auth", "client", "\"overlay-article\""), ("auth", "release", "\"canary\""),
            ("workload", "kind", "\"viewers\""), ("workload", "kind", "\"replay\""),
            ("workload", "places", "[]"), ("workload", "weights_file", "\"x\""),
            ("workload", "viewport", "[1, 1]"), ("workload", "moves", "{}"),
            ("workload", "dwell", "1"), ("workload", "cancel", "true"),
            ("workload", "client", "\"leaflet\""), ("workload", "file", "\"x\""),
            ("workload", "format", "\"csv\""), ("workload", "speed", "1"),
            ("cache", "client", "{\"honour\": \"rfc9111\"}"),
            ("cache", "client", "{\"honour\": \"maplibre-native\"}"),
            ("", "passes", "[\"cold\", \"warm\"]"), ("", "before", "[{}]"),
            ("", "inject", "[{\"at\": 1, \"expire\": \"revoke\"}]"),
            ("", "inject", "[{\"at\": 1, \"renewal\": \"slow\"}]"),
            ("", "inject", "[{\"at\": 1, \"tiles\": \"replication-lag\"}]"),
            ("report", "formats", "[\"html\"]"),
        ])
    func refused(parent: String, key: String, value: String) {
        var members = ["\"\(key)\": \(value)"]
        if parent == "auth", key != "renewal" {
            members.append("\"renewal\": {\"url\": \"http://127.0.0.1/\"}")
        }
        let inside = members.joined(separator: ", ")
        let text =
            switch parent {
            case "": local(inside)
            case "target": local(target: inside)
            default: local("\"\(parent)\": {\(inside)}")
            }
        let found = problems(text)
        let pointer = parent.isEmpty ? "/\(key)" : "/\(parent)/\(key)"
        #expect(
            found.contains {
                $0.contains(": \(pointer)") && $0.hasSuffix(" is not supported yet")
                    && $0.hasPrefix("folder/scenario.json:1:")
            }, "\(found)")
    }

    @Test("Values that say what is done anyway are taken")
    func taken() throws {
        let text = local(
            """
            "passes": ["run"], "before": [], "report": {"formats": [], "samples": 3},
            "load": {"transport": "libcurl"}, "inject": [{"at": 1, "expire": "poison", "share": "100%"}],
            "auth": {"renewal": {"url": "http://127.0.0.1/", "kind": "url"}, "profile": "generic",
                "renew_before": "0s", "rejected_when": {"redirect": false}, "sharing": "all",
                "client": "single-flight"}
            """, target: "\"compat\": \"standard\"")
        _ = try plan(text)
        for off in ["\"off\"", "0", "false", "\"0s\"", "\"0\""] {
            _ = try plan(
                local("\"auth\": {\"static\": \"abcdef\", \"renew_before\": \(off)}"))
        }
    }

    @Test("Null is as if absent, for every key")
    func nulls() {
        ScenarioKeys.visit { path, _ in
            guard !path.contains("[]"), path != "target", path != "target.tiles",
                !path.hasPrefix("target.origin."), !path.hasPrefix("target.w"),
                !path.hasPrefix("auth.")
            else { return }
            // `gates` and the like are arrays of objects; a name below them leads nowhere.
            #expect(problems(local(), set: ["\(path)=null"]) == [], "\(path)")
        }
    }
}
