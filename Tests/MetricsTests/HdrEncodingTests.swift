import Foundation
import Metrics
import Testing

@Suite struct HdrEncodingTests {
    @Test(arguments: [UInt64(0), 1, 2, 3, 4, 5, 6, 7])
    func decodingGivesBackEveryCell(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var histogram = Histogram()
        for _ in 0..<(seed == 0 ? 0 : Int.random(in: 1...3000, using: &random)) {
            histogram.record(
                random.duration(), count: UInt64.random(in: 1...1 << 30, using: &random))
        }
        var decoded = try Histogram(encoded: histogram.encoded)
        #expect(decoded.count == histogram.count, "seed \(seed)")
        #expect(cells(decoded) == cells(histogram), "seed \(seed)")
        let packed = PackedHistogram(histogram)
        #expect(packed.encoded == histogram.encoded, "seed \(seed)")
        let packedDecoded = try PackedHistogram(encoded: packed.encoded)
        #expect(cells(packedDecoded) == cells(histogram), "seed \(seed)")
        guard let min = histogram.minNS, let max = histogram.maxNS, let mean = histogram.meanNS
        else { return }
        #expect(abs((decoded.meanNS ?? 0) - mean) <= mean / 1000)
        decoded.restore(minNS: min, maxNS: max, meanNS: mean)
        for fraction in [0, 0.5, 0.9, 0.99, 1] {
            #expect(
                decoded.percentileNS(fraction) == histogram.percentileNS(fraction), "seed \(seed)")
        }
        #expect(abs((decoded.meanNS ?? 0) - mean) <= 1e-12 * mean)
    }

    private func cells(_ histogram: some HistogramReading) -> [[UInt64]] {
        var cells: [[UInt64]] = []
        histogram.visitCells {
            cells.append([UInt64($0), $1])
            return true
        }
        return cells
    }

    @Test func malformedTextIsRefused() throws {
        var histogram = Histogram()
        for value in UInt64(1)...5000 { histogram.record(value * 1000) }
        let good = histogram.encoded
        let bytes = try #require(Data(base64Encoded: good))
        var cookie = bytes
        cookie[3] ^= 1
        var body = bytes
        body[20] ^= 0xff
        let bad = [
            "", "A", "AAAA", "not base64!!", String(good.dropLast(4)), good + "AAAA",
            "=" + good.dropFirst(), cookie.base64EncodedString(), body.base64EncodedString(),
        ]
        for text in bad {
            #expect(throws: HistogramEncodingError.self, "\(text.prefix(20))") {
                try Histogram(encoded: text)
            }
        }
        for length in stride(from: 0, to: bytes.count, by: 7) {
            #expect(throws: HistogramEncodingError.self, "\(length) bytes") {
                try Histogram(encoded: bytes.prefix(length).base64EncodedString())
            }
        }
    }

    /// One bit at a time, behind zlib's checksum too: refused or read, never a trap.
    @Test func damagedPayloadsNeverTrap() {
        var random = SeededGenerator(seed: 11)
        var refused = 0
        for round in 0..<300 {
            var payload = header(payloadBytes: 24)
            payload += (0..<24).map { _ in UInt8.random(in: 0...255, using: &random) }
            if round % 3 == 0 { payload[Int.random(in: 0..<40, using: &random)] ^= 1 }
            let text = wrapped(payload)
            do throws(HistogramEncodingError) {
                let histogram = try Histogram(encoded: text)
                #expect(histogram.encoded.isEmpty == false)
            } catch {
                refused += 1
            }
        }
        #expect(refused > 0)
        #expect(refused < 300)
    }

    private func header(payloadBytes: UInt8) -> [UInt8] {
        [0x1c, 0x84, 0x93, 0x13, 0, 0, 0, payloadBytes, 0, 0, 0, 0, 0, 0, 0, 3]
            + [0, 0, 0, 0, 0, 0, 0, 1]
            + [0, 0, 0x03, 0x46, 0x30, 0xb8, 0xa0, 0x00]
            + [0x3f, 0xf0, 0, 0, 0, 0, 0, 0]
    }

    /// A zlib stream with one stored block, RFC 1950 and 1951.
    private func wrapped(_ plain: [UInt8]) -> String {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in plain {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        let count = UInt8(plain.count)
        let zlib: [UInt8] =
            [0x78, 0x01, 0x01, count, 0, ~count, 0xff] + plain
            + [UInt8(high >> 8), UInt8(high & 255), UInt8(low >> 8), UInt8(low & 255)]
        return Data([0x1c, 0x84, 0x93, 0x14, 0, 0, 0, UInt8(zlib.count)] + zlib)
            .base64EncodedString()
    }

    /// The reference of another language reads the same cells out of our text, and we out of its.
    @Test func pythonReadsItAndIsRead() throws {
        var random = SeededGenerator(seed: 3)
        var ours: [Histogram] = [Histogram()]
        var values: [[UInt64]] = [[]]
        for size in [1, 2, 100, 5000] {
            var histogram = Histogram()
            let drawn = (0..<size).map { _ in max(1, random.duration()) }
            for value in drawn { histogram.record(value) }
            ours.append(histogram)
            values.append(drawn)
        }
        let input = try JSONSerialization.data(withJSONObject: [
            "encoded": ours.map(\.encoded), "values": values,
        ])
        let answer = try JSONDecoder().decode([Answer].self, from: try runPython(script, input))
        #expect(answer.count == ours.count)
        for (histogram, theirs) in zip(ours, answer) {
            #expect(theirs.count == histogram.count)
            #expect(theirs.cells == cells(histogram))
            #expect(cells(try Histogram(encoded: theirs.encoded)) == cells(histogram))
        }
    }

    private struct Answer: Decodable {
        var count: UInt64
        var cells: [[UInt64]]
        var encoded: String
    }

    private let script = """
        import json, sys
        from hdrh.histogram import HdrHistogram
        given = json.load(sys.stdin)
        answers = []
        for text, values in zip(given["encoded"], given["values"]):
            read = HdrHistogram.decode(text)
            assert (read.lowest_trackable_value, read.highest_trackable_value) \\
                == (1, 3600000000000), "range"
            assert read.significant_figures == 3, "digits"
            own = HdrHistogram(1, 3600000000000, 3)
            for value in values:
                own.record_value(value)
            assert own.total_count == read.total_count, "total"
            answers.append({
                "count": read.total_count,
                "cells": [[i, read.get_count_at_index(i)] for i in range(read.counts_len)
                          if read.get_count_at_index(i)],
                "encoded": own.encode().decode(),
            })
        json.dump(answers, sys.stdout)
        """

    /// `TILEBENCH_TEST_PYTHON`, or the virtual environment that `make test` keeps.
    private func runPython(_ script: String, _ input: Data) throws -> Data {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let python =
            ProcessInfo.processInfo.environment["TILEBENCH_TEST_PYTHON"]
            ?? root.appending(path: ".venv/bin/python").path
        try #require(
            FileManager.default.isExecutableFile(atPath: python),
            "no \(python): make test installs it, with hdrhistogram")
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try input.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: python)
        process.arguments = ["-c", script]
        process.standardInput = try FileHandle(forReadingFrom: file)
        process.standardOutput = output
        try process.run()
        let answer = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "python failed; see its message above")
        return answer
    }
}
