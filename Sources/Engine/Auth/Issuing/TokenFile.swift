import Glibc
import JSONText

/// Why a token could not be stored.
package struct TokenFileError: Error, Sendable, CustomStringConvertible {
    package let description: String
}

/// The file that keeps the token between starts: `{"version": 1, "token": …, "expires_at": …}`,
/// readable by its owner alone.
package struct TokenFile: Sendable {
    private static let version = 1
    private static let bytesMax = 65_536

    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// The stored token, or why what is there is not used; neither when there is no file.
    ///
    /// A file of somebody else, or that others can read, may have been put there or copied: its
    /// token is not trusted.
    package func load() -> (token: IssuedToken?, warning: String?) {
        // O_NONBLOCK: a pipe in its place must not hold the start.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let code = errno
            if code == ENOENT { return (nil, nil) }
            return (nil, refused(code == ELOOP ? "is a symbolic link" : Self.message(code)))
        }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { return (nil, refused(Self.message(errno))) }
        if facts.st_mode & S_IFMT != S_IFREG { return (nil, refused("is no regular file")) }
        if facts.st_uid != geteuid() { return (nil, refused("belongs to another user")) }
        if facts.st_mode & 0o077 != 0 {
            return (nil, refused("can be read by others (want mode 0600)"))
        }
        guard let bytes = Self.contents(descriptor) else {
            return (nil, refused("cannot be read"))
        }
        guard let token = Self.decode(bytes) else { return (nil, refused("is corrupt")) }
        return (token, nil)
    }

    /// Puts the token in place of what is stored: under a temporary name first, so that a crash
    /// leaves the old one or the new one, never a half.
    package func save(_ token: IssuedToken) throws(TokenFileError) {
        let temporary = "\(path).\(getpid()).tmp"
        // What a crash of a process with the same number left.
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failed("create \(temporary)", errno) }
        do throws(TokenFileError) {
            try write(Self.encode(token), to: descriptor)
        } catch {
            close(descriptor)
            unlink(temporary)
            throw error
        }
        close(descriptor)
        guard rename(temporary, path) == 0 else {
            let code = errno
            unlink(temporary)
            throw failed("rename", code)
        }
    }

    private func write(_ bytes: [UInt8], to descriptor: CInt) throws(TokenFileError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failed("write", errno) }
            written += count
        }
        guard fsync(descriptor) == 0 else { throw failed("fsync", errno) }
    }

    private static func contents(_ descriptor: CInt) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
        var filled = 0
        while filled < bytes.count {
            let count = bytes[filled...].withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            filled += count
        }
        return filled <= bytesMax ? Array(bytes[..<filled]) : nil
    }

    private static func encode(_ token: IssuedToken) -> [UInt8] {
        let expiry = token.expiresAtEpochS.flatMap { $0.isFinite ? JSONNode.double($0) : nil }
        return JSONWriter.encode(
            .object([
                ("version", .int(version)), ("token", .string(token.text)),
                ("expires_at", expiry ?? .null),
            ]))
    }

    private static func decode(_ bytes: [UInt8]) -> IssuedToken? {
        let (node, problems) = JSONReader.parse(bytes, comments: false)
        guard let node, problems.isEmpty, node["version"]?.int == version,
            let text = node["token"]?.string, IssuedToken.problem(text) == nil,
            let expiry = node["expires_at"], expiry.isNull || expiry.double != nil
        else { return nil }
        return IssuedToken(text: text, expiresAtEpochS: expiry.double)
    }

    private func refused(_ reason: String) -> String {
        "the stored token is not used: \(path) \(reason)"
    }

    private func failed(_ what: String, _ code: CInt) -> TokenFileError {
        TokenFileError(
            description: "the token could not be stored in \(path): \(what): \(Self.message(code))")
    }

    private static func message(_ code: CInt) -> String { String(cString: strerror(code)) }
}
