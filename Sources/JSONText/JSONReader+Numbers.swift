extension JSONReader {
    /// Reads the number at the position. A misspelt one whose meaning is clear is returned after
    /// the report.
    mutating func readNumber(from start: JSONPlace) -> JSONNode? {
        if let end = JSONNumber.end(in: bytes, from: position), endsWord(at: end, atColon: false) {
            let text = String(decoding: bytes[position..<end], as: UTF8.self)
            position = end
            return JSONNode(.number(JSONNumber(checked: text)), place: start)
        }
        let word = takeWord(stopsAtColon: false)
        let shown = excerpt(word)
        if let number = JSONReader.repaired(word) {
            report(
                "`\(shown)` is not a number of JSON", at: start,
                hint: JSONReader.fault(of: word).map { "\($0): write \(excerpt(number.text))" })
            return JSONNode(.number(number), place: start)
        }
        isBroken = true
        if word.hasSuffix("NaN") || word.lowercased().contains("inf") {
            report("JSON has no \(shown)", at: start, hint: "write null, or leave it out")
        } else if word.utf8.allSatisfy({ !($0 &- UInt8(ascii: "0") < 10) }) {
            report("a digit is missing in `\(shown)`", at: start)
        } else {
            report(
                "`\(shown)` is not a number", at: start,
                hint: "text needs double quotes: \"\(shown)\"")
        }
        return nil
    }

    /// true, false, null, or something that is none of them.
    mutating func readWord(from start: JSONPlace) -> JSONNode? {
        if current == UInt8(ascii: "'") {
            return readSingleQuoted(from: start).map { JSONNode(.string($0), place: start) }
        }
        guard let length = scalarLength(at: position) else {
            reportNotUTF8()
            isBroken = true
            position += 1
            return nil
        }
        let found = describedCharacter(at: position)
        let word = takeWord(stopsAtColon: false)
        switch word {
        case "true": return JSONNode(.bool(true), place: start)
        case "false": return JSONNode(.bool(false), place: start)
        case "null": return JSONNode(.null, place: start)
        default: break
        }
        isBroken = true
        let isLetter = word.unicodeScalars.first?.properties.isAlphabetic ?? false
        let shown = excerpt(word)
        if word.lowercased() == "nan" || word.lowercased().hasPrefix("inf") {
            report("JSON has no \(shown)", at: start, hint: "write null, or leave it out")
        } else if ["undefined", "None", "nil", "NULL"].contains(word) {
            report("`\(shown)` is not a value of JSON", at: start, hint: "write null")
        } else if isLetter {
            let meant = nearest(word, in: ["true", "false", "null"])
            report(
                "`\(shown)` is not a value of JSON", at: start,
                hint: meant.map { "did you mean \($0)?" }
                    ?? "text needs double quotes: \"\(shown)\"")
        } else {
            let isCurly = found == "`\u{201C}`" || found == "`\u{201D}`"
            report(
                "a value cannot begin with \(found)", at: start,
                hint: isCurly ? "text needs straight double quotes" : nil)
            if word.isEmpty { position = min(position + length, bytes.count) }
        }
        return nil
    }

    /// Takes everything up to the next space, comma, quote, bracket or comment.
    mutating func takeWord(stopsAtColon: Bool) -> String {
        let first = position
        while !endsWord(at: position, atColon: stopsAtColon) { position += 1 }
        return String(decoding: bytes[first..<position], as: UTF8.self)
    }

    private func endsWord(at offset: Int, atColon: Bool) -> Bool {
        switch byte(offset) {
        case 0...0x20, UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "["),
            UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: ";"):
            true
        case UInt8(ascii: ":"), UInt8(ascii: "="): atColon
        case UInt8(ascii: "/"):
            byte(offset + 1) == UInt8(ascii: "/") || byte(offset + 1) == UInt8(ascii: "*")
        default: false
        }
    }

    /// The number meant by `+1`, `007`, `.5`, `5.`, `1_000` or `0x1F`.
    private static func repaired(_ word: String) -> JSONNumber? {
        var rest = word.filter { $0 != "_" }[...]
        let isNegative = rest.hasPrefix("-")
        if isNegative || rest.hasPrefix("+") { rest = rest.dropFirst() }
        let sign = isNegative ? "-" : ""
        if rest.lowercased().hasPrefix("0x") {
            return UInt64(rest.dropFirst(2), radix: 16).flatMap { JSONNumber("\(sign)\($0)") }
        }
        while rest.hasPrefix("0"), let next = rest.dropFirst().first, next.isNumber {
            rest = rest.dropFirst()
        }
        if rest.hasPrefix("."), rest.count > 1 { rest = "0" + rest }
        if rest.hasSuffix(".") { rest = rest.dropLast() }
        return JSONNumber(sign + rest)
    }

    private static func fault(of word: String) -> String? {
        let unsigned = word.drop { $0 == "-" || $0 == "+" }
        return if word.contains("_") {
            "digits cannot be grouped"
        } else if unsigned.lowercased().hasPrefix("0x") {
            "hexadecimal is not allowed"
        } else if word.hasPrefix("+") {
            "no plus sign may stand first"
        } else if unsigned.hasPrefix(".") {
            "a digit must stand before the point"
        } else if word.hasSuffix(".") {
            "a digit must follow the point"
        } else {
            "no zero may stand first"
        }
    }

    /// The beginning of a text for a message.
    func excerpt(_ text: String) -> String {
        let head = text.prefix(40)
        return head.endIndex == text.endIndex ? text : head + "…"
    }
}
