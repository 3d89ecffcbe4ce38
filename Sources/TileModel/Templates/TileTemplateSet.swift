/// The templates of a `tiles` array, one of which a tile's URL is made from.
package struct TileTemplateSet: Sendable {
    package let templates: [TileTemplate]
    /// Names of `{token.NAME}` of all the templates; `write` takes the values in this order.
    package let tokenNames: [String]
    private let usesFirstOnly: Bool
    /// All the templates in one, so that choosing one copies, thus retains, nothing.
    private let program: TemplateProgram
    /// The segments of each template.
    private let spans: [ProgramRange]

    /// Reads the templates of an array, which must not be empty.
    package init(
        _ texts: [String], options: TemplateOptions = TemplateOptions()
    ) throws(TemplateSetError) {
        guard !texts.isEmpty else {
            throw TemplateSetError(
                index: 0,
                error: TemplateError(message: "no template in the array", offset: 0, hint: nil))
        }
        var templates: [TileTemplate] = []
        var names: [String] = []
        for (index, text) in texts.enumerated() {
            do throws(TemplateError) {
                templates.append(try TileTemplate(text, options: options, tokenNames: names))
            } catch {
                throw TemplateSetError(index: index, error: error)
            }
            names = templates[index].tokenNames
        }
        var program = TemplateProgram()
        spans = templates.map { program.append($0.program) }
        self.program = program
        self.templates = templates
        tokenNames = names
        usesFirstOnly = options.client == .maplibreNative
    }

    /// Which template a tile uses: (x + y) mod n by the row from the north, whatever the scheme.
    package func index(of tile: TileID) -> Int {
        usesFirstOnly
            ? 0 : Int((UInt64(tile.x) + UInt64(tile.y)) % UInt64(spans.count))
    }

    /// Writes the URL of a tile by the template it uses; as `TileTemplate.write`.
    package func write(
        _ tile: TileID, values: TemplateValues, into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        program.write(spans[index(of: tile)], tile, values, into: buffer)
    }

    /// The URL of a tile, for messages and tests: it allocates.
    package func url(
        _ tile: TileID, token: String = "", tokenParts: [String] = [], run: String = "",
        random: UInt64 = 0
    ) -> String {
        templates[index(of: tile)].url(
            tile, token: token, tokenParts: tokenParts, run: run, random: random)
    }

    /// Every `scheme://host[:port]` of the templates in use, each once.
    package func hosts() -> [String] {
        var seen: Set<String> = []
        return used.flatMap { $0.hosts() }.filter { seen.insert($0).inserted }
    }

    package var hasTilePlaceholders: Bool { used.contains(where: \.hasTilePlaceholders) }
    package var usesToken: Bool { used.contains(where: \.usesToken) }
    package var usesRandom: Bool { used.contains(where: \.usesRandom) }
    package var usesRun: Bool { used.contains(where: \.usesRun) }

    /// No URL is longer, the texts of token and run not counted.
    package var lengthMax: Int { used.map(\.lengthMax).max() ?? 0 }

    /// No URL is longer when token, each token part and run have at most these lengths.
    package func lengthMax(tokenBytes: Int, runBytes: Int = 0) -> Int {
        used.map { $0.lengthMax(tokenBytes: tokenBytes, runBytes: runBytes) }.max() ?? 0
    }

    /// No URL is longer when token and token parts have these lengths.
    package func lengthMax(tokenBytes: Int, partBytes: [Int], runBytes: Int) -> Int {
        used.map {
            $0.lengthMax(tokenBytes: tokenBytes, partBytes: partBytes, runBytes: runBytes)
        }.max() ?? 0
    }

    private var used: ArraySlice<TileTemplate> {
        usesFirstOnly ? templates.prefix(1) : templates[...]
    }
}

/// What is wrong with which template of an array.
package struct TemplateSetError: Error, Hashable, CustomStringConvertible {
    package let index: Int
    package let error: TemplateError

    package var description: String { error.description }
}
