/// A number as it was written. Nothing is lost until somebody asks for a type.
package struct JSONNumber: Sendable, Hashable {
    /// The source text; always a number in the grammar of RFC 8259 section 6.
    package let text: String

    /// Nil when `text` is not a JSON number.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, JSONNumber.end(in: bytes, from: 0) == bytes.count else { return nil }
        self.text = text
    }

    /// `text` has been checked against the grammar.
    init(checked text: String) { self.text = text }

    package init(_ value: Int) { text = String(value) }

    package init(_ value: UInt64) { text = String(value) }

    /// The shortest text that reads back as `value`, which must be finite; whole numbers are
    /// written without a fraction.
    package init(_ value: Double) {
        precondition(value.isFinite, "JSON has no NaN and no infinity: leave the member out")
        let shortest = value.description
        text = shortest.hasSuffix(".0") ? String(shortest.dropLast(2)) : shortest
    }

    /// The nearest `Double`; nil when the number is too large for one.
    package var double: Double? {
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// The number when it is whole and fits, however it is spelled (`1e3`, `10.0`). Never rounded.
    package var int: Int? {
        guard let (isNegative, magnitude) = whole else { return nil }
        guard isNegative else { return Int(exactly: magnitude) }
        // The least Int has no positive counterpart.
        return magnitude == 1 << 63 ? Int.min : Int(exactly: magnitude).map(-)
    }

    /// As `int`, for numbers that are not negative.
    package var uint: UInt64? {
        guard let (isNegative, magnitude) = whole, !isNegative || magnitude == 0 else { return nil }
        return magnitude
    }

    /// Sign and magnitude when the number is whole and the magnitude fits 64 bits.
    private var whole: (isNegative: Bool, magnitude: UInt64)? {
        var isNegative = false
        var digits: [UInt8] = []
        var exponent = 0
        var exponentSign = 1
        var digitsAfterPoint = 0
        var part = Part.integer
        for byte in text.utf8 {
            switch (byte, part) {
            case (UInt8(ascii: "-"), .integer): isNegative = true
            case (UInt8(ascii: "-"), _): exponentSign = -1
            case (UInt8(ascii: "+"), _): break
            case (UInt8(ascii: "."), _): part = .fraction
            case (UInt8(ascii: "e"), _), (UInt8(ascii: "E"), _): part = .exponent
            case (_, .exponent):
                // Beyond any length of text that fits in memory every exponent means the same.
                exponent = min(exponent * 10 + Int(byte & 0x0F), 1 << 50)
            default:
                if part == .fraction { digitsAfterPoint += 1 }
                if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte & 0x0F) }
            }
        }
        guard !digits.isEmpty else { return (isNegative, 0) }
        var zeros = exponentSign * exponent - digitsAfterPoint
        while digits.last == 0 {
            digits.removeLast()
            zeros += 1
        }
        // 2^64 has 20 digits.
        guard zeros >= 0, digits.count + zeros <= 20 else { return nil }
        var magnitude: UInt64 = 0
        for digit in digits + Array(repeating: 0, count: zeros) {
            let (tens, tensOverflow) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflow) = tens.addingReportingOverflow(UInt64(digit))
            if tensOverflow || sumOverflow { return nil }
            magnitude = sum
        }
        return (isNegative, magnitude)
    }

    private enum Part { case integer, fraction, exponent }

    /// Where the number that begins at `start` ends; nil when none begins there.
    ///
    ///     number = [ "-" ] ( "0" / digit1-9 *digit ) [ "." 1*digit ] [ ("e"/"E") ["+"/"-"] 1*digit
    /// ]
    static func end(in bytes: [UInt8], from start: Int) -> Int? {
        var at = start
        func byte(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }
        func digits(_ index: Int) -> Int {
            var end = index
            while byte(end) &- UInt8(ascii: "0") < 10 { end += 1 }
            return end
        }
        if byte(at) == UInt8(ascii: "-") { at += 1 }
        let integerEnd = byte(at) == UInt8(ascii: "0") ? at + 1 : digits(at)
        guard integerEnd > at else { return nil }
        at = integerEnd
        if byte(at) == UInt8(ascii: ".") {
            let fractionEnd = digits(at + 1)
            guard fractionEnd > at + 1 else { return nil }
            at = fractionEnd
        }
        if byte(at) | 0x20 == UInt8(ascii: "e") {
            let sign = byte(at + 1)
            let isSigned = sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-")
            let first = at + (isSigned ? 2 : 1)
            let exponentEnd = digits(first)
            guard exponentEnd > first else { return nil }
            at = exponentEnd
        }
        return at
    }
}
