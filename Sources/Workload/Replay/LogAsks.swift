import TileModel

/// The asks of one pass through a log, in the order of its lines. Memory: that of `LineReader` and
/// two lines' worth for decoding.
final class LogAsks {
    /// Lines of no known format before the search for one is given up.
    private static let unknownMax = 100

    private let lines: LineReader
    private var parser: LogParser?
    private let path: String
    private let served: [ServedTiles]
    /// The ask of the line by which the format was recognised.
    private var first: LoggedAsk?
    private var latestNS = Int64.min
    private var unknown = 0

    /// Reads up to the first line that belongs to a format, unless one is given.
    init(
        path: String, format: ReplayPlan.Format, recogniser: borrowing TileRecogniser,
        served: [ServedTiles], counts: inout ReplayCounts
    ) throws(LogError) {
        self.path = path
        self.served = served
        lines = try LineReader(path: path)
        parser = LogParser(format)
        while parser == nil {
            guard let line = try lines.next() else {
                throw LogError(description: "`\(path)` holds no line of a known format")
            }
            try recognise(line, recogniser, &counts)
        }
    }

    var format: ReplayPlan.Format { parser?.format ?? .auto }
    var resolutionNS: UInt64? { parser.flatMap(\.resolutionNS) }

    private func recognise(
        _ line: LineReader.Line, _ recogniser: borrowing TileRecogniser,
        _ counts: inout ReplayCounts
    ) throws(LogError) {
        guard case .text(let text) = line else {
            first = take(line, recogniser, &counts)
            return
        }
        if let found = LogParser(recognising: text) {
            parser = found
            first = take(line, recogniser, &counts)
            return
        }
        counts.lines += 1
        if text.trimmed.isEmpty || text[0] == UInt8(ascii: "#") {
            counts.blank += 1
            return
        }
        counts.badLine += 1
        unknown += 1
        guard unknown < LogAsks.unknownMax else {
            throw LogError(
                description: "none of the first \(LogAsks.unknownMax) lines of `\(path)` is of a"
                    + " known format: combined, cloudfront, csv, urls")
        }
    }

    /// Nil: the end.
    func next(
        _ recogniser: borrowing TileRecogniser, _ counts: inout ReplayCounts
    ) throws(LogError) -> LoggedAsk? {
        if let ask = first {
            first = nil
            return ask
        }
        while let line = try lines.next() {
            if let ask = take(line, recogniser, &counts) { return ask }
        }
        return nil
    }

    /// Counts a line; nil: it is no ask.
    private func take(
        _ line: LineReader.Line, _ recogniser: borrowing TileRecogniser,
        _ counts: inout ReplayCounts
    ) -> LoggedAsk? {
        counts.lines += 1
        guard case .text(let text) = line else {
            counts.tooLong += 1
            return nil
        }
        switch parser?.parse(text) ?? .badLine {
        case .blank: counts.blank += 1
        case .noTile: counts.noTile += 1
        case .badLine: counts.badLine += 1
        case .method: counts.method += 1
        case .time: counts.time += 1
        case .cancelled: counts.cancelled += 1
        case .ask(let timeNS, let session, let source):
            guard let found = found(source, recogniser),
                let tile = served[Int(found.source)].tile(for: found.tile)
            else {
                counts.noTile += 1
                return nil
            }
            switch found.form {
            case .template: counts.byTemplate += 1
            case .path: counts.byPath += 1
            case .query: counts.byQuery += 1
            case .columns: counts.byColumns += 1
            }
            if timeNS < latestNS { counts.reordered += 1 }
            latestNS = max(latestNS, timeNS)
            return LoggedAsk(
                timeNS: timeNS, number: counts.asks, session: session, tile: tile,
                source: found.source)
        }
        return nil
    }

    private func found(
        _ source: LogLine.Source, _ recogniser: borrowing TileRecogniser
    ) -> TileRecogniser.Found? {
        switch source {
        case .tile(let tile): .init(tile: tile, form: .columns)
        case .url(let url): recogniser.tile(url: url)
        case .pathAndQuery(let path, let query): recogniser.tile(path: path, query: query)
        }
    }
}
