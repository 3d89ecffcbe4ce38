extension JSONReader {
    /// Reads the text whose opening quote is at the position. Nil, with a problem reported, when it
    /// does not end; a text with other problems is returned with U+FFFD where they were.
    mutating func readText(from start: JSONPlace) -> String? {
        position += 1
        let first = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                return String(decoding: bytes[first..<position - 1], as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") || byte < 0x20 || byte >= 0x80 { break }
            position += 1
        }
        return readUnusualText(from: start, beginning: Array(bytes[first..<position]))
    }

    /// Goes on with a text that is not plain ASCII without escapes.
    private mutating func readUnusualText(
        from start: JSONPlace, beginning: [UInt8]
    ) -> String? {
        var text = beginning
        var isNotUTF8 = false
        var hasLineBreak = false
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): readEscape(into: &text)
            case 0x0A, 0x0D:
                guard hasLineBreak || goesOnAfterLineBreak() else {
                    report(
                        "the closing quote of this text is missing", at: start,
                        hint: "a text ends on its line")
                    isBroken = true
                    return nil
                }
                if !hasLineBreak {
                    report(
                        "a line break stands in a text", at: place(at: position),
                        hint: "write \\n")
                }
                hasLineBreak = true
                text.append(byte)
                position += 1
            case 0x00..<0x20:
                let code = hexadecimal(UInt32(byte), digits: 4)
                report(
                    "the control character U+\(code) stands in a text", at: place(at: position),
                    hint: byte == 0x09 ? "write \\t" : "write \\u\(code)")
                text.append(byte)
                position += 1
            default:
                if let length = scalarLength(at: position) {
                    text.append(contentsOf: bytes[position..<position + length])
                    position += length
                } else {
                    if !isNotUTF8 { reportNotUTF8() }
                    isNotUTF8 = true
                    append(0xFFFD, to: &text)
                    position += 1
                }
            }
        }
        if !isFinished { reportEnd(inside: "the text in quotes that began at \(start)") }
        return nil
    }

    /// Whether the text was meant to have the line break at the position, and does not merely lack
    /// its closing quote: then the next quote ends it, and is followed by what follows a text.
    private func goesOnAfterLineBreak() -> Bool {
        var at = position
        while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
            at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
        }
        repeat { at += 1 } while byte(at) == 0x20 || byte(at) == 0x09
        switch byte(at) {
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x0A, 0x0D: return true
        default: return false
        }
    }

    private mutating func readEscape(into text: inout [UInt8]) {
        let escaped = byte(position + 1)
        switch escaped {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(escaped)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            readUnicodeEscape(into: &text)
            return
        default:
            if position + 1 < bytes.count, escaped >= 0x20 {
                let character = describedCharacter(at: position + 1)
                report(
                    "a backslash before \(character) means nothing", at: place(at: position),
                    hint: "a backslash itself is written \\\\")
            }
            // The character is read again, for itself.
            position += 1
            return
        }
        position += 2
    }

    /// `\uXXXX`, or two of them for a scalar above U+FFFF (RFC 8259 section 7).
    private mutating func readUnicodeEscape(into text: inout [UInt8]) {
        let start = position
        guard let unit = hexadecimalUnit(at: start + 2) else {
            // A text cut short in its last escape is reported as that.
            if start + 6 <= bytes.count {
                report("four hexadecimal digits must follow \\u", at: place(at: start))
            }
            append(0xFFFD, to: &text)
            position = min(start + 2, bytes.count)
            return
        }
        position += 6
        if unit & 0xFC00 == 0xD800, byte(position) == UInt8(ascii: "\\"),
            byte(position + 1) == UInt8(ascii: "u"),
            let second = hexadecimalUnit(at: position + 2), second & 0xFC00 == 0xDC00
        {
            position += 6
            append(0x10000 + (unit & 0x3FF) << 10 + second & 0x3FF, to: &text)
        } else if unit & 0xF800 == 0xD800 {
            let isFirst = unit & 0xFC00 == 0xD800
            report(
                "\\u\(hexadecimal(unit, digits: 4)) is half a surrogate pair", at: place(at: start),
                hint: "its \(isFirst ? "second" : "first") half is missing")
            append(0xFFFD, to: &text)
        } else {
            append(unit, to: &text)
        }
    }

    private func hexadecimalUnit(at offset: Int) -> UInt32? {
        var unit: UInt32 = 0
        for index in offset..<offset + 4 {
            let byte = byte(index)
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    private func append(_ value: UInt32, to text: inout [UInt8]) {
        guard let scalar = Unicode.Scalar(value) else { return }
        text.append(contentsOf: String(Character(scalar)).utf8)
    }

    /// `'text'`, which many languages allow: a problem, but what was meant is clear.
    mutating func readSingleQuoted(from start: JSONPlace) -> String? {
        let first = position + 1
        var end = first
        while end < bytes.count, bytes[end] != UInt8(ascii: "'"), bytes[end] >= 0x20 { end += 1 }
        report("text needs double quotes, not single ones", at: start)
        guard byte(end) == UInt8(ascii: "'"), !isFinished else {
            position = end
            isBroken = true
            return nil
        }
        position = end + 1
        return String(decoding: bytes[first..<end], as: UTF8.self)
    }

    /// The length of the scalar at `offset` in bytes; nil when the bytes there are not UTF-8
    /// (Unicode 15 table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF).
    func scalarLength(at offset: Int) -> Int? {
        let lead = byte(offset)
        var second: ClosedRange<UInt8> = 0x80...0xBF
        let length: Int
        switch lead {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF:
            length = 3
            if lead == 0xE0 { second = 0xA0...0xBF }
            if lead == 0xED { second = 0x80...0x9F }
        case 0xF0...0xF4:
            length = 4
            if lead == 0xF0 { second = 0x90...0xBF }
            if lead == 0xF4 { second = 0x80...0x8F }
        default: return nil
        }
        guard second.contains(byte(offset + 1)) else { return nil }
        for index in 2..<max(length, 2) where byte(offset + index) & 0xC0 != 0x80 { return nil }
        return length
    }

    mutating func reportNotUTF8() {
        report(
            "the byte 0x\(hexadecimal(UInt32(current), digits: 2)) is not UTF-8 here",
            at: place(at: position), hint: "save the text as UTF-8")
    }
}
