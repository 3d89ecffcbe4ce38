import Metrics
import Synchronization

/// A copy of a reactor's books for checkpoints and `abort_when`: made by the reactor when asked,
/// taken by the control thread.
final class BooksHandOver: Sendable {
    private let books = Mutex<RecorderResult?>(nil)
    private let recent = Mutex<PackedHistogram>(PackedHistogram())

    func put(_ result: RecorderResult) { books.withLock { $0 = result } }
    func take() -> RecorderResult? {
        books.withLock { books in
            defer { books = nil }
            return books
        }
    }

    /// Response times of the last full second, for the progress line.
    func putRecent(_ histogram: PackedHistogram) { recent.withLock { $0 = histogram } }
    func latestRecent() -> PackedHistogram { recent.withLock { $0 } }
}
