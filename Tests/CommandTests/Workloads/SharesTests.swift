import Foundation
import Testing

/// Shares of asks, as a server counts them.
@Suite(.serialized)
struct SharesTests {
    /// Counts of paths; each ask is drawn on its own.
    private func paths(_ workload: String, in folder: TemporaryFolder) async throws -> (
        report: ReportJSON, counts: [String: Int]
    ) {
        let server = try await ViewedTiles.start()
        let run = try await ScenarioRun.run(
            """
            {"target": {"tiles": "\(server.template)"}, "workload": {\(workload)},
             "load": {"users": 8, "count": 3000, "grace": "60s"}, "on_invalid": "warn"}
            """, in: folder, timeoutS: 120)
        #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
        let report = try run.report()
        try report.expectLedgerAddsUp()
        let record = try await server.record()
        #expect(record.requests.count == 3000)
        return (report, Dictionary(record.requests.map { ($0.path, 1) }, uniquingKeysWith: +))
    }

    /// Within five standard deviations of a draw with that probability.
    private func expect(
        _ count: Int, of all: Int, near share: Double, _ what: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let deviation = (Double(all) * share * (1 - share)).squareRoot()
        #expect(
            abs(Double(count) - Double(all) * share) <= 5 * deviation,
            "\(what): \(count) of \(all)", sourceLocation: sourceLocation)
    }

    @Test(arguments: ["tiles.txt.xz"])
    func weightsOfATileLog(file: String) async throws {
        let folder = try TemporaryFolder()
        let script = """
            import gzip, lzma
            text = b"7/1/1 100\\n7/2/1 200\\n7/3/1 300\\n7/4/1 400\\n3/0/0 999\\nrubbish\\n"
            open("tiles.txt", "wb").write(text)
            gzip.open("tiles.txt.gz", "wb").write(text)
            lzma.open("tiles.txt.xz", "wb").write(text)
            """
        let process = try ChildProcess(
            "/usr/bin/python3", ["-c", script], environment: [:], workingFolder: folder.path,
            outputFolder: try TemporaryFolder())
        #expect(try await process.waitForEnd(timeoutS: 60) == .exited(0))
        // The tile of zoom 3 is none of the zooms.
        let (_, counts) = try await paths(
            "\"zooms\": [5, 9], \"weights_file\": \"\(file)\"", in: folder)
        #expect(counts.count == 4)
        for number in 1...4 {
            let path = "/t/7/\(number)/1"
            expect(counts[path] ?? 0, of: 3000, near: Double(number) / 10, path)
        }
    }

    @Test func placesByTheirWeights() async throws {
        // Two boxes of zoom 8, apart from each other: their tiles tell them apart.
        let (report, counts) = try await paths(
            """
            "zooms": [8, 8], "zipf": 0, "places": [
              {"name": "west", "bounds": [-90, 10, -80, 20], "weight": 3},
              {"name": "east", "bounds": [80, 10, 90, 20], "weight": 1}]
            """, in: TemporaryFolder())
        let west = counts.filter { (Int($0.key.split(separator: "/")[2]) ?? 0) < 128 }
            .values.reduce(0, +)
        expect(west, of: 3000, near: 0.75, "west")
        let rows = try report.array("places")
        #expect(rows.map { $0["name"] as? String } == ["west", "east"])
        #expect(rows.map { $0["started"] as? Int } == [west, 3000 - west])
        #expect(rows.map { $0["ok"] as? Int } == [west, 3000 - west])
    }
}
