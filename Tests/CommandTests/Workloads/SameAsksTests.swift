import Foundation
import Testing

/// The same seed asks for the same tiles, however many threads do it.
@Suite(.serialized)
struct SameAsksTests {
    /// Paths of all requests, sorted.
    private func asks(
        threads: Int, workload: String, load: String, seed: Int = 5,
        in folder: TemporaryFolder? = nil
    ) async throws -> [String] {
        let server = try await ViewedTiles.start()
        let run = try await ScenarioRun.run(
            """
            {"target": {"tiles": "\(server.template)"}, "seed": \(seed), "workload": {\(workload)},
             "load": {\(load), "threads": \(threads), "grace": "60s"},
             "connection": {"http": "1.1"\(workload.contains("viewers") ? ", \"per_user\": 256" : "")},
             "cache": {"client": "off"}, "on_invalid": "warn"}
            """, in: folder, timeoutS: 120)
        #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
        let report = try run.report()
        #expect(try report.int("generator.threads") == threads)
        let record = try await server.record()
        #expect(try report.int("ledger.ok") == record.requests.count)
        return record.requests.map(\.path).sorted()
    }

    /// Leaflet asks for all of a view at once; nothing is given up, so that no answer decides what
    /// is asked for.
    private static let viewers = """
        "kind": "viewers", "client": "leaflet", "cancel": false, "dwell": "50ms",
        "viewport": [512, 512], "zooms": [8, 14], "bounds": [5.9, 45.8, 10.5, 47.8]
        """

    @Test(arguments: [
        (viewers, #""users": 7, "count": 28"#), (viewers, #""rate": "200/s", "count": 28"#),
        (#""zooms": [8, 14], "bounds": [5.9, 45.8, 10.5, 47.8]"#, #""users": 9, "count": 150"#),
    ])
    func threads(workload: String, load: String) async throws {
        async let alone = asks(threads: 1, workload: workload, load: load)
        async let another = asks(threads: 1, workload: workload, load: load, seed: 6)
        let one = try await alone
        #expect(one.count >= 100)
        #expect(try await another != one)
        async let two = asks(threads: 2, workload: workload, load: load)
        async let three = asks(threads: 3, workload: workload, load: load)
        async let seven = asks(threads: 7, workload: workload, load: load)
        #expect(try await two == one)
        #expect(try await three == one)
        #expect(try await seven == one)
    }

    @Test(arguments: ["", #""users": 9,"#])
    func replays(load: String) async throws {
        let folder = try TemporaryFolder()
        var lines: [String] = []
        for number in 0..<150 {
            let path = "/t/9/\(number * 7 % 512)/\(number * 13 % 512)"
            let second = String(format: "%02d", number / 75)
            lines.append(
                "127.0.0.\(number % 5) - - [10/Oct/2020:13:55:\(second) +0000] \"GET \(path) HTTP/1.1\""
                    + " 200 5 \"-\" \"-\"")
        }
        try folder.write("access.log", lines.joined(separator: "\n") + "\n")
        let wanted = (0..<150).map { "/t/9/\($0 * 7 % 512)/\($0 * 13 % 512)" }.sorted()
        for threads in [1, 2, 3, 7] {
            let found = try await asks(
                threads: threads,
                workload: #""kind": "replay", "file": "access.log""#
                    + (load.isEmpty ? #", "speed": 10"# : ""),
                load: load + #""timeout": "30s""#, in: folder)
            #expect(found == wanted, "\(threads) threads")
        }
    }
}
