import CZlib

/// One gzip file, or several one after the other, as `cat` and log rotation leave them.
final class GzipDecoder {
    static let magic: [UInt8] = [0x1F, 0x8B]

    /// Has an address of its own, which zlib keeps.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isInside = true

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 16: a gzip header is wanted.
        let code = tb_inflate_init(stream, 16 + MAX_WBITS)
        precondition(code == Z_OK, "zlib has no memory")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Fills a part of the buffer; 0: the end.
    func read(
        _ file: FileBytes, into output: UnsafeMutableBufferPointer<UInt8>
    ) throws(LogError) -> Int {
        while true {
            try file.fill(atLeast: isInside ? 1 : GzipDecoder.magic.count)
            guard !file.available.isEmpty else {
                guard !isInside else { throw failure(file.path, "ends in the middle") }
                return 0
            }
            if !isInside {
                guard try beginsNext(file) else { return 0 }
            }
            let input = file.available
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(clamping: input.count)
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = UInt32(clamping: output.count)
            let code = inflate(stream, Z_NO_FLUSH)
            file.take(input.count - Int(stream.pointee.avail_in))
            switch code {
            case Z_STREAM_END: isInside = false
            case Z_OK, Z_BUF_ERROR: break
            default: throw failure(file.path, "is damaged")
            }
            let count = output.count - Int(stream.pointee.avail_out)
            if count > 0 { return count }
        }
    }

    /// Behind a file: another one, zeros that fill a block of a tape, or nothing.
    private func beginsNext(_ file: FileBytes) throws(LogError) -> Bool {
        if file.available.starts(with: GzipDecoder.magic) {
            inflateReset(stream)
            isInside = true
            return true
        }
        while !file.available.isEmpty {
            guard file.available.allSatisfy({ $0 == 0 }) else {
                throw failure(file.path, "is followed by something else")
            }
            file.take(file.available.count)
            try file.fill()
        }
        return false
    }

    private func failure(_ path: String, _ what: String) -> LogError {
        LogError(description: "`\(path)`: the gzip data \(what)")
    }
}
