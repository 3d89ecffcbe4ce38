import CLzma

/// One .xz file, or several one after the other.
final class XzDecoder {
    static let magic: [UInt8] = [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
    /// `xz -9` needs 65 MiB to be read again.
    static let memoryBytesMax: UInt64 = 256 << 20

    private let stream: UnsafeMutablePointer<lzma_stream>
    private var isAtEnd = false

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: lzma_stream())
        let code = tb_lzma_decoder(stream, XzDecoder.memoryBytesMax)
        precondition(code == LZMA_OK, "liblzma has no memory")
    }

    deinit {
        lzma_end(stream)
        stream.deallocate()
    }

    /// Fills a part of the buffer; 0: the end.
    func read(
        _ file: FileBytes, into output: UnsafeMutableBufferPointer<UInt8>
    ) throws(LogError) -> Int {
        while !isAtEnd {
            try file.fill()
            let input = file.available
            stream.pointee.next_in = UnsafePointer(input.baseAddress)
            stream.pointee.avail_in = input.count
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = output.count
            let code = lzma_code(stream, input.isEmpty ? LZMA_FINISH : LZMA_RUN)
            file.take(input.count - stream.pointee.avail_in)
            switch code {
            case LZMA_OK: break
            case LZMA_STREAM_END: isAtEnd = true
            case LZMA_BUF_ERROR: throw failure(file.path, "ends in the middle")
            case LZMA_MEMLIMIT_ERROR:
                throw failure(file.path, "needs more than 256 MiB to be read")
            case LZMA_FORMAT_ERROR: throw failure(file.path, "is followed by something else")
            default: throw failure(file.path, "is damaged")
            }
            let count = output.count - stream.pointee.avail_out
            if count > 0 { return count }
        }
        return 0
    }

    private func failure(_ path: String, _ what: String) -> LogError {
        LogError(description: "`\(path)`: the xz data \(what)")
    }
}
