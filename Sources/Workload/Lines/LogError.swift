import Glibc

/// Why a log cannot be read, or not read on.
package struct LogError: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(description: String) {
        self.description = description
    }

    /// The last system call's error.
    static func system(_ path: String) -> LogError {
        let code = errno
        let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        return LogError(description: "cannot read `\(path)`: \(reason)")
    }
}
