/// A credential as its issuer gave it.
package struct IssuedToken: Sendable {
    package static let bytesMax = 8192
    /// Longer lives are cut to it: no run lasts so long, and sums of times stay far from overflow.
    private static let lifeMaxS = 1e9

    package var credential: Credential
    /// How long it lives from the moment it was asked for; nil: not told, only a refusal can say.
    package var lifeS: Double?
    /// The end of that life by this machine's clock, in seconds since 1970.
    package var expiresAtEpochS: Double?
    /// What the next one is asked for with, where the issuer gives such a token.
    package var refreshToken: String?

    package init(
        _ credential: Credential, lifeS: Double? = nil, expiresAtEpochS: Double? = nil,
        refreshToken: String? = nil
    ) {
        self.credential = credential
        self.lifeS = lifeS
        self.expiresAtEpochS = expiresAtEpochS
        self.refreshToken = refreshToken
    }

    package var lifeNS: UInt64? { lifeS.map { UInt64(min(max(0, $0), Self.lifeMaxS) * 1e9) } }

    /// What keeps `text` from being sent; nil when nothing does. A line end in a token would be a
    /// header of its own at the server.
    static func problem(_ text: String) -> String? {
        if text.isEmpty { return "an empty token" }
        if text.utf8.count > bytesMax { return "a token of more than \(bytesMax) bytes" }
        for byte in text.utf8 {
            if byte < 0x20 || byte == 0x7F { return "a token with control characters" }
            if byte == 0x20 { return "a token with blanks" }
            if byte > 0x7F { return "a token that is not ASCII" }
        }
        return nil
    }

    /// What keeps some text of it from being sent.
    static func problem(_ credential: Credential) -> String? {
        problem(credential.text) ?? credential.parts.lazy.compactMap { problem($0) }.first
    }
}

/// Why a try to get a token brought none. The text holds nothing of the token or of the answer's
/// body but codes that RFC 6749 names, and numbers.
package struct TokenFailure: Error, Sendable {
    /// Trying again is useless.
    package var isPermanent: Bool
    package var text: String
    /// The token endpoint asked not to be asked again before.
    package var retryAfterNS: UInt64?

    package init(isPermanent: Bool, text: String, retryAfterNS: UInt64? = nil) {
        self.isPermanent = isPermanent
        self.text = text
        self.retryAfterNS = retryAfterNS
    }

    static func transient(_ text: String) -> TokenFailure {
        TokenFailure(isPermanent: false, text: text)
    }
}
