/// A token: 128 random bits, written as 32 lower-case hexadecimal digits.
struct TokenKey: Hashable {
    static let digits = 32

    let high: UInt64
    let low: UInt64

    /// From the system's random numbers, so that a token cannot be guessed.
    static func random() -> TokenKey {
        TokenKey(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// nil: the text is no token of this server.
    @inline(__always)
    init?(_ text: UnsafePointer<CChar>, count: Int) {
        guard count == TokenKey.digits, let high = UInt64(hexDigits16: text),
            let low = UInt64(hexDigits16: text + 16)
        else { return nil }
        self.init(high: high, low: low)
    }

    init?(text: String) {
        var text = text
        let key = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text -> TokenKey? in
                text.baseAddress.flatMap { TokenKey($0, count: text.count) }
            }
        }
        guard let key else { return nil }
        self = key
    }

    var text: String { high.hexDigits16 + low.hexDigits16 }
}

extension UInt64 {
    /// From exactly 16 lower-case hexadecimal digits.
    @inline(__always)
    init?(hexDigits16 text: UnsafePointer<CChar>) {
        var value: UInt64 = 0
        for index in 0..<16 {
            let digit: UInt8
            switch UInt8(bitPattern: text[index]) {
            case let code where code &- 48 < 10: digit = code &- 48
            case let code where code &- 97 < 6: digit = code &- 87
            default: return nil
            }
            value = value << 4 | UInt64(digit)
        }
        self = value
    }

    /// 16 lower-case hexadecimal digits.
    var hexDigits16: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
