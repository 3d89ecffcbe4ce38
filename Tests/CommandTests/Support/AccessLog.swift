/// What nginx says it answered.
struct AccessLog: Sendable {
    struct Entry: Sendable {
        let status: Int
        /// Path and query, as sent.
        let uri: String
        /// `HTTP/1.1` or `HTTP/2.0`.
        let version: String
        /// Number of the connection, and of the request on it from 1.
        let connection: Int
        let requestOfConnection: Int
        let bodyBytes: Int
        let userAgent: String

        var path: String { uri.prefix { $0 != "?" }.description }
    }

    let entries: [Entry]

    /// Every line must be of the format that `NginxConfig` sets; a request so broken that nginx
    /// knows no URI has `-`.
    init(text: String) throws {
        entries = try text.split(separator: "\n").map { line in
            let words = line.split(separator: " ", maxSplits: 6)
            guard words.count == 7, let status = Int(words[0]), let connection = Int(words[3]),
                let request = Int(words[4]), let bytes = Int(words[5])
            else { throw ProcessFailure(description: "unexpected line in the log: \(line)") }
            return Entry(
                status: status, uri: String(words[1]), version: String(words[2]),
                connection: connection, requestOfConnection: request, bodyBytes: bytes,
                userAgent: String(words[6].dropFirst().dropLast()))
        }
    }

    /// Answers by status, keyed as in a report; without those whose path begins with one of
    /// `without`.
    func statuses(without prefixes: [String] = []) -> [String: Int] {
        let counted = entries.filter { entry in !prefixes.contains { entry.path.hasPrefix($0) } }
        return Dictionary(counted.map { (String($0.status), 1) }, uniquingKeysWith: +)
    }
}
