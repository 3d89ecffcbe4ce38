/// A URL template, read once.
///
/// Placeholders: `{z} {x} {y} {-y} {quadkey} {ratio} {r} {scale} {prefix} {s} {a-c} {0-3}
/// {switch:a,b}`, the tile's box as `{bbox-epsg-3857}` (west, south, east, north in metres),
/// `{bbox-crs-84}` (the same in degrees) and `{bbox-epsg-4326}` (south, west, north, east in
/// degrees), WMTS's `{TileMatrix} {TileRow} {TileCol}` in any case, `{token}`, `{token.NAME}`,
/// `{run}`, `{random}`.
package struct TileTemplate: Sendable {
    /// The template as it was written.
    package let text: String
    /// Names of `{token.NAME}`; their values are handed to `write` in this order.
    package let tokenNames: [String]
    /// Whether tiles have different URLs.
    package let hasTilePlaceholders: Bool
    package let usesToken: Bool
    package let usesRandom: Bool
    package let usesRun: Bool
    /// No URL is longer, the texts of token and run not counted (see `lengthMax(tokenBytes:)`).
    package let lengthMax: Int
    let program: TemplateProgram
    private let hostList: [String]
    private let tokenPlaces: Int
    private let runPlaces: Int

    /// Reads a template. Names in `tokenNames` come first in the template's own list, so that
    /// several templates can share one order.
    package init(
        _ text: String, options: TemplateOptions = TemplateOptions(), tokenNames: [String] = []
    ) throws(TemplateError) {
        let program = try TemplateCompiler(text, options: options, tokenNames: tokenNames).compile()
        hostList = try program.hosts()
        self.text = text
        self.program = program
        self.tokenNames = program.tokenNames
        let segments = program.segments
        hasTilePlaceholders = segments.contains(where: \.tellsTile)
        tokenPlaces = segments.count { $0.kind == .token || $0.kind == .tokenPart }
        usesToken = tokenPlaces > 0
        usesRandom = segments.contains { $0.kind == .random }
        runPlaces = segments.count { $0.kind == .run }
        usesRun = runPlaces > 0
        lengthMax = segments.reduce(0) { sum, segment in
            switch segment.kind {
            case .literal: sum + segment.count
            case .choice, .matrix: sum + (program.texts(segment).map(\.count).max() ?? 0)
            default: sum + segment.widthMax
            }
        }
    }

    /// No URL is longer when token, each token part and run have at most these lengths.
    package func lengthMax(tokenBytes: Int, runBytes: Int = 0) -> Int {
        lengthMax + tokenPlaces * tokenBytes + runPlaces * runBytes
    }

    /// No URL is longer when token and token parts have these lengths.
    package func lengthMax(tokenBytes: Int, partBytes: [Int], runBytes: Int) -> Int {
        program.segments.reduce(lengthMax + runPlaces * runBytes) { sum, segment in
            switch segment.kind {
            case .token: sum + tokenBytes
            case .tokenPart: sum + partBytes[segment.start]
            default: sum
            }
        }
    }

    /// Every `scheme://host[:port]` a URL of the template can have, in lower case, without user and
    /// default port. Empty when the template is not absolute.
    package func hosts() -> [String] { hostList }

    /// The URL of a tile, for messages and tests: it allocates. Token and parts must be
    /// percent-encoded already, as for `write`.
    package func url(
        _ tile: TileID, token: String = "", tokenParts: [String] = [], run: String = "",
        random: UInt64 = 0
    ) -> String {
        let longest = ([token] + tokenParts).map(\.utf8.count).max() ?? 0
        let capacity = lengthMax(tokenBytes: longest, runBytes: run.utf8.count)
        // One buffer holds all the texts, the URL behind them.
        let texts = [token, run] + tokenParts
        let bytes = texts.flatMap { Array($0.utf8) }
        return bytes.withUnsafeBufferPointer { all in
            var start = 0
            let views = texts.map { text in
                defer { start += text.utf8.count }
                return UnsafeBufferPointer(rebasing: all[start..<start + text.utf8.count])
            }
            return views.dropFirst(2).withContiguousStorageIfAvailable { parts in
                String(unsafeUninitializedCapacity: capacity + 1) { buffer in
                    write(
                        tile,
                        values: TemplateValues(
                            token: views[0], tokenParts: parts, run: views[1], random: random),
                        into: buffer)
                }
            } ?? ""
        }
    }
}
