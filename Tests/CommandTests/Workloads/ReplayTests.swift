import Foundation
import Testing

/// Logs replayed by the real binary.
@Suite(.serialized)
struct ReplayTests {
    private func replay(
        _ server: ViewedTiles, _ workload: String, load: String = "", more: String = "",
        in folder: TemporaryFolder
    ) async throws -> ReportJSON {
        let run = try await ScenarioRun.run(
            """
            {"target": {"tiles": "\(server.template)"},
             "workload": {"kind": "replay", \(workload)}, "load": {"grace": "60s"\(load)},
             "on_invalid": "warn"\(more)}
            """, in: folder, timeoutS: 240)
        #expect(run.result.exitCode == 0, "\(run.result.errorOutput)")
        let report = try run.report()
        try report.expectLedgerAddsUp()
        return report
    }

    /// Writes what a line of Python makes, as text, by gzip and by xz.
    private func write(_ lines: String, in folder: TemporaryFolder) async throws {
        let script = """
            import gzip, lzma
            text = "".join(\(lines)).encode()
            open("log", "wb").write(text)
            gzip.open("log.gz", "wb").write(text)
            lzma.open("log.xz", "wb", preset=0).write(text)
            """
        let outputs = try TemporaryFolder()
        let process = try ChildProcess(
            "/usr/bin/python3", ["-c", script], environment: [:], workingFolder: folder.path,
            outputFolder: outputs)
        let end = try await process.waitForEnd(timeoutS: 120)
        #expect(end == .exited(0), "\(process.errorOutput())")
    }

    @Test(arguments: [
        (
            "combined", "log.gz",
            #"f'10.0.0.{n} - - [10/Oct/2020:13:55:36 +0000] "GET /t/7/{n}/5 HTTP/1.1" 200 5 "-" "x"\n'"#
        ),
        (
            "cloudfront", "log.xz",
            #"f'2020-10-10\t13:55:36\tFRA\t5\t10.0.0.{n}\tGET\td.example\t/t/7/{n}/5\t200\t-\tx\t-\n'"#
        ),
        ("csv", "log", #"f'{n},a,7,{n},5\n'"#),
        ("urls", "log.xz", #"f'https://tiles.example.org/t/7/{n}/5\n'"#),
    ])
    func formats(format: String, file: String, line: String) async throws {
        let head = format == "cloudfront" ? "['#Version: 1.0\\n']" : "[]"
        let folder = try TemporaryFolder()
        try await write("\(head) + [\(line) for n in range(60)] + ['\\n']", in: folder)
        let server = try await ViewedTiles.start()
        let wanted = file == "log" ? format : "auto"
        let report = try await replay(
            server, "\"file\": \"\(file)\", \"format\": \"\(wanted)\", \"speed\": 10", in: folder)
        #expect(try report.string("replay.format") == format)
        #expect(try report.int("replay.tiles") == 60)
        #expect(try report.int("replay.passes") == 1)
        let skipped = try report.counts("replay.skipped")
        #expect(try report.int("replay.lines") == 60 + skipped.values.reduce(0, +))
        #expect(skipped["blank"] == (format == "cloudfront" ? 2 : 1))
        let record = try await server.record()
        #expect(record.requests.map(\.path).sorted() == (0..<60).map { "/t/7/\($0)/5" }.sorted())
        #expect(try report.int("ledger.ok") == 60)
    }

    @Test func linesThatAreNoTile() async throws {
        let folder = try TemporaryFolder()
        func line(_ request: String) -> String {
            "1.2.3.4 - - [10/Oct/2020:13:55:36 +0000] \"\(request) HTTP/1.1\" 200 5 \"-\" \"-\"\n"
        }
        try folder.write(
            "log",
            line("GET /t/3/1/2") + line("GET /favicon.ico") + line("POST /t/3/1/2") + "nonsense\n"
                + "\n" + line("GET /t/3/1/99"))
        let server = try await ViewedTiles.start()
        let report = try await replay(server, #""file": "log""#, in: folder)
        #expect(try report.int("replay.lines") == 6)
        #expect(try report.int("replay.tiles") == 1)
        let skipped = try report.counts("replay.skipped").filter { $0.value > 0 }
        #expect(skipped == ["no_tile": 2, "method": 1, "bad_line": 1, "blank": 1])
        #expect(try await server.record().requests.map(\.path) == ["/t/3/1/2"])
    }

    /// From standard input, by users, and by a rate.
    @Test(arguments: [#", "users": 3"#, #", "rate": "500/s", "arrivals": "poisson""#, ""])
    func standardInput(load: String) async throws {
        let folder = try TemporaryFolder()
        let server = try await ViewedTiles.start()
        try folder.write(
            "scenario.json",
            """
            {"target": {"tiles": "\(server.template)"}, "on_invalid": "warn",
             "workload": {"kind": "replay", "file": "-"}, "load": {"grace": "60s"\(load)}}
            """)
        let result = try await TilebenchBinary.run(
            ["run", "scenario.json", "--out", "out", "--progress", "none"], in: folder,
            input: (0..<50).map { "9/\($0)/3\n" }.joined())
        #expect(result.exitCode == 0, "\(result.errorOutput)")
        let report = try ReportJSON(path: folder.path("out/report.json"))
        #expect(try report.int("ledger.ok") == 50)
        #expect(try report.int("replay.tiles") == 50)
        #expect(try await server.record().requests.count == 50)
    }

    /// Asks come at the log's times, and an answer's time counts from there: with one connection
    /// the fifth of five has waited for four others.
    @Test func latencyCountsFromTheLoggedTime() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "log.csv", (0..<5).map { "1000,a,7,\($0),5\n" }.joined() + "3000,a,7,9,5\n")
        let server = try await ViewedTiles.start(delayMS: 100)
        let report = try await replay(
            server, #""file": "log.csv", "speed": 2"#, more: #", "connection": {"max": 1}"#,
            in: folder)
        #expect(try report.int("ledger.ok") == 6)
        // Two seconds of the log in one.
        #expect(try report.double("run.measured_s") >= 1.0)
        #expect(try report.double("latency.response.ok.max_ms") >= 480)
        #expect(try report.double("latency.service.ok.min_ms") >= 95)
        let paths = try await server.record().requests.map(\.path)
        #expect(paths.last == "/t/7/9/5")
    }

    /// A log that is used up begins again when there is a time or a number.
    @Test func againFromItsBeginning() async throws {
        let folder = try TemporaryFolder()
        try folder.write("log", "3/0/0\n3/1/1\n3/2/2\n")
        let server = try await ViewedTiles.start()
        let report = try await replay(
            server, #""file": "log""#, load: #", "users": 1, "count": 10"#, in: folder)
        #expect(try report.int("ledger.ok") == 10)
        let paths = try await server.record().requests.map(\.path)
        #expect(paths == (0..<10).map { "/t/3/\($0 % 3)/\($0 % 3)" })
    }

    /// A damaged log is no measurement, and said so.
    @Test func aLogThatBreaksOff() async throws {
        let folder = try TemporaryFolder()
        try await write("[f'9/{n}/{n % 7}\\n' for n in range(20000)]", in: folder)
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.path("log.gz")))
        try folder.write("cut.gz", Array(whole.prefix(whole.count / 2)))
        let server = try await ViewedTiles.start()
        try folder.write(
            "scenario.json",
            """
            {"target": {"tiles": "\(server.template)"},
             "workload": {"kind": "replay", "file": "cut.gz"}, "load": {"users": 2, "grace": "60s"}}
            """)
        let result = try await TilebenchBinary.run(
            ["run", "scenario.json", "--out", "out", "--progress", "none"], in: folder,
            timeoutS: 240)
        #expect(result.exitCode == 4, "\(result.errorOutput)")
        let report = try ReportJSON(path: folder.path("out/report.json"))
        let reasons = try #require(report.value("run.reasons") as? [String])
        #expect(reasons.contains { $0.hasPrefix("the log could not be read to its end") })
        #expect(report.has("replay.failure"))
    }

    /// What a log takes in memory does not depend on its length.
    @Test func memoryOfALongLog() async throws {
        var peaks: [Int] = []
        for lines in [100, 300_000] {
            let folder = try TemporaryFolder()
            try await write(
                "[f'9/{n}/3\\n' for n in range(100)]"
                    + " + ['https://tiles.example.org/' + 'x' * 60 + '\\n'] * \(lines)", in: folder)
            let server = try await ViewedTiles.start()
            let report = try await replay(
                server, #""file": "log.xz""#, load: #", "users": 2"#, in: folder)
            #expect(try report.int("replay.lines") == lines + 100)
            #expect(try report.int("ledger.ok") == 100)
            peaks.append(try report.int("generator.peak_rss_bytes"))
        }
        // The longer one has 26 MB.
        #expect(peaks[1] - peaks[0] < 13 << 20, "\(peaks)")
    }

    @Test(arguments: [
        (#""file": "none""#, #""users": 1"#, "cannot read"),
        (#""format": "csv""#, #""users": 1"#, "needs `file`"),
        (#""file": "-", "speed": 2"#, #""users": 1"#, "`speed` is for the log's own times"),
        (#""file": "-", "think": "1s""#, #""rate": 5"#, "`think` is for a closed load only"),
        (#""file": "-""#, #""warmup": "1s", "count": 5"#, "exclude each other"),
        (#""file": "-", "zipf": 1"#, "", "is for kind \"popular\" and \"viewers\" only"),
    ])
    func whatMakesNoSense(workload: String, load: String, message: String) async throws {
        let run = try await ScenarioRun.run(
            """
            {"target": {"tiles": "http://127.0.0.1:1/{z}/{x}/{y}"},
             "workload": {"kind": "replay", \(workload)}, "load": {\(load)}}
            """)
        #expect(run.result.exitCode == 2)
        #expect(run.result.errorOutput.contains(message), "\(run.result.errorOutput)")
    }
}
