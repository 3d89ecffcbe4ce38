import Glibc

/// What stands behind a descriptor, and writing to it.
struct Terminal: Sendable {
    let descriptor: Int32
    let isTerminal: Bool

    init(descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
    }

    /// Whether escape codes may be used: on a terminal that knows them, unless NO_COLOR is set
    /// to anything (no-color.org).
    var takesEscapes: Bool {
        guard isTerminal, Terminal.variable("NO_COLOR") == nil else { return false }
        return Terminal.variable("TERM") != "dumb"
    }

    /// Columns; 80 when nobody knows.
    var columns: Int {
        var size = winsize()
        guard isTerminal, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return 80
        }
        return Int(size.ws_col)
    }

    /// How writing went.
    enum Written: Sendable, Equatable {
        case all
        /// The reader went away, as in `tilebench urls … | head`: no error, but nobody listens.
        case unread
        case failed(errno: Int32)
    }

    /// Writes the whole text, in one call where the kernel takes it in one.
    func write(_ text: String) -> Written {
        var text = text
        return text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Written {
        var done = 0
        while done < bytes.count {
            let count = Glibc.write(
                descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
            if count >= 0 {
                done += count
            } else if errno == EPIPE {
                return .unread
            } else if errno != EINTR {
                return .failed(errno: errno)
            }
        }
        return .all
    }

    /// A variable of the environment that is set and not empty.
    static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Without this a reader that goes away, or a file that has grown to its limit, would kill the
    /// process inside a write instead of being an error of it.
    static func ignoreFatalSignals() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }
}
