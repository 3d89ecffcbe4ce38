/// Numbers with units, as they stand in scenario files.
package enum UnitText {
    package enum Failure: Error, Hashable {
        /// Not of the form.
        case malformed
        case negative
        /// Beyond what tilebench counts with.
        case tooLarge
        /// A fraction where a whole number is needed.
        case fraction
    }

    /// Ten years: far beyond any run, and far below what 64 bits of nanoseconds hold.
    package static let durationMaxNS: UInt64 = 10 * 365 * 86_400 * 1_000_000_000

    private static let durationUnits: [(String, Double)] = [
        ("ns", 1), ("us", 1e3), ("µs", 1e3), ("μs", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9),
        ("min", 60e9), ("h", 3600e9), ("d", 86_400e9),
    ]

    private static let sizeUnits: [(String, Double)] = [
        ("", 1), ("B", 1), ("kB", 1e3), ("KB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12),
        ("KiB", 1024), ("kiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824),
        ("TiB", 1_099_511_627_776),
    ]

    private static let rateUnits: [(String, Double)] = [
        ("", 1), ("/s", 1), ("/sec", 1), ("/m", 60), ("/min", 60), ("/h", 3600),
    ]

    /// "30s", "250ms", "1h30m"; without a unit seconds. In nanoseconds.
    package static func duration(_ text: String) throws(Failure) -> UInt64 {
        var rest = trimmed(text)
        var sum = 0.0
        if let seconds = decimal(rest) {
            return try nanoseconds(seconds * 1e9)
        }
        guard !rest.isEmpty else { throw .malformed }
        while !rest.isEmpty {
            let (value, unit) = try head(&rest)
            guard let factor = durationUnits.first(where: { $0.0 == unit })?.1 else {
                throw .malformed
            }
            guard value >= 0 else { throw .negative }
            sum += value * factor
        }
        return try nanoseconds(sum)
    }

    package static func duration(seconds: Double) throws(Failure) -> UInt64 {
        try nanoseconds(seconds * 1e9)
    }

    private static func nanoseconds(_ value: Double) throws(Failure) -> UInt64 {
        guard value >= 0 else { throw .negative }
        guard value <= Double(durationMaxNS) else { throw .tooLarge }
        return UInt64(value.rounded())
    }

    /// "64MiB", "100kB"; without a unit bytes.
    package static func size(_ text: String) throws(Failure) -> UInt64 {
        try size(bytes: scaled(text, by: sizeUnits, dividing: false))
    }

    package static func size(bytes: Double) throws(Failure) -> UInt64 {
        guard bytes >= 0 else { throw .negative }
        guard bytes <= 1e15 else { throw .tooLarge }
        guard bytes == bytes.rounded() else { throw .fraction }
        return UInt64(bytes)
    }

    /// "2000/s", "60/m"; without a unit per second.
    package static func rate(_ text: String) throws(Failure) -> Double {
        try rate(perSecond: scaled(text, by: rateUnits, dividing: true))
    }

    package static let rateMax = 10_000_000.0
    /// One in 10,000 seconds: no run is longer.
    static let rateMin = 0.0001

    package static func rate(perSecond: Double) throws(Failure) -> Double {
        guard perSecond >= 0 else { throw .negative }
        guard perSecond <= rateMax else { throw .tooLarge }
        return perSecond
    }

    /// "0.1%"; without a unit 0...1.
    package static func share(_ text: String) throws(Failure) -> Double {
        try share(scaled(text, by: [("", 1), ("%", 100)], dividing: true))
    }

    package static func share(_ value: Double) throws(Failure) -> Double {
        guard value >= 0 else { throw .negative }
        guard value <= 1 else { throw .tooLarge }
        return value
    }

    private static func scaled(
        _ text: String, by units: [(String, Double)], dividing: Bool
    ) throws(Failure) -> Double {
        var rest = trimmed(text)
        let (value, unit) = try head(&rest)
        guard rest.isEmpty, let factor = units.first(where: { $0.0 == unit })?.1 else {
            throw .malformed
        }
        return dividing ? value / factor : value * factor
    }

    /// Takes a number and the unit behind it, with or without a blank between them.
    private static func head(_ rest: inout Substring) throws(Failure) -> (Double, Substring) {
        let end = rest.firstIndex { !"+-.0123456789".contains($0) } ?? rest.endIndex
        guard let value = decimal(rest[..<end]) else { throw .malformed }
        rest = rest[end...].drop { $0 == " " }
        let unitEnd = rest.firstIndex { "+-.0123456789 ".contains($0) } ?? rest.endIndex
        let unit = rest[..<unitEnd]
        rest = rest[unitEnd...].drop { $0 == " " }
        return (value, unit)
    }

    /// A plain decimal number; nil for anything else, also for `inf`, `0x10` and `1_000`.
    package static func decimal(_ text: some StringProtocol) -> Double? {
        var hasDigit = false
        for (index, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): hasDigit = true
            case UInt8(ascii: "."): break
            case UInt8(ascii: "-"), UInt8(ascii: "+"):
                guard index == 0 else { return nil }
            default: return nil
            }
        }
        guard hasDigit, let value = Double(String(text)), value.isFinite else { return nil }
        return value
    }

    static func trimmed(_ text: some StringProtocol) -> Substring {
        var view = Substring(text)
        while let first = view.first, first == " " || first == "\t" { view.removeFirst() }
        while let last = view.last, last == " " || last == "\t" { view.removeLast() }
        return view
    }
}

extension UnitText {
    /// The two sides of an arrow or of two dots; both the same when there is no separator.
    package static func pair(_ text: String, separator: String) -> (String, String)? {
        let parts = split(text, separator: separator)
        switch parts.count {
        case 1: return (parts[0], parts[0])
        case 2: return (parts[0], parts[1])
        default: return nil
        }
    }

    private static func split(_ text: String, separator: String) -> [String] {
        var parts: [String] = []
        var rest = Substring(text)
        var start = rest.startIndex
        while start < rest.endIndex {
            if rest[start...].hasPrefix(separator) {
                parts.append(String(trimmed(rest[..<start])))
                rest = rest[rest.index(start, offsetBy: separator.count)...]
                start = rest.startIndex
            } else {
                start = rest.index(after: start)
            }
        }
        return parts + [String(trimmed(rest))]
    }

    /// Nanoseconds in the largest unit that divides them: "30s", "250ms".
    package static func text(durationNS: UInt64) -> String {
        for (unit, factor) in [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1000)]
            as [(String, UInt64)]
        where durationNS % factor == 0 {
            return "\(durationNS / factor)\(unit)"
        }
        return "\(durationNS)ns"
    }

    /// Bytes in the largest binary unit that divides them: "64MiB", "1000B".
    package static func text(bytes: UInt64) -> String {
        for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] as [(String, UInt64)]
        where bytes > 0 && bytes & ((1 << shift) - 1) == 0 {
            return "\(bytes >> shift)\(unit)"
        }
        return "\(bytes)B"
    }

    /// "2000/s", the shortest text that reads back as the same rate.
    package static func text(perSecond: Double) -> String { plain(perSecond) + "/s" }

    /// A number without exponent or needless fraction.
    static func plain(_ value: Double) -> String {
        if value.magnitude < 1e15, value == value.rounded() { return String(Int64(value)) }
        return value.description
    }
}
