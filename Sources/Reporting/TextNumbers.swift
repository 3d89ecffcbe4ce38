/// Numbers as people read them, without a locale.
package enum TextNumbers {
    /// 12,345.
    package static func grouped(_ value: UInt64) -> String {
        let digits = Array(String(value))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// A fixed number of decimals, halves away from zero.
    package static func fixed(_ value: Double, decimals: Int) -> String {
        let scale = powerOfTen(decimals)
        let scaled = (value.magnitude * scale).rounded(.toNearestOrAwayFromZero)
        // Above this a Double has no decimals to show.
        guard scaled < 9e15 else { return value.description }
        let (whole, fraction) = UInt64(scaled).quotientAndRemainder(dividingBy: UInt64(scale))
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard decimals > 0 else { return sign + String(whole) }
        let digits = String(fraction)
        let zeros = String(repeating: "0", count: decimals - digits.count)
        return sign + String(whole) + "." + zeros + digits
    }

    /// Three significant digits below 1,000, all digits of the whole part above; no zeros at the
    /// end: 0.123, 1.23, 12, 1,234.
    package static func significant(_ value: Double) -> String {
        let magnitude = value.magnitude
        guard magnitude > 0 else { return "0" }
        guard magnitude < 999.5 else {
            let whole = magnitude.rounded()
            guard whole < 9e15 else { return value.description }
            return (value < 0 ? "-" : "") + grouped(UInt64(whole))
        }
        // The bounds are where rounding reaches the next power of ten.
        let decimals =
            [99.95, 9.995, 0.9995, 0.09995, 0.009995].firstIndex { magnitude >= $0 } ?? 5
        var text = fixed(value, decimals: decimals)
        guard decimals > 0 else { return text }
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text == "-0" ? "0" : text
    }

    /// 850 ns, 12.3 µs, 4.5 ms, 1.23 s, 2 min 5 s.
    package static func duration(ns: Double) -> String {
        guard ns < 119.5e9 else {
            let seconds = UInt64((ns / 1e9).rounded())
            let (minutes, rest) = seconds.quotientAndRemainder(dividingBy: 60)
            return "\(grouped(minutes)) min" + (rest == 0 ? "" : " \(rest) s")
        }
        return scaled(ns, [(1, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")])
    }

    package static func duration(ms: Double) -> String { duration(ns: ms * 1e6) }

    package static func duration(s: Double) -> String { duration(ns: s * 1e9) }

    /// 512 B, 1.2 MB: powers of 1,000.
    package static func bytes(_ value: Double) -> String {
        scaled(value, [(1, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB")])
    }

    /// 99.98 %. Neither all nor nothing is claimed that was not.
    package static func percent(_ share: Double) -> String {
        if share > 0, share < 0.00005 { return "<0.01 %" }
        if share < 1, share >= 0.99995 { return "99.99 %" }
        var text = fixed(share * 100, decimals: 2)
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text + " %"
    }

    /// 1 tile, 2 tiles, 0 tiles.
    package static func count(_ value: UInt64, _ one: String, _ many: String? = nil) -> String {
        grouped(value) + " " + (value == 1 ? one : many ?? one + "s")
    }

    /// The largest unit in which the value is at least 1 and, rounded, below 1,000.
    private static func scaled(_ value: Double, _ units: [(factor: Double, name: String)]) -> String
    {
        var text = ""
        for unit in units {
            text = significant(value / unit.factor) + " " + unit.name
            if (value / unit.factor).magnitude < 999.5 { break }
        }
        return text
    }

    private static func powerOfTen(_ exponent: Int) -> Double {
        var power = 1.0
        for _ in 0..<exponent { power *= 10 }
        return power
    }
}
