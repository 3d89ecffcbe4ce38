import Foundation
import Metrics
import Testing

@testable import Workload

struct LineReaderTests {
    enum Coding: CaseIterable { case plain, gzip, xz }

    private func coded(_ bytes: [UInt8], _ coding: Coding) -> [UInt8] {
        switch coding {
        case .plain: bytes
        case .gzip: gzip(bytes)
        case .xz: xz(bytes)
        }
    }

    @Test(
        arguments: [
            ("", []), ("a", ["a"]), ("a\n", ["a"]), ("\n", [""]), ("\n\n", ["", ""]),
            ("a\nb", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]), ("a\rb\n", ["a\rb"]),
            ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]), ("\u{FEFF}", [""]), ("\r\n", [""]),
        ] as [(String, [String])])
    func linesOfSmallFiles(text: String, expected: [String]) throws {
        for coding in Coding.allCases {
            let file = try LogFile(coded(Array(text.utf8), coding))
            #expect(try lines(file.path) == expected, "\(coding)")
        }
    }

    @Test func linesOfAllLengths() throws {
        let most = LineReader.lineBytesMax
        var random = TestRandom(seed: 11)
        var lengths = [0, 1, most - 1, most, most + 1, most + 2, most + 3, 4 * most, 5 * most + 7]
        lengths += (0..<300).map { _ in Int.random(in: 0...2000, using: &random) }
        lengths.shuffle(using: &random)
        for end in ["\n", "\r\n"] {
            let texts = lengths.enumerated().map { number, length in
                String(repeating: Character(UnicodeScalar(UInt8(97 + number % 26))), count: length)
            }
            let expected = texts.map { $0.utf8.count <= most ? $0 : nil }
            for coding in Coding.allCases {
                let bytes = coded(Array(texts.joined(separator: end).utf8), coding)
                let file = try LogFile(bytes)
                #expect(try lines(file.path) == expected, "\(coding), \(end.utf8.count)")
            }
        }
    }

    @Test func aLastLineTooLong() throws {
        let file = try LogFile("a\n" + String(repeating: "b", count: 1 << 20))
        #expect(try lines(file.path) == ["a", nil])
    }

    @Test func filesOneBehindTheOther() throws {
        let parts = ["a\nb", "c\n", "", "d"].map { Array($0.utf8) }
        let padded = gzip(parts[0]) + [UInt8](repeating: 0, count: 100_000)
        for (bytes, expected) in [
            (parts.flatMap { gzip($0) }, ["a", "bc", "d"]),
            (parts.flatMap { xz($0) }, ["a", "bc", "d"]), (padded, ["a", "b"]),
        ] {
            let file = try LogFile(bytes)
            #expect(try lines(file.path) == expected)
        }
    }

    @Test func damagedFilesAreErrors() throws {
        let text = Array((0..<20_000).map { "\($0 &* 7919)" }.joined(separator: "\n").utf8)
        for (coding, word) in [(Coding.gzip, "gzip"), (.xz, "xz")] {
            let whole = coded(text, coding)
            for cut in [whole.count / 2, whole.count - 1] {
                expectFailure(Array(whole[..<cut]), "\(word) data ends in the middle")
            }
            var flipped = whole
            flipped[whole.count / 2] ^= 0x55
            flipped[whole.count / 2 + 1] ^= 0x55
            expectFailure(flipped, "\(word) data is damaged")
            expectFailure(whole + Array("and something more".utf8), "\(word) data is ")
        }
    }

    /// Whatever happens to a file: lines or an error.
    @Test func filesDamagedAnywhere() throws {
        let text = Array((0..<500).map { "\($0 &* 7919)\n" }.joined().utf8)
        var random = TestRandom(seed: 12)
        var failures = 0
        for coding in Coding.allCases {
            let whole = coded(text, coding)
            for _ in 0..<150 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0...2, using: &random) {
                    case 0: bytes[place] = .random(in: 0...255, using: &random)
                    case 1: bytes.remove(at: place)
                    default: bytes = Array(bytes[..<max(place, 1)])
                    }
                }
                let file = try LogFile(bytes)
                do { _ = try lines(file.path) } catch { failures += 1 }
            }
        }
        #expect(failures > 200)
    }

    private func expectFailure(_ bytes: [UInt8], _ reason: String) {
        do {
            let file = try LogFile(bytes)
            let count = try lines(file.path).count
            Issue.record("\(count) lines instead of: \(reason)")
        } catch {
            #expect("\(error)".contains(reason))
        }
    }

    @Test func whatCannotBeOpened() {
        for path in ["/nonexistent/log", "/"] {
            let error = #expect(throws: LogError.self) { try lines(path) }
            #expect(error?.description.contains("cannot read `\(path)`: ") == true)
        }
    }

    @Test func longFilesTakeNoMoreMemory() throws {
        let line = Array("0123456789 0123456789 0123456789\n".utf8)
        let block = [UInt8]((0..<30_000).flatMap { _ in line })
        for bytes in [block, gzip(block), xz(block)] {
            let file = try LogFile(bytes)
            let reader = try LineReader(path: file.path)
            _ = try reader.next()
            let before = Jemalloc.threadAllocatedBytes()
            var count = 1
            while try reader.next() != nil { count += 1 }
            let taken = Jemalloc.threadAllocatedBytes() - before
            #expect(count == 30_000)
            #expect(taken < 1 << 16, "\(taken) bytes for \(bytes.count)")
        }
    }
}

struct ByteFieldsTests {
    @Test(
        arguments: [
            ("0", 0), ("007", 7), ("999999999999999999", 999_999_999_999_999_999), ("", nil),
            ("1234567890123456789", nil), ("-1", nil), ("+1", nil), ("1 ", nil), ("1.0", nil),
            ("a", nil),
        ] as [(String, UInt64?)])
    func decimals(text: String, expected: UInt64?) {
        #expect(withBytes(text) { $0.decimal } == expected)
    }

    @Test(
        arguments: [
            ("1.5", 3, 1500), ("1", 3, 1000), ("0.0019", 3, 1), ("12.", 3, nil), (".5", 3, nil),
            ("1.x", 3, nil), ("1.5x", 1, nil), ("1.5", 0, 1),
            ("1690000000000", 6, 1_690_000_000_000_000_000),
            ("999999999999999999", 2, nil), ("-1", 2, nil), ("", 2, nil), ("1.2.3", 3, nil),
        ] as [(String, Int, UInt64?)])
    func fixedPoints(text: String, places: Int, expected: UInt64?) {
        #expect(withBytes(text) { $0.fixedPoint(places: places) } == expected)
    }

    @Test func texts() {
        #expect(withBytes("abc") { $0.equals("abc") && $0.begins(with: "ab") })
        #expect(withBytes("abc") { !$0.equals("ab") && !$0.begins(with: "abcd") })
        #expect(withBytes("TileMatrix") { $0.equalsFolded("tilematrix") })
        #expect(withBytes("TileMatrix") { !$0.equalsFolded("tilematri") })
        #expect(withBytes(" \t a b\t") { String(decoding: $0.trimmed, as: UTF8.self) } == "a b")
        #expect(withBytes("") { $0.begins(with: "") && $0.trimmed.isEmpty })
        #expect(withBytes("abab") { $0.place(of: 0x62, from: 2) } == 3)
        #expect(withBytes("abab") { $0.place(of: 0x62, from: 4) } == nil)
        // The published value for "foobar".
        #expect(withBytes("foobar") { $0.fingerprint } == 0x8594_4171_F739_67E8)
    }
}
