/// Dates in headers, RFC 9110 section 5.6.7: all three forms that a recipient must accept.
enum HTTPDate {
    /// Seconds since 1970; nil when it is no date. Reads the parts in the order they come, as
    /// RFC 6265 section 5.1.1 does, so that one pass understands the three forms.
    static func epochSeconds(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        var day: Int64?
        var month: Int64?
        var year: Int64?
        var secondOfDay: Int64?
        var start = 0
        while start < text.count {
            var end = start
            while end < text.count, !isSeparator(text[end]) { end += 1 }
            if end > start {
                let word = text.part(start..<end)
                if secondOfDay == nil, let time = time(word) {
                    secondOfDay = time
                } else if day == nil, word.count <= 2, let number = word.decimal {
                    day = number
                } else if month == nil, let number = HTTPDate.month(word) {
                    month = number
                } else if year == nil, let number = word.decimal {
                    year = word.count == 2 ? (number < 70 ? 2000 + number : 1900 + number) : number
                }
            }
            start = end + 1
        }
        guard let day, let month, let year, let secondOfDay else { return nil }
        guard (1...31).contains(day), (1601...9999).contains(year) else { return nil }
        return days(year: year, month: month, day: day) * 86_400 + secondOfDay
    }

    /// Days from 1970-01-01 in the proleptic Gregorian calendar; years count from March so that
    /// the leap day comes last.
    static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
        return marchYear * 365 + leapDays + dayOfYear - 719_468
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "-")
    }

    /// Seconds of "hh:mm:ss"; 60 is a leap second.
    private static func time(_ word: UnsafeBufferPointer<UInt8>) -> Int64? {
        let colon = UInt8(ascii: ":")
        guard word.count == 8, word[2] == colon, word[5] == colon,
            let hour = word.part(0..<2).decimal, let minute = word.part(3..<5).decimal,
            let second = word.part(6..<8).decimal, hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    private static func month(_ word: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard word.count >= 3 else { return nil }
        let name = word.part(0..<3)
        if name.equals("jan") { return 1 }
        if name.equals("feb") { return 2 }
        if name.equals("mar") { return 3 }
        if name.equals("apr") { return 4 }
        if name.equals("may") { return 5 }
        if name.equals("jun") { return 6 }
        if name.equals("jul") { return 7 }
        if name.equals("aug") { return 8 }
        if name.equals("sep") { return 9 }
        if name.equals("oct") { return 10 }
        if name.equals("nov") { return 11 }
        if name.equals("dec") { return 12 }
        return nil
    }
}
