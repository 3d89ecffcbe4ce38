/// Dates as text, in UTC: the calendar arithmetic of Howard Hinnant's "chrono-Compatible Low-Level
/// Date Algorithms" (days_from_civil and back), valid for all Gregorian dates.
package enum RFC3339 {
    /// `2026-11-30T14:05:09Z`, by RFC 3339.
    package static func text(epochNS: UInt64) -> String {
        let seconds = epochNS / 1_000_000_000
        let (year, month, day) = civil(daysSince1970: Int(seconds / 86_400))
        let inDay = Int(seconds % 86_400)
        let time = [inDay / 3600, inDay / 60 % 60, inDay % 60].map(two).joined(separator: ":")
        return "\(year)-\(two(month))-\(two(day))T\(time)Z"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func civil(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = daysSince1970 + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
