import Glibc
import JSONText
import Synchronization
import Testing
import TileOrigin

@Suite("Delays, faults and the edge")
struct TroubleTests {
    /// A busy machine adds to every time, so only what the delay itself makes is looked at. That
    /// delayed connections do not block others is shown by `stopWhileDelayed`.
    @Test("Latency has at least the wanted median and tail")
    func latency() throws {
        try withOrigin {
            $0.latency = .init(medianNS: 10_000_000, p99NS: 40_000_000)
        } _: { origin in
            let times = Mutex<[UInt64]>([])
            try onThreads(20) { _ in
                let client = try HTTPClient(port: origin.port)
                for _ in 0..<20 {
                    let sentNS = nowNS()
                    #expect(try client.get("/3/1/2.png").status == 200)
                    let tookNS = nowNS() - sentNS
                    times.withLock { $0.append(tookNS) }
                }
            }
            let sorted = times.withLock { $0.sorted() }
            #expect(sorted.count == 400)
            // 400 draws: the median's standard error is 4% of 10 ms.
            #expect(sorted[200] > 8_000_000, "\(sorted[200]) ns")
            #expect(sorted[390] > 20_000_000, "\(sorted[390]) ns")
            #expect(origin.statistics().tiles.ok == 400)
        }
    }

    @Test(
        "The delay's distribution goes through its median and its 99th percentile",
        arguments: [(10_000_000, 40_000_000), (250_000, 300_000), (7_000, 7_000)])
    func logNormal(medianNS: UInt64, p99NS: UInt64) {
        let latency = LogNormal(.init(medianNS: medianNS, p99NS: p99NS))
        for seed in 1...3 as ClosedRange<UInt64> {
            let count: UInt64 = 10_000
            let draws = (0..<count).map { latency.drawNS(seed: seed, number: $0) }.sorted()
            // In units of the logarithm's deviation the median of so many draws has a standard
            // error of 0.0125 and the 99th percentile one of 0.037; four of each are allowed.
            let sigma = log(Double(p99NS) / Double(medianNS)) / 2.3263
            let median = log(Double(draws[5_000]) / Double(medianNS))
            let p99 = log(Double(draws[9_900]) / Double(p99NS))
            #expect(abs(median) <= 0.05 * sigma + 1e-3, "seed \(seed)")
            #expect(abs(p99) <= 0.15 * sigma + 1e-3, "seed \(seed)")
        }
    }

    @Test("Delayed tiles block no other connection and do not keep the server from stopping")
    func stopWhileDelayed() throws {
        let startNS = nowNS()
        try withOrigin {
            $0.latency = .init(medianNS: 30_000_000_000, p99NS: 30_000_000_000)
            $0.faults = [.init(share: 0.5, kind: .stall)]
        } _: { origin in
            let clients = try (0..<20).map { _ in try HTTPClient(port: origin.port) }
            for client in clients {
                try client.sendAll("GET /3/1/2.png HTTP/1.1\r\nHost: test\r\n\r\n")
            }
            // Until the server has seen all of them: none waits for another one's end.
            try waitUntil { origin.statistics().requests >= 20 }
            origin.stop()
        }
        #expect(nowNS() - startNS < 25_000_000_000)
    }

    @Test("Faults: a status, a reset, a cut body, silence")
    func faults() throws {
        try withOrigin {
            $0.faults = [.init(share: 1, kind: .status(503))]
        } _: {
            let client = try HTTPClient(port: $0.port)
            let answer = try client.get("/3/1/2.png")
            #expect(answer.status == 503)
            #expect(answer.text == "fault on purpose: 503\n")
            #expect(try client.get("/3/1/2.png").status == 503)
            #expect($0.statistics().tiles.faults == 2)
        }
        try withOrigin {
            $0.faults = [.init(share: 1, kind: .reset)]
        } _: { origin in
            let client = try HTTPClient(port: origin.port)
            #expect(throws: HTTPClient.Failure.reset) { try client.get("/3/1/2.png") }
            #expect(origin.statistics().unanswered == 1)
        }
        try withOrigin {
            $0.faults = [.init(share: 1, kind: .truncate)]
        } _: {
            let answer = try HTTPClient(port: $0.port).get("/3/1/2.png")
            #expect(answer.status == 200)
            #expect(!answer.isWhole)
            #expect(answer.headers["content-type"] == "image/png")
            let promised = answer.headers["content-length"].flatMap { Int($0) } ?? 0
            #expect(promised > 200)
            #expect(answer.body.count == promised / 2)
            #expect($0.statistics().bytes == UInt64(promised / 2))
        }
        try withOrigin {
            $0.faults = [.init(share: 1, kind: .stall)]
        } _: { origin in
            let client = try HTTPClient(port: origin.port, timeoutSeconds: 1)
            #expect(throws: HTTPClient.Failure.timeout) { try client.get("/3/1/2.png") }
        }
    }

    @Test("Shares of several faults are met, and repeat with the seed")
    func shares() throws {
        func statuses(seed: UInt64) throws -> [Int] {
            try withOrigin {
                $0.seed = seed
                $0.faults = [
                    .init(share: 0.1, kind: .status(500)), .init(share: 0.2, kind: .status(429)),
                ]
            } _: {
                let client = try HTTPClient(port: $0.port)
                return try (0..<2_000).map { _ in try client.get("/3/1/2.png").status }
            }
        }
        let first = try statuses(seed: 7)
        // Four standard deviations of a binomial count.
        #expect(abs(first.count { $0 == 500 } - 200) < 54)
        #expect(abs(first.count { $0 == 429 } - 400) < 72)
        #expect(try statuses(seed: 7) == first)
        #expect(try statuses(seed: 8) != first)
    }

    @Test("The edge answers its share, with X-Cache and Age, and without the delay")
    func edge() throws {
        try withOrigin {
            $0.edgeHitRate = 0.9
        } _: {
            let client = try HTTPClient(port: $0.port)
            var hits = 0
            for number in 0..<10_000 {
                let answer = try client.get("/6/\(number % 64)/\(number / 64 % 64).png")
                #expect(answer.status == 200)
                switch answer.headers["x-cache"] {
                case "HIT":
                    hits += 1
                    let age = answer.headers["age"].flatMap { Int($0) } ?? -1
                    #expect(age >= 1 && age < 60)
                case "MISS": #expect(answer.headers["age"] == nil)
                case let other: Issue.record("X-Cache: \(other ?? "none")")
                }
            }
            // Four standard deviations: 120.
            #expect(abs(hits - 9_000) < 120)
            #expect($0.statistics().edge.hits == UInt64(hits))
            #expect($0.statistics().edge.misses == UInt64(10_000 - hits))
        }
        try withOrigin {
            $0.edgeHitRate = 1
            $0.latency = .init(medianNS: 100_000_000_000, p99NS: 100_000_000_000)
        } _: {
            let client = try HTTPClient(port: $0.port)
            let answer = try client.get("/3/1/2.png")
            #expect(answer.headers["x-cache"] == "HIT")
            let tag = try #require(answer.headers["etag"])
            let again = try client.get("/3/1/2.png", ["If-None-Match: \(tag)"])
            #expect(again.status == 304)
            #expect(again.headers["x-cache"] == "HIT")
        }
    }

    @Test("The ledger adds up under concurrency", arguments: [1, 2])
    func concurrency(threads: Int) throws {
        try withOrigin {
            $0.threads = threads
            $0.token = .init()
            $0.faults = [.init(share: 0.05, kind: .status(500))]
            $0.latency = .init(medianNS: 50_000, p99NS: 500_000)
        } _: { origin in
            let issued = try parse(HTTPClient(port: origin.port).get("/token").text)
            let token = try #require(issued["token"]?.string)
            let seen = Mutex<[Int: UInt64]>([:])
            let bytes = Atomic<UInt64>(0)
            try onThreads(8) { thread in
                let client = try HTTPClient(port: origin.port)
                for number in 0..<500 {
                    let query = number % 10 == 9 ? "" : "?token=\(token)"
                    let answer = try client.get("/9/\(number)/\(thread).png\(query)")
                    seen.withLock { $0[answer.status, default: 0] += 1 }
                    bytes.wrappingAdd(UInt64(answer.body.count), ordering: .relaxed)
                }
            }
            let statistics = origin.statistics()
            #expect(statistics.requests == 4_001)
            var counts = seen.withLock { $0 }
            #expect(counts[401, default: 0] > 300)
            #expect(counts[500, default: 0] > 100)
            #expect(statistics.tiles.ok == counts[200])
            #expect(statistics.tiles.refused == counts[401])
            #expect(statistics.tiles.faults == counts[500])
            counts[200, default: 0] += 1
            let answered = statistics.answered.map { ($0.status, $0.count) }
            #expect(Dictionary(uniqueKeysWithValues: answered) == counts)
            #expect(statistics.bytes > bytes.load(ordering: .relaxed))
            #expect(statistics.outdatedSends == 0)
        }
    }

    /// Runs `body` on so many threads and throws the first error of any of them.
    private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let jobs = (0..<count).map { Job(number: $0, body: body) }
        var threads: [pthread_t] = []
        for job in jobs {
            var thread = pthread_t()
            pthread_create(&thread, nil, runJob, Unmanaged.passUnretained(job).toOpaque())
            threads.append(thread)
        }
        for thread in threads { pthread_join(thread, nil) }
        for job in jobs { if let error = job.error { throw error } }
    }
}

/// One thread's work. Its error is written by that thread and read after it has ended.
private final class Job: @unchecked Sendable {
    let number: Int
    let body: @Sendable (Int) throws -> Void
    var error: (any Error)?

    init(number: Int, body: @escaping @Sendable (Int) throws -> Void) {
        self.number = number
        self.body = body
    }
}

private func runJob(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let job = Unmanaged<Job>.fromOpaque(context).takeUnretainedValue()
    do { try job.body(job.number) } catch { job.error = error }
    return nil
}
