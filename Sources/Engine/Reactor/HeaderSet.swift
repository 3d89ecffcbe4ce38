import CCurl
import TileModel
import Workload

/// The header lines of a tile request as libcurl's list. Without a token in them there is one list
/// for the whole run; else one for each token, kept while a request still uses it. Reactor thread
/// only.
final class HeaderSet {
    /// One list with the number of slots that hold it.
    final class Lines {
        let list: CurlList
        let epoch: UInt64

        init(_ lines: [String], epoch: UInt64) {
            list = CurlList(lines)
            self.epoch = epoch
        }
    }

    private let fixed: [HeaderPlan]
    private var removed: [String] = []
    private let placement: AuthPlan.Placement?
    private(set) var current: Lines
    /// True when the lines change with the token.
    let holdsToken: Bool
    private static let tokenMark = "{token}"

    /// - Parameter asksPacked: the bodies stay as they come; else libcurl asks and unpacks.
    init(plan: Plan, asksPacked: Bool) {
        var headers = plan.target.headers
        let names = headers.map(\.name.lowercasedASCII)
        if plan.connection.compression, asksPacked, !names.contains("accept-encoding") {
            headers.append(
                HeaderPlan(name: "Accept-Encoding", value: ConnectionOptions.acceptEncoding))
        }
        // Without a line of its own libcurl would add "Accept: */*"; a bare name takes it out.
        if !names.contains("accept") { removed = ["Accept:"] }
        fixed = headers
        placement = plan.auth?.placement
        switch placement {
        case .header, .cookie: holdsToken = true
        case .template: holdsToken = headers.contains { $0.value.contains(Self.tokenMark) }
        case .query, nil: holdsToken = false
        }
        current = Lines([], epoch: 0)
        rebuild(token: "", epoch: 0)
    }

    /// Lines for another token; the old ones live on in the slots that use them.
    func rebuild(token: String, epoch: UInt64) {
        var lines = removed
        var cookie = ""
        for header in fixed {
            let value = header.value.replacing(Self.tokenMark, with: token)
            if header.name.lowercasedASCII == "cookie" {
                cookie = value
            } else {
                lines.append(value.isEmpty ? "\(header.name);" : "\(header.name): \(value)")
            }
        }
        switch placement {
        case .header(let name, let prefix):
            lines.removeAll { $0.lowercasedASCII.hasPrefix(name.lowercasedASCII + ":") }
            lines.append("\(name): \(prefix)\(token)")
        case .cookie(let name):
            cookie += (cookie.isEmpty ? "" : "; ") + "\(name)=\(token)"
        case .query, .template, nil:
            break
        }
        if !cookie.isEmpty { lines.append("Cookie: \(cookie)") }
        current = Lines(lines, epoch: epoch)
    }
}

/// The token as a URL holds it, in memory that template writing can point at. Reactor thread only.
struct TokenText: ~Copyable {
    private var bytes: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    init() {
        capacity = 256
        bytes = .allocate(capacity: capacity)
    }

    deinit { bytes.deallocate() }

    mutating func set(_ token: String) {
        let encoded = Array(percentEncoded(token).utf8)
        if encoded.count > capacity {
            bytes.deallocate()
            capacity = encoded.count
            bytes = .allocate(capacity: capacity)
        }
        for (index, byte) in encoded.enumerated() { bytes[index] = byte }
        count = encoded.count
    }

    var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: bytes, count: count) }
}
