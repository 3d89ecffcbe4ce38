/// The unit of a number in the report, or of a value in a gate.
///
/// A product of powers of time and bytes with an exact factor: nanoseconds and bytes have factor 1,
/// so that milliseconds convert into seconds without a rounding of their own.
package struct ReportUnit: Sendable, Hashable {
    package private(set) var timePower: Int
    package private(set) var bytePower: Int
    /// A number of things, of which percents make no sense, and whose absence from a part of the
    /// report that is there means 0.
    package private(set) var isCount: Bool
    private var numerator: UInt64
    private var denominator: UInt64

    private init(
        time: Int = 0, bytes: Int = 0, _ numerator: UInt64 = 1, per denominator: UInt64 = 1,
        isCount: Bool = false
    ) {
        timePower = time
        bytePower = bytes
        self.isCount = isCount
        self.numerator = numerator
        self.denominator = denominator
    }

    package static let count = ReportUnit(isCount: true)
    /// Shares (0...1) and other ratios.
    package static let ratio = ReportUnit()
    package static let nanoseconds = ReportUnit(time: 1)
    package static let microseconds = ReportUnit(time: 1, 1_000)
    package static let milliseconds = ReportUnit(time: 1, 1_000_000)
    package static let seconds = ReportUnit(time: 1, 1_000_000_000)
    package static let bytes = ReportUnit(bytes: 1)
    package static let perSecond = ratio.over(seconds)
    package static let bytesPerSecond = bytes.over(seconds)

    /// The unit of a quotient.
    package func over(_ divisor: ReportUnit) -> ReportUnit {
        ReportUnit(
            time: timePower - divisor.timePower, bytes: bytePower - divisor.bytePower,
            numerator * divisor.denominator, per: denominator * divisor.numerator)
    }

    /// The unit that a gate's value may be written with, or nil for an unknown one.
    static func written(_ text: some StringProtocol) -> ReportUnit? {
        if text == "/s" { return perSecond }
        if text.hasSuffix("/s") { return written(text.dropLast(2))?.over(seconds) }
        return switch text {
        case "%": ReportUnit(1, per: 100)
        case "ns": nanoseconds
        case "us", "µs", "μs": microseconds
        case "ms": milliseconds
        case "s": seconds
        case "m", "min": ReportUnit(time: 1, 60_000_000_000)
        case "h": ReportUnit(time: 1, 3_600_000_000_000)
        case "B": bytes
        case "kB": ReportUnit(bytes: 1, 1_000)
        case "MB": ReportUnit(bytes: 1, 1_000_000)
        case "GB": ReportUnit(bytes: 1, 1_000_000_000)
        case "KiB": ReportUnit(bytes: 1, 1 << 10)
        case "MiB": ReportUnit(bytes: 1, 1 << 20)
        case "GiB": ReportUnit(bytes: 1, 1 << 30)
        default: nil
        }
    }

    /// Whether values of the two can be compared.
    func fits(_ other: ReportUnit) -> Bool {
        timePower == other.timePower && bytePower == other.bytePower && isCount == other.isCount
    }

    /// `value` of this unit in the other one, which must fit.
    func convert(_ value: Double, to other: ReportUnit) -> Double {
        var factor = numerator * other.denominator
        var divisor = denominator * other.numerator
        let common = Self.greatestCommonDivisor(factor, divisor)
        factor /= common
        divisor /= common
        // One rounding at most when one of them is 1, as with all decimal units.
        return divisor == 1 ? value * Double(factor) : value * Double(factor) / Double(divisor)
    }

    /// What it measures, for messages.
    var kind: String {
        switch (timePower, bytePower) {
        case (1, 0): "a duration"
        case (0, 1): "a size"
        case (-1, 0): "a rate"
        case (-1, 1): "a number of bytes per second"
        case (0, 0): isCount ? "a count" : "a share"
        default: "of another kind"
        }
    }

    private static func greatestCommonDivisor(_ first: UInt64, _ second: UInt64) -> UInt64 {
        second == 0 ? first : greatestCommonDivisor(second, first % second)
    }

    /// The unit that the name of a field tells.
    static func of(fieldNamed name: String) -> ReportUnit {
        switch name {
        case "bytes_per_s": bytesPerSecond
        case "cpu_us_per_request": microseconds
        case "allocated_bytes_per_request": bytes
        case "bytes": bytes
        case "hit_rate", "server_hit_rate", "client_hit_rate", "server_hit_rate_before",
            "server_hit_rate_after", "client_hit_rate_before", "client_hit_rate_after", "success",
            "success_in_window", "amplification", "per_expiry_mean", "cores_used",
            "cores_available":
            ratio
        default: suffixes.first { name.hasSuffix($0.text) }?.unit ?? count
        }
    }

    /// Endings of names that tell a unit, longest first.
    static let suffixes: [(text: String, unit: ReportUnit)] = [
        ("_per_s", perSecond), ("_bytes", bytes), ("_ms", milliseconds), ("_us", microseconds),
        ("_s", seconds),
    ]

    /// The name without the ending that tells its unit, or nil when it has none.
    static func withoutSuffix(_ name: String) -> String? {
        suffixes.first { name.hasSuffix($0.text) }.map { String(name.dropLast($0.text.count)) }
    }
}
