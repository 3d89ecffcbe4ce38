import Glibc
import JSONText

/// Why a token could not be stored.
package struct TokenFileError: Error, Sendable, CustomStringConvertible {
    package let description: String
}

/// The file that keeps the credential between starts, readable by its owner alone:
/// `{"version": 1, "token": …, "expires_at": …}`, with `parts` (an object by name) where it has
/// several, and `refresh_token` where renewals spend one. `token` is null while only a refresh
/// token has come. `target` tells whose tokens they are: those of others are not sent.
package struct TokenFile: Sendable {
    /// What is stored; all of it nil when there is no file.
    package struct Content: Sendable {
        package var token: IssuedToken?
        package var refreshToken: String?
        /// Why something that is stored is not used.
        package var warning: String?
    }

    static let version = 1
    private static let bytesMax = 262_144

    package let path: String
    /// Of the credential's parts, in their order.
    private let partNames: [String]
    /// Tells which first refresh token the stored one descends from; empty: none is used.
    private let family: String
    private let target: String

    /// - Parameters:
    ///   - firstRefreshToken: the scenario's. A stored one that came from another was left behind
    ///     when the scenario got a new one, and is not used.
    ///   - target: whom the tokens may be shown to, and who they are given to.
    package init(
        path: String, partNames: [String] = [], firstRefreshToken: String? = nil,
        target: [String] = []
    ) {
        self.path = path
        self.partNames = partNames
        self.target = Self.fingerprint(target.joined(separator: "\n"))
        family = firstRefreshToken.map(Self.fingerprint) ?? ""
    }

    /// A file of somebody else, or that others can read, may have been put there or copied: its
    /// tokens are not trusted.
    package func load() -> Content {
        // O_NONBLOCK: a pipe in its place must not hold the start.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let code = errno
            if code == ENOENT { return Content() }
            return refused(code == ELOOP ? "is a symbolic link" : Self.message(code))
        }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { return refused(Self.message(errno)) }
        if facts.st_mode & S_IFMT != S_IFREG { return refused("is no regular file") }
        if facts.st_uid != geteuid() { return refused("belongs to another user") }
        if facts.st_mode & 0o077 != 0 {
            return refused("can be read by others (want mode 0600)")
        }
        guard let bytes = Self.contents(descriptor) else {
            return refused("cannot be read")
        }
        return decode(bytes) ?? refused("is corrupt")
    }

    /// Puts the token and its refresh token in place of what is stored.
    package func save(_ token: IssuedToken) throws(TokenFileError) {
        try replace(with: encode(token, refreshToken: token.refreshToken))
    }

    /// Puts the refresh token in place of the stored one, and leaves the token that is there.
    package func save(refreshToken: String) throws(TokenFileError) {
        try replace(with: encode(load().token, refreshToken: refreshToken))
    }

    /// Under a temporary name first, so that a crash leaves the old one or the new one, never a
    /// half.
    private func replace(with bytes: [UInt8]) throws(TokenFileError) {
        if let obstacle = obstacle() { throw TokenFileError(description: obstacle) }
        let temporary = "\(path).\(getpid()).tmp"
        // What a crash of a process with the same number left.
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failed("create \(temporary)", errno) }
        do throws(TokenFileError) {
            try write(bytes, to: descriptor)
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

    static func contents(_ descriptor: CInt) -> [UInt8]? {
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

    private func encode(_ token: IssuedToken?, refreshToken: String?) -> [UInt8] {
        let expiry = token?.expiresAtEpochS.flatMap { $0.isFinite ? JSONNode.double($0) : nil }
        var members: [(String, JSONNode)] = [
            ("version", .int(Self.version)),
            ("token", token.map { .string($0.credential.text) } ?? .null),
            ("expires_at", expiry ?? .null), ("target", .string(target)),
        ]
        let parts = zip(partNames, token?.credential.parts ?? [])
            .map { ($0, JSONNode.string($1)) }
        if !parts.isEmpty { members.append(("parts", .object(parts))) }
        if !family.isEmpty, let refreshToken {
            members.append(("refresh_token", .string(refreshToken)))
            members.append(("refresh_family", .string(family)))
        }
        return JSONWriter.encode(.object(members))
    }

    /// Nil: it is no such file.
    private func decode(_ bytes: [UInt8]) -> Content? {
        let (node, problems) = JSONReader.parse(bytes, comments: false)
        guard let node, problems.isEmpty, node["version"]?.int == Self.version,
            let content = content(node)
        else { return nil }
        return node["target"]?.string == target
            ? content : refused("was written for another target")
    }

    private func content(_ node: JSONNode) -> Content? {
        guard let token = node["token"],
            let expiry = node["expires_at"], expiry.isNull || expiry.double != nil
        else { return nil }
        var content = Content()
        if let refreshToken = node["refresh_token"]?.string {
            guard IssuedToken.problem(refreshToken) == nil else { return nil }
            if node["refresh_family"]?.string == family { content.refreshToken = refreshToken }
        }
        if token.isNull { return content }
        let parts = partNames.compactMap { node["parts"]?[$0]?.string }
        guard let text = token.string else { return nil }
        let credential = Credential(text, parts: parts)
        guard IssuedToken.problem(credential) == nil else { return nil }
        if parts.count == partNames.count {
            content.token = IssuedToken(credential, expiresAtEpochS: expiry.double)
        } else {
            let names = partNames.joined(separator: ", ")
            content.warning = warning("lacks a part of the credential: \(names)")
        }
        return content
    }

    /// FNV-1a: enough to see that the scenario has another refresh token than it had.
    private static func fingerprint(_ text: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16)
    }

    private func refused(_ reason: String) -> Content { Content(warning: warning(reason)) }

    private func warning(_ reason: String) -> String {
        "the stored token is not used: \(path) \(reason)"
    }

    private func failed(_ what: String, _ code: CInt) -> TokenFileError {
        TokenFileError(
            description: "the token could not be stored in \(path): \(what): \(Self.message(code))")
    }

    static func message(_ code: CInt) -> String { String(cString: strerror(code)) }
}
