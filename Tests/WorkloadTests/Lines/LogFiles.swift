import CLzma
import CZlib
import Foundation

@testable import Workload

/// A file for one test, gone with the value.
final class LogFile {
    let path: String

    init(_ bytes: [UInt8]) throws {
        path = NSTemporaryDirectory() + "tilebench-log-\(UUID().uuidString)"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    convenience init(_ text: String) throws { try self.init(Array(text.utf8)) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    precondition(tb_deflate_init(&stream, 6, 16 + MAX_WBITS) == Z_OK)
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))) + 64)
    let count = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END)
            return output.count - Int(stream.avail_out)
        }
    }
    return Array(output[..<count])
}

func xz(_ bytes: [UInt8], preset: UInt32 = 0) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: lzma_stream_buffer_bound(bytes.count))
    var count = 0
    let code = lzma_easy_buffer_encode(
        preset, LZMA_CHECK_CRC32, nil, bytes, bytes.count, &output, &count, output.count)
    precondition(code == LZMA_OK)
    return Array(output[..<count])
}

/// All lines, nil for one that is too long.
func lines(_ path: String) throws -> [String?] {
    let reader = try LineReader(path: path)
    var lines: [String?] = []
    while let line = try reader.next() {
        switch line {
        case .text(let text): lines.append(String(decoding: text, as: UTF8.self))
        case .tooLong: lines.append(nil)
        }
    }
    return lines
}

/// Runs a body with the bytes of a text.
func withBytes<Result>(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    Array(text.utf8).withUnsafeBufferPointer(body)
}
