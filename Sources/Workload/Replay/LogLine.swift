import TileModel

/// What a parser makes of a line.
enum LogLine {
    enum Source {
        case url(Bytes)
        /// CloudFront's two fields.
        case pathAndQuery(Bytes, Bytes)
        case tile(TileID)
    }

    case ask(timeNS: Int64, session: UInt64, Source)
    case blank
    case noTile
    case badLine
    case method
    case time
    case cancelled
}

/// One of the formats, with what it has learnt from the lines so far.
enum LogParser {
    case combined
    case cloudFront(CloudFrontColumns)
    case csv(CSVColumns)
    case urls

    init?(_ format: ReplayPlan.Format) {
        switch format {
        case .auto: return nil
        case .combined: self = .combined
        case .cloudFront: self = .cloudFront(CloudFrontColumns())
        case .csv: self = .csv(CSVColumns())
        case .urls: self = .urls
        }
    }

    /// The format of which a line is; nil: of none.
    init?(recognising line: Bytes) {
        guard !line.trimmed.isEmpty else { return nil }
        if line.begins(with: "#Fields:") || line.begins(with: "#Version:")
            || CloudFrontColumns.looksRight(line)
        {
            self = .cloudFront(CloudFrontColumns())
        } else if CSVColumns.looksRight(line) {
            self = .csv(CSVColumns())
        } else if case .ask = CombinedLine.parse(line) {
            self = .combined
        } else if case .method = CombinedLine.parse(line) {
            self = .combined
        } else if URLLine.looksRight(line) {
            self = .urls
        } else {
            return nil
        }
    }

    var format: ReplayPlan.Format {
        switch self {
        case .combined: .combined
        case .cloudFront: .cloudFront
        case .csv: .csv
        case .urls: .urls
        }
    }

    /// How exact the times are; nil: there are none. 0: to the nanosecond, and asks of one time are
    /// meant to be.
    var resolutionNS: UInt64? {
        switch self {
        case .combined: 1_000_000_000
        case .cloudFront(let columns): columns.resolutionNS
        case .csv: 0
        case .urls: nil
        }
    }

    mutating func parse(_ line: Bytes) -> LogLine {
        if line.trimmed.isEmpty { return .blank }
        switch self {
        case .combined:
            return CombinedLine.parse(line)
        case .cloudFront(var columns):
            let parsed = columns.parse(line)
            self = .cloudFront(columns)
            return parsed
        case .csv(var columns):
            let parsed = columns.parse(line)
            self = .csv(columns)
            return parsed
        case .urls:
            return URLLine.parse(line)
        }
    }
}
