import Glibc

/// A file or folder of a run that could not be made.
package struct RunFolderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was tried, such as `write`.
    package var action: String
    package var path: String
    /// `errno` of the failed call.
    package var code: Int32

    /// "cannot write /full/report.json: No space left on device".
    package var description: String { "cannot \(action) \(path): \(cause)" }

    /// The system's words for the cause.
    package var cause: String {
        // Since glibc 2.32 its text is the calling thread's own.
        guard let text = strerror(code) else { return "error \(code)" }
        return String(cString: text)
    }
}
