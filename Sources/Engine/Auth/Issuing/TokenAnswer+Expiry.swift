import JSONText

/// How long a token lives. Issuers agree on no name, no unit and no type.
extension TokenAnswer {
    /// As `plainName` gives them. Lives first: they need no clock that agrees with the server's.
    private static let expiryNames = [
        "expiresin", "expiresinseconds", "expireson", "expiresat", "expires", "expiry",
        "expirydate", "expirytime", "expiretime", "expiration", "expirationtime",
        "expirationdate", "validuntil", "msftexpiry", "exp",
    ]
    /// Those of signed URLs alone: S3's life, and the end of Azure's signatures.
    private static let parameterNames = ["xamzexpires", "se"]
    /// Larger numbers of seconds are times, not lives: as a life this is 31 years.
    private static let lifeMaxS = 1e9
    /// Larger numbers count milliseconds, then micro- and nanoseconds: as seconds the first is the
    /// year 5138.
    private static let secondsMax = 1e11

    /// Seconds from the moment the request was sent; nil when the answer does not tell.
    static func life(_ content: Content, path: [String]?, _ received: Received) -> Double? {
        if let path, path != ["jwt"] {
            let node = content.nodes.last?.at(pointer: JSONPointer.join(path))
            return node.flatMap { life($0, received) }
        }
        if path == nil, let told = toldLife(content, received) { return told }
        let texts = [content.credential.text] + content.credential.parts
        return texts.lazy.compactMap { webTokenLife($0, received) }.first
    }

    private static func toldLife(_ content: Content, _ received: Received) -> Double? {
        for node in content.nodes {
            for name in expiryNames {
                let members = node.members?.filter { $0.name.plainName == name } ?? []
                if let told = members.lazy.compactMap({ life($0.node, received) }).first {
                    return told
                }
            }
        }
        for name in expiryNames + parameterNames {
            let values = content.parameters.filter { $0.name.plainName == name }.map(\.value)
            if let told = values.lazy.compactMap({ life($0, received) }).first { return told }
        }
        return nil
    }

    private static func life(_ node: JSONNode, _ received: Received) -> Double? {
        switch node.value {
        case .number(let number): number.double.flatMap { life($0, received) }
        case .string(let text): life(text, received)
        case .null, .bool, .array, .object: nil
        }
    }

    private static func life(_ text: String, _ received: Received) -> Double? {
        let trimmed = text.trimmedASCII
        // Durations of Google's interfaces end in the unit: "3600s".
        let digits = trimmed.hasSuffix("s") ? String(trimmed.dropLast()) : trimmed
        if let number = JSONNumber(digits)?.double { return life(number, received) }
        return CalendarTime.epochSeconds(trimmed).flatMap { lifeUntil($0, received) }
    }

    private static func life(_ value: Double, _ received: Received) -> Double? {
        let seconds = inSeconds(value)
        if seconds > lifeMaxS { return lifeUntil(seconds, received) }
        // A negative life says nothing that a refusal would not say better.
        return seconds >= 0 ? seconds : nil
    }

    private static func inSeconds(_ value: Double) -> Double {
        var seconds = value
        // No further: a number without end is no time in any unit.
        for _ in 0..<3 where seconds > secondsMax { seconds /= 1000 }
        return seconds
    }

    /// Seconds until a time of the server's clock; nil when it is beyond all calendars.
    ///
    /// The server's clock is the answer's `Date`, of which the fraction of the second is cut off:
    /// where the two clocks agree as far as it can tell, ours is the finer one, else the second was
    /// nearly over. Without a `Date` the answer may still say when the token was issued; only then
    /// nothing but our own clock is left.
    private static func lifeUntil(
        _ epochS: Double, _ received: Received, issuedAtS: Double? = nil
    ) -> Double? {
        guard epochS <= secondsMax else { return nil }
        if let server = serverEpochS(received) {
            let agrees = server <= received.receivedEpochS && server + 1 > received.sentEpochS
            return epochS - (agrees ? received.sentEpochS : server + 1)
        }
        return epochS - (issuedAtS ?? issuedAtEpochS(received) ?? received.sentEpochS)
    }

    /// `issued_at`, as Apigee has it; nil when the answer does not say.
    private static func issuedAtEpochS(_ received: Received) -> Double? {
        let node = JSONReader.parse(received.body, comments: false).node
        let member = node?.members?.first { $0.name.plainName == "issuedat" }?.node
        let number = member?.double ?? member?.string.flatMap { JSONNumber($0)?.double }
        return number.map(inSeconds).flatMap { $0 > lifeMaxS ? $0 : nil }
    }

    // MARK: web tokens

    private static func webTokenLife(_ token: String, _ received: Received) -> Double? {
        guard let claims = webTokenClaims(token), let end = claims["exp"]?.double, end > 0 else {
            return nil
        }
        return lifeUntil(end, received, issuedAtS: claims["iat"]?.double)
    }

    /// The claims of a JSON Web Token (RFC 7519). Nothing is verified: the token is the server's
    /// business, its end is ours.
    static func webTokenClaims(_ token: String) -> JSONNode? {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = base64URL(parts[1]) else { return nil }
        return JSONReader.parse(payload, comments: false).node
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
