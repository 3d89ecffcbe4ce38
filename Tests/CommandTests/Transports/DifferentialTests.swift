import Foundation
import Testing

/// The same asks over every transport give the same books: whatever a server sends, they agree on
/// what it was.
@Suite(.serialized)
struct DifferentialTests {
    /// What libcurl takes otherwise.
    static let libcurlDiffers: Set<String> = [
        // It calls a chunk without a size an error of receiving, which reads as a reset.
        "no chunk"
    ]

    /// What must be equal. Whether the close of a kept-alive connection is seen before or after the
    /// next request is a matter of microseconds: then it is sent once more.
    private func books(_ report: ReportJSON) throws -> [String: [String: Int]] {
        var books: [String: [String: Int]] = [:]
        books["failed_by"] = try report.failedBy()
        for path in ["status", "outcomes", "requests.answered"] {
            books[path] = try report.counts(path).filter { $0.value > 0 }
        }
        for place in try report.array("cache.server.addresses") {
            let name = try #require(place["name"] as? String)
            books["addresses", default: [:]][name] = place["count"] as? Int
        }
        var sums: [String: Int] = [:]
        for path in ["ledger.started", "ledger.ok", "ledger.failed", "bytes.body"] {
            sums[path] = try report.int(path)
        }
        sums["sent"] = try report.int("requests.sent") - report.int("requests.retried_on_closed")
        // How much of a defective head counts is nobody's rule.
        if sums["ledger.failed"] == 0 { sums["received"] = try report.int("bytes.received") }
        books["sums"] = sums
        return books
    }

    private func run(
        _ server: PythonServer, _ tiles: [String], transport: String, checks: String
    ) async throws -> ReportJSON {
        let list = tiles.map { "\"\($0)\"" }.joined(separator: ",")
        let run = try await ScenarioRun.run(
            """
            { "target": { "tiles": "\(server.url)/{z}/{x}/{y}.png" },
              "workload": { "kind": "list", "tiles": [\(list)] },
              "load": { "users": 1, "timeout": "2s", "transport": "\(transport)" },
              "checks": \(checks) }
            """)
        let report = try run.report()
        try report.expectLedgerAddsUp()
        #expect(try report.string("generator.transport") == transport)
        return report
    }

    /// What was asked for by name is not replaced by something else without a word.
    @Test func directOnly() async throws {
        let server = try await PythonServer.start("framings.py")
        defer { server.stop() }
        let run = try await ScenarioRun.run(
            """
            { "target": { "tiles": "\(server.url)/{z}/{x}/{y}.png" },
              "connection": { "redirects": 2 },
              "workload": { "kind": "list", "tiles": ["7/0/0"] },
              "load": { "users": 1, "transport": "direct" } }
            """)
        #expect(run.result.exitCode == 3)
        #expect(run.result.errorOutput.contains("cannot carry this run: redirects are followed"))
    }

    /// A host may be written in capitals, its port with a zero; a user's name goes over libcurl.
    @Test(arguments: [
        ("HTTP://LOCALHOST:", "direct"), ("http://127.0.0.1:0", "direct"),
        ("http://user:word@127.0.0.1:", "libcurl"),
    ])
    func spellingsOfAHost(beginning: String, transport: String) async throws {
        let server = try await PythonServer.start("framings.py")
        defer { server.stop() }
        let run = try await ScenarioRun.run(
            """
            { "target": { "tiles": "\(beginning)\(server.port)/{z}/{x}/{y}.png" },
              "workload": { "kind": "list", "tiles": ["7/0/0", "7/0/1"] }, "load": { "users": 1 } }
            """)
        let report = try run.report()
        #expect(try report.int("ledger.ok") == 2, "\(run.result.errorOutput)")
        #expect(try report.string("generator.transport") == transport)
    }

    @Test(arguments: [#"{ "tile": "none" }"#, #"{ "tile": "auto" }"#])
    func everyFraming(checks: String) async throws {
        let server = try await PythonServer.start("framings.py")
        defer { server.stop() }
        let names = try await server.get([String].self, "/framings")
        let looksAtBodies = checks.contains("auto")
        for (index, name) in names.enumerated() where !Self.libcurlDiffers.contains(name) {
            // Where bodies are looked at, only how they come makes a difference.
            if looksAtBodies,
                !["gzip", "deflate", "large", "chunks", "byte"].contains(where: name.contains)
            {
                continue
            }
            // A good answer before and behind it shows what becomes of the connection.
            let tiles = ["7/0/0", "7/\(index)/0", "7/0/1"]
            let direct = try await books(run(server, tiles, transport: "direct", checks: checks))
            let libcurl = try await books(run(server, tiles, transport: "libcurl", checks: checks))
            for (part, figures) in direct {
                #expect(figures == libcurl[part], "\(name): \(part)")
            }
        }
    }
}
