/// The templates of one or more sources of tiles, of each of which a tile's URL is made from one.
package struct TileTemplateSet: Sendable {
    /// The templates of a source, which are alike, and how they are read.
    package struct Source: Sendable {
        package var texts: [String]
        package var options: TemplateOptions

        package init(_ texts: [String], options: TemplateOptions = TemplateOptions()) {
            self.texts = texts
            self.options = options
        }
    }

    /// One template's part of the program.
    private struct Span {
        var range: ProgramRange
        var flipsFirst: Bool
    }

    /// Of all sources, one source after the other; those that no tile uses are among them.
    package let templates: [TileTemplate]
    /// Names of `{token.NAME}` of all the templates; `write` takes the values in this order.
    package let tokenNames: [String]
    /// All the templates in one, so that choosing one copies, thus retains, nothing.
    private let program: TemplateProgram
    private let spans: [Span]
    /// The templates in use of each source, as a range of `spans`.
    private let sources: [ProgramRange]

    /// Reads the templates of an array, which must not be empty.
    package init(
        _ texts: [String], options: TemplateOptions = TemplateOptions()
    ) throws(TemplateSetError) {
        try self.init(sources: [Source(texts, options: options)])
    }

    /// Reads the templates of sources, each of which has one at least.
    package init(sources list: [Source]) throws(TemplateSetError) {
        var templates: [TileTemplate] = []
        var names: [String] = []
        var program = TemplateProgram()
        var spans: [Span] = []
        var sources: [ProgramRange] = []
        for source in list {
            guard !source.texts.isEmpty else {
                throw TemplateSetError(
                    index: templates.count,
                    error: TemplateError(
                        message: "no template in the array", offset: 0, hint: nil))
            }
            let count = source.options.client == .maplibreNative ? 1 : source.texts.count
            sources.append(ProgramRange(start: templates.count, count: count))
            for text in source.texts {
                let template: TileTemplate
                do throws(TemplateError) {
                    template = try TileTemplate(text, options: source.options, tokenNames: names)
                } catch {
                    throw TemplateSetError(index: templates.count, error: error)
                }
                names = template.tokenNames
                templates.append(template)
                spans.append(
                    Span(
                        range: program.append(template.program),
                        flipsFirst: template.program.flipsFirst))
            }
        }
        (self.templates, self.program, self.spans) = (templates, program, spans)
        self.sources = sources
        tokenNames = names
    }

    /// Which of the templates of all sources a tile uses: the (x + y) mod n-th of its source, by
    /// the row from the north, whatever the scheme.
    package func index(of tile: TileID, source: UInt16 = 0) -> Int {
        let range = sources[Int(source)]
        return range.start + Int((UInt64(tile.x) + UInt64(tile.y)) % UInt64(range.count))
    }

    /// Writes the URL of a tile by the template it uses; as `TileTemplate.write`.
    package func write(
        _ tile: TileID, source: UInt16 = 0, values: TemplateValues,
        into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        let index = index(of: tile, source: source)
        return program.write(
            spans[index].range, tile, values, flipsFirst: spans[index].flipsFirst, into: buffer)
    }

    /// The URL of a tile, for messages and tests: it allocates.
    package func url(
        _ tile: TileID, source: UInt16 = 0, token: String = "", tokenParts: [String] = [],
        run: String = "", random: UInt64 = 0
    ) -> String {
        templates[index(of: tile, source: source)].url(
            tile, token: token, tokenParts: tokenParts, run: run, random: random)
    }

    /// Every `scheme://host[:port]` of the templates in use, each once.
    package func hosts() -> [String] {
        var seen: Set<String> = []
        return used.flatMap { $0.hosts() }.filter { seen.insert($0).inserted }
    }

    /// Sums of column and row by which hosts are told apart at most.
    private static let hostSumsMax = 1024

    /// Of each source the hosts of its tiles as numbers of `hosts()`: that of a tile stands at
    /// (x + y) mod the list's length. Nil: hosts depend on more than that sum.
    package func hostsBySum() -> [[Int]]? {
        let all = hosts()
        guard all.count > 1 else { return sources.map { _ in [0] } }
        var lists: [[Int]] = []
        for range in sources {
            let programs = templates[range.start..<range.start + range.count].map(\.program)
            var sums = programs.count
            for program in programs {
                guard let own = program.hostSums else { return nil }
                sums = leastCommonMultiple(sums, own)
                guard sums <= TileTemplateSet.hostSumsMax else { return nil }
            }
            var list: [Int] = []
            for sum in 0..<sums {
                guard let host = programs[sum % programs.count].host(sum: sum),
                    let number = all.firstIndex(of: host)
                else { return nil }
                list.append(number)
            }
            lists.append(list)
        }
        return lists
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

    private var used: [TileTemplate] {
        sources.flatMap { templates[$0.start..<$0.start + $0.count] }
    }
}

/// What is wrong with which of the templates.
package struct TemplateSetError: Error, Hashable, CustomStringConvertible {
    package let index: Int
    package let error: TemplateError

    package var description: String { error.description }
}
