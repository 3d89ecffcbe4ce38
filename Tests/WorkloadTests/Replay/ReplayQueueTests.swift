import Foundation
import Synchronization
import Testing
import TileModel

@testable import Workload

/// Runs a body on a thread of its own; `wait` returns when it has ended.
private final class Worker: Sendable {
    private let ended = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Void) {
        let ended = ended
        Thread.detachNewThread {
            body()
            ended.signal()
        }
    }

    func wait() { ended.wait() }
}

/// A reader that moves to the thread that reads.
private struct Moved: @unchecked Sendable {
    let reader: ReplayReader
}

private func reader(_ file: LogFile, repeats: Bool = false) throws -> Moved {
    Moved(
        reader: try ReplayReader(
            plan: ReplayPlan(file: "log"), path: file.path, templates: [], repeats: repeats))
}

struct ReplayQueueTests {
    private func log(_ count: Int) throws -> LogFile {
        try LogFile((0..<count).map { "\($0),\($0 % 7),20,\($0),0\n" }.joined())
    }

    /// However many take, and however small the ring is: each ask once, in order for each taker.
    @Test(arguments: [1, 2, 3, 7], [2, 64])
    func everyAskIsTakenOnce(takers: Int, capacity: Int) throws {
        let count = 20_000
        let file = try log(count)
        let moved = try reader(file)
        let queue = ReplayQueue(capacity: capacity)
        let reading = Worker { queue.run(moved.reader) }
        let taken = Mutex<[[ReplayEntry]]>([])
        let workers = (0..<takers).map { _ in
            Worker {
                var own: [ReplayEntry] = []
                loop: while true {
                    switch queue.take() {
                    case .entry(let entry): own.append(entry)
                    case .empty: sched_yield()
                    case .ended: break loop
                    }
                }
                taken.withLock { $0.append(own) }
            }
        }
        for worker in workers { worker.wait() }
        reading.wait()
        let all = taken.withLock { $0 }
        for own in all { #expect(own.map(\.index) == own.map(\.index).sorted()) }
        let merged = all.flatMap { $0 }.sorted { $0.index < $1.index }
        #expect(merged.map { Int($0.tile.x) } == Array(0..<count))
        #expect(merged.allSatisfy { $0.intendedNS == $0.index * 1_000_000 })
        #expect(queue.result()?.counts.byColumns == UInt64(count))
        #expect(queue.result()?.failure == nil)
        #expect(queue.take() == .ended)
    }

    @Test func theRingIsBounded() throws {
        let file = try log(100)
        let moved = try reader(file, repeats: true)
        let queue = ReplayQueue(capacity: 8)
        #expect(queue.take() == .empty && queue.result() == nil)
        let reading = Worker { queue.run(moved.reader) }
        for expected in 0..<1000 as Range<UInt64> {
            while true {
                guard case .entry(let entry) = queue.take() else { continue }
                #expect(entry.index == expected)
                break
            }
        }
        // Endless, and full: it stops at once, with what is in the ring left there.
        queue.stop()
        reading.wait()
        #expect(queue.result()?.counts.passes ?? 0 >= 10)
        var left = 0
        while case .entry = queue.take() { left += 1 }
        #expect(left <= 8)
        #expect(queue.take() == .ended)
    }

    @Test func stoppedBeforeItBegins() throws {
        let moved = try reader(log(100))
        let queue = ReplayQueue()
        queue.stop()
        queue.run(moved.reader)
        #expect(queue.take() == .ended)
    }

    @Test func aLogThatBreaksOffIsAFailure() throws {
        let bytes = gzip(Array((0..<9000).map { "\($0),1,20,\($0),0\n" }.joined().utf8))
        let file = try LogFile(Array(bytes.dropLast(50)))
        let moved = try reader(file)
        let queue = ReplayQueue(capacity: 1 << 16)
        queue.run(moved.reader)
        #expect(queue.result()?.failure?.description.contains("ends in the middle") == true)
        #expect(queue.take() == .ended || queue.result()?.counts.asks ?? 0 > 0)
    }
}
