import Metrics
import TileModel
import Workload

/// The thread that reads the log of a replay, a little ahead of what is asked for.
final class ReplayLog {
    let queue = ReplayQueue()
    private let isStandardInput: Bool
    private let format: ReplayPlan.Format
    // Touched by this thread until `start`, then by the reader's alone.
    private nonisolated(unsafe) let reader: ReplayReader
    private var thread: ReactorThread?

    init(_ replay: ReplayPlan, _ plan: Plan, _ parts: RunParts) throws(LogError) {
        isStandardInput = replay.file == ReplayPlan.standardInput
        let isLimited = plan.load.count != nil || plan.load.durationNS != nil
        reader = try ReplayReader(
            plan: replay, path: replay.file, templates: parts.templates.templates,
            sources: plan.target.sources, repeats: isLimited && !isStandardInput)
        format = reader.format
    }

    func start() {
        let (queue, reader) = (queue, Reader(reader: reader))
        thread = ReactorThread { queue.run(reader.reader) }
    }

    /// Nobody wants more. A reader that waits for a pipe would end with its next line only, so it
    /// is left behind.
    func stop() {
        queue.stop()
        if !isStandardInput || queue.result() != nil { thread?.join() }
        thread = nil
    }

    /// Nil: lines are still being read.
    var result: ReplayResult? {
        guard let outcome = queue.result() else { return nil }
        let counts = outcome.counts
        var result = ReplayResult()
        result.format = format.rawValue
        result.lines = counts.lines
        result.passes = counts.passes
        result.tiles = counts.asks
        result.skipped = [
            counts.blank, counts.noTile, counts.badLine, counts.tooLong, counts.method,
            counts.time, counts.cancelled,
        ]
        result.reordered = counts.reordered
        result.late = counts.late
        result.failure = outcome.failure?.description
        return result
    }

    private struct Reader: @unchecked Sendable {
        // Sendable: handed to the one thread that uses it from then on.
        let reader: ReplayReader
    }
}
