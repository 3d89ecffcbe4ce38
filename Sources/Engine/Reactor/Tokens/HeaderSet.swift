import CCurl
import TileModel
import Workload

/// The header lines of a tile request as libcurl's list. Without a credential in them there is one
/// list for the whole run; else one for each credential, kept while a carrier still has it. Reactor
/// thread only.
final class HeaderSet {
    /// One list, owned by all who send it.
    final class Lines {
        let list: CurlList
        /// Tells lists of one `HeaderSet` apart.
        let serial: UInt64

        init(_ lines: [String], serial: UInt64) {
            list = CurlList(lines)
            self.serial = serial
        }
    }

    private let headers: CredentialHeaders
    /// Of the lines without a credential.
    private let constant: [String]
    /// Those alone.
    let bare: Lines
    private var serials: UInt64 = 1

    /// - Parameter asksPacked: the bodies stay as they come; else libcurl asks and unpacks.
    init(plan: Plan, asksPacked: Bool) {
        headers = CredentialHeaders(plan: plan, asksPacked: asksPacked)
        var lines = headers.constant.map(Self.line)
        let all = headers.constant + headers.bearing(Credential(""))
        // Without a line of its own libcurl would add "Accept: */*"; a bare name takes it out.
        if !all.contains(where: { $0.name.lowercasedASCII == "accept" }) { lines.append("Accept:") }
        constant = lines
        bare = Lines(lines, serial: serials)
    }

    /// True when the lines change with the credential.
    var holdsToken: Bool { headers.holdToken }

    /// The lines with that credential.
    func lines(_ credential: Credential) -> Lines {
        serials += 1
        return Lines(constant + headers.bearing(credential).map(Self.line), serial: serials)
    }

    private static func line(_ header: HeaderPlan) -> String {
        header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
    }
}
