/// A token as its issuer gave it.
package struct IssuedToken: Sendable {
    package static let bytesMax = 8192

    package var text: String
    /// By this machine's clock; nil: not told, only a refusal can say.
    package var expiresAtEpochS: Double?

    package init(text: String, expiresAtEpochS: Double? = nil) {
        self.text = text
        self.expiresAtEpochS = expiresAtEpochS
    }

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
}
