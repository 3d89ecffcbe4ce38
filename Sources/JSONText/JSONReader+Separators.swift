/// What stands between members and elements, and how to go on where it does not.
extension JSONReader {
    /// What stood after a member or an element.
    enum Separator {
        case comma(JSONPlace)
        /// A comma is missing and has been reported.
        case none
        /// The container has ended, one way or another.
        case end
    }

    /// Whether the container ends at the position, before a further member or element.
    mutating func endsHere(_ closer: UInt8, after comma: JSONPlace?) -> Bool {
        guard current == UInt8(ascii: "]") || current == UInt8(ascii: "}") else { return false }
        if let comma {
            report("a comma stands before the end", at: comma, hint: "remove it")
        }
        if case .end = readSeparator(closer: closer) { return true }
        return false
    }

    /// Reads on to what separates or ends. Skips what is out of place and reports it, except after
    /// a value that was reported already.
    mutating func readSeparator(closer: UInt8) -> Separator {
        while true {
            skipSpace()
            guard position < bytes.count else {
                reportEnd()
                return .end
            }
            let found = current
            let place = place(at: position)
            switch found {
            case UInt8(ascii: ","):
                isBroken = false
                position += 1
                return .comma(place)
            case closer:
                isBroken = false
                position += 1
                return .end
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                isBroken = false
                if closesOuter(found, at: place) { return .end }
            case UInt8(ascii: ";"):
                if !isBroken { report("`;` stands where `,` should", at: place) }
                isBroken = false
                position += 1
                return .none
            default:
                let isValue = beginsValue(found, inArray: closer == UInt8(ascii: "]"))
                if !isBroken {
                    reportMissingSeparator(closer: closer, at: place)
                    if isValue { return .none }
                } else if found == UInt8(ascii: "\"") {
                    isBroken = false
                    return .none
                }
                skipToSeparator()
                isBroken = true
            }
        }
    }

    private mutating func reportMissingSeparator(closer: UInt8, at place: JSONPlace) {
        let expected = "`,` or `\(Character(Unicode.Scalar(closer)))`"
        let isName = closer == UInt8(ascii: "]") && current == UInt8(ascii: ":")
        report(
            "\(expected) is missing before \(describedCharacter(at: position))", at: place,
            hint: isName ? "names stand in objects: {\"name\": value}" : nil)
    }

    /// A closing bracket of the other kind, which is passed unless it belongs further out. True
    /// when the container being read ends here.
    private mutating func closesOuter(_ found: UInt8, at place: JSONPlace) -> Bool {
        guard let inner = opened.last else { return false }
        let character = Character(Unicode.Scalar(found))
        let belongsOut = opened.contains { $0.isArray == (found == UInt8(ascii: "]")) }
        if !belongsOut { position += 1 }
        let isLast = bytes[position...].allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D }
        if belongsOut || isLast {
            report(
                "`\(character)` stands where `\(inner.closer)` should close \(inner.described)",
                at: place)
            return true
        }
        report(
            "`\(character)` closes nothing", at: place,
            hint: "`\(inner.closer)` would close \(inner.described)")
        return false
    }

    private func beginsValue(_ byte: UInt8, inArray: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "-"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            inArray
        default: false
        }
    }

    /// Moves to the next comma or closing bracket that belongs to the container being read.
    private mutating func skipToSeparator() {
        while position < bytes.count {
            switch current {
            case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): return
            case UInt8(ascii: "["), UInt8(ascii: "{"): skipContainer()
            default: skipToken()
            }
        }
    }

    /// Moves past the container that begins at the position, without looking into it: only the
    /// number of brackets counts, so its depth costs no stack.
    mutating func skipContainer() {
        var depth = 0
        while position < bytes.count {
            switch current {
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default:
                skipToken()
                continue
            }
            position += 1
            if depth == 0 { return }
        }
    }

    /// Moves past one byte, or a whole text or comment, in which brackets and commas mean nothing.
    private mutating func skipToken() {
        let isComment = current == UInt8(ascii: "/") && byte(position + 1) == UInt8(ascii: "/")
        let isText = current == UInt8(ascii: "\"")
        position += 1
        guard isText || isComment && comments else { return }
        while position < bytes.count, current != 0x0A, current != 0x0D {
            let byte = current
            position +=
                isText && byte == UInt8(ascii: "\\") && self.byte(position + 1) >= 0x20 ? 2 : 1
            if isText, byte == UInt8(ascii: "\"") { return }
        }
    }
}
