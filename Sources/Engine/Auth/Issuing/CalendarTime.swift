/// Times written as text: RFC 3339, and what HTTP uses.
enum CalendarTime {
    /// Seconds since 1970; nil when it is no time.
    static func epochSeconds(_ text: String) -> Double? {
        var text = text
        return text.withUTF8 { bytes in
            rfc3339(bytes) ?? HTTPDate.epochSeconds(bytes).map { Double($0) }
        }
    }

    /// "2026-01-01T13:00:00.5+01:00"; a blank may stand for the T, no zone means UTC.
    private static func rfc3339(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        let dash = UInt8(ascii: "-")
        let colon = UInt8(ascii: ":")
        guard text.count >= 19, text[4] == dash, text[7] == dash, text[13] == colon,
            text[16] == colon, text[10] | 0x20 == UInt8(ascii: "t") || text[10] == 0x20,
            let year = text.part(0..<4).decimal, let month = text.part(5..<7).decimal,
            let day = text.part(8..<10).decimal, let hour = text.part(11..<13).decimal,
            let minute = text.part(14..<16).decimal, let second = text.part(17..<19).decimal,
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        var position = 19
        var fraction = 0.0
        if position < text.count, text[position] == UInt8(ascii: ".") {
            position += 1
            var unit = 0.1
            while position < text.count, text[position] &- UInt8(ascii: "0") < 10 {
                fraction += Double(text[position] - UInt8(ascii: "0")) * unit
                unit /= 10
                position += 1
            }
        }
        guard let offset = offsetSeconds(text.part(position..<text.count)) else { return nil }
        let days = HTTPDate.days(year: year, month: month, day: day)
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        return Double(seconds) + fraction
    }

    /// "", "Z", "+hh:mm" or "-hhmm".
    private static func offsetSeconds(_ zone: UnsafeBufferPointer<UInt8>) -> Int64? {
        if zone.isEmpty || zone.equals("z") { return 0 }
        let hasColon = zone.count == 6 && zone[3] == UInt8(ascii: ":")
        guard hasColon || zone.count == 5, let hours = zone.part(1..<3).decimal,
            let minutes = zone.part(zone.count - 2..<zone.count).decimal, minutes < 60
        else { return nil }
        switch zone[0] {
        case UInt8(ascii: "+"): return hours * 3600 + minutes * 60
        case UInt8(ascii: "-"): return -(hours * 3600 + minutes * 60)
        default: return nil
        }
    }
}
