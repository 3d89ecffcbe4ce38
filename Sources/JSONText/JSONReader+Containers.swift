extension JSONReader {
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
        while true {
            skipSpace()
            if position >= bytes.count {
                reportEnd()
                break
            }
            if endsHere(UInt8(ascii: "]"), after: comma) { break }
            path.append(.index(index))
            if let element = readValue() { elements.append(element) }
            path.removeLast()
            index += 1
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
            if position >= bytes.count {
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
