/// Points of time as logs write them, in nanoseconds from 1970-01-01 UTC, leap seconds not
/// counted.
enum LogTime {
    private static let secondNS: Int64 = 1_000_000_000
    private static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `10/Oct/2000:13:55:36 -0700`, nothing before or behind it.
    static func common(_ text: Bytes) -> Int64? {
        guard text.count == 26, text[2] == UInt8(ascii: "/"), text[6] == UInt8(ascii: "/"),
            text[11] == UInt8(ascii: ":"), text[20] == UInt8(ascii: " "),
            let day = text.part(0..<2).decimal,
            let month = months.firstIndex(where: { text.part(3..<6).equals($0) }),
            let year = text.part(7..<11).decimal,
            let seconds = clock(text.part(12..<20)),
            let hours = text.part(22..<24).decimal, let minutes = text.part(24..<26).decimal,
            hours < 24, minutes < 60
        else { return nil }
        let offset = Int64(hours * 3600 + minutes * 60)
        let isEast = text[21] == UInt8(ascii: "+")
        guard isEast || text[21] == UInt8(ascii: "-"),
            let days = days(year, UInt64(month + 1), day)
        else { return nil }
        return (days * 86_400 + seconds + (isEast ? -offset : offset)) * secondNS
    }

    /// `2019-12-04` and `21:02:31`.
    static func iso(date: Bytes, time: Bytes) -> Int64? {
        guard date.count == 10, date[4] == UInt8(ascii: "-"), date[7] == UInt8(ascii: "-"),
            let year = date.part(0..<4).decimal, let month = date.part(5..<7).decimal,
            let day = date.part(8..<10).decimal, let days = days(year, month, day),
            let seconds = clock(time)
        else { return nil }
        return (days * 86_400 + seconds) * secondNS
    }

    /// `13:55:36`
    private static func clock(_ text: Bytes) -> Int64? {
        guard text.count == 8, text[2] == UInt8(ascii: ":"), text[5] == UInt8(ascii: ":"),
            let hours = text.part(0..<2).decimal, let minutes = text.part(3..<5).decimal,
            let seconds = text.part(6..<8).decimal, hours < 24, minutes < 60, seconds <= 60
        else { return nil }
        return Int64(hours * 3600 + minutes * 60 + seconds)
    }

    /// Days from 1970-01-01 of the Gregorian calendar (H. Hinnant, "chrono-compatible low-level
    /// date algorithms": years that begin in March, 400 of which have 146,097 days).
    private static func days(_ year: UInt64, _ month: UInt64, _ day: UInt64) -> Int64? {
        guard (1970...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: InlineArray<12, UInt64> = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day <= lengths[Int(month) - 1] + (isLeap && month == 2 ? 1 : 0) else { return nil }
        let yearFromMarch = month > 2 ? year : year - 1
        let era = yearFromMarch / 400
        let yearOfEra = yearFromMarch % 400
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int64(era * 146_097 + dayOfEra) - 719_468
    }
}
