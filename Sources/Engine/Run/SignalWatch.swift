import CLinux
import Glibc

/// Reads SIGINT and SIGTERM from a descriptor. Make it before any other thread, so that they all
/// inherit the blocked signals and none of them ends the process.
package final class SignalWatch: Sendable {
    package let descriptor: Int32

    package init() {
        descriptor = tb_signal_descriptor()
        precondition(descriptor >= 0, "no signalfd")
        signal(SIGPIPE, SIG_IGN)
    }

    deinit { close(descriptor) }

    /// The next signal's number, or nil; waits at most that long.
    package func next(withinNS: UInt64) -> Int32? {
        guard tb_wait_readable(descriptor, Int64(clamping: withinNS)) > 0 else { return nil }
        let number = tb_read_signal(descriptor)
        return number == 0 ? nil : number
    }

    /// A signal has come and was not read yet.
    package var isPending: Bool { tb_wait_readable(descriptor, 0) > 0 }

    package static func name(_ number: Int32) -> String { number == SIGTERM ? "SIGTERM" : "SIGINT" }
}
