import Foundation
import JSONText
import Testing

@testable import Workload

@Suite("The plan as JSON")
struct PlanJSONTests {
    static let scenarios = [
        local(),
        local("\"name\": \"a b\", \"seed\": 18446744073709551615, \"on_invalid\": \"warn\""),
        local(
            target:
                "\"scheme\": \"tms\", \"ratio\": 1.5, \"unknown\": \"keep\", \"headers\": {\"Accept\": null, \"X-Key\": \"abcdef\"}, \"hosts\": [\"127.0.0.1\"], \"permission\": true, \"tile_size\": 512, \"subdomains\": \"xyz\""
        ),
        """
        {"target": {"origin": {"tile": "mvt", "bytes": "3kB", "cache_control": "", "latency": {"median": "1ms", "p99": "2500us"},
          "token": {"ttl": "1500ms", "refuse_with": 403}, "edge_cache": {"hit_rate": 0.25},
          "faults": [{"share": "0.1%", "status": 503}, {"share": 0.1, "truncate": true}, {"share": 0.1, "stall": true}, {"share": 0.1, "reset": true}]}},
         "auth": {"release": "all", "store": "x.json"},
         "inject": [{"at": "1s", "every": 2, "expire": "origin", "share": "100%"}, {"at": 1, "expire": "poison", "with": "empty"}]}
        """,
        local(
            "\"auth\": {\"static\": \"abcdef\", \"token\": {\"in\": \"cookie\", \"name\": \"c\"}}, \"load\": {\"rate\": \"0.333/s\", \"arrivals\": \"poisson\", \"for\": \"90s\"}"
        ),
        local(
            """
            "auth": {"token": {"in": "header", "prefix": ""}, "renewal": {"url": "http://127.0.0.1/t", "method": "POST",
              "headers": {"X-A": "1", "Content-Type": "text/plain"}, "body": "x=1", "token_path": "a.0", "expires_path": "b", "timeout": "3s"},
              "rejected_when": {"status": [], "json": {"path": "c", "values": []}}, "release": {"per_5ms": 3}, "start": "dummy",
              "cool_down": "1ms..1h"}
            """),
        local(
            "\"auth\": {\"renewal\": {\"url\": \"http://127.0.0.1/\", \"method\": \"PUT\", \"body\": {\"a\": {\"form\": 1}}}}"
        ),
        local(
            "\"auth\": {\"renewal\": {\"url\": \"http://127.0.0.1/\", \"method\": \"PUT\", \"body\": {\"form\": {\"a\": 1}}}}"
        ),
        "{\"target\": {\"tiles\": \"https://127.0.0.1/{z}/{x}/{y}\"}, \"connection\": {\"http\": \"2\"}}",
        """
        {"target": {"origin": {"token": {"ttl": "5s", "advertise": "1h", "refuse_with": "redirect", "late": "400ms", "issue_revokes": true, "rotate_refresh": true}}},
         "auth": {"sharing": "user", "client": "window", "renew_before": "0s", "release": "canary",
          "rejected_when": {"redirect": true, "html": false, "www_authenticate": "stale"}},
         "inject": [{"at": 1, "expire": "origin", "share": "30%"}, {"at": 2, "for": "3s", "every": "5s", "renewal": "429"},
          {"at": 3, "tiles": "late-refusals"}, {"at": 4, "expire": "revoke", "request": {"url": "${ORIGIN}/revoke",
           "headers": {"X-A": "1"}, "body": {"form": {"a": 1}}, "timeout": "1s"}}]}
        """,
        """
        {"target": {"tiles": "http://127.0.0.1/{z}?x=1"}, "auth": {"profile": "cloudfront", "renewal": {"url": "http://127.0.0.1/"}}}
        """,
        """
        {"target": {"tiles": "http://127.0.0.1/{z}", "headers": {"Cookie": "a=1"}},
         "auth": {"profile": "cloudfront", "token": {"in": "cookie"}, "renewal": {"url": "http://127.0.0.1/", "parts": {"Policy": "p.0",
          "Signature": "s", "Key-Pair-Id": "k"}}}}
        """,
        local("\"auth\": {\"profile\": \"overlay-article\"}"),
        local("\"auth\": {\"profile\": \"google\", \"renewal\": {\"url\": \"http://127.0.0.1/\"}}"),
        local(
            "\"auth\": {\"renewal\": {\"url\": \"http://127.0.0.1/\", \"kind\": \"password\", \"username\": \"me\", \"password\": \"p\", \"client_id\": \"i\", \"client_secret\": \"s\", \"client_auth\": \"body\", \"expires_path\": \"jwt\"}}"
        ),
        local(
            "\"auth\": {\"profile\": \"arcgis\", \"renewal\": {\"url\": \"http://127.0.0.1/\", \"username\": \"me\", \"password\": \"p\", \"referer\": \"r\", \"expiration\": 5}}"
        ),
        """
        {"target": {"tiles": "http://127.0.0.1/{z}?s={token.sig}"}, "auth": {"token": {"in": "template"},
         "renewal": {"url": "http://127.0.0.1/tiles.json", "kind": "document"}}}
        """,
        local("\"load\": {\"rate\": 5}, \"cache\": {\"client\": {}}"),
        local(
            "\"abort_when\": [{\"gate\": \"ledger.failed > 3 after 2s\", \"min_samples\": 5}]"),
        local("\"workload\": {\"kind\": \"list\", \"tiles\": [\"3/1/2\", \"0/0/0\"]}"),
        local(
            "\"workload\": {\"kind\": \"pyramid\", \"order\": \"hilbert\", \"zooms\": [2, 4], \"bounds\": [170, -90, -170, 12.5]}, \"load\": {\"count\": 7}"
        ),
        local(
            "\"workload\": {\"zooms\": [2, 4], \"zoom_weights\": [1, 0.5, 3e-7], \"zipf\": 0.9, \"think\": \"1500us\"}"
        ),
        local(
            "\"load\": {\"stages\": [{\"for\": \"1ns\", \"rate\": \"0/s -> 0.1/s\"}, {\"for\": 1, \"rate\": 3}], \"count\": 3, \"warmup\": \"1s\", \"threads\": 2, \"timeouts\": {\"tls\": 1}}"
        ),
        local("\"load\": {\"stages\": [{\"for\": \"1h\", \"users\": \"0 -> 1000000\"}]}"),
        local(
            "\"connection\": {\"http\": \"1.1\", \"max\": 5, \"resolve\": {\"a:1\": [\"::1\"]}, \"dns\": \"ttl\", \"proxy\": \"socks5://127.0.0.1:1\", \"unix_socket\": \"/s\", \"source_addresses\": [\"127.0.0.1\"]}"
        ),
        local(
            "\"cache\": {\"client\": {\"size\": \"1500B\", \"per\": \"user\", \"strip\": [\"a\"]}, \"server_header\": \"X-C\"}, \"checks\": {\"status\": [200], \"tile\": \"auto\", \"min_bytes\": 1, \"max_bytes\": 2, \"not_found\": \"ok\"}"
        ),
        local(
            "\"gates\": [\"auth.renewals.per_expiry_max == 1\", {\"gate\": \"rate.ok_per_s > 10/s\", \"level\": \"warn\", \"min_samples\": 3, \"allow_empty\": true}], \"abort_when\": [\"failed_by.timeout > 3 after 90s\"]"
        ),
    ]

    @Test("It reads again as a scenario for the same run", arguments: scenarios)
    func roundTrip(text: String) throws {
        let first = try plan(text)
        let written = JSONWriter.encodeText(first.json, pretty: true)
        let second = try plan(written)
        #expect(JSONWriter.encodeText(second.json, pretty: true) == written)
        // What the text does not show must be equal too, apart from what is secret.
        for (one, other) in [(describe(first), describe(second))] { #expect(one == other) }
        #expect(first.fingerprintJSON == second.fingerprintJSON)
    }

    /// Every field of the plan except secrets, notes and masked values.
    private func describe(_ plan: Plan) -> String {
        var plan = plan
        plan.secrets = Secrets()
        plan.notes = []
        plan.auth?.staticToken = nil
        plan.auth?.renewal?.headers = []
        plan.auth?.renewal?.body?.text = ""
        if var renewal = plan.auth?.renewal {
            // That a secret is there, and what is none.
            func hide(_ secret: inout String?) { secret = secret.map { _ in Secrets.mask } }
            hide(&renewal.credentials.clientID)
            hide(&renewal.credentials.clientSecret)
            hide(&renewal.credentials.scope)
            hide(&renewal.credentials.username)
            hide(&renewal.credentials.password)
            hide(&renewal.credentials.refreshToken)
            hide(&renewal.credentials.referer)
            plan.auth?.renewal = renewal
        }
        for index in plan.injections.indices {
            guard case .revoke(var hook) = plan.injections[index].kind else { continue }
            hook.headers = []
            hook.body?.text = ""
            plan.injections[index].kind = .revoke(hook)
        }
        for index in plan.target.headers.indices
        where Secrets.isSecret(header: plan.target.headers[index].name) {
            plan.target.headers[index].value = ""
        }
        var text = ""
        dump(plan, to: &text)
        return text
    }

    @Test("The fingerprint knows the load but neither target nor report")
    func fingerprint() throws {
        let base = try plan(local("\"name\": \"n\"")).fingerprintJSON
        #expect(base["target"] == nil)
        #expect(base["report"] == nil)
        let other = try plan(
            """
            {"target": {"tiles": "http://10.0.0.1/x/{z}/{x}/{y}"}, "name": "n",
             "report": {"directory": "elsewhere"}}
            """)
        #expect(other.fingerprintJSON == base)
        #expect(try plan(local("\"name\": \"n\", \"seed\": 2")).fingerprintJSON != base)
        let tokens = try ["one-secret", "two-secret"].map { token in
            try plan(local("\"auth\": {\"static\": \"\(token)\"}")).fingerprintJSON
        }
        #expect(tokens[0] == tokens[1])
    }

    @Test("A list from a file is known by its tiles, not by its path")
    func listFingerprint() throws {
        let folder = FileManager.default.temporaryDirectory
        let paths = (0..<3).map { _ in folder.appendingPathComponent(UUID().uuidString).path }
        defer { for path in paths { try? FileManager.default.removeItem(atPath: path) } }
        for (path, lines) in zip(paths, ["0/0/0\n1/0/0", "0/0/0\n\n1/0/0\n", "0/0/0\n1/0/1"]) {
            try Data(lines.utf8).write(to: URL(fileURLWithPath: path))
        }
        let prints = try paths.map { path in
            try plan(local("\"workload\": {\"kind\": \"list\", \"tiles\": \"\(path)\"}"))
                .fingerprintJSON
        }
        #expect(prints[0] == prints[1])
        #expect(prints[0] != prints[2])
    }
}
