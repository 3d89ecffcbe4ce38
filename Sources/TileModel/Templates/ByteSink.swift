import Glibc

/// Writes text into a buffer of the caller without allocating. What does not fit sets `isFull`.
struct ByteSink {
    private let base: UnsafeMutablePointer<UInt8>
    private let capacity: Int
    private(set) var count = 0
    private(set) var isFull = false

    /// The most bytes `shortest` writes: sign, leading "0.00", 17 digits, point, end mark.
    static let shortestMax = 24

    init?(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        guard let base = buffer.baseAddress else { return nil }
        self.base = base
        capacity = buffer.count
    }

    private mutating func claim(_ bytes: Int) -> UnsafeMutablePointer<UInt8>? {
        guard bytes <= capacity - count else {
            isFull = true
            return nil
        }
        defer { count += bytes }
        return base + count
    }

    mutating func append(_ byte: UInt8) {
        claim(1)?.pointee = byte
    }

    mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        guard let source = text.baseAddress, text.count > 0 else { return }
        claim(text.count)?.update(from: source, count: text.count)
    }

    mutating func append(decimal number: UInt32) {
        var digits = 1
        var limit: UInt64 = 10
        while UInt64(number) >= limit {
            digits += 1
            limit *= 10
        }
        guard let start = claim(digits) else { return }
        var rest = number
        for place in stride(from: digits - 1, through: 0, by: -1) {
            start[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    mutating func append(hexDigit number: UInt32) {
        let digit = UInt8(truncatingIfNeeded: number & 15)
        append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }

    /// Sixteen digits, so that the length does not depend on the number.
    mutating func append(hex number: UInt64) {
        for shift in stride(from: UInt64(60), through: 0, by: -4) {
            append(hexDigit: UInt32(truncatingIfNeeded: number >> shift))
        }
    }

    mutating func append(quadkeyOf tile: TileID) {
        for bit in stride(from: Int(tile.z) - 1, through: 0, by: -1) {
            let digit = (tile.x >> UInt32(bit) & 1) | (tile.y >> UInt32(bit) & 1) << 1
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit))
        }
    }

    mutating func append(box first: Double, _ second: Double, _ third: Double, _ fourth: Double) {
        append(shortest: first)
        append(UInt8(ascii: ","))
        append(shortest: second)
        append(UInt8(ascii: ","))
        append(shortest: third)
        append(UInt8(ascii: ","))
        append(shortest: fourth)
    }

    /// The shortest text that reads back as the number, without a fraction of zero.
    ///
    /// `Double.description` gives the same digits but allocates beyond 15 characters. The nearest
    /// text of 15, 16, 17 digits, the first that reads back, is the shortest one; no metre of a
    /// tile is so small that the C library would write an exponent. (`gcvt`, because `printf` takes
    /// its arguments through an allocated list in Swift.)
    mutating func append(shortest number: Double) {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: ByteSink.shortestMax + 8) { text in
            guard let start = text.baseAddress else { return }
            var digits: Int32 = 15
            repeat {
                _ = gcvt(number, digits, start)
                digits += 1
            } while digits <= 17 && strtod(start, nil) != number
            UnsafeRawPointer(start).withMemoryRebound(to: UInt8.self, capacity: text.count) {
                append(UnsafeBufferPointer(start: $0, count: strlen(start)))
            }
        }
    }
}
