/// A PNG of palette colours, read by the letter of the standard.
struct PNGReader {
    enum Failure: Error {
        case signature
        case chunk(String)
        case filter
    }

    var width = 0
    var height = 0
    var palette: [[UInt8]] = []
    var chunks: [String] = []
    /// Palette indices, row by row.
    var pixels: [[UInt8]] = []

    init(_ bytes: [UInt8]) throws {
        guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
            throw Failure.signature
        }
        var index = 8
        var compressed: [UInt8] = []
        var depth = 0
        while index + 12 <= bytes.count {
            let count = PNGReader.number(bytes[index..<index + 4])
            let name = String(decoding: bytes[index + 4..<index + 8], as: UTF8.self)
            guard index + 12 + count <= bytes.count else { throw Failure.chunk(name) }
            let content = Array(bytes[index + 8..<index + 8 + count])
            let sum = PNGReader.number(bytes[index + 8 + count..<index + 12 + count])
            guard PNGReader.crc(bytes[index + 4..<index + 8 + count]) == sum else {
                throw Failure.chunk(name)
            }
            chunks.append(name)
            switch name {
            case "IHDR":
                width = PNGReader.number(content[0..<4])
                height = PNGReader.number(content[4..<8])
                depth = Int(content[8])
                guard content[9...] == [3, 0, 0, 0] else { throw Failure.chunk(name) }
            case "PLTE":
                palette = stride(from: 0, to: count, by: 3).map { Array(content[$0..<$0 + 3]) }
            case "IDAT": compressed += content
            default: break
            }
            index += 12 + count
        }
        guard index == bytes.count, chunks.last == "IEND", depth > 0 else {
            throw Failure.chunk("IEND")
        }
        let raw = try Inflater.zlib(compressed)
        let rowBytes = 1 + (width * depth + 7) / 8
        guard raw.count == rowBytes * height else { throw Failure.chunk("IDAT") }
        for y in 0..<height {
            guard raw[y * rowBytes] == 0 else { throw Failure.filter }
            pixels.append(
                (0..<width).map { x in
                    let byte = raw[y * rowBytes + 1 + x * depth / 8]
                    let shift = UInt8(8 - depth - x * depth % 8)
                    return byte >> shift & UInt8(1 << depth - 1)
                })
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }

    private static func crc(_ bytes: ArraySlice<UInt8>) -> Int {
        var sum: UInt32 = .max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
        }
        return Int(~sum)
    }
}

/// The parts of a vector tile, found by walking its protobuf fields.
struct VectorTileReader {
    enum Failure: Error {
        case end
        case wireType
    }

    struct Field {
        let number: Int
        let value: UInt64
        let bytes: [UInt8]
    }

    static func fields(_ bytes: [UInt8]) throws -> [Field] {
        var index = 0
        var fields: [Field] = []
        while index < bytes.count {
            let key = try varint(bytes, &index)
            switch key & 7 {
            case 0:
                fields.append(
                    Field(number: Int(key >> 3), value: try varint(bytes, &index), bytes: []))
            case 2:
                let count = Int(try varint(bytes, &index))
                guard index + count <= bytes.count else { throw Failure.end }
                fields.append(
                    Field(
                        number: Int(key >> 3), value: 0, bytes: Array(bytes[index..<index + count]))
                )
                index += count
            default: throw Failure.wireType
            }
        }
        return fields
    }

    static func varints(_ bytes: [UInt8]) throws -> [UInt64] {
        var index = 0
        var values: [UInt64] = []
        while index < bytes.count { values.append(try varint(bytes, &index)) }
        return values
    }

    private static func varint(_ bytes: [UInt8], _ index: inout Int) throws -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            guard index < bytes.count else { throw Failure.end }
            value |= UInt64(bytes[index] & 0x7F) << UInt64(shift)
            index += 1
            if bytes[index - 1] < 0x80 { return value }
        }
        throw Failure.end
    }
}
