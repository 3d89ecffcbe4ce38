import Glibc
import JSONText
import TileModel
package import Workload

extension TokenFile {
    /// The file that the plan keeps its token in; nil: it keeps none. Its tokens are of use for the
    /// same hosts, token endpoint and client alone.
    package init?(_ plan: Plan) {
        guard let auth = plan.auth, let path = auth.storePath else { return nil }
        let templates = try? plan.target.templateSet()
        var target = (templates?.hosts() ?? plan.target.templates).sorted()
        if let renewal = auth.renewal {
            let client = [renewal.credentials.clientID, renewal.credentials.username]
            target += [renewal.kind.rawValue, renewal.url] + client.map { $0 ?? "" }
        }
        self.init(
            path: path, partNames: auth.partNames,
            firstRefreshToken: auth.renewal?.credentials.refreshToken, target: target)
    }

    /// Why nothing can be put at the path; nil: its folder takes files. A run goes on without, as
    /// when the disk is full later.
    package func folderProblem() -> String? {
        guard access(folder, W_OK | X_OK) != 0 else { return nil }
        return "the token cannot be stored in \(path): its folder \(folder): "
            + Self.message(errno)
    }

    /// What stands at the path and is no token store: a wrong path must not cost anybody a file.
    /// Nil: nothing does, or what is there may be replaced.
    package func obstacle() -> String? {
        var facts = stat()
        // What cannot be looked at cannot be replaced either, and writing says why.
        guard lstat(path, &facts) == 0 else { return nil }
        switch facts.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFLNK: return notReplaced("is a symbolic link")
        default: return notReplaced("is no regular file")
        }
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return notReplaced(Self.message(errno)) }
        defer { close(descriptor) }
        guard let bytes = Self.contents(descriptor), Self.isStore(bytes) else {
            return notReplaced("holds something else than a token")
        }
        return nil
    }

    private var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Empty, a store of any version, or what is left of one.
    private static func isStore(_ bytes: [UInt8]) -> Bool {
        if bytes.isEmpty { return true }
        let (node, problems) = JSONReader.parse(bytes, comments: false)
        if let node, problems.isEmpty { return node["version"] != nil && node["token"] != nil }
        let start = bytes.prefix(64).filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return String(decoding: start, as: UTF8.self).hasPrefix("{\"version\":\(version),")
    }

    private func notReplaced(_ reason: String) -> String {
        "the token cannot be stored: \(path) \(reason), and is left as it is"
    }
}
