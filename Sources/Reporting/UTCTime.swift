/// A moment as text, in UTC and without a time zone database.
package struct UTCTime: Sendable, Hashable {
    private let year: Int64
    private let month: Int64
    private let day: Int64
    private let secondOfDay: Int64
    private let millisecond: Int64

    /// - Parameter epochNS: Nanoseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    package init(epochNS: Int64) {
        let (days, nsOfDay) = Self.floorDivide(epochNS, 86_400_000_000_000)
        secondOfDay = nsOfDay / 1_000_000_000
        millisecond = nsOfDay / 1_000_000 % 1_000
        // Years that begin in March put the leap day last, so that a month's days follow from
        // its number; 146,097 days are 400 years of the Gregorian calendar.
        let (era, dayOfEra) = Self.floorDivide(days + 719_468, 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// RFC 3339 with milliseconds: 2026-03-14T10:15:30.250Z.
    package var rfc3339: String {
        let time = [hour, minute, second].map { padded($0, 2) }.joined(separator: ":")
        return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2) + "T" + time
            + "." + padded(millisecond, 3) + "Z"
    }

    /// For names of files, in the order of time: 20260314T101530Z.
    package var compact: String {
        padded(year, 4) + padded(month, 2) + padded(day, 2) + "T" + padded(hour, 2)
            + padded(minute, 2) + padded(second, 2) + "Z"
    }

    private var hour: Int64 { secondOfDay / 3_600 }
    private var minute: Int64 { secondOfDay / 60 % 60 }
    private var second: Int64 { secondOfDay % 60 }

    private func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
