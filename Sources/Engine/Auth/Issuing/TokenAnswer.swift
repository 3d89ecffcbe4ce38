import JSONText

/// Reads the answer of a token endpoint: OAuth 2.0 (RFC 6749 section 5), ArcGIS, Google's map
/// sessions, and back ends that answer `{"token": …}`.
package enum TokenAnswer {
    /// What was answered, apart from how it was fetched.
    package struct Received {
        package var status: Int
        package var headers: [(name: String, value: String)]
        package var body: [UInt8]
        /// Seconds since 1970, by this machine's clock, when the request was sent: a life that is
        /// told in seconds cannot have begun before.
        package var sentEpochS: Double
        /// Seconds since 1970, by this machine's clock, when the answer had come.
        package var receivedEpochS: Double

        package init(
            status: Int, headers: [(name: String, value: String)] = [], body: [UInt8],
            sentEpochS: Double, receivedEpochS: Double
        ) {
            self.status = status
            self.headers = headers
            self.body = body
            self.sentEpochS = sentEpochS
            self.receivedEpochS = receivedEpochS
        }

        func header(_ name: StaticString) -> String? {
            headers.first { header in
                var text = header.name
                return text.withUTF8 { $0.equals(name) }
            }?.value
        }
    }

    /// - Parameters:
    ///   - tokenPath: Names, and indices of arrays; nil: the first text under `tokenNames`.
    ///   - expiresPath: As `tokenPath`; nil: the first of the usual names that can be read. The
    ///     path `jwt` reads the token itself.
    package static func parse(
        _ received: Received, tokenPath: [String]?, expiresPath: [String]?
    ) -> Result<IssuedToken, TokenFailure> {
        do throws(TokenFailure) {
            return .success(try issued(received, tokenPath, expiresPath))
        } catch {
            return .failure(error)
        }
    }

    static let tokenNames = ["token", "access_token", "accessToken", "session"]

    private static func issued(
        _ received: Received, _ tokenPath: [String]?, _ expiresPath: [String]?
    ) throws(TokenFailure) -> IssuedToken {
        if let failure = statusFailure(received) { throw failure }
        let node = try json(received, mayBeArray: tokenPath != nil)
        if let failure = errorFailure(node, status: received.status) { throw failure }
        let text = try tokenText(node, tokenPath)
        if let problem = IssuedToken.problem(text) {
            throw transient("the token endpoint answered \(problem)")
        }
        return IssuedToken(
            text: text,
            expiresAtEpochS: expiry(node, token: text, path: expiresPath, received))
    }

    private static func transient(_ text: String) -> TokenFailure {
        TokenFailure(isPermanent: false, text: text)
    }

    // MARK: The status

    private static func statusFailure(_ received: Received) -> TokenFailure? {
        let status = received.status
        switch status {
        case 200..<300:
            return nil
        case 300..<400:
            // Never followed: the credentials would go to whoever it names.
            return transient("the token endpoint answered a redirect")
        case 408, 425, 429, 500...:
            return TokenFailure(
                isPermanent: false, text: "the token endpoint answered \(status)",
                retryAfterNS: retryAfterNS(received))
        case 400..<500:
            let code = JSONReader.parse(received.body, comments: false).node.flatMap(oauthCode)
            let detail = code.map { ": error \($0)" } ?? ""
            return TokenFailure(
                isPermanent: true, text: "the token endpoint answered \(status)\(detail)")
        default:
            return transient("the token endpoint did not answer")
        }
    }

    /// RFC 9110 section 10.2.3: seconds, or a date, which is one of the server's clock.
    private static func retryAfterNS(_ received: Received) -> UInt64? {
        guard var value = received.header("retry-after") else { return nil }
        let seconds = value.withUTF8 { bytes -> Double? in
            if let seconds = bytes.trimmed.decimal { return Double(seconds) }
            return HTTPDate.epochSeconds(bytes).map {
                Double($0) - (serverEpochS(received) ?? received.receivedEpochS)
            }
        }
        // A year is longer than any run, and far from what overflows.
        return seconds.map { UInt64(min(max(0, $0), 31_536_000) * 1e9) }
    }

    /// The server's own clock when it answered.
    static func serverEpochS(_ received: Received) -> Double? {
        guard var value = received.header("date") else { return nil }
        return value.withUTF8 { HTTPDate.epochSeconds($0).map { Double($0) } }
    }

    // MARK: The body

    private static func json(
        _ received: Received, mayBeArray: Bool
    ) throws(TokenFailure) -> JSONNode {
        let start = received.body.first { !UnsafeBufferPointer.isBlank($0) }
        guard let start else { throw transient("the token endpoint answered nothing") }
        if start == UInt8(ascii: "<") {
            throw transient("the token endpoint answered HTML, not JSON")
        }
        let (node, problems) = JSONReader.parse(received.body, comments: false)
        guard let node, problems.isEmpty else {
            throw transient("the token endpoint answered something that is not JSON")
        }
        guard node.members != nil || mayBeArray && node.array != nil else {
            throw transient("the token endpoint answered JSON that is no object")
        }
        return node
    }

    /// Errors that come with a good status: ArcGIS's object, OAuth's text.
    private static func errorFailure(_ node: JSONNode, status: Int) -> TokenFailure? {
        guard let error = node["error"] else { return nil }
        switch error.value {
        case .null, .bool(false):
            return nil
        case .string(let text) where text.isEmpty:
            return nil
        default:
            let code = oauthCode(node)
            let number = (error["code"] ?? error).int
            let detail = code ?? number.map { String($0) }
            return TokenFailure(
                isPermanent: code == "invalid_grant",
                text: "the token endpoint answered \(status) with "
                    + (detail.map { "error \($0)" } ?? "an error"))
        }
    }

    /// The error code, when it is one of RFC 6749 sections 4.1.2.1 and 5.2: other texts are the
    /// body's own and are not repeated.
    private static func oauthCode(_ node: JSONNode) -> String? {
        let codes = [
            "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client",
            "unsupported_grant_type", "invalid_scope", "access_denied", "server_error",
            "temporarily_unavailable",
        ]
        guard let text = node["error"]?.string else { return nil }
        return codes.first { $0 == text }
    }

    private static func tokenText(
        _ node: JSONNode, _ path: [String]?
    ) throws(TokenFailure) -> String {
        if let path {
            if let text = node.at(pointer: JSONPointer.join(path))?.string { return text }
            let name = path.joined(separator: ".")
            throw transient("the token endpoint's answer has no text under \(name)")
        }
        for name in tokenNames {
            if let text = node[name]?.string { return text }
        }
        throw transient(
            "the token endpoint's answer has no text under token, access_token or accessToken")
    }
}
