import Metrics
import Testing
import TileModel

@testable import Workload

private func replay(
    _ file: LogFile, _ format: ReplayPlan.Format = .auto, speed: Double = 1,
    templates: [String] = [], shard: UInt64 = 0, shards: UInt64 = 1, repeats: Bool = false,
    windowMax: Int = ReplayReader.windowMax
) throws -> ReplayReader {
    var plan = ReplayPlan(file: "log")
    (plan.format, plan.speed) = (format, speed)
    return try ReplayReader(
        plan: plan, path: file.path, templates: try templates.map { try TileTemplate($0) },
        shard: shard, shards: shards, repeats: repeats, windowMax: windowMax)
}

/// As many entries as there are, or as wanted.
private func entries(_ reader: ReplayReader, atMost most: Int = .max) throws -> [ReplayEntry] {
    var entries: [ReplayEntry] = []
    while entries.count < most, let entry = try reader.next() { entries.append(entry) }
    return entries
}

private func combined(_ second: Int, _ path: String, minute: Int = 0) -> String {
    let clock = "\(second < 10 ? "0" : "")\(second)"
    let minutes = "\(minute < 10 ? "0" : "")\(minute)"
    return "1.2.3.4 - - [10/Oct/2000:13:\(minutes):\(clock) +0000] \"GET \(path) HTTP/1.1\" 200 5"
}

struct ReplayReaderTests {
    /// Each line is asked of the source whose template knows it. What the source has not is no
    /// tile, and of a deeper one the tile that covers it is asked for.
    @Test func sourcesOfATarget() throws {
        let file = try LogFile(
            """
            https://t/roads/5/3/1
            https://t/hills/5/3/1
            https://t/hills/9/48/16
            https://t/hills/3/0/0
            https://t/roads/9/48/16
            https://t/box/5/17/11
            https://t/box/5/3/1
            5/3/2
            """)
        var hills = TileSource(
            name: "hills", templates: ["https://t/hills/{z}/{x}/{y}"], maxZoom: 7, tileSize: 256)
        hills.minZoom = 4
        var box = TileSource(
            name: "box", templates: ["https://t/b0x/{z}/{x}/{y}", "https://t/box/{z}/{x}/{y}"],
            maxZoom: 9, tileSize: 512)
        (box.bounds, box.stated) = (
            try GeoBounds(west: 12, south: 45, east: 14, north: 47), .bounds
        )
        let roads = TileSource(
            name: "roads", templates: ["https://t/roads/{z}/{x}/{y}"], maxZoom: 22, tileSize: 256)
        let sources = [roads, hills, box]
        let reader = try ReplayReader(
            plan: ReplayPlan(file: "log"), path: file.path,
            templates: try sources.flatMap(\.templates).map { try TileTemplate($0) },
            sources: sources)
        let found = try entries(reader)
        #expect(
            found.map { "\($0.source) \($0.tile)" } == [
                "0 5/3/1", "1 5/3/1", "1 7/12/4", "0 9/48/16", "2 5/17/11", "0 5/3/2",
            ])
        #expect(reader.counts.noTile == 2 && reader.counts.byTemplate == 5)
        #expect(reader.counts.byColumns == 1 && reader.counts.lines == 8)
    }

    @Test func linesOfACombinedLog() throws {
        let file = try LogFile(
            """
            \(combined(10, "/5/3/1.png"))
            \(combined(10, "/favicon.ico"))
            nonsense

            \(combined(10, "/5/3/2.png").replacing("GET", with: "HEAD"))
            \(combined(12, "/roads/5/9/2"))
            \(combined(11, "/t?z=5&x=3&y=3"))
            \(combined(12, "/" + String(repeating: "x", count: 70_000)))
            \(combined(99, "/5/3/2.png"))
            \(combined(13, "/5/3/4.png"))
            """)
        let reader = try replay(file, templates: ["https://t/roads/{z}/{y}/{x}"])
        #expect(reader.format == .combined && reader.hasTimes)
        let found = try entries(reader)
        #expect(found.map(\.tile.description) == ["5/3/1", "5/3/3", "5/2/9", "5/3/4"])
        #expect(found.map(\.intendedNS) == [0, 1, 2, 3].map { $0 * 1_000_000_000 })
        #expect(found.map(\.index) == [0, 1, 2, 3])
        #expect(Set(found.map(\.session)).count == 1)
        var counts = ReplayCounts()
        (counts.lines, counts.byTemplate, counts.byPath, counts.byQuery) = (10, 1, 2, 1)
        (counts.blank, counts.noTile, counts.badLine, counts.tooLong) = (1, 1, 1, 1)
        (counts.method, counts.time, counts.reordered, counts.passes) = (1, 1, 1, 1)
        #expect(reader.counts == counts)
        #expect(try reader.next() == nil)
    }

    @Test func linesOfOneSecondAreSpread() throws {
        let seconds = [10, 10, 11, 10, 10, 13, 13, 13]
        let file = try LogFile(
            seconds.enumerated().map { combined($1, "/10/0/\($0)") }.joined(separator: "\n"))
        let found = try entries(replay(file))
        #expect(found.map(\.tile.y) == [0, 1, 3, 4, 2, 5, 6, 7])
        let third: UInt64 = 1_000_000_000 / 3
        #expect(
            found.map(\.intendedNS) == [
                0, 250_000_000, 500_000_000, 750_000_000, 1_000_000_000, 3_000_000_000,
                3_000_000_000 + third, 3_000_000_000 + 2 * third,
            ])
        let fast = try entries(replay(file, speed: 4))
        #expect(
            fast.map { $0.intendedNS * 4 }.map { $0 / 100 } == found.map { $0.intendedNS / 100 })
        let slow = try entries(replay(file, speed: 0.5))
        #expect(slow.map(\.intendedNS) == found.map { $0.intendedNS * 2 })
    }

    @Test func timesOfCSVAreExact() throws {
        let file = try LogFile(
            "t_ms,session,z,x,y\n1000.5,a,5,0,0\n1000.5,b,5,0,1\n1003,a,5,0,3\n1002,a,5,0,2\n")
        let reader = try replay(file)
        let found = try entries(reader)
        #expect(reader.format == .csv)
        #expect(found.map(\.intendedNS) == [0, 0, 1_500_000, 2_500_000])
        #expect(found.map(\.tile.y) == [0, 1, 2, 3])
        #expect(found[0].session == found[2].session && found[0].session != found[1].session)
        #expect(reader.counts.byColumns == 4 && reader.counts.reordered == 1)
    }

    @Test func urlListsHaveNoTimes() throws {
        let file = try LogFile("# list\nhttps://t.example/5/3/1.png\n\n/5/3/0.png\n5/3/7\n/no\n")
        let reader = try replay(file)
        #expect(reader.format == .urls && !reader.hasTimes)
        let found = try entries(reader)
        #expect(found.map(\.tile.y) == [1, 0, 7])
        #expect(found.allSatisfy { $0.intendedNS == 0 && $0.session == 0 })
        #expect(reader.counts.blank == 2 && reader.counts.noTile == 1)
    }

    @Test func compressedLogsAreTheSame() throws {
        let text = (0..<500).map { combined($0 / 9, "/9/\($0)/5.png") }.joined(separator: "\n")
        let plain = try entries(replay(LogFile(text)))
        #expect(plain.count == 500)
        #expect(try entries(replay(LogFile(gzip(Array(text.utf8))))) == plain)
        #expect(try entries(replay(LogFile(xz(Array(text.utf8))))) == plain)
    }

    /// Times that jump about by less than the window come in order, whatever the window is.
    @Test(arguments: [1, 2, 3, 5, 8, 13] as [UInt64])
    func linesComeInOrder(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        let count = 3000
        let reach = Int.random(in: 1...60, using: &random)
        var times: [Int] = []
        for place in 0..<count {
            times.append(place * 10 + Int.random(in: 0...(10 * reach), using: &random))
        }
        let text = times.enumerated().map { "\($1),1,20,\($0),0" }.joined(separator: "\n")
        let file = try LogFile(text)
        let expected = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
        let reader = try replay(file, windowMax: reach + 2)
        let found = try entries(reader)
        #expect(found.map { Int($0.tile.x) } == expected, "seed \(seed)")
        #expect(reader.counts.late == 0)
        let first = try #require(times.min())
        #expect(
            found.map { Int($0.intendedNS) } == expected.map { (times[$0] - first) * 1_000_000 })
        let later = times.indices.dropFirst().count { times[$0] < times[..<$0].max() ?? 0 }
        #expect(reader.counts.reordered == UInt64(later))
    }

    @Test func linesFarBehindAreLate() throws {
        let file = try LogFile("5,1,9,0,0\n6,1,9,1,0\n7,1,9,2,0\n1,1,9,3,0\n8,1,9,4,0\n9,1,9,5,0\n")
        let reader = try replay(file, windowMax: 2)
        let found = try entries(reader)
        #expect(found.map(\.tile.x) == [0, 1, 3, 2, 4, 5])
        #expect(found.map(\.intendedNS) == [0, 1, 1, 2, 3, 4].map { $0 * 1_000_000 })
        #expect(reader.counts.late == 1 && reader.counts.reordered == 1)
    }

    @Test func crowdedSecondsKeepTheirOrder() throws {
        let text = (0..<100).map { combined($0 < 50 ? 10 : 11, "/10/0/\($0)") }
        let file = try LogFile(text.joined(separator: "\n"))
        let found = try entries(replay(file, windowMax: 8))
        #expect(found.map { Int($0.tile.y) } == Array(0..<100))
        let times = found.map(\.intendedNS)
        #expect(times == times.sorted())
        #expect(times[49] < 1_000_000_000 && times[50] == 1_000_000_000)
    }

    @Test(arguments: [1, 2, 3, 7] as [UInt64])
    func shardsTogetherAskTheSame(shards: UInt64) throws {
        let text = (0..<400).map { combined($0 * 7 % 50, "/9/\($0)/5.png") }
        let file = try LogFile(text.joined(separator: "\n"))
        let whole = try entries(replay(file, repeats: true), atMost: 900)
        var dealt = [ReplayEntry?](repeating: nil, count: 900)
        for shard in 0..<shards {
            let reader = try replay(file, shard: shard, shards: shards, repeats: true)
            while let entry = try reader.next(), entry.index < 900 {
                #expect(entry.index % shards == shard)
                dealt[Int(entry.index)] = entry
            }
        }
        #expect(dealt == whole)
    }

    @Test func logsBeginAgain() throws {
        let seconds = try LogFile(
            [combined(1, "/1/0/0"), combined(3, "/1/0/1")].joined(separator: "\n"))
        let reader = try replay(seconds, repeats: true)
        var found = try entries(reader, atMost: 5)
        #expect(found.map { $0.intendedNS / 1_000_000_000 } == [0, 2, 3, 5, 6])
        #expect(found.map(\.tile.y) == [0, 1, 0, 1, 0])
        #expect(found.map(\.index) == [0, 1, 2, 3, 4])
        #expect(reader.counts.passes == 3)
        // As far apart as they are on average; a second when that cannot be said.
        let apart = try LogFile("0,,1,0,0\n10,,1,0,0\n40,,1,0,0\n")
        found = try entries(replay(apart, repeats: true), atMost: 5)
        #expect(found.map { $0.intendedNS / 1_000_000 } == [0, 10, 40, 60, 70])
        let single = try LogFile("7,,1,0,0\n")
        found = try entries(replay(single, repeats: true), atMost: 3)
        #expect(found.map { $0.intendedNS / 1_000_000 } == [0, 1000, 2000])
        let list = try LogFile("/1/0/0\n")
        found = try entries(replay(list, repeats: true), atMost: 3)
        #expect(found.map(\.index) == [0, 1, 2])
        // Without a tile it ends, repeated or not.
        let none = try LogFile("/no\n")
        #expect(try entries(replay(none, repeats: true)).isEmpty)
    }

    @Test func logsThatCannotBeReplayed() throws {
        func failure(_ body: () throws -> Void) -> String {
            let error = #expect(throws: LogError.self) { try body() }
            return error?.description ?? ""
        }
        let empty = try LogFile("\n\n# nothing\n")
        #expect(failure { _ = try replay(empty) }.contains("holds no line of a known format"))
        let strange = try LogFile(String(repeating: "hello\n", count: 200))
        #expect(failure { _ = try replay(strange) }.contains("none of the first 100 lines"))
        let list = try LogFile("/5/3/1\n")
        for speed in [0, -1, .nan, .infinity] {
            #expect(failure { _ = try replay(list, speed: speed) }.contains("speed"))
        }
        var plan = ReplayPlan(file: "-")
        #expect(
            failure {
                _ = try ReplayReader(plan: plan, path: "-", templates: [], repeats: true)
            }.contains("standard input"))
        plan.file = "gone"
        #expect(
            failure { _ = try ReplayReader(plan: plan, path: "/nonexistent", templates: []) }
                .contains("cannot read `/nonexistent`"))
        let damaged = gzip(Array((0..<9000).map { "/9/\($0 % 512)/0\n" }.joined().utf8))
        let cut = try replay(LogFile(Array(damaged.dropLast(20))))
        #expect(failure { _ = try entries(cut) }.contains("ends in the middle"))
    }

    @Test func aLongLogTakesNoMoreMemory() throws {
        let text = (0..<20_000).map { combined($0 / 400, "/9/\($0 % 512)/5.png?k=%41") }
        let file = try LogFile(text.joined(separator: "\n"))
        let reader = try replay(file, templates: ["https://t/a/{z}/{x}/{y}"], windowMax: 64)
        _ = try entries(reader, atMost: 100)
        let before = Jemalloc.threadAllocatedBytes()
        var count = 100
        while try reader.next() != nil { count += 1 }
        let taken = Jemalloc.threadAllocatedBytes() - before
        #expect(count == 20_000)
        #if !DEBUG
            #expect(taken == 0)
        #endif
        #expect(taken < 20_000 * 1000, "\(taken)")
    }
}
