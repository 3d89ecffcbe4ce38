import JSONText

/// When a token ends. Issuers agree on no name, no unit and no type.
extension TokenAnswer {
    /// Lives first: they need no clock that agrees with the server's.
    private static let expiryNames = [
        "expires_in", "expiresIn", "expires_on", "expiresOn", "expires_at", "expiresAt", "expires",
        "expiry", "expiration", "exp",
    ]
    /// Larger numbers count milliseconds: as seconds this is the year 5138.
    private static let secondsMax = 1e11
    /// Larger numbers of seconds are times, not lives: as a life this is 31 years.
    private static let lifeMaxS = 1e9

    /// Seconds since 1970 by this machine's clock; nil when the answer does not tell.
    static func expiry(
        _ node: JSONNode, token: String, path: [String]?, _ received: Received
    ) -> Double? {
        if let path, path != ["jwt"] {
            return node.at(pointer: JSONPointer.join(path)).flatMap { time($0, received) }
        }
        if path == nil {
            for name in expiryNames {
                if let found = node[name].flatMap({ time($0, received) }) { return found }
            }
        }
        return jwtExpiry(token).flatMap { local($0, received) }
    }

    private static func time(_ node: JSONNode, _ received: Received) -> Double? {
        switch node.value {
        case .number(let number):
            return number.double.flatMap { time($0, received) }
        case .string(let text):
            let trimmed = text.trimmedOfBlanks
            if let number = JSONNumber(trimmed)?.double { return time(number, received) }
            return CalendarTime.epochSeconds(trimmed).flatMap { local($0, received) }
        case .null, .bool, .array, .object:
            return nil
        }
    }

    private static func time(_ value: Double, _ received: Received) -> Double? {
        let seconds = value > secondsMax ? value / 1000 : value
        if seconds > lifeMaxS { return local(seconds, received) }
        // A negative life says nothing that a refusal would not say better.
        return seconds >= 0 ? received.sentEpochS + seconds : nil
    }

    /// A time of the server's clock as one of ours; nil when it is beyond all calendars.
    private static func local(_ epochS: Double, _ received: Received) -> Double? {
        guard epochS <= secondsMax else { return nil }
        guard let server = serverEpochS(received) else { return epochS }
        return epochS + (received.receivedEpochS - server)
    }

    /// The claim `exp` of a JSON Web Token (RFC 7519 section 4.1.4). Nothing is verified: the
    /// token is the server's business, its end is ours.
    static func jwtExpiry(_ token: String) -> Double? {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = base64URL(parts[1]) else { return nil }
        let exp = JSONReader.parse(payload, comments: false).node?["exp"]?.double
        return exp.flatMap { $0 > 0 ? $0 : nil }
    }

    /// RFC 4648 section 5, with or without padding; nil when it is none.
    static func base64URL(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var held = 0
        var isPadded = false
        for byte in text {
            if byte == UInt8(ascii: "=") {
                isPadded = true
                continue
            }
            guard !isPadded, let value = sextet(byte) else { return nil }
            bits = bits << 6 | value
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
            }
        }
        return held == 6 ? nil : bytes
    }

    private static func sextet(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"), UInt8(ascii: "+"): 62
        case UInt8(ascii: "_"), UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

extension String {
    fileprivate var trimmedOfBlanks: String {
        var copy = self
        return copy.withUTF8 { String(decoding: $0.trimmed, as: UTF8.self) }
    }
}
