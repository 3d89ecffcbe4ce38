/// Writes nodes as RFC 8259 text, members in their order.
///
/// Texts come out so that the whole may stand inside a `<script>` element: `</` as `<\/`, `<!` as
/// `\u003c!`, and U+2028 and U+2029, which end a line in old JavaScript, escaped.
package struct JSONWriter {
    private var bytes: [UInt8] = []
    private let isPretty: Bool

    private init(isPretty: Bool) { self.isPretty = isPretty }

    /// UTF-8 without a newline at the end. Pretty: two spaces per level, one member a line, arrays
    /// of a few short scalars on one line. Compact: no space at all.
    package static func encode(_ node: JSONNode, pretty: Bool = false) -> [UInt8] {
        var writer = JSONWriter(isPretty: pretty)
        writer.write(node, level: 0)
        return writer.bytes
    }

    /// As `encode`, as a `String`.
    package static func encodeText(_ node: JSONNode, pretty: Bool = false) -> String {
        String(decoding: encode(node, pretty: pretty), as: UTF8.self)
    }

    /// Appends the compact form to `bytes`: for files of one value a line.
    package static func append(_ node: JSONNode, to bytes: inout [UInt8]) {
        var writer = JSONWriter(isPretty: false)
        swap(&writer.bytes, &bytes)
        writer.write(node, level: 0)
        swap(&writer.bytes, &bytes)
    }

    private mutating func write(_ node: JSONNode, level: Int) {
        switch node.value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        case .number(let number): bytes.append(contentsOf: number.text.utf8)
        case .string(let text): write(text)
        case .array(let elements): write(elements, level: level)
        case .object(let members): write(members, level: level)
        }
    }

    private mutating func write(_ elements: [JSONNode], level: Int) {
        if isPretty, writeOnOneLine(elements) { return }
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            breakLine(level: level + 1)
            write(element, level: level + 1)
        }
        if !elements.isEmpty { breakLine(level: level) }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func write(_ members: [JSONMember], level: Int) {
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            breakLine(level: level + 1)
            write(member.name)
            bytes.append(UInt8(ascii: ":"))
            if isPretty { bytes.append(UInt8(ascii: " ")) }
            write(member.node, level: level + 1)
        }
        if !members.isEmpty { breakLine(level: level) }
        bytes.append(UInt8(ascii: "}"))
    }

    /// A box of four numbers reads better on one line. False, and nothing written, when the array
    /// holds more than scalars or would be long.
    private mutating func writeOnOneLine(_ elements: [JSONNode]) -> Bool {
        let (countMax, bytesMax) = (16, 64)
        guard elements.count <= countMax else { return false }
        for element in elements where element.array != nil || element.members != nil {
            return false
        }
        let start = bytes.count
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(contentsOf: ", ".utf8) }
            write(element, level: 0)
        }
        bytes.append(UInt8(ascii: "]"))
        if bytes.count - start > bytesMax, elements.count > 1 {
            bytes.removeSubrange(start...)
            return false
        }
        return true
    }

    private mutating func breakLine(level: Int) {
        guard isPretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
    }

    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        // A copy in Swift's own representation makes the bytes contiguous; most texts are already.
        var text = text
        text.withUTF8 { utf8 in
            var at = 0
            while at < utf8.count {
                let byte = utf8[at]
                let next = at + 1 < utf8.count ? utf8[at + 1] : 0
                at += 1
                switch byte {
                case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
                case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
                case 0x00..<0x20: writeControl(byte)
                case UInt8(ascii: "<") where next == UInt8(ascii: "/"):
                    bytes.append(contentsOf: #"<\/"#.utf8)
                    at += 1
                case UInt8(ascii: "<") where next == UInt8(ascii: "!"):
                    writeUnicode(UInt32(byte))
                // U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
                case 0xE2 where next == 0x80 && utf8[at + 1] & 0xFE == 0xA8:
                    writeUnicode(0x2000 | UInt32(utf8[at + 1] & 0x3F))
                    at += 2
                default: bytes.append(byte)
                }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func writeControl(_ byte: UInt8) {
        switch byte {
        case 0x08: bytes.append(contentsOf: #"\b"#.utf8)
        case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
        case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
        case 0x0C: bytes.append(contentsOf: #"\f"#.utf8)
        case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
        default: writeUnicode(UInt32(byte))
        }
    }

    private mutating func writeUnicode(_ scalar: UInt32) {
        bytes.append(contentsOf: #"\u"#.utf8)
        for shift in [12, 8, 4, 0] as [UInt32] {
            let digit = UInt8((scalar >> shift) & 0xF)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
