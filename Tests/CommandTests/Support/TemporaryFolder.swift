import Foundation

/// A folder of a test's own, removed with everything in it when the last reference goes.
final class TemporaryFolder: Sendable {
    let path: String

    /// The path is short, because a unix socket's may have 107 bytes only.
    init() throws {
        let template = FileManager.default.temporaryDirectory.path + "/tilebench-XXXXXX"
        var bytes = Array(template.utf8CString)
        guard let made = bytes.withUnsafeMutableBufferPointer({ $0.baseAddress.flatMap(mkdtemp) })
        else { throw ProcessFailure(description: "mkdtemp \(template): errno \(errno)") }
        path = String(cString: made)
        // A server that gives up root's rights must be able to enter.
        chmod(path, 0o755)
    }

    deinit {
        remove()
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }

    func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, with the folders above it, and gives its path.
    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        try write(name, Array(text.utf8))
    }

    @discardableResult
    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let url = URL(fileURLWithPath: path(name))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
        return url.path
    }

    func read(_ name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    /// Names of what lies directly in it or in a folder of it, sorted.
    func names(in folder: String = "") -> [String] {
        let found = try? FileManager.default.contentsOfDirectory(atPath: path(folder))
        return (found ?? []).sorted()
    }
}
