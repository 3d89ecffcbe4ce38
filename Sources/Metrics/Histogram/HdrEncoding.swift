import CZlib

/// Why a text is no histogram of ours.
package struct HistogramEncodingError: Error, Sendable, Hashable {
    /// In words, for a person who reads the file.
    package var reason: String
}

/// HdrHistogram's V2 compressed encoding in base64, which its libraries of every language read.
///
/// Outer: cookie, length, zlib stream. Inner: cookie, payload length, normalizing index offset,
/// significant digits, lowest and highest value, ratio, all big-endian; then the counts from cell 0
/// to the highest used as ZigZag LEB128, a run of n empty cells being -n.
enum HdrEncoding {
    private static let cookie: UInt32 = 0x1c84_9303 | 0x10
    private static let cookieCompressed: UInt32 = 0x1c84_9304 | 0x10
    private static let headerBytes = 40
    /// A count takes 9 bytes at most.
    private static let plainBytesMax = headerBytes + HistogramLayout.cells * 9

    static func encode(_ histogram: some HistogramReading) -> String {
        var payload: [UInt8] = []
        var next = 0
        histogram.visitCells { index, count in
            if index > next { append(zigZag: Int64(next - index), to: &payload) }
            append(zigZag: Int64(clamping: count), to: &payload)
            next = index + 1
            return true
        }
        var plain: [UInt8] = []
        plain.reserveCapacity(headerBytes + payload.count)
        append(cookie, to: &plain)
        append(UInt32(payload.count), to: &plain)
        append(UInt32(0), to: &plain)
        append(UInt32(HistogramLayout.significantDigits), to: &plain)
        append(UInt64(1), to: &plain)
        append(HistogramLayout.highestNS, to: &plain)
        append((1.0).bitPattern, to: &plain)
        plain += payload

        let packed = deflated(plain)
        var bytes: [UInt8] = []
        append(cookieCompressed, to: &bytes)
        append(UInt32(packed.count), to: &bytes)
        return Base64.encode(bytes + packed)
    }

    /// Calls `cell` with index and count of every cell that is not empty, in rising order.
    static func decode(
        _ text: String, cell: (_ index: Int, _ count: UInt64) -> Void
    ) throws(HistogramEncodingError) {
        guard let bytes = Base64.decode(text) else { throw .init(reason: "not base64") }
        var outer = Reader(bytes: bytes[...])
        guard outer.integer(UInt32.self) == cookieCompressed else {
            throw .init(reason: "not HdrHistogram V2 compressed")
        }
        guard let length = outer.integer(UInt32.self), Int(length) == outer.bytes.count else {
            throw .init(reason: "cut short")
        }
        guard let plain = inflated(Array(outer.bytes)) else { throw .init(reason: "not zlib") }
        var reader = Reader(bytes: plain[...])
        guard reader.integer(UInt32.self) == cookie else {
            throw .init(reason: "not HdrHistogram V2")
        }
        guard let payload = reader.integer(UInt32.self), plain.count >= headerBytes else {
            throw .init(reason: "cut short")
        }
        guard reader.integer(UInt32.self) == 0,
            reader.integer(UInt32.self) == UInt32(HistogramLayout.significantDigits),
            reader.integer(UInt64.self) == 1,
            reader.integer(UInt64.self) == HistogramLayout.highestNS,
            reader.integer(UInt64.self) == (1.0).bitPattern
        else { throw .init(reason: "of another range or precision") }
        guard Int(payload) == reader.bytes.count else { throw .init(reason: "cut short") }
        try decodeCounts(&reader, cell: cell)
    }

    private static func decodeCounts(
        _ reader: inout Reader, cell: (_ index: Int, _ count: UInt64) -> Void
    ) throws(HistogramEncodingError) {
        var index = 0
        var total: UInt64 = 0
        while !reader.bytes.isEmpty {
            guard let number = reader.zigZag() else { throw .init(reason: "cut short") }
            guard number > 0 || number.magnitude <= UInt64(HistogramLayout.cells) else {
                throw .init(reason: "more cells than there are")
            }
            let width = number < 0 ? Int(number.magnitude) : 1
            guard index + width <= HistogramLayout.cells else {
                throw .init(reason: "more cells than there are")
            }
            if number > 0 {
                // Far above any run's, and low enough for every sum over cells.
                guard total + UInt64(number) < 1 << 48 else {
                    throw .init(reason: "counts too large")
                }
                total += UInt64(number)
                cell(index, UInt64(number))
            }
            index += width
        }
    }

    private static func append<Word: FixedWidthInteger>(_ word: Word, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// The ninth byte carries 8 bits, so 64 bits need no tenth.
    private static func append(zigZag number: Int64, to bytes: inout [UInt8]) {
        var rest = UInt64(bitPattern: number << 1 ^ number >> 63)
        for _ in 0..<8 where rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private static func deflated(_ plain: [UInt8]) -> [UInt8] {
        var length = compressBound(UInt(plain.count))
        return [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, used in
            let status = compress2(
                buffer.baseAddress, &length, plain, UInt(plain.count), Z_DEFAULT_COMPRESSION)
            // The buffer is as large as zlib asked for: only memory can be missing.
            precondition(status == Z_OK, "out of memory for zlib")
            used = Int(length)
        }
    }

    private static func inflated(_ packed: [UInt8]) -> [UInt8]? {
        var length = UInt(plainBytesMax)
        var status = Z_OK
        let plain = [UInt8](unsafeUninitializedCapacity: plainBytesMax) { buffer, used in
            status = uncompress(buffer.baseAddress, &length, packed, UInt(packed.count))
            used = status == Z_OK ? Int(length) : 0
        }
        return status == Z_OK ? plain : nil
    }

    private struct Reader {
        var bytes: ArraySlice<UInt8>

        mutating func integer<Word: FixedWidthInteger>(_: Word.Type) -> Word? {
            let size = MemoryLayout<Word>.size
            guard bytes.count >= size else { return nil }
            defer { bytes = bytes.dropFirst(size) }
            return bytes.prefix(size).reduce(0) { $0 << 8 | Word($1) }
        }

        mutating func zigZag() -> Int64? {
            var bits: UInt64 = 0
            for position in 0..<9 {
                guard let byte = bytes.popFirst() else { return nil }
                let isLast = position == 8
                bits |= UInt64(isLast ? byte : byte & 0x7f) << UInt64(7 * position)
                if isLast || byte < 0x80 { break }
            }
            return Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
        }
    }
}
