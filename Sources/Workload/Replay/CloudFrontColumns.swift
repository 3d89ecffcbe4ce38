/// CloudFront's standard logs: fields between tabs, named by a line `#Fields:`. Until there is one,
/// the order of the fields is that of a distribution's log.
struct CloudFrontColumns {
    private var date = 0
    private var time = 1
    private var client = 4
    private var method = 5
    private var path = 7
    private var query = 11
    private var timestamp = -1
    private var isMilliseconds = false
    private var fieldsMin = 8

    var resolutionNS: UInt64 { timestamp >= 0 ? 0 : 1_000_000_000 }

    /// A date, a tab, a time.
    static func looksRight(_ line: Bytes) -> Bool {
        line.count > 19 && line[10] == UInt8(ascii: "\t")
            && LogTime.iso(date: line.part(0..<10), time: line.part(11..<19)) != nil
    }

    mutating func parse(_ line: Bytes) -> LogLine {
        if line[0] == UInt8(ascii: "#") {
            if line.begins(with: "#Fields:") { readNames(line.from(8)) }
            return .blank
        }
        var fields = CloudFrontFields()
        var (start, number) = (0, 0)
        while start <= line.count {
            let end = line.place(of: UInt8(ascii: "\t"), from: start) ?? line.count
            take(line.part(start..<end), number, &fields)
            start = end + 1
            number += 1
        }
        guard number >= fieldsMin, let path = fields.path, !path.isEmpty else { return .badLine }
        if let method = fields.method, !method.equals("GET") {
            return method.allSatisfy(\.isUpper) && !method.isEmpty ? .method : .badLine
        }
        guard let timeNS = timeNS(fields) else { return .time }
        let query = fields.query.flatMap { $0.equals("-") ? nil : $0 } ?? path.part(0..<0)
        return .ask(
            timeNS: timeNS, session: fields.client?.fingerprint ?? 0, .pathAndQuery(path, query))
    }

    private func take(_ text: Bytes, _ number: Int, _ fields: inout CloudFrontFields) {
        if number == date { fields.date = text }
        if number == time { fields.time = text }
        if number == client { fields.client = text }
        if number == method { fields.method = text }
        if number == path { fields.path = text }
        if number == query { fields.query = text }
        if number == timestamp { fields.timestamp = text }
    }

    private func timeNS(_ fields: CloudFrontFields) -> Int64? {
        if let timestamp = fields.timestamp {
            let number = timestamp.fixedPoint(places: isMilliseconds ? 6 : 9)
            return number.flatMap { Int64(exactly: $0) }
        }
        guard let date = fields.date, let time = fields.time else { return nil }
        return LogTime.iso(date: date, time: time)
    }

    /// Names between blanks or tabs.
    private mutating func readNames(_ names: Bytes) {
        (date, time, client, method, path, query, timestamp) = (-1, -1, -1, -1, -1, -1, -1)
        var (start, number) = (0, 0)
        while start < names.count {
            var end = start
            while end < names.count, !names[end].isBlank { end += 1 }
            if end > start {
                name(names.part(start..<end), number)
                number += 1
            }
            start = end + 1
        }
        fieldsMin = max(date, time, method, path, timestamp) + 1
    }

    private mutating func name(_ name: Bytes, _ number: Int) {
        if name.equals("date") { date = number }
        if name.equals("time") { time = number }
        if name.equals("c-ip") { client = number }
        if name.equals("cs-method") { method = number }
        if name.equals("cs-uri-stem") { path = number }
        if name.equals("cs-uri-query") { query = number }
        if name.equals("timestamp") || name.equals("timestamp(ms)") {
            timestamp = number
            isMilliseconds = name.equals("timestamp(ms)")
        }
    }
}

/// The fields of one line that are looked at.
private struct CloudFrontFields {
    var date: Bytes?
    var time: Bytes?
    var client: Bytes?
    var method: Bytes?
    var path: Bytes?
    var query: Bytes?
    var timestamp: Bytes?
}
