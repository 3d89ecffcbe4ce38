import Glibc

/// The bytes of a file, a pipe or standard input, as they are, through one buffer.
final class FileBytes {
    static let bufferBytes = 1 << 16

    let path: String
    private let descriptor: Int32
    private let buffer: UnsafeMutablePointer<UInt8>
    private var start = 0
    private var end = 0
    private(set) var isAtEnd = false

    /// - Parameter path: `-` is standard input.
    init(path: String) throws(LogError) {
        self.path = path
        descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw LogError.system(path) }
        buffer = .allocate(capacity: FileBytes.bufferBytes)
    }

    deinit {
        close(descriptor)
        buffer.deallocate()
    }

    /// What has been read and not been taken; valid until the next `fill`.
    var available: UnsafeMutableBufferPointer<UInt8> {
        UnsafeMutableBufferPointer(start: buffer + start, count: end - start)
    }

    func take(_ count: Int) {
        precondition(count <= end - start)
        start += count
    }

    /// Reads on until there are so many bytes or the end has come.
    func fill(atLeast count: Int = 1) throws(LogError) {
        precondition(count <= FileBytes.bufferBytes)
        if start > 0, end - start < count {
            buffer.update(from: buffer + start, count: end - start)
            (start, end) = (0, end - start)
        }
        while end - start < count, !isAtEnd {
            let got = read(descriptor, buffer + end, FileBytes.bufferBytes - end)
            if got < 0 {
                if errno == EINTR { continue }
                throw LogError.system(path)
            }
            if got == 0 { isAtEnd = true } else { end += got }
        }
    }
}
