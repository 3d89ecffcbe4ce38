/// Looks at the bytes of a header, without making a String. Words are given in lower case and
/// compared without regard to the case of ASCII letters.
extension UnsafeBufferPointer where Element == UInt8 {
    @inline(__always)
    static func lowered(_ byte: UInt8) -> UInt8 {
        byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
    }

    func equals(_ word: StaticString) -> Bool {
        count == word.utf8CodeUnitCount && holds(word, at: 0)
    }

    func hasPrefix(_ word: StaticString) -> Bool {
        count >= word.utf8CodeUnitCount && holds(word, at: 0)
    }

    func hasSuffix(_ word: StaticString) -> Bool {
        count >= word.utf8CodeUnitCount && holds(word, at: count - word.utf8CodeUnitCount)
    }

    func contains(_ word: StaticString) -> Bool {
        let last = count - word.utf8CodeUnitCount
        var start = 0
        while start <= last {
            if holds(word, at: start) { return true }
            start += 1
        }
        return false
    }

    /// Whether it equals `other`, which is in lower case.
    func equals(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        while index < count {
            if Self.lowered(self[index]) != other[index] { return false }
            index += 1
        }
        return true
    }

    /// Whether it holds the words, which are in lower case with one blank between two of them. That
    /// blank stands for any run of blanks and line ends.
    func containsWords(_ words: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !words.isEmpty else { return false }
        var start = 0
        while start + words.count <= count {
            if holdsWords(words, at: start) { return true }
            start += 1
        }
        return false
    }

    private func holdsWords(_ words: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        var index = start
        for byte in words {
            guard index < count else { return false }
            if byte == 0x20 {
                guard Self.isBlank(self[index]) else { return false }
                while index < count, Self.isBlank(self[index]) { index += 1 }
            } else {
                guard Self.lowered(self[index]) == byte else { return false }
                index += 1
            }
        }
        return true
    }

    private func holds(_ word: StaticString, at start: Int) -> Bool {
        let letters = word.utf8Start
        var index = 0
        while index < word.utf8CodeUnitCount {
            if Self.lowered(self[start + index]) != letters[index] { return false }
            index += 1
        }
        return true
    }

    func part(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: self[range])
    }

    /// Without blanks, tabs and line ends at both ends.
    var trimmed: UnsafeBufferPointer<UInt8> {
        var start = 0
        var end = count
        while start < end, Self.isBlank(self[start]) { start += 1 }
        while end > start, Self.isBlank(self[end - 1]) { end -= 1 }
        return part(start..<end)
    }

    /// Without one pair of double quotes around it.
    var unquoted: UnsafeBufferPointer<UInt8> {
        let quote = UInt8(ascii: "\"")
        guard count >= 2, self[0] == quote, self[count - 1] == quote else { return self }
        return part(1..<count - 1)
    }

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
    }

    /// A number of decimal digits and nothing else, at most 18 of them.
    var decimal: Int64? {
        guard count > 0, count <= 18 else { return nil }
        var value: Int64 = 0
        for byte in self {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value &* 10 &+ Int64(digit)
        }
        return value
    }

    /// Where the next `separator` outside of quotes stands, from `start` on; `count` without one.
    func end(of separator: UInt8, from start: Int) -> Int {
        var index = start
        var isQuoted = false
        while index < count {
            let byte = self[index]
            if isQuoted, byte == UInt8(ascii: "\\") {
                index += 1
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == separator, !isQuoted {
                return index
            }
            index += 1
        }
        return count
    }
}
