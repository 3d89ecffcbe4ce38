import JSONText
import Testing

@testable import Workload

@Suite("What is refused until it is built")
struct ScenarioSupportTests {
    @Test(
        "Each key and value of it",
        arguments: [
            ("connection", "http", "\"2-prior-knowledge\""), ("report", "samples", "4"),
            ("report", "formats", "[\"html\"]"),
        ])
    func refused(parent: String, key: String, value: String) {
        let inside = "\"\(key)\": \(value)"
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
            "load": {"transport": "direct"}, "inject": [{"at": 1, "expire": "poison", "share": "100%"}],
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
