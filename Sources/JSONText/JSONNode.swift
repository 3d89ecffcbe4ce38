/// Where a character stands in a text.
package struct JSONPlace: Sendable, Hashable, CustomStringConvertible {
    /// 1 for the first line. LF, CR LF and a CR alone end a line.
    package var line: Int {
        get { Int(line32) }
        set { line32 = UInt32(clamping: newValue) }
    }
    /// 1 for the first character of the line. Counts Unicode scalars, not bytes and not what a
    /// terminal shows: a tab is one, an accent written as a scalar of its own is one. A byte order
    /// mark at the start of the text does not count.
    package var column: Int {
        get { Int(column32) }
        set { column32 = UInt32(clamping: newValue) }
    }

    // Every node and member has a place: half the size makes large documents a third smaller.
    private var line32: UInt32
    private var column32: UInt32

    package init(line: Int, column: Int) {
        line32 = UInt32(clamping: line)
        column32 = UInt32(clamping: column)
    }

    /// "line 3, column 5".
    package var description: String { "line \(line), column \(column)" }
}

/// A JSON value that knows where it stood.
///
/// Two nodes are equal when their values are, wherever they stood; numbers are equal when they are
/// spelled alike, names and texts when they have the same scalars.
package struct JSONNode: Sendable {
    package enum Value: Sendable {
        case null
        case bool(Bool)
        case number(JSONNumber)
        case string(String)
        case array([JSONNode])
        /// In the order of the source. No name stands twice in what `JSONReader` returns.
        case object([JSONMember])
    }

    package var value: Value
    /// Its first character; nil for a node made by code.
    package var place: JSONPlace?

    package init(_ value: Value, place: JSONPlace? = nil) {
        self.value = value
        self.place = place
    }
}

/// A name and its value in an object.
package struct JSONMember: Sendable {
    package var name: String
    /// The opening quote of the name; nil for a member made by code.
    package var place: JSONPlace?
    package var node: JSONNode

    package init(name: String, place: JSONPlace? = nil, node: JSONNode) {
        self.name = name
        self.place = place
        self.node = node
    }
}

// MARK: - Making nodes

extension JSONNode {
    package static var null: JSONNode { JSONNode(.null) }
    package static func bool(_ value: Bool) -> JSONNode { JSONNode(.bool(value)) }
    package static func int(_ value: Int) -> JSONNode { JSONNode(.number(JSONNumber(value))) }
    package static func uint(_ value: UInt64) -> JSONNode { JSONNode(.number(JSONNumber(value))) }
    /// `value` must be finite: JSON has no other numbers, a caller leaves the member out instead.
    package static func double(_ value: Double) -> JSONNode {
        JSONNode(.number(JSONNumber(value)))
    }
    package static func string(_ value: String) -> JSONNode { JSONNode(.string(value)) }
    package static func array(_ elements: [JSONNode]) -> JSONNode { JSONNode(.array(elements)) }
    /// The order is kept. The names must differ.
    package static func object(_ members: [(String, JSONNode)]) -> JSONNode {
        JSONNode(.object(members.map { JSONMember(name: $0.0, node: $0.1) }))
    }
}

// MARK: - Looking at nodes

extension JSONNode {
    /// The text, nil for any other kind.
    package var string: String? {
        if case .string(let text) = value { text } else { nil }
    }

    package var bool: Bool? {
        if case .bool(let flag) = value { flag } else { nil }
    }

    package var number: JSONNumber? {
        if case .number(let number) = value { number } else { nil }
    }

    /// The number when it is whole and fits; `1e3` and `10.0` are whole.
    package var int: Int? { number?.int }
    package var uint: UInt64? { number?.uint }
    /// The number nearest to the text; nil when it is too large for a `Double`.
    package var double: Double? { number?.double }

    package var array: [JSONNode]? {
        if case .array(let elements) = value { elements } else { nil }
    }

    package var members: [JSONMember]? {
        if case .object(let members) = value { members } else { nil }
    }

    package var isNull: Bool {
        if case .null = value { true } else { false }
    }

    /// What it is, for messages: "expected a number, found text".
    package var kindName: String {
        switch value {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "text"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

// MARK: - Comparing nodes

extension JSONNode: Equatable {
    package static func == (left: JSONNode, right: JSONNode) -> Bool { left.value == right.value }
}

extension JSONNode.Value: Equatable {
    package static func == (left: JSONNode.Value, right: JSONNode.Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.number(let a), .number(let b)): a == b
        case (.string(let a), .string(let b)): ExactName(a) == ExactName(b)
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)): a == b
        default: false
        }
    }
}

extension JSONMember: Equatable {
    package static func == (left: JSONMember, right: JSONMember) -> Bool {
        ExactName(left.name) == ExactName(right.name) && left.node == right.node
    }
}

/// A text compared scalar by scalar, as RFC 8259 section 8.3 wants names compared. `String`
/// compares by canonical equivalence, for which "é" as one scalar and as two is the same name.
struct ExactName: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ExactName, right: ExactName) -> Bool {
        // The first comparison is the fast one and decides nearly always.
        left.text == right.text && left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        // Equal bytes make equal texts, so the text's own hash serves.
        hasher.combine(text)
    }
}
