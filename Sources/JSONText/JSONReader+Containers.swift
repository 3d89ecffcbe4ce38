extension JSONReader {
    /// What stood after a member or an element.
    private enum Separator {
        case comma(JSONPlace)
        /// A comma is missing and has been reported.
        case none
        /// The container has ended, one way or another.
        case end
    }

    /// Reads the value at the position, which is not space. Nil, with a problem reported, when
    /// there is none.
    mutating func readValue() -> JSONNode? {
        let place = place(at: position)
        switch current {
        case UInt8(ascii: "{"): return readContainer(at: place, isArray: false)
        case UInt8(ascii: "["): return readContainer(at: place, isArray: true)
        case UInt8(ascii: "\""):
            return readText(from: place).map { JSONNode(.string($0), place: place) }
        case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            return readNumber(from: place)
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
            report("a value is missing before \(describedCharacter(at: position))", at: place)
            return nil
        default: return readWord(from: place)
        }
    }

    private mutating func readContainer(at place: JSONPlace, isArray: Bool) -> JSONNode? {
        guard opened.count < depthLimit else {
            report("arrays and objects stand more than \(depthLimit) deep here", at: place)
            skipContainer()
            return nil
        }
        position += 1
        opened.append(Opened(isArray: isArray, place: place))
        let value = isArray ? readElements() : readMembers()
        opened.removeLast()
        return JSONNode(value, place: place)
    }

    // MARK: Arrays

    private mutating func readElements() -> JSONNode.Value {
        var elements: [JSONNode] = []
        var comma: JSONPlace?
        var index = 0
        path.append(.index(0))
        defer { path.removeLast() }
        while true {
            skipSpace()
            if position == bytes.count {
                path.removeLast()
                reportEnd()
                path.append(.index(index))
                break
            }
            if endsHere(UInt8(ascii: "]"), after: comma) { break }
            path[path.count - 1] = .index(index)
            index += 1
            if let element = readValue() { elements.append(element) }
            switch readSeparator(closer: UInt8(ascii: "]")) {
            case .comma(let place): comma = place
            case .none: comma = nil
            case .end: return .array(elements)
            }
        }
        return .array(elements)
    }

    // MARK: Objects

    private mutating func readMembers() -> JSONNode.Value {
        var members: [JSONMember] = []
        var names = NameIndex()
        var comma: JSONPlace?
        while true {
            skipSpace()
            if position == bytes.count {
                reportEnd()
                break
            }
            if endsHere(UInt8(ascii: "}"), after: comma) { break }
            readMember(into: &members, names: &names)
            switch readSeparator(closer: UInt8(ascii: "}")) {
            case .comma(let place): comma = place
            case .none: comma = nil
            case .end: return .object(members)
            }
        }
        return .object(members)
    }

    private mutating func readMember(into members: inout [JSONMember], names: inout NameIndex) {
        let place = place(at: position)
        guard let name = readName(from: place) else { return }
        path.append(.name(name))
        defer { path.removeLast() }
        let first = names.position(of: name, in: members)
        if let first {
            report(
                "`\(excerpt(name))` stands twice in this object", at: place,
                hint: members[first].place.map { "it first stands at \($0)" })
        }
        skipSpace()
        if current == UInt8(ascii: ":") {
            position += 1
        } else if position < bytes.count {
            let found = describedCharacter(at: position)
            report("`:` is missing after a name, found \(found)", at: self.place(at: position))
            switch current {
            case UInt8(ascii: "="): position += 1
            case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): return
            default: break
            }
        }
        skipSpace()
        guard position < bytes.count else {
            reportEnd()
            return
        }
        if let node = readValue(), first == nil {
            names.insert(name, at: members.count)
            members.append(JSONMember(name: name, place: place, node: node))
        }
    }

    /// The name at the position, quoted as it should be or not. Nil when there is none.
    private mutating func readName(from place: JSONPlace) -> String? {
        switch current {
        case UInt8(ascii: "\""): return readText(from: place)
        case UInt8(ascii: "'"): return readSingleQuoted(from: place)
        case UInt8(ascii: ","):
            report("a member is missing before `,`", at: place)
            return nil
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "_"), UInt8(ascii: "$"):
            let name = takeWord(stopsAtColon: true)
            report("a name needs double quotes", at: place, hint: "write \"\(excerpt(name))\"")
            return name
        default:
            let found = describedCharacter(at: position)
            report("a name in double quotes is missing, found \(found)", at: place)
            isBroken = true
            return nil
        }
    }

    // MARK: Between members and elements

    /// Whether the container ends at the position, before a further member or element.
    private mutating func endsHere(_ closer: UInt8, after comma: JSONPlace?) -> Bool {
        guard current == UInt8(ascii: "]") || current == UInt8(ascii: "}") else { return false }
        if let comma {
            report("a comma stands before the end", at: comma, hint: "remove it")
        }
        if case .end = readSeparator(closer: closer) { return true }
        return false
    }

    /// Reads on to what separates or ends. Skips what is out of place and reports it, except after
    /// a value that was reported already.
    private mutating func readSeparator(closer: UInt8) -> Separator {
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
                position += 1
            default:
                let isValue = beginsValue(found, inArray: closer == UInt8(ascii: "]"))
                if !isBroken {
                    let expected = "`,` or `\(Character(Unicode.Scalar(closer)))`"
                    let what = describedCharacter(at: position)
                    report("\(expected) is missing before \(what)", at: place)
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

    /// A closing bracket of the other kind. True when the one it closes stands further out, so that
    /// this container lacks its own.
    private mutating func closesOuter(_ found: UInt8, at place: JSONPlace) -> Bool {
        let isArray = found == UInt8(ascii: "]")
        let character = Character(Unicode.Scalar(found))
        guard let inner = opened.last else { return false }
        if opened.contains(where: { $0.isArray == isArray }) {
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
    private mutating func skipContainer() {
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

/// Finds names that stand twice, in constant time per name once an object is large.
private struct NameIndex {
    private static let linearMax = 12
    /// Empty as long as the object is small.
    private var positions: [ExactName: Int] = [:]

    mutating func position(of name: String, in members: [JSONMember]) -> Int? {
        let wanted = ExactName(name)
        if members.count < NameIndex.linearMax {
            return members.firstIndex { ExactName($0.name) == wanted }
        }
        if positions.isEmpty {
            for (index, member) in members.enumerated() {
                positions[ExactName(member.name)] = index
            }
        }
        return positions[wanted]
    }

    mutating func insert(_ name: String, at position: Int) {
        if !positions.isEmpty { positions[ExactName(name)] = position }
    }
}
