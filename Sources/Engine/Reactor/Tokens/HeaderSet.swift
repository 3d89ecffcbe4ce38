import CCurl
import TileModel
import Workload

/// The header lines of a tile request, as libcurl's list and as the bytes that go on the wire.
/// Without a credential in them there is one list for the whole run; else one for each credential,
/// kept while a carrier still has it. With a credential for each of thousands of users these share
/// the lines that have none. Reactor thread only.
final class HeaderSet {
    /// One list: lines of its own, and behind them those that all lists share.
    final class Lines {
        /// libcurl reads a list and never changes it.
        let head: UnsafeMutablePointer<curl_slist>?
        /// Tells lists of one `HeaderSet` apart.
        let serial: UInt64
        /// Its own lines with their line ends, and those that all share.
        let wire: UnsafeBufferPointer<UInt8>
        var sharedWire: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(shared.wire) }
        private let shared: Shared
        /// Nodes and texts of its own lines.
        private let block: UnsafeMutableRawPointer

        fileprivate init(_ lines: [String], before shared: Shared, serial: UInt64) {
            self.shared = shared
            self.serial = serial
            wire = UnsafeBufferPointer(HeaderSet.wire(lines))
            let nodeBytes = MemoryLayout<curl_slist>.stride * lines.count
            block = .allocate(
                byteCount: max(1, lines.reduce(nodeBytes) { $0 + $1.utf8.count + 1 }),
                alignment: MemoryLayout<curl_slist>.alignment)
            let nodes = block.bindMemory(to: curl_slist.self, capacity: lines.count)
            var text = (block + nodeBytes).bindMemory(to: CChar.self, capacity: 1)
            for (index, line) in lines.enumerated() {
                let isLast = index == lines.count - 1
                (nodes + index).initialize(
                    to: curl_slist(data: text, next: isLast ? shared.head : nodes + index + 1))
                for byte in line.utf8 {
                    text.initialize(to: CChar(bitPattern: byte))
                    text += 1
                }
                text.initialize(to: 0)
                text += 1
            }
            head = lines.isEmpty ? shared.head : nodes
        }

        deinit {
            block.deallocate()
            wire.deallocate()
        }
    }

    /// The lines without a credential.
    fileprivate final class Shared {
        let wire: UnsafeMutableBufferPointer<UInt8>
        private let list: CurlList
        var head: UnsafeMutablePointer<curl_slist>? { list.head }

        init(_ lines: [String]) {
            list = CurlList(lines)
            wire = HeaderSet.wire(lines)
        }

        deinit { wire.deallocate() }
    }

    /// Lines in libcurl's notation as they are sent: "Name;" is a header without a value, and
    /// "Name:" one that is left out.
    private static func wire(_ lines: [String]) -> UnsafeMutableBufferPointer<UInt8> {
        var text = ""
        for line in lines {
            let colon = line.firstIndex(of: ":")
            if colon == line.indices.last { continue }
            text += (colon == nil ? line.dropLast() + ":" : line[...]) + "\r\n"
        }
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        _ = bytes.initialize(from: text.utf8)
        return bytes
    }

    private let headers: CredentialHeaders
    private let constant: Shared
    /// The lines without a credential.
    let bare: Lines
    private var serials: UInt64 = 1

    /// - Parameter asksPacked: the bodies stay as they come; else libcurl asks and unpacks.
    init(plan: Plan, asksPacked: Bool) {
        headers = CredentialHeaders(plan: plan, asksPacked: asksPacked)
        var lines = headers.constant.map(Self.line)
        let all = headers.constant + headers.bearing(Credential(""))
        // Without a line of its own libcurl would add "Accept: */*"; a bare name takes it out.
        if !all.contains(where: { $0.name.lowercasedASCII == "accept" }) { lines.append("Accept:") }
        constant = Shared(lines)
        bare = Lines([], before: constant, serial: serials)
    }

    /// True when the lines change with the credential.
    var holdsToken: Bool { headers.holdToken }

    /// The lines with that credential.
    func lines(_ credential: Credential) -> Lines {
        serials += 1
        return Lines(
            headers.bearing(credential).map(Self.line), before: constant, serial: serials)
    }

    private static func line(_ header: HeaderPlan) -> String {
        header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
    }
}
