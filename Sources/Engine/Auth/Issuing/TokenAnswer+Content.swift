import JSONText
import Workload

/// Where an answer has the credential. Issuers agree on no name.
extension TokenAnswer {
    /// What was found.
    struct Content {
        var credential: Credential
        /// Objects that may tell its life, the nearest first.
        var nodes: [JSONNode] = []
        /// The query of the URL that it was found in.
        var parameters: [(name: String, value: String)] = []
    }

    /// As `plainName` gives them, in the order they are tried in.
    private static let tokenNames = [
        "token", "accesstoken", "session", "sessiontoken", "sastoken", "jwt",
    ]
    /// Objects that back ends wrap everything in.
    private static let wrapperNames = ["data", "result", "response"]

    static func content(
        _ node: JSONNode, _ received: Received, _ rule: TokenAnswerRule
    ) throws(TokenFailure) -> Content {
        if rule.kind == .document { return try documentContent(node, rule) }
        var parts: [String] = []
        for part in rule.wanted {
            guard let text = text(at: part.path, node, received) else {
                throw missing(part.path)
            }
            parts.append(text)
        }
        if let path = rule.tokenPath {
            guard let text = text(at: path, node, received, takesNumbers: false) else {
                throw missing(path)
            }
            return Content(credential: Credential(text, parts: parts), nodes: [node])
        }
        let wrapped = wrapperNames.compactMap { node[$0] }
        for candidate in [node] + wrapped {
            guard let text = candidate.text(named: tokenNames) else { continue }
            // The life may stand inside the wrapper or beside it.
            let nodes = [candidate] + (candidate == node ? [] : [node])
            return Content(credential: Credential(text, parts: parts), nodes: nodes)
        }
        // A credential of several parts has no token beside them.
        if let first = parts.first {
            return Content(credential: Credential(first, parts: parts), nodes: [node] + wrapped)
        }
        throw .transient(
            "the token endpoint's answer has no text under token, access_token or accessToken")
    }

    private static func missing(_ path: [String]) -> TokenFailure {
        .transient(
            "the token endpoint's answer has no text under \(path.joined(separator: "."))")
    }

    /// A text of the body, or `set-cookie.NAME`: the value of a cookie that the answer sets. Parts
    /// may be numbers, such as the time at which a signature ends.
    private static func text(
        at path: [String], _ node: JSONNode, _ received: Received, takesNumbers: Bool = true
    ) -> String? {
        if TokenAnswerRule.isInCookies(path) {
            return received.cookie(path.dropFirst().joined(separator: "."))
        }
        let found = node.at(pointer: JSONPointer.join(path))
        return found?.string ?? (takesNumbers ? found?.number?.text : nil)
    }

    // MARK: documents

    /// A TileJSON, or a style with tile URLs in its sources.
    private static func documentContent(
        _ node: JSONNode, _ rule: TokenAnswerRule
    ) throws(TokenFailure) -> Content {
        let sources = node["sources"]?.members?.map(\.node) ?? []
        let urls = ([node] + sources).compactMap { $0["tiles"]?[0]?.string }
        guard !urls.isEmpty else { throw .transient("the document has no tile URL") }
        let alignment = URLAlignment(rule.template)
        for url in urls {
            guard let found = alignment.values(in: url) else { continue }
            let parts = rule.partNames.compactMap { found[$0] }
            guard parts.count == rule.partNames.count, let text = found[""] ?? parts.first else {
                continue
            }
            return Content(
                credential: Credential(text, parts: parts), nodes: [node],
                parameters: URLAlignment.parameters(of: url))
        }
        throw .transient("the document's tile URL does not fit the template of the tiles")
    }
}

extension TokenAnswerRule {
    static func isInCookies(_ path: [String]) -> Bool {
        path.count > 1 && path[0].lowercasedASCII == "set-cookie"
    }

    /// Nothing of the body is wanted.
    var isInCookies: Bool {
        guard kind != .document, tokenPath != nil || !wanted.isEmpty else { return false }
        return ([tokenPath].compactMap { $0 } + wanted.map(\.path)).allSatisfy(Self.isInCookies)
    }
}

extension TokenAnswer.Received {
    /// The value of a cookie that the answer sets, as it stands there.
    fileprivate func cookie(_ name: String) -> String? {
        for header in headers where header.name.lowercasedASCII == "set-cookie" {
            let pair = header.value.prefix { $0 != ";" }
            guard let equals = pair.firstIndex(of: "="), pair[..<equals].trimmedASCII == name
            else { continue }
            return pair[pair.index(after: equals)...].trimmedASCII
        }
        return nil
    }
}

extension JSONNode {
    /// The text under the first of the names that has one.
    fileprivate func text(named names: [String]) -> String? {
        for name in names {
            let member = members?.first { $0.name.plainName == name && $0.node.string != nil }
            if let text = member?.node.string { return text }
        }
        return nil
    }
}

extension StringProtocol {
    /// Letters and digits alone, in lower case: `access_token`, `accessToken` and `Access-Token`
    /// are one name.
    var plainName: String {
        String(
            decoding: utf8.compactMap { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    byte
                default: nil
                }
            }, as: UTF8.self)
    }
}
