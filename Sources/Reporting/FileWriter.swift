import Glibc

/// One file, written under a temporary name and then renamed.
struct FileWriter {
    let path: String

    private var temporary: String { FileWriter.temporaryPath(of: path) }

    /// Beside the path, so that the rename stays within one file system. The process id keeps two
    /// runs with the same folder apart.
    static func temporaryPath(of path: String) -> String {
        let slash = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
        return path[..<slash] + "." + path[slash...] + ".\(getpid()).tmp"
    }

    /// Writes the temporary file. When that fails it is gone.
    func stage(_ bytes: [UInt8]) throws(RunFolderError) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
        let descriptor = retry { open(temporary, flags, 0o644) }
        guard descriptor >= 0 else { throw failure("write") }
        var written = 0
        while written < bytes.count {
            let count = retry {
                bytes.withUnsafeBytes { buffer in
                    Glibc.write(
                        descriptor, buffer.baseAddress.map { $0 + written }, bytes.count - written)
                }
            }
            guard count > 0 else {
                let error = failure("write", code: count == 0 ? EIO : errno)
                close(descriptor)
                discard()
                throw error
            }
            written += count
        }
        // Network file systems tell of a full disk only now.
        guard close(descriptor) == 0 else {
            let error = failure("write")
            discard()
            throw error
        }
    }

    /// Gives the temporary file its name, in place of an earlier file.
    func commit() throws(RunFolderError) {
        guard rename(temporary, path) == 0 else { throw failure("replace") }
    }

    /// Removes the temporary file.
    func discard() { unlink(temporary) }

    /// Makes a directory and its parents. One that exists is fine.
    static func makeDirectory(_ path: String) throws(RunFolderError) {
        var end = path.startIndex
        while end < path.endIndex {
            // The next slash that ends a name.
            let name = path[end...].drop { $0 == "/" }
            end = name.firstIndex(of: "/") ?? path.endIndex
            let parent = String(path[..<end])
            if mkdir(parent, 0o777) == 0 { continue }
            let code = errno
            guard isDirectory(parent) else {
                // A file in the way.
                throw RunFolderError(
                    action: "make the folder", path: parent, code: code == EEXIST ? ENOTDIR : code)
            }
        }
    }

    /// The absolute path without links, nil when there is nothing.
    static func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private func failure(_ action: String, code: Int32 = errno) -> RunFolderError {
        RunFolderError(action: action, path: path, code: code)
    }

    private func retry<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}
