import Glibc

/// Bytes of a line: what its parsers have in common.
typealias Bytes = UnsafeBufferPointer<UInt8>

extension UnsafeBufferPointer<UInt8> {
    /// The bytes of a range that the caller knows to be inside.
    @inline(__always)
    func part(_ range: Range<Int>) -> Bytes {
        Bytes(start: baseAddress.map { $0 + range.lowerBound }, count: range.count)
    }

    @inline(__always)
    func from(_ place: Int) -> Bytes { part(place..<count) }

    /// The first place of a byte from another place on.
    func place(of byte: UInt8, from start: Int = 0) -> Int? {
        guard start < count, let base = baseAddress else { return nil }
        guard let found = memchr(base + start, Int32(byte), count - start) else { return nil }
        return UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) - base
    }

    func equals(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && begins(with: text)
    }

    func begins(with text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard count >= length, let base = baseAddress else { return length == 0 }
        return memcmp(base, text.utf8Start, length) == 0
    }

    /// The same but for the case of ASCII letters; `text` is in lower case.
    func equalsFolded(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for place in 0..<count where self[place].folded != text.utf8Start[place] { return false }
        return true
    }

    /// The same but for the case of ASCII letters.
    func equalsFolded(_ other: Bytes) -> Bool {
        guard count == other.count else { return false }
        for place in 0..<count where self[place].folded != other[place].folded { return false }
        return true
    }

    /// Without blanks and tabs at both ends.
    var trimmed: Bytes {
        var (start, end) = (0, count)
        while start < end, self[start].isBlank { start += 1 }
        while end > start, self[end - 1].isBlank { end -= 1 }
        return part(start..<end)
    }

    /// A whole number of 1 to 18 digits, nothing before or behind it.
    var decimal: UInt64? {
        guard (1...18).contains(count) else { return nil }
        var number: UInt64 = 0
        for byte in self {
            guard byte.isDigit else { return nil }
            number = number * 10 + UInt64(byte - UInt8(ascii: "0"))
        }
        return number
    }

    /// A decimal number with up to `places` places behind the point kept, in units of 10^-places:
    /// "1.5" with 3 places is 1500. Nil when it is none or does not fit.
    func fixedPoint(places: Int) -> UInt64? {
        let point = place(of: UInt8(ascii: ".")) ?? count
        guard let whole = part(0..<point).decimal else { return nil }
        var number = whole
        let fraction = point < count ? from(point + 1) : part(0..<0)
        guard point == count || !fraction.isEmpty else { return nil }
        for (index, byte) in fraction.enumerated() where index >= places {
            guard byte.isDigit else { return nil }
        }
        for index in 0..<places {
            var digit: UInt64 = 0
            if index < fraction.count {
                guard fraction[index].isDigit else { return nil }
                digit = UInt64(fraction[index] - UInt8(ascii: "0"))
            }
            let (product, isOver) = number.multipliedReportingOverflow(by: 10)
            guard !isOver, product <= .max - 9 else { return nil }
            number = product + digit
        }
        return number
    }

    /// FNV-1a, 64 bits: a number for a text that is only ever compared with itself.
    var fingerprint: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in self { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }
}

extension UInt8 {
    @inline(__always) var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    @inline(__always) var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
    @inline(__always) var isUpper: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
    @inline(__always) var folded: UInt8 { isUpper ? self | 0x20 : self }
}
