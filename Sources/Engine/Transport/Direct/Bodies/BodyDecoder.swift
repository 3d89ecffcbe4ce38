import CBrotli
import CZlib
import CZstd

/// Unpacks one body after another that came in the same coding (RFC 9110, 8.4.1), part by part and
/// without end to what it may become: only its length and its beginning are kept by whoever asks.
package final class BodyDecoder {
    package let encoding: AnswerFacts.ContentEncoding
    private let stream: PackedStream
    private let room = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 16 * 1024)

    /// Nil for a coding that nobody here knows.
    package init?(_ encoding: AnswerFacts.ContentEncoding) {
        switch encoding {
        case .gzip: stream = InflateStream(windowBits: 16 + MAX_WBITS, fallback: nil)
        // Named after the format of zlib, and sent by some without its frame (RFC 9110, 8.4.1.2).
        case .deflate: stream = InflateStream(windowBits: MAX_WBITS, fallback: -MAX_WBITS)
        case .brotli: stream = BrotliStream()
        case .zstd: stream = ZstdStream()
        case .none, .other:
            room.deallocate()
            return nil
        }
        self.encoding = encoding
    }

    deinit { room.deallocate() }

    /// For the beginning of a body.
    package func begin() { stream.begin() }

    /// Unpacks a part; false: it is damaged. `plain` hears what came of it, in memory that is
    /// written again after each call.
    package func decode(
        _ part: UnsafeBufferPointer<UInt8>, _ plain: (UnsafeBufferPointer<UInt8>) -> Void
    ) -> Bool {
        var rest = part
        while true {
            guard let (taken, made) = stream.step(rest, into: room) else { return false }
            if made > 0 { plain(UnsafeBufferPointer(rebasing: room[0..<made])) }
            rest = UnsafeBufferPointer(rebasing: rest[taken...])
            // With room left over there is no more to be had of what was given.
            if made < room.count, rest.isEmpty || taken == 0 { return true }
        }
    }
}

/// One library's own way to go on.
private class PackedStream {
    func begin() { missing() }

    /// Bytes that were taken and made; nil: the data is damaged.
    func step(
        _ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> (taken: Int, made: Int)? { missing() }

    private func missing() -> Never { fatalError("a coding without a library") }
}

/// gzip and deflate by zlib.
private final class InflateStream: PackedStream {
    /// Has an address of its own, which zlib keeps.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let windowBits: Int32
    /// Tried when the very first bytes do not fit.
    private let fallback: Int32?
    private var isAtStart = true
    /// The very first byte when it came alone: it takes two to tell.
    private var first: UInt8?
    private var isOver = false

    init(windowBits: Int32, fallback: Int32?) {
        self.windowBits = windowBits
        self.fallback = fallback
        stream.initialize(to: z_stream())
        let code = tb_inflate_init(stream, windowBits)
        precondition(code == Z_OK, "zlib has no memory")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    override func begin() {
        inflateReset2(stream, windowBits)
        isAtStart = true
        first = nil
        isOver = false
    }

    override func step(
        _ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> (taken: Int, made: Int)? {
        // What follows the end says nothing.
        if isOver { return (input.count, 0) }
        if isAtStart, first == nil, input.count == 1 {
            first = input[0]
            return (1, 0)
        }
        var code = begin(input, output)
        if code == Z_DATA_ERROR, isAtStart, let fallback, stream.pointee.total_out == 0 {
            inflateReset2(stream, fallback)
            code = begin(input, output)
        }
        if !input.isEmpty { isAtStart = false }
        guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else { return nil }
        isOver = code == Z_STREAM_END
        return (
            input.count - Int(stream.pointee.avail_in), output.count - Int(stream.pointee.avail_out)
        )
    }

    private func begin(
        _ input: UnsafeBufferPointer<UInt8>, _ output: UnsafeMutableBufferPointer<UInt8>
    ) -> Int32 {
        if isAtStart, var byte = first {
            withUnsafePointer(to: &byte) {
                _ = inflate(UnsafeBufferPointer(start: $0, count: 1), output)
            }
        }
        return inflate(input, output)
    }

    private func inflate(
        _ input: UnsafeBufferPointer<UInt8>, _ output: UnsafeMutableBufferPointer<UInt8>
    ) -> Int32 {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = UInt32(clamping: input.count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(clamping: output.count)
        return CZlib.inflate(stream, Z_NO_FLUSH)
    }
}

private final class BrotliStream: PackedStream {
    private var state: OpaquePointer?

    deinit { BrotliDecoderDestroyInstance(state) }

    override func begin() {
        // Brotli has no way to begin again.
        BrotliDecoderDestroyInstance(state)
        state = BrotliDecoderCreateInstance(nil, nil, nil)
        precondition(state != nil, "brotli has no memory")
    }

    override func step(
        _ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> (taken: Int, made: Int)? {
        var (inputLeft, outputLeft) = (input.count, output.count)
        var next = input.baseAddress
        var room = output.baseAddress
        let result = BrotliDecoderDecompressStream(
            state, &inputLeft, &next, &outputLeft, &room, nil)
        guard result != BROTLI_DECODER_RESULT_ERROR else { return nil }
        let isOver = result == BROTLI_DECODER_RESULT_SUCCESS
        return (isOver ? input.count : input.count - inputLeft, output.count - outputLeft)
    }
}

private final class ZstdStream: PackedStream {
    private let context = ZSTD_createDCtx()

    deinit { ZSTD_freeDCtx(context) }

    override func begin() { ZSTD_DCtx_reset(context, ZSTD_reset_session_only) }

    override func step(
        _ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> (taken: Int, made: Int)? {
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var room = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let result = ZSTD_decompressStream(context, &room, &source)
        return ZSTD_isError(result) == 0 ? (source.pos, room.pos) : nil
    }
}
