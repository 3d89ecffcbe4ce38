import Glibc

/// The lines of a file, pipe or standard input, which may be compressed by gzip or xz: the first
/// bytes say so, not the name. Memory: two buffers of fixed size, however long the file or its
/// lines, and what the decoder needs.
final class LineReader {
    enum Line {
        /// Without its end, LF or CR LF; valid until the next line is read.
        case text(UnsafeBufferPointer<UInt8>)
        /// More than `lineBytesMax`; its text has been let go.
        case tooLong
    }

    static let lineBytesMax = 1 << 16
    private static let bufferBytes = 1 << 18
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private enum Coding {
        case plain
        case gzip(GzipDecoder)
        case xz(XzDecoder)
    }

    private let file: FileBytes
    private let coding: Coding
    private let buffer: UnsafeMutablePointer<UInt8>
    private var start = 0
    private var end = 0
    /// Bytes from `start` that are known to hold no line end.
    private var scanned = 0
    private var isAtEnd = false
    private var isFirst = true

    /// - Parameter path: `-` is standard input.
    init(path: String) throws(LogError) {
        file = try FileBytes(path: path)
        try file.fill(atLeast: XzDecoder.magic.count)
        if file.available.starts(with: XzDecoder.magic) {
            coding = .xz(XzDecoder())
        } else if file.available.starts(with: GzipDecoder.magic) {
            coding = .gzip(GzipDecoder())
        } else {
            coding = .plain
        }
        buffer = .allocate(capacity: LineReader.bufferBytes)
    }

    deinit { buffer.deallocate() }

    /// Nil: the end.
    func next() throws(LogError) -> Line? {
        var isTooLong = false
        while true {
            let rest = end - start - scanned
            if rest > 0, let found = memchr(buffer + start + scanned, 0x0A, rest) {
                let lineEnd = found.assumingMemoryBound(to: UInt8.self)
                let line = UnsafeBufferPointer(
                    start: buffer + start, count: lineEnd - (buffer + start))
                start += line.count + 1
                scanned = 0
                return finished(line, isTooLong)
            }
            scanned = end - start
            if isAtEnd {
                let line = UnsafeBufferPointer(start: buffer + start, count: scanned)
                (start, end, scanned) = (0, 0, 0)
                return line.isEmpty && !isTooLong ? nil : finished(line, isTooLong)
            }
            // The line end's own two bytes are not counted.
            if scanned > LineReader.lineBytesMax + 2 {
                isTooLong = true
                (start, end, scanned) = (0, 0, 0)
            }
            try refill()
        }
    }

    private func finished(
        _ line: UnsafeBufferPointer<UInt8>, _ isTooLong: Bool
    ) -> Line {
        var line = line
        if isFirst, line.starts(with: LineReader.byteOrderMark) {
            line = line.from(3)
        }
        isFirst = false
        if line.count > 0, line[line.count - 1] == UInt8(ascii: "\r") {
            line = line.part(0..<line.count - 1)
        }
        return isTooLong || line.count > LineReader.lineBytesMax ? .tooLong : .text(line)
    }

    private func refill() throws(LogError) {
        if start > 0 {
            buffer.update(from: buffer + start, count: end - start)
            (start, end) = (0, end - start)
        }
        let room = UnsafeMutableBufferPointer(
            start: buffer + end, count: LineReader.bufferBytes - end)
        let count = try read(into: room)
        if count == 0 { isAtEnd = true } else { end += count }
    }

    private func read(
        into room: UnsafeMutableBufferPointer<UInt8>
    ) throws(LogError) -> Int {
        switch coding {
        case .plain:
            try file.fill()
            let count = min(file.available.count, room.count)
            if count > 0, let from = file.available.baseAddress {
                room.baseAddress?.update(from: from, count: count)
            }
            file.take(count)
            return count
        case .gzip(let decoder):
            return try decoder.read(file, into: room)
        case .xz(let decoder):
            return try decoder.read(file, into: room)
        }
    }
}
