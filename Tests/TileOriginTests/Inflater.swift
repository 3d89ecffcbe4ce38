/// A plain reading of RFC 1950 and RFC 1951, so that the pictures are checked by something other
/// than the library that wrote them.
struct Inflater {
    enum Failure: Error {
        case header
        case block
        case code
        case checksum
    }

    private let input: [UInt8]
    private var position: Int
    private var bit = 0
    private var output: [UInt8] = []

    static func zlib(_ input: [UInt8]) throws -> [UInt8] {
        guard input.count > 6, input[0] & 15 == 8, (Int(input[0]) << 8 | Int(input[1])) % 31 == 0
        else { throw Failure.header }
        var inflater = Inflater(input, from: 2)
        try inflater.run()
        var (low, high) = (1, 0)
        for byte in inflater.output {
            low = (low + Int(byte)) % 65521
            high = (high + low) % 65521
        }
        let sum = input.suffix(4).reduce(0) { $0 << 8 | Int($1) }
        guard sum == high << 16 | low else { throw Failure.checksum }
        return inflater.output
    }

    private init(_ input: [UInt8], from position: Int) {
        self.input = input
        self.position = position
    }

    private mutating func bits(_ count: Int) throws -> Int {
        var value = 0
        for index in 0..<count {
            guard position < input.count else { throw Failure.block }
            value |= Int(input[position] >> UInt8(bit) & 1) << index
            bit += 1
            if bit == 8 { (bit, position) = (0, position + 1) }
        }
        return value
    }

    private mutating func run() throws {
        var isLast = false
        while !isLast {
            isLast = try bits(1) == 1
            switch try bits(2) {
            case 0: try stored()
            case 1:
                let lengths =
                    [Int](repeating: 8, count: 144) + [Int](repeating: 9, count: 112)
                    + [Int](repeating: 7, count: 24) + [Int](repeating: 8, count: 8)
                try compressed(Code(lengths), Code([Int](repeating: 5, count: 30)))
            case 2: try dynamic()
            default: throw Failure.block
            }
        }
    }

    private mutating func stored() throws {
        if bit > 0 { (bit, position) = (0, position + 1) }
        let count = try bits(16)
        guard try bits(16) == ~count & 0xFFFF else { throw Failure.block }
        output += input[position..<position + count]
        position += count
    }

    private mutating func dynamic() throws {
        let (literals, distances, codes) = (try bits(5) + 257, try bits(5) + 1, try bits(4) + 4)
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
        var lengths = [Int](repeating: 0, count: 19)
        for index in 0..<codes { lengths[order[index]] = try bits(3) }
        let code = Code(lengths)
        var all: [Int] = []
        while all.count < literals + distances {
            switch try symbol(code) {
            case 16: all += [Int](repeating: all[all.count - 1], count: try bits(2) + 3)
            case 17: all += [Int](repeating: 0, count: try bits(3) + 3)
            case 18: all += [Int](repeating: 0, count: try bits(7) + 11)
            case let length: all.append(length)
            }
        }
        try compressed(Code(Array(all[..<literals])), Code(Array(all[literals...])))
    }

    private mutating func compressed(_ literals: Code, _ distances: Code) throws {
        while true {
            let value = try symbol(literals)
            if value < 256 {
                output.append(UInt8(value))
            } else if value == 256 {
                return
            } else {
                let length = try Inflater.length(value - 257) { try bits($0) }
                let distance = try Inflater.distance(try symbol(distances)) { try bits($0) }
                guard distance <= output.count else { throw Failure.code }
                for _ in 0..<length { output.append(output[output.count - distance]) }
            }
        }
    }

    private static func length(_ index: Int, _ bits: (Int) throws -> Int) rethrows -> Int {
        if index < 8 { return index + 3 }
        if index == 28 { return 258 }
        let extra = index / 4 - 1
        return (4 + index % 4) << extra + 3 + (try bits(extra))
    }

    private static func distance(_ index: Int, _ bits: (Int) throws -> Int) rethrows -> Int {
        if index < 4 { return index + 1 }
        let extra = index / 2 - 1
        return (2 + index % 2) << extra + 1 + (try bits(extra))
    }

    private mutating func symbol(_ code: Code) throws -> Int {
        var (value, length) = (0, 0)
        while length < 15 {
            value = value << 1 | (try bits(1))
            length += 1
            if let symbol = code.symbols[length << 16 | value] { return symbol }
        }
        throw Failure.code
    }

    /// Canonical Huffman code: (length, bits) to symbol.
    private struct Code {
        var symbols: [Int: Int] = [:]

        init(_ lengths: [Int]) {
            var next = 0
            for length in 1...15 {
                next <<= 1
                for (symbol, own) in lengths.enumerated() where own == length {
                    symbols[length << 16 | next] = symbol
                    next += 1
                }
            }
        }
    }
}
