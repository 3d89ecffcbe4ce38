import CZlib

/// Writes PNG images of four colours (PNG Third Edition: 2-bit palette, filter type 0).
///
/// One thread at a time: the deflate state is kept between images, since setting it up costs more
/// than compressing a small tile.
final class PNGWriter {
    struct Colour: Equatable {
        let red: UInt8
        let green: UInt8
        let blue: UInt8
    }

    private let stream: UnsafeMutablePointer<z_stream>
    private var compressed: [UInt8] = []

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = tb_deflate_init(stream, 1, 15)
        precondition(status == Z_OK, "zlib has no memory for a deflate state")
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Appends an image to `output`.
    ///
    /// `rows` holds one filter byte (0) and `size / 4` bytes of pixels per row, the left pixel in
    /// the high bits.
    func write(
        rows: [UInt8], size: Int, palette: [Colour], paddedTo bytes: Int?, seed: UInt64,
        into output: inout [UInt8]
    ) {
        let start = output.count
        output += [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let side = UInt32(size)
        chunk("IHDR", bigEndian(side) + bigEndian(side) + [2, 3, 0, 0, 0], into: &output)
        chunk("PLTE", palette.flatMap { [$0.red, $0.green, $0.blue] }, into: &output)
        deflate(rows)
        chunk("IDAT", compressed, into: &output)
        let endBytes = 12
        let emptyChunkBytes = 12
        if let bytes {
            let room = bytes - (output.count - start) - endBytes - emptyChunkBytes
            // A private, ancillary chunk that editors may copy: decoders skip it by the standard.
            if room >= 0 { chunk("tbPd", Filler.bytes(room, seed: seed), into: &output) }
        }
        chunk("IEND", [], into: &output)
    }

    private func deflate(_ rows: [UInt8]) {
        deflateReset(stream)
        let bound = Int(deflateBound(stream, UInt(rows.count)))
        if compressed.count < bound { compressed = [UInt8](repeating: 0, count: bound) }
        let status = rows.withUnsafeBufferPointer { input in
            compressed.withUnsafeMutableBufferPointer { room in
                // zlib does not write to its input; next_in is not const for old compilers' sake.
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = UInt32(input.count)
                stream.pointee.next_out = room.baseAddress
                stream.pointee.avail_out = UInt32(room.count)
                return CZlib.deflate(stream, Z_FINISH)
            }
        }
        precondition(status == Z_STREAM_END, "deflateBound gave too little room")
        compressed.removeLast(compressed.count - Int(stream.pointee.total_out))
    }

    private func chunk(_ name: StaticString, _ content: [UInt8], into output: inout [UInt8]) {
        output += bigEndian(UInt32(content.count))
        let start = output.count
        output.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: 4))
        output += content
        let sum = output[start...].withUnsafeBufferPointer {
            crc32(0, $0.baseAddress, UInt32($0.count))
        }
        output += bigEndian(UInt32(truncatingIfNeeded: sum))
    }

    private func bigEndian(_ value: UInt32) -> [UInt8] {
        [
            UInt8(truncatingIfNeeded: value >> 24), UInt8(truncatingIfNeeded: value >> 16),
            UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value),
        ]
    }
}
