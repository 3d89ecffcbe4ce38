import Testing

@testable import Engine

/// Threads that tell of their requests out of the order of the clock.
@Suite struct ReleaseWatchTests {
    private static let ms: UInt64 = 1_000_000

    private func watch(_ startsMS: [UInt64], begunMS: [UInt64] = [1000]) -> UInt64 {
        let watch = ReleaseWatch()
        for begin in begunMS { watch.begin(nowNS: begin * Self.ms) }
        for start in startsMS { watch.noteStart(nowNS: start * Self.ms) }
        return watch.peakPer10ms
    }

    @Test func theBusiestTenMilliseconds() {
        #expect(watch([1000, 1009, 1010, 1011, 1019, 1030]) == 3)
        #expect(watch([1100, 1101, 1102]) == 0)
    }

    @Test func onesOfAnOlderWindowDoNotEndTheNewer() {
        #expect(watch([1010, 1011, 1009, 1012, 1008, 1013]) == 4)
    }

    @Test func anEarlierRenewalDoesNotEndTheWatch() {
        #expect(watch([1140, 1141], begunMS: [1050, 1000]) == 2)
    }
}
