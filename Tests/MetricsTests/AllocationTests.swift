import Metrics
import Testing

@Suite struct AllocationTests {
    @inline(never)
    private func allocateSomething(_ count: Int) -> [Int] { Array(0..<count) }

    @Test(.enabled(if: Jemalloc.version != nil, "this build has no jemalloc to ask"))
    func recordingAllocatesNothing() throws {
        let control = Jemalloc.threadAllocatedBytes()
        #expect(allocateSomething(1000).count == 1000)
        try #require(Jemalloc.threadAllocatedBytes() > control, "jemalloc is not the allocator")

        let recorder = Recorder(hasClientCache: true)
        var random = SeededGenerator(seed: 9)
        for cause in Self.causes { _ = recorder.error(cause: cause, key: 1, atNS: 0) }
        var index: Int64 = 0
        // The runtime builds its own tables on first use.
        while index < 100 {
            ask(index, recorder, &random)
            index += 1
        }
        let before = Jemalloc.threadAllocatedBytes()
        // No `for`: over a range of Int64 it allocates by itself in a debug build.
        while index < 100_100 {
            ask(index, recorder, &random)
            index += 1
        }
        let allocated = Jemalloc.threadAllocatedBytes() - before
        #expect(allocated == 0)
        #expect(recorder.snapshot.started == 100_100)
    }

    private static let causes: [FailureCause] = [
        .status, .timeout, .invalidTile, .unauthorized, .reset,
    ]

    /// Everything that can happen to an ask, at a time within the rows that are kept open: 100,000
    /// of them take seven seconds.
    private func ask(_ index: Int64, _ recorder: Recorder, _ random: inout SeededGenerator) {
        let at = index * 70_000
        let cause = Self.causes[Int(index % 5)]
        recorder.askStarted(zoom: UInt8(index % 23), intendedNS: at, startedNS: at + 9)
        recorder.requestSent(.first)
        recorder.requestConnected(isReused: true, speaking: .http11)
        recorder.requestAnswered(status: 200)
        recorder.bytes(received: 900, sent: 100, body: 700)
        recorder.phases(
            isMeasured: true, nameLookupNS: nil, connectNS: 5000, tlsNS: nil, sendNS: 100,
            firstByteNS: 70_000, downloadNS: 3000)
        recorder.serverCache(
            .hit, isShield: nil, evidence: 3, isGood: true, bytes: 700, serviceNS: 80_000,
            zoom: 3, intendedNS: at)
        recorder.clientCache(.miss, savedBytes: 10, intendedNS: at)
        recorder.gauge(inFlight: 3, parked: 0, atNS: at)
        recorder.loopLag(40)
        recorder.refusal(atNS: at, serviceNS: 40)
        recorder.parkEnded(waitedNS: 5)
        _ = recorder.error(cause: cause, key: 1, atNS: at)
        var end = AskEnd.sample(
            at: at, index % 3 == 0 ? .failed : .ok, cause: cause, detail: 1,
            responseNS: random.duration())
        end.window = index % 2 == 0 ? .inside : .outside
        recorder.askEnded(end)
        _ = recorder.snapshot
    }

    @Test(.enabled(if: Jemalloc.version != nil, "this build has no jemalloc to ask"))
    func theAllocatorTellsItsFigures() throws {
        let statistics = try #require(Jemalloc.statistics())
        #expect(statistics.allocatedBytes > 0)
        #expect(statistics.residentBytes >= statistics.allocatedBytes)
        #expect(Jemalloc.version?.isEmpty == false)
    }
}
