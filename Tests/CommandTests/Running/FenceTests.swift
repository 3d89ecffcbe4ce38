import Foundation
import Testing

/// Requests go to the hosts that are named and to no other, whatever the URL looks like.
@Suite(.serialized)
struct FenceTests {
    /// Ways to write two hosts into one URL, of which parsers pick different ones.
    private static let tricks: [@Sendable (_ own: Int, _ other: Int) -> String] = [
        { "http://127.0.0.1:\($0)\\@127.0.0.1:\($1)/" },
        { "http://127.0.0.1:\($0)\\a@127.0.0.1:\($1)/" },
        { "http://127.0.0.1:\($0)@127.0.0.1:\($1)\\/" },
        { "http://a@127.0.0.1:\($0)@127.0.0.1:\($1)/" },
        { "http://127.0.0.1:\($0)\t@127.0.0.1:\($1)/" },
        { "http://127.0.0.1:\($0)/\u{301}@127.0.0.1:\($1)/" },
        { "http://127.0.0.1:\($0)#@127.0.0.1:\($1)/" },
    ]

    @Test(arguments: tricks.indices)
    func noURLLeavesTheHostsOfThePlan(number: Int) async throws {
        try await withNginx(NginxConfig(.tiles)) { other in
            try await withNginx(NginxConfig(.tiles)) { server in
                let url = Self.tricks[number](server.port, other.port)
                // A fence that is written down holds even if the template's own reading is wrong.
                for fence in [[], ["--set", "target.hosts=[\"127.0.0.1:\(server.port)\"]"]] {
                    _ = try await TilebenchBinary.run(
                        ["run", url + "{z}/{x}/{y}.png", "--users", "1", "--for", "300ms", "-q"]
                            + fence, in: try TemporaryFolder())
                }
                #expect(try await other.stopAndReadLog().entries.isEmpty, "\(url)")
            }
        }
    }

    @Test(arguments: tricks.indices)
    func noRedirectLeavesThem(number: Int) async throws {
        try await withNginx(NginxConfig(.tiles)) { other in
            // nginx's own configuration takes \t and a backslash in a quoted text.
            let place = Self.tricks[number](1, other.port)
                .replacing("\\", with: "\\\\").replacing("127.0.0.1:1", with: "$http_host")
            let part = NginxConfig.Part(
                server: "location /r/ { return 302 \"\(place)tiles/1/0/0.png\"; }")
            try await withNginx(NginxConfig(part)) { server in
                let run = try await ScenarioRun.run(
                    """
                    {"target": {"tiles": "\(server.url)/r/{z}/{x}/{y}.png"},
                     "connection": {"redirects": 3},
                     "load": {"users": 1, "for": "300ms"}, "on_invalid": "warn"}
                    """)
                #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
                #expect(try run.report().int("requests.sent") > 0)
                #expect(try await other.stopAndReadLog().entries.isEmpty, "\(place)")
            }
        }
    }
}
