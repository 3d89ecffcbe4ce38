import JSONText
import Workload

/// Reads the answer of a token endpoint: OAuth 2.0 (RFC 6749 section 5), ArcGIS, Google's map
/// sessions, back ends that answer `{"token": …}`, and documents whose URLs are the credential.
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

    package static func parse(
        _ received: Received, rule: TokenAnswerRule = TokenAnswerRule()
    ) -> Result<IssuedToken, TokenFailure> {
        do throws(TokenFailure) {
            return .success(try issued(received, rule))
        } catch {
            return .failure(error)
        }
    }

    private static func issued(
        _ received: Received, _ rule: TokenAnswerRule
    ) throws(TokenFailure) -> IssuedToken {
        if let failure = statusFailure(received) { throw failure }
        let node = rule.isInCookies ? .null : try json(received, mayBeArray: rule.tokenPath != nil)
        if let failure = errorFailure(node, rule, status: received.status) { throw failure }
        let content = try content(node, received, rule)
        if let problem = IssuedToken.problem(content.credential) {
            throw .transient("the token endpoint answered \(problem)")
        }
        let lifeS = life(content, path: rule.expiresPath, received)
        return IssuedToken(
            content.credential, lifeS: lifeS,
            expiresAtEpochS: lifeS.map { received.sentEpochS + $0 },
            refreshToken: rule.rotates ? refreshToken(node) : nil)
    }

    /// A refresh token that can be sent; nil: none, the old one stays good (RFC 6749 section 6).
    private static func refreshToken(_ node: JSONNode) -> String? {
        let text = node["refresh_token"]?.string ?? node["refreshToken"]?.string
        return text.flatMap { IssuedToken.problem($0) == nil ? $0 : nil }
    }

    /// The refresh token of an answer that brought no token that can be used: the one that was sent
    /// is spent all the same.
    static func refreshToken(_ received: Received) -> String? {
        guard (200..<300).contains(received.status) else { return nil }
        return JSONReader.parse(received.body, comments: false).node.flatMap { refreshToken($0) }
    }

    // MARK: The status

    private static func statusFailure(_ received: Received) -> TokenFailure? {
        let status = received.status
        switch status {
        case 200..<300:
            return nil
        case 300..<400:
            // Never followed: the credentials would go to whoever it names.
            return .transient("the token endpoint answered a redirect")
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
            return .transient("the token endpoint did not answer")
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
        // Some servers begin with a mark of the byte order, which is no JSON (RFC 8259, 8.1).
        let hasMark = received.body.starts(with: [0xEF, 0xBB, 0xBF])
        let body = Array(received.body.dropFirst(hasMark ? 3 : 0))
        let start = body.first { !UnsafeBufferPointer.isBlank($0) }
        guard let start else { throw .transient("the token endpoint answered nothing") }
        if start == UInt8(ascii: "<") {
            throw .transient("the token endpoint answered HTML, not JSON")
        }
        let (node, problems) = JSONReader.parse(body, comments: false)
        guard let node, problems.isEmpty else {
            let isMeantAsJSON = "{[".utf8.contains(start)
            // Of the reader's words only the place: the others may quote a token.
            let place = (isMeantAsJSON ? problems.first?.place : nil).map { " (\($0))" } ?? ""
            throw .transient(
                "the token endpoint answered "
                    + (isMeantAsJSON ? "JSON with a fault" : "something that is not JSON") + place)
        }
        guard node.members != nil || mayBeArray && node.array != nil else {
            throw .transient("the token endpoint answered JSON that is no object")
        }
        return node
    }

    /// Errors that come with a good status: ArcGIS's object, OAuth's text.
    private static func errorFailure(
        _ node: JSONNode, _ rule: TokenAnswerRule, status: Int
    ) -> TokenFailure? {
        guard let error = node["error"] else { return nil }
        switch error.value {
        case .null, .bool(false):
            return nil
        case .string(let text) where text.isEmpty:
            return nil
        case .number(let number) where number.double == 0:
            return nil
        case .array(let elements) where elements.isEmpty:
            return nil
        default:
            let code = oauthCode(node)
            let number = (error["code"] ?? error).int
            let detail = code ?? number.map { String($0) }
            // What ArcGIS says of a wrong name or password, under the status 200.
            let isRefused = rule.kind == .arcgis && [400, 401, 403].contains(number)
            return TokenFailure(
                isPermanent: code == "invalid_grant" || isRefused,
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
}
