package import JSONText

/// One key of the scenario file: what may stand there, what holds without it, and one sentence.
package struct ScenarioKey: Sendable {
    package enum Support: Sendable {
        case full
        /// Known, and refused until it is built.
        case later
        /// Known, and so far only these values, as they are after their units are read.
        case only([JSONNode])
    }

    package enum Default: Sendable {
        case none
        case value(JSONNode)
        /// Depends on the rest of the scenario, in words.
        case words(String)
    }

    package let name: String
    package let kind: ScenarioKind
    package let standard: Default
    package let sentence: String
    package let support: Support
    package let isRequired: Bool

    init(
        _ name: String, _ kind: ScenarioKind, default standard: JSONNode? = nil,
        words: String? = nil, required: Bool = false, support: Support = .full, _ sentence: String
    ) {
        self.name = name
        self.kind = kind
        if let standard {
            self.standard = .value(standard)
        } else {
            self.standard = words.map { .words($0) } ?? .none
        }
        self.sentence = sentence
        self.support = support
        isRequired = required
    }

    package var defaultNode: JSONNode? {
        if case .value(let node) = standard { node } else { nil }
    }

    package var isLater: Bool {
        if case .later = support { true } else { false }
    }
}

/// A word of an enumeration.
package struct ScenarioWord: Sendable, ExpressibleByStringLiteral {
    package let text: String
    package let isLater: Bool

    package init(stringLiteral text: String) { self.init(text) }

    init(_ text: String) {
        self.text = text
        isLater = false
    }

    init(later text: String) {
        self.text = text
        isLater = true
    }

    static func later(_ text: String) -> ScenarioWord { ScenarioWord(later: text) }
}

/// What may stand at a key, and with which unit.
package indirect enum ScenarioKind: Sendable {
    /// One line, not empty.
    case text
    case textOrEmpty
    /// An input file, relative to the scenario; also written `{"file": "path"}`.
    case path
    case word([ScenarioWord])
    case bool
    case count(ClosedRange<UInt64>)
    case number(ClosedRange<Double>)
    /// 0...1, or a percentage.
    case share
    /// At least so many nanoseconds; a number is seconds.
    case duration(minNS: UInt64)
    /// `500ms..30s`: becomes two numbers of nanoseconds.
    case durationSpan
    /// Bytes.
    case size
    /// Per second.
    case rate
    /// `0/s -> 5000/s`, or one rate: becomes two numbers per second.
    case rateRamp
    /// `0 -> 100`, or one number: becomes two numbers.
    case usersRamp
    case object([ScenarioKey])
    case list(ScenarioKind, ClosedRange<Int>)
    /// Names of the user's own. Null stays null when it means something.
    case map(ScenarioKind, keepsNull: Bool)
    /// The first that takes the JSON type of the value.
    case either([ScenarioKind])
    /// Any value, its texts expanded.
    case anything
}

extension ScenarioKind {
    static let status = ScenarioKind.count(100...599)

    /// The raw values of an enumeration's cases.
    static func words<Word: CaseIterable & RawRepresentable>(
        of type: Word.Type
    ) -> ScenarioKind where Word.RawValue == String {
        .word(Word.allCases.map { ScenarioWord($0.rawValue) })
    }

    static let duration = ScenarioKind.duration(minNS: 0)
    static let time = ScenarioKind.duration(minNS: 1)
    static func list(_ kind: ScenarioKind) -> ScenarioKind { .list(kind, 0...1_000_000) }
    static func count(from least: UInt64, to most: UInt64) -> ScenarioKind { .count(least...most) }

    /// Whether the value is one text or number, which may come from the environment or a file.
    var isScalar: Bool {
        switch self {
        case .object, .list, .map, .either, .anything: false
        default: true
        }
    }

    /// Whether a value of this JSON type can be meant for this kind.
    func takes(_ node: JSONNode) -> Bool {
        if isScalar, ScenarioKind.isFile(node) { return true }
        return switch self {
        case .text, .textOrEmpty:
            // `--set name=2024` reads as a number.
            node.string != nil || (node.number != nil && node.place == nil)
        case .path, .durationSpan: node.string != nil
        case .bool: node.bool != nil || node.string != nil
        case .word, .count, .number, .share, .duration, .size, .rate, .rateRamp, .usersRamp:
            node.number != nil || node.string != nil
        case .object, .map: node.members != nil
        case .list: node.array != nil
        case .either(let kinds): kinds.contains { $0.takes(node) }
        case .anything: true
        }
    }

    /// `{"file": "path"}`.
    static func isFile(_ node: JSONNode) -> Bool {
        guard let members = node.members, members.count == 1 else { return false }
        return members[0].name == "file" && members[0].node.string != nil
    }

    /// What is expected, as the object of a sentence.
    package var expectation: String {
        switch self {
        case .text, .textOrEmpty: "text"
        case .path: "the path of a file"
        case .word(let words):
            words.count == 1
                ? "\"\(words[0].text)\""
                : "one of " + words.map { "\"\($0.text)\"" }.joined(separator: ", ")
        case .bool: "true or false"
        case .count: "a whole number"
        case .number: "a number"
        case .share: "a share such as \"0.1%\" or 0.001"
        case .duration: "a duration such as \"30s\" or \"250ms\""
        case .durationSpan: "two durations such as \"500ms..30s\""
        case .size: "a size such as \"64MiB\""
        case .rate: "a rate such as \"2000/s\""
        case .rateRamp: "a rate such as \"0/s -> 5000/s\" or \"500/s\""
        case .usersRamp: "a number of users such as 100 or \"0 -> 100\""
        case .object, .map: "an object"
        case .list: "an array"
        case .either(let kinds): kinds.map(\.expectation).joined(separator: " or ")
        case .anything: "a value"
        }
    }
}
