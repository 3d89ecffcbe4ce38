/// Reads RFC 8259 text, with `//` comments where they are allowed, and reports every problem it can
/// find: after one it goes on at the next member or element.
///
/// The time is linear in the length of the text; the stack is bounded by the depth limit.
package struct JSONReader {
    /// - Parameters:
    ///   - comments: whether `//` to the end of the line is space. Other comments never are.
    ///   - depthLimit: how many arrays and objects may stand inside each other, at most 512.
    /// - Returns: the problems in the order of the text, none when it is correct, and what could be
    ///   read: nil when nothing could. Where there are problems, members and elements that could
    ///   not be read are left out and a name's first value counts. After 100 problems the reader
    ///   gives up and says so.
    package static func parse(
        _ bytes: some Collection<UInt8>, comments: Bool = true, depthLimit: Int = 64
    ) -> (node: JSONNode?, problems: [JSONProblem]) {
        var reader = JSONReader(
            bytes: Array(bytes), comments: comments, depthLimit: min(max(depthLimit, 1), 512))
        let node = reader.readDocument()
        return (node, reader.problemsInOrder)
    }

    /// A container that has begun and not ended.
    struct Opened {
        let isArray: Bool
        let place: JSONPlace

        var closer: String { isArray ? "]" : "}" }
        var described: String { "the \(isArray ? "array" : "object") that began at \(place)" }
    }

    enum Step {
        case name(String)
        case index(Int)
    }

    static let problemsMax = 100

    let bytes: [UInt8]
    let comments: Bool
    let depthLimit: Int
    /// The next byte to read.
    var position = 0
    /// The way to the value that is being read.
    var path: [Step] = []
    var opened: [Opened] = []
    var problems: [JSONProblem] = []
    /// The value just read has a problem, so what follows it may be a piece of it: the next thing
    /// that is out of place is skipped without a word.
    var isBroken = false
    /// Nothing more is reported: the end was, or there were too many problems.
    var isFinished = false
    /// The offset up to which lines and columns have been counted, and its place.
    private var counted = (offset: 0, place: JSONPlace(line: 1, column: 1))
    private var textStart = 0

    private init(bytes: [UInt8], comments: Bool, depthLimit: Int) {
        self.bytes = bytes
        self.comments = comments
        self.depthLimit = depthLimit
    }

    private mutating func readDocument() -> JSONNode? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            position = 3
            textStart = 3
            counted.offset = 3
        } else if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            report("the text is UTF-16", at: counted.place, hint: "save it as UTF-8")
            return nil
        }
        skipSpace()
        if position >= bytes.count {
            let isEmpty = textStart == bytes.count
            report(
                isEmpty ? "the text is empty" : "the text holds no value, only space and comments",
                at: JSONPlace(line: 1, column: 1), hint: "a JSON text holds one value, such as {}")
            return nil
        }
        // What follows a value that cannot be read is most likely a piece of it.
        let node = readValue()
        skipSpace()
        if position < bytes.count, node != nil {
            let what = describedCharacter(at: position)
            let isCloser = current == UInt8(ascii: "}") || current == UInt8(ascii: "]")
            report(
                isCloser ? "\(what) closes nothing" : "\(what) follows the end of the value",
                at: place(at: position), hint: isCloser ? nil : "a JSON text holds one value")
        }
        return node
    }

    // MARK: Bytes and places

    /// The byte at `position`; 0, which is none of JSON's, at the end.
    var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

    func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    /// Counts on from the last place, so that all places of a text together cost one pass.
    mutating func place(at offset: Int) -> JSONPlace {
        if offset < counted.offset {
            // Only for problems seen late, of which there are few.
            counted = (textStart, JSONPlace(line: 1, column: 1))
        }
        var (at, place) = counted
        var (line, column) = (place.line, place.column)
        while at < offset {
            let byte = bytes[at]
            at += 1
            if byte == 0x0A || byte == 0x0D && self.byte(at) != 0x0A {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        place = JSONPlace(line: line, column: column)
        counted = (at, place)
        return place
    }

    /// Space, line ends and comments.
    mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            case UInt8(ascii: "/"):
                guard skipComment() else { return }
            case UInt8(ascii: "#"):
                report(
                    "`#` begins no comment", at: place(at: position),
                    hint: comments ? "comments begin with //" : "comments are not allowed here")
                skipLine()
            default: return
            }
        }
    }

    /// False when the `/` at the position begins no comment of any kind.
    private mutating func skipComment() -> Bool {
        switch byte(position + 1) {
        case UInt8(ascii: "/"):
            if !comments {
                report("comments are not allowed here", at: place(at: position))
            }
            skipLine()
            return true
        case UInt8(ascii: "*"):
            report(
                "`/*` begins no comment", at: place(at: position),
                hint: comments ? "comments begin with //" : "comments are not allowed here")
            position += 2
            while position < bytes.count {
                position += 1
                if bytes[position - 1] == UInt8(ascii: "*"), current == UInt8(ascii: "/") {
                    position += 1
                    break
                }
            }
            position = min(position, bytes.count)
            return true
        default: return false
        }
    }

    private mutating func skipLine() {
        var isReported = false
        while position < bytes.count, current != 0x0A, current != 0x0D {
            if let length = scalarLength(at: position) {
                position += length
            } else {
                if !isReported { reportNotUTF8() }
                isReported = true
                position += 1
            }
        }
    }

    // MARK: Problems

    private var problemsInOrder: [JSONProblem] {
        // A comma is known to be one too many only when the closing bracket is seen.
        problems.enumerated().sorted { left, right in
            let (a, b) = (left.element.place, right.element.place)
            guard let a, let b, a != b else { return left.offset < right.offset }
            return (a.line, a.column) < (b.line, b.column)
        }.map(\.element)
    }

    mutating func report(_ message: String, at place: JSONPlace, hint: String? = nil) {
        guard !isFinished else { return }
        problems.append(
            JSONProblem(pointer: pointer, place: place, message: message, hint: hint))
        if problems.count == JSONReader.problemsMax {
            isFinished = true
            let last = self.place(at: position)
            problems.append(
                JSONProblem(
                    place: JSONPlace(
                        line: max(last.line, place.line), column: max(last.column, place.column)),
                    message: "reading ends here after \(JSONReader.problemsMax) problems"))
            position = bytes.count
        }
    }

    /// The text ended too early: says what was still open, innermost first.
    mutating func reportEnd(inside innermost: String? = nil) {
        let listedMax = 4
        var parts = opened.reversed().map(\.described)
        if let innermost { parts.insert(innermost, at: 0) }
        if parts.count > listedMax {
            parts[listedMax...] = ["\(parts.count - listedMax) more"]
        }
        let quote = innermost == nil ? "" : "\""
        let closers = quote + opened.reversed().map(\.closer).joined()
        report(
            "the text ends inside " + parts.joined(separator: ", inside "),
            at: place(at: bytes.count),
            hint: parts.count > listedMax ? nil : "`\(closers)` would close it")
        isFinished = true
        position = bytes.count
    }

    private var pointer: String {
        JSONPointer.join(
            path.lazy.map { step in
                switch step {
                case .name(let name): name
                case .index(let index): String(index)
                }
            })
    }

    /// The character at `offset` for a message: "`}`", or "U+00A0" when it cannot be seen.
    func describedCharacter(at offset: Int) -> String {
        // The reader moves to the end when it has reported enough, also in the middle of a step.
        guard offset < bytes.count else { return "the end" }
        guard let length = scalarLength(at: offset) else {
            return "the byte 0x" + hexadecimal(UInt32(byte(offset)), digits: 2)
        }
        let text = String(decoding: bytes[offset..<offset + length], as: UTF8.self)
        guard let scalar = text.unicodeScalars.first else { return "nothing" }
        let isVisible =
            scalar == " " || scalar.properties.isGraphemeBase && !scalar.properties.isWhitespace
        return isVisible ? "`\(text)`" : "U+" + hexadecimal(scalar.value, digits: 4)
    }

    func hexadecimal(_ value: UInt32, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
