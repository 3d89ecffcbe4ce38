extension JSONNode {
    /// The value of the member `key`; nil when there is none or this is no object.
    package subscript(key: String) -> JSONNode? {
        guard case .object(let members) = value else { return nil }
        return JSONNode.position(of: key, in: members).map { members[$0].node }
    }

    /// The element at `index`; nil when there is none or this is no array.
    package subscript(index: Int) -> JSONNode? {
        guard case .array(let elements) = value, elements.indices.contains(index) else {
            return nil
        }
        return elements[index]
    }

    /// What `pointer` (RFC 6901) leads to; nil when it leads nowhere or is malformed.
    package func at(pointer: String) -> JSONNode? {
        guard let names = JSONPointer.split(pointer) else { return nil }
        var node = self
        for name in names {
            let next: JSONNode?
            if case .array = node.value {
                next = JSONPointer.index(name).flatMap { node[$0] }
            } else {
                next = node[name]
            }
            guard let next else { return nil }
            node = next
        }
        return node
    }

    /// No path that makes objects may be longer: `JSONReader` refuses deeper texts, and a walk over
    /// a tree takes stack for each level.
    package static let depthMax = 64

    /// Puts `node` at the end of `path`.
    ///
    /// Objects are made on the way where a name leads to nothing or to null. In an array a name is
    /// the index of an element that exists. An empty path replaces the value itself.
    ///
    /// - Throws: when the path leads through a text, a number, true or false, to no element of an
    ///   array, or is longer than `depthMax`. Nothing has changed then. The pointer says how far
    /// the
    ///   path led.
    package mutating func set(_ path: [String], to node: JSONNode) throws(JSONProblem) {
        guard path.count <= JSONNode.depthMax else {
            throw JSONProblem(
                pointer: JSONPointer.join(path[..<1]),
                message: "a path has at most \(JSONNode.depthMax) names, not \(path.count)")
        }
        try set(path, from: 0, to: node)
    }

    /// Takes away what is at the end of `path`. Does nothing when there is nothing, or an element
    /// of an array, whose removal would give others its number.
    package mutating func remove(_ path: [String]) {
        guard let last = path.last, var parent = at(pointer: JSONPointer.join(path.dropLast())),
            case .object(var members) = parent.value,
            let position = JSONNode.position(of: last, in: members)
        else { return }
        members.remove(at: position)
        parent.value = .object(members)
        // The parent is there, so the path leads to it.
        try? set(Array(path.dropLast()), to: parent)
    }

    private mutating func set(
        _ path: [String], from depth: Int, to node: JSONNode
    ) throws(JSONProblem) {
        guard depth < path.count else {
            self = node
            return
        }
        let name = path[depth]
        switch value {
        case .object, .null:
            var members = self.members ?? []
            if let position = JSONNode.position(of: name, in: members) {
                try members[position].node.set(path, from: depth + 1, to: node)
            } else {
                var made = JSONNode.null
                try made.set(path, from: depth + 1, to: node)
                members.append(JSONMember(name: name, node: made))
            }
            value = .object(members)
        case .array(var elements):
            guard let index = JSONPointer.index(name), elements.indices.contains(index) else {
                throw JSONProblem(
                    pointer: JSONPointer.join(path[..<depth]), place: place,
                    message: "`\(name)` is no element of this array",
                    hint: elements.isEmpty
                        ? "the array is empty" : "its elements are 0 to \(elements.count - 1)")
            }
            try elements[index].set(path, from: depth + 1, to: node)
            value = .array(elements)
        case .bool, .number, .string:
            throw JSONProblem(
                pointer: JSONPointer.join(path[..<depth]), place: place,
                message: "this is \(kindName), so it has no `\(name)`")
        }
    }

    private static func position(of name: String, in members: [JSONMember]) -> Int? {
        let wanted = ExactName(name)
        return members.firstIndex { ExactName($0.name) == wanted }
    }
}
