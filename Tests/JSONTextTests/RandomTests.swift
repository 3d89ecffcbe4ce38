import JSONText
import Testing

/// SplitMix64, so that a failure can be repeated from the seed in its message.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func text() -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "b", "\"", "\\", "/", "<", "!", "\n", "\u{0}", "é", "\u{301}", "\u{2028}",
            "\u{2029}",
            "\u{FFFD}", "😀", "\u{10FFFF}", "~", " ", "{", "]", ",", ":", "'", "\u{80}", "\u{7FF}",
            "\u{FEFF}",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...9, using: &self) {
            text.unicodeScalars.append(scalars[Int.random(in: 0..<scalars.count, using: &self)])
        }
        return text
    }

    mutating func node(depth: Int) -> JSONNode {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &self) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &self))
        case 2: return .int(Int(truncatingIfNeeded: next()) >> Int.random(in: 0...63, using: &self))
        case 3: return .uint(next())
        case 4:
            let value = Double(bitPattern: next())
            return .double(value.isFinite ? value : 0.5)
        case 5: return .string(text())
        case 6:
            return .array(
                (0..<Int.random(in: 0...5, using: &self)).map { _ in node(depth: depth - 1) })
        default:
            return .object(
                (0..<Int.random(in: 0...20, using: &self)).map {
                    ("\($0)" + text(), node(depth: depth - 1))
                })
        }
    }
}

@Suite struct RandomTests {
    private let seed = UInt64.random(in: 0 ... .max)

    @Test func whatIsWrittenReadsBackEqual() {
        for index in 0..<300 as Range<UInt64> {
            var generator = SeededGenerator(state: seed &+ index)
            let node = generator.node(depth: 4)
            for pretty in [false, true] {
                let bytes = JSONWriter.encode(node, pretty: pretty)
                let (read, problems) = JSONReader.parse(bytes, comments: false)
                #expect(problems.isEmpty && read == node, "seed \(seed &+ index)")
            }
        }
    }

    /// The text ends inside a step of the reader.
    @Test(arguments: ["\r{];", "{];", "[{];", "{]", "{];;", "[}];"])
    func endsInsideAStep(text: String) {
        #expect(!JSONReader.parse(text.utf8).problems.isEmpty)
    }

    /// Any bytes are read to the end, with places inside the text; nothing is wrong exactly when
    /// what was read means the same after it is written.
    @Test func mutatedBytesAreSurvived() {
        let pieces: [[UInt8]] =
            [
                "{", "}", "[", "]", ",", ":", ";", "\"", "'", "\\", "\\u", "\\ud83d", "//", "/*",
                "#", "\n", "\r",
                "01", "-", "1e", "tru", "nan", "a", "=", "\u{FEFF}", "“",
            ].map { Array($0.utf8) } + [
                [0xFF], [0xC3], [0xE2, 0x80], [0xED, 0xA0], [0xF4], [0], [0x80],
            ]
        for index in 0..<3000 as Range<UInt64> {
            var generator = SeededGenerator(state: seed &+ index)
            var bytes = JSONWriter.encode(generator.node(depth: 3), pretty: index % 2 == 0)
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let at = Int.random(in: 0...bytes.count, using: &generator)
                let end = min(bytes.count, at + Int.random(in: 0...3, using: &generator))
                let piece = pieces[Int.random(in: 0..<pieces.count, using: &generator)]
                bytes.replaceSubrange(at..<end, with: piece)
            }
            let (node, problems) = JSONReader.parse(bytes, depthLimit: 5)
            let lineMax = 1 + bytes.count { $0 == 0x0A || $0 == 0x0D }
            for problem in problems {
                let place = problem.place ?? JSONPlace(line: 0, column: 0)
                let isInside =
                    (1...lineMax).contains(place.line)
                    && (1...bytes.count + 1).contains(place.column)
                #expect(isInside, "seed \(seed &+ index): \(problem)")
                #expect(JSONPointer.split(problem.pointer) != nil, "seed \(seed &+ index)")
            }
            #expect(node != nil || !problems.isEmpty, "seed \(seed &+ index)")
            if let node {
                let again = JSONReader.parse(JSONWriter.encode(node))
                #expect(again.problems.isEmpty && again.node == node, "seed \(seed &+ index)")
            }
        }
    }
}
