import Glibc

/// Reading whole files.
enum FileText {
    /// No scenario and no report is larger; a slip of the hand may be.
    static let bytesMax = 256 << 20

    /// The bytes of a regular file, or of stdin for `-`: a pipe with a name could keep the command
    /// waiting for ever, and a device has no end.
    ///
    /// - Throws: exit 2 with the path and the system's reason.
    static func read(_ path: String) throws(Failure) -> [UInt8] {
        if path == "-" { return try read(descriptor: STDIN_FILENO, name: "stdin") }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw Failure(.usage, "cannot read \(path): \(errorText(errno))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw Failure(.usage, "cannot read \(path): \(errorText(errno))")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let kind = status.st_mode & S_IFMT == S_IFDIR ? "a folder" : "no regular file"
            throw Failure(.usage, "cannot read \(path): it is \(kind); - reads from stdin")
        }
        return try read(descriptor: descriptor, name: path)
    }

    private static func read(descriptor: Int32, name: String) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw Failure(.usage, "cannot read \(name): \(errorText(errno))")
            }
            bytes += chunk[..<count]
            if bytes.count > bytesMax {
                throw Failure(.usage, "\(name) is larger than \(bytesMax >> 20) MiB")
            }
        }
    }
}
