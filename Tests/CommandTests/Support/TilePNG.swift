import CZlib
import Foundation
import Glibc

/// Small but real tiles: 256 by 256 pixels, decodable, a different file for each z/x/y.
enum TilePNG {
    /// A checkerboard with the place in a text chunk.
    static func bytes(z: Int, x: Int, y: Int) -> [UInt8] {
        var png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
        // Width, height, 1 bit per pixel, grey, deflate, standard filters, not interlaced.
        png += chunk("IHDR", [0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0])
        png += chunk("tEXt", Array("tile\0\(z)/\(x)/\(y)".utf8))
        png += chunk("IDAT", checkerboard)
        png += chunk("IEND", [])
        return png
    }

    /// The static tiles of every server, `z/x/y.png` up to zoom 5. Written once for all tests of
    /// this process, since creating 1,365 files takes half a second and more; removed at its exit.
    static func sharedFolder() throws -> TemporaryFolder { try shared.get() }

    private static let shared = Result<TemporaryFolder, any Error> {
        let folder = try TemporaryFolder()
        atexit {
            if let folder = try? TilePNG.sharedFolder() { folder.remove() }
        }
        for z in 0...5 {
            for x in 0..<(1 << z) {
                let column = folder.path("\(z)/\(x)")
                try FileManager.default.createDirectory(
                    atPath: column, withIntermediateDirectories: true)
                for y in 0..<(1 << z) {
                    try write(bytes(z: z, x: x, y: y), to: "\(column)/\(y).png")
                }
            }
        }
        return folder
    }

    /// Several times quicker than by Foundation.
    private static func write(_ bytes: [UInt8], to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        defer { close(descriptor) }
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw ProcessFailure(description: "cannot write \(path): errno \(errno)")
        }
    }

    /// 256 rows of one filter byte and 32 bytes of pixels, compressed.
    private static let checkerboard: [UInt8] = {
        var rows: [UInt8] = []
        for row in 0..<256 {
            rows.append(0)
            rows += [UInt8](repeating: (row / 8) % 2 == 0 ? 0xff : 0x00, count: 32)
        }
        var compressed = [UInt8](repeating: 0, count: rows.count)
        var size = uLongf(compressed.count)
        let code = compress(&compressed, &size, rows, uLong(rows.count))
        precondition(code == Z_OK, "compress gave \(code)")
        return Array(compressed[..<Int(size)])
    }()

    private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        let named = Array(name.utf8) + body
        let sum = crc32(0, named, uInt(named.count))
        return bigEndian(UInt32(body.count)) + named + bigEndian(UInt32(sum))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
