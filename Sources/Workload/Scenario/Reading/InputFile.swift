import Glibc

/// Files a scenario reads.
enum InputFile {
    struct Failure: Error {
        /// "no such file or directory" and the like, without the path.
        let reason: String
    }

    /// A path as seen from a folder; "" is the working directory.
    static func join(_ directory: String, _ path: String) -> String {
        if path.hasPrefix("/") || directory.isEmpty || directory == "." { return path }
        return directory.hasSuffix("/") ? directory + path : "\(directory)/\(path)"
    }

    /// The folder a file stands in; "" for the working directory.
    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The file's name without folder and extension.
    static func stem(of path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }

    /// All bytes of a file, a pipe or a device.
    static func read(_ path: String, bytesMax: Int) throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        let chunkBytes = 1 << 16
        while true {
            var count = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: chunkBytes) { buffer, filled in
                count = Glibc.read(descriptor, buffer.baseAddress, chunkBytes)
                filled = max(count, 0)
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure()
            }
            if count == 0 { return bytes }
            bytes += chunk
            guard bytes.count <= bytesMax else {
                throw Failure(reason: "larger than \(UnitText.text(bytes: UInt64(bytesMax)))")
            }
        }
    }

    private static func failure() -> Failure {
        let code = errno
        return Failure(reason: strerror(code).map { String(cString: $0) } ?? "error \(code)")
    }
}
