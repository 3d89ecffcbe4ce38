import Testing

@testable import Engine

/// Answers in every framing, whole and split at every byte.
@Suite struct ResponseReaderTests {
    /// What was read.
    struct Reading: Equatable {
        var status = 0
        var body: [UInt8] = []
        var bodyBytes: UInt64 = 0
        var headBytes = 0
        var isDone = false
        var keepsAlive = false
        var defect: ResponseReader.Defect?
        /// What it is when the connection is closed now; nil: it was over before.
        var isWhole: Bool?
        /// Bytes behind the answer.
        var left = 0
    }

    struct Answer: CustomTestStringConvertible, Sendable {
        var name: String
        var text: String
        var status = 200
        var body = "tile"
        var keepsAlive = true
        var defect: ResponseReader.Defect?
        /// Nil: the answer is over before the connection is closed.
        var isWhole: Bool?
        var left = 0

        var testDescription: String { name }
    }

    static func read(_ parts: [[UInt8]]) -> Reading {
        var reader = ResponseReader()
        var facts = AnswerFacts()
        var body = BodyPrefix()
        defer { body.free() }
        var waiting: [UInt8] = []
        for part in parts {
            waiting += part
            waiting.withUnsafeBufferPointer { bytes in
                var taken = reader.read(bytes, facts: &facts, body: &body)
                if reader.beginsBody {
                    taken += reader.read(
                        UnsafeBufferPointer(rebasing: bytes[taken...]), facts: &facts, body: &body)
                }
                body.keep()
                waiting = Array(bytes[taken...])
            }
            if reader.isDone || reader.defect != nil { continue }
        }
        var reading = Reading()
        if !reader.isDone, reader.defect == nil { reading.isWhole = reader.close() }
        reading.status = reader.status
        reading.body = Array(body.bytes)
        reading.bodyBytes = reader.bodyBytes
        reading.headBytes = reader.headBytes
        reading.isDone = reader.isDone
        reading.keepsAlive = reader.keepsAlive
        reading.defect = reader.defect
        if reader.isDone { reading.left = waiting.count }
        return reading
    }

    @Test(arguments: ResponseReaderTests.answers)
    func everySplit(_ answer: Answer) {
        let bytes = Array(answer.text.utf8)
        let whole = Self.read([bytes])
        #expect(whole.defect == answer.defect)
        #expect(whole.isWhole == answer.isWhole)
        if answer.defect == nil {
            #expect(whole.status == answer.status)
            #expect(String(decoding: whole.body, as: UTF8.self) == answer.body)
            #expect(whole.bodyBytes == UInt64(answer.body.utf8.count))
            #expect(whole.keepsAlive == answer.keepsAlive)
            #expect(whole.left == answer.left)
        }
        for place in 1..<max(2, bytes.count) {
            let split = Self.read([Array(bytes[..<place]), Array(bytes[place...])])
            #expect(split == whole, "split at \(place)")
        }
        #expect(Self.read(bytes.map { [$0] }) == whole, "byte by byte")
    }

    /// Damaged and split at random: it ends, takes no more than there is, and says the same
    /// however the bytes came.
    @Test func randomDamage() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitRandom(state: seed)
        for _ in 0..<4000 {
            guard let answer = Self.answers.randomElement(using: &random) else { return }
            var bytes = Array(answer.text.utf8)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0...3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1:
                    bytes.insert(
                        [10, 13, 32, 48, 59].randomElement(using: &random) ?? 10, at: place)
                case 2: bytes.remove(at: place)
                default: bytes.removeSubrange(place...)
                }
                if bytes.isEmpty { break }
            }
            var parts: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...rest.count, using: &random)
                parts.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(Self.read(parts) == Self.read([bytes]), "seed \(seed): \(bytes)")
        }
    }

    @Test func longHeads() {
        let line = "X-Long: " + String(repeating: "a", count: 1000) + "\r\n"
        func head(_ lines: Int) -> [UInt8] {
            Array(
                ("HTTP/1.1 200 OK\r\n" + String(repeating: line, count: lines)
                    + "Content-Length: 4\r\n\r\ntile").utf8)
        }
        #expect(Self.read([head(64)]).bodyBytes == 4)
        #expect(Self.read([head(120)]).defect == .headTooLong)
        let endless = Array(
            ("HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: 200_000)).utf8)
        #expect(Self.read([endless]).defect == .headTooLong)
    }

    /// A body of any size costs its first bytes only.
    @Test func longBodies() {
        let part = [UInt8](repeating: 7, count: 100_000)
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".utf8)
        let reading = Self.read([head] + Array(repeating: part, count: 10))
        #expect(reading.bodyBytes == 1_000_000 && reading.isDone)
        #expect(reading.body == Array(repeating: 7, count: BodyPrefix.bytesMax))
    }

    struct SplitRandom: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
