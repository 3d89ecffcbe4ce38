/// Lines of text for a terminal of 80 columns.
struct TextPage {
    enum Style {
        case plain, bold, good, bad, doubtful, faint

        fileprivate var code: String {
            switch self {
            case .plain: ""
            case .bold: "1"
            case .good: "32"
            case .bad: "1;31"
            case .doubtful: "33"
            case .faint: "2"
            }
        }
    }

    static let columns = 80

    private(set) var text = ""
    private let color: Bool

    init(color: Bool) { self.color = color }

    /// A sentence, broken at blanks but not between a number and its unit. A word longer than a
    /// line stays whole, so that an address can be copied.
    /// - Parameter hanging: in the place of the first line's blanks, as wide as they are.
    mutating func add(
        sentence: String, _ style: Style = .plain, hanging: String? = nil, indent: Int = 0
    ) {
        let blanks = String(repeating: " ", count: indent)
        var start = hanging ?? blanks
        var line = ""
        for word in Self.words(of: sentence) {
            if !line.isEmpty, indent + line.count + 1 + word.count > Self.columns {
                add(line: start + line, style)
                start = blanks
                line = ""
            }
            if !line.isEmpty { line += " " }
            line += word
        }
        add(line: start + line, style)
    }

    mutating func add(line: String, _ style: Style = .plain) {
        let plain = Self.harmless(line)
        text += color && style != .plain ? "\u{1B}[\(style.code)m\(plain)\u{1B}[0m\n" : plain + "\n"
    }

    /// One at most between two parts.
    mutating func addBlank() {
        if !text.isEmpty, !text.hasSuffix("\n\n") { text += "\n" }
    }

    /// Columns, the first one to the left and the others to the right; what is wider than its
    /// column still stands apart from the one before.
    mutating func add(row: [String], widths: [Int], _ style: Style = .plain) {
        var line = ""
        for (index, (cell, width)) in zip(row, widths).enumerated() {
            if index > 0, cell.count >= width, cell.first != " " { line += " " }
            line += index == 0 ? padded(cell, width) : padded(cell, -width)
        }
        while line.hasSuffix(" ") { line.removeLast() }
        add(line: line, style)
    }

    private static let units: Set<String> = [
        "%", "ns", "µs", "ms", "s", "min", "B", "kB", "MB", "GB", "TB",
    ]

    private static func words(of sentence: String) -> [String] {
        var words: [String] = []
        for word in sentence.split(separator: " ") {
            let bare = word.prefix { $0.isLetter || $0 == "%" }
            if units.contains(String(bare)), let last = words.last?.last, last.isNumber {
                words[words.count - 1] += " " + word
            } else {
                words.append(String(word))
            }
        }
        return words
    }

    /// Servers choose some of the words: none may move the cursor or colour the terminal.
    private static func harmless(_ line: String) -> String {
        let isControl: (Unicode.Scalar) -> Bool = {
            $0.value < 0x20 || (0x7F..<0xA0).contains($0.value)
        }
        guard line.unicodeScalars.contains(where: isControl) else { return line }
        var scalars = String.UnicodeScalarView()
        for scalar in line.unicodeScalars { scalars.append(isControl(scalar) ? "?" : scalar) }
        return String(scalars)
    }
}

/// Filled with blanks to a width: after it, or before it when the width is negative.
func padded(_ text: String, _ width: Int) -> String {
    let blanks = String(repeating: " ", count: max(0, Int(width.magnitude) - text.count))
    return width < 0 ? blanks + text : text + blanks
}

/// The beginning of a text that is too long, with an ellipsis.
func shortened(_ text: String, to width: Int) -> String {
    text.count <= width ? text : text.prefix(max(0, width - 1)) + "…"
}
