/// The `error` parameters of an answer's `WWW-Authenticate` challenges (RFC 6750 section 3, and
/// RFC 9449 for DPoP), as hashes: plain memory that takes any number of lines and challenges
/// and allocates nothing. Other parameters, quoted texts included, say nothing about expiry.
package struct ChallengeErrors {
    /// Of more different errors than this in one answer the first ones count.
    private static let countMax = 4

    static let invalidToken = hash(of: "invalid_token")
    static let insufficientScope = hash(of: "insufficient_scope")

    private var hashes = InlineArray<4, UInt64>(repeating: 0)
    private var count = 0

    init() {}

    /// The token is good, and not for what was asked: a new one would not help.
    package var saysInsufficientScope: Bool { contains(Self.insufficientScope) }

    var isEmpty: Bool { count == 0 }

    func contains(_ hash: UInt64) -> Bool {
        var index = 0
        while index < count {
            if hashes[index] == hash { return true }
            index += 1
        }
        return false
    }

    /// What `contains` looks for; the case of ASCII letters does not count.
    static func hash(of error: String) -> UInt64 {
        var error = error
        return error.withUTF8 { hash($0, isQuoted: false) }
    }

    /// Takes the value of one header line: challenges and their parameters, separated by commas. A
    /// scheme, a realm or a token68 has no `name=value` of this name, so that schemes need not be
    /// told apart.
    mutating func note(_ value: UnsafeBufferPointer<UInt8>) {
        var index = 0
        while index < value.count {
            let start = index
            while index < value.count, Self.isTokenByte(value[index]) { index += 1 }
            let name = value.part(start..<index)
            guard !name.isEmpty else {
                // A comma, a blank, or a quoted text where no name was.
                index = value[index] == Self.quote ? Self.endOfQuoted(value, index) : index + 1
                continue
            }
            var next = Self.afterBlanks(value, index)
            guard next < value.count, value[next] == UInt8(ascii: "=") else { continue }
            next = Self.afterBlanks(value, next + 1)
            let isQuoted = next < value.count && value[next] == Self.quote
            var end = next
            if isQuoted {
                end = Self.endOfQuoted(value, next)
            } else {
                while end < value.count, Self.isTokenByte(value[end]) { end += 1 }
            }
            if name.equals("error") { add(Self.hash(value.part(next..<end), isQuoted: isQuoted)) }
            index = end
        }
    }

    private mutating func add(_ hash: UInt64) {
        guard count < Self.countMax, !contains(hash) else { return }
        hashes[count] = hash
        count += 1
    }

    private static let quote = UInt8(ascii: "\"")

    private static func afterBlanks(_ value: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int {
        var index = start
        while index < value.count, UnsafeBufferPointer.isBlank(value[index]) { index += 1 }
        return index
    }

    /// Behind the closing quote of the text that begins at `start`; without one, the end.
    private static func endOfQuoted(_ value: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int {
        var index = start + 1
        while index < value.count, value[index] != quote {
            index += value[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, value.count)
    }

    /// RFC 9110 section 5.6.2, without what no name of a parameter has.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "*"), UInt8(ascii: "!"), UInt8(ascii: "#"),
            UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"),
            UInt8(ascii: "+"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"),
            UInt8(ascii: "~"):
            true
        default:
            false
        }
    }

    /// FNV-1a over the lower-case text, quotes and escapes taken off.
    private static func hash(_ text: UnsafeBufferPointer<UInt8>, isQuoted: Bool) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        var index = isQuoted ? 1 : 0
        while index < text.count {
            var byte = text[index]
            if isQuoted {
                if byte == quote { break }
                if byte == UInt8(ascii: "\\"), index + 1 < text.count {
                    index += 1
                    byte = text[index]
                }
            }
            if byte &- UInt8(ascii: "A") < 26 { byte |= 0x20 }
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
            index += 1
        }
        return hash
    }
}
