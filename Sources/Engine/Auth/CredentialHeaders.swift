package import Workload

/// The headers of a tile's request, with the credential where the plan has it.
package struct CredentialHeaders: Sendable {
    /// Those that are the same in every request.
    package let constant: [HeaderPlan]
    /// Those with `{token}` or `{token.NAME}` in them.
    private let patterns: [HeaderPlan]
    private let partNames: [String]
    private static let mark = "{token"

    /// - Parameter asksPacked: the bodies stay as they come; else libcurl asks and unpacks.
    package init(plan: Plan, asksPacked: Bool) {
        var headers = plan.target.headers
        func index(of name: String) -> Int? {
            headers.firstIndex { $0.name.lowercasedASCII == name.lowercasedASCII }
        }
        if plan.connection.compression, asksPacked, index(of: "accept-encoding") == nil {
            headers.append(
                HeaderPlan(name: "Accept-Encoding", value: ConnectionOptions.acceptEncoding))
        }
        var patterns: [HeaderPlan] = []
        switch plan.auth?.placement {
        case .header(let name, let prefix):
            while let place = index(of: name) { headers.remove(at: place) }
            patterns = [HeaderPlan(name: name, value: prefix + "{token}")]
        case .cookie(let name):
            // One line for all cookies (RFC 6265 section 5.4).
            let own = index(of: "cookie").map { headers.remove(at: $0).value + "; " } ?? ""
            patterns = [HeaderPlan(name: "Cookie", value: "\(own)\(name)={token}")]
        case .template:
            patterns = headers.filter { $0.value.contains(Self.mark) }
            headers.removeAll { $0.value.contains(Self.mark) }
        case .query, nil:
            break
        }
        constant = headers
        self.patterns = patterns
        partNames = plan.auth?.partNames ?? []
    }

    /// They change with the credential.
    package var holdToken: Bool { !patterns.isEmpty }

    /// Those that the credential stands in.
    package func bearing(_ credential: Credential) -> [HeaderPlan] {
        patterns.map { HeaderPlan(name: $0.name, value: filled($0.value, credential)) }
    }

    /// What is filled in is not looked at again: a token may hold any visible character.
    private func filled(_ pattern: String, _ credential: Credential) -> String {
        var filled = ""
        var rest = Substring(pattern)
        while let start = rest.firstRange(of: Self.mark),
            let end = rest[start.upperBound...].firstIndex(of: "}")
        {
            filled += rest[..<start.lowerBound]
            let name = rest[start.upperBound..<end]
            if let text = text(named: name, credential) {
                filled += text
            } else {
                filled += rest[start.lowerBound...end]
            }
            rest = rest[rest.index(after: end)...]
        }
        return filled + rest
    }

    /// Of "" and ".NAME"; nil when it is no name of a part.
    private func text(named name: Substring, _ credential: Credential) -> String? {
        if name.isEmpty { return credential.text }
        guard name.first == ".", let index = partNames.firstIndex(of: String(name.dropFirst())),
            index < credential.parts.count
        else { return nil }
        return credential.parts[index]
    }
}
