/// Reads a template once, so that writing a URL is a walk over segments.
struct TemplateCompiler {
    let source: [UInt8]
    let options: TemplateOptions
    var program = TemplateProgram()

    init(_ text: String, options: TemplateOptions, tokenNames: [String]) {
        source = Array(text.utf8)
        self.options = options
        program.tokenNames = tokenNames
        program.flipsFirst = options.client == .maplibreNative && options.scheme == .tms
    }

    /// Whether only MapLibre's seven placeholders are known and all other braces stay.
    var keepsUnknown: Bool {
        switch options.client {
        case .maplibreNative, .maplibreGL: true
        case .standard, .leaflet: options.unknown == .keep
        }
    }

    consuming func compile() throws(TemplateError) -> TemplateProgram {
        var position = 0
        while position < source.count {
            let next = source[position...].firstIndex(where: TemplateCompiler.isBrace)
            guard let brace = next else { break }
            program.append(literal: source[position..<brace])
            if let resume = try brokenBrace(brace) {
                position = resume
            } else {
                position = try placeholder(at: brace)
            }
        }
        program.append(literal: source[min(position, source.count)...])
        return program
    }

    /// Deals with a brace that opens no placeholder; nil when it does open one.
    ///
    /// MapLibre Native's scanner: from `{` to the next brace; only when that closes is there a name
    /// in between, otherwise the text is copied and the scan goes on at that brace.
    private mutating func brokenBrace(_ brace: Int) throws(TemplateError) -> Int? {
        let opens = source[brace] == UInt8(ascii: "{")
        let end = source[(brace + 1)...].firstIndex(where: TemplateCompiler.isBrace)
        if opens, let end, source[end] == UInt8(ascii: "}") { return nil }
        guard keepsUnknown || options.client == .leaflet else {
            throw error(
                opens ? "{ without a } that closes it" : "} without a { that opens it", at: brace)
        }
        let resume = opens ? end ?? source.count : brace + 1
        program.append(literal: source[brace..<resume])
        return resume
    }

    /// Compiles the placeholder that opens at `brace`; returns the place behind it.
    private mutating func placeholder(at brace: Int) throws(TemplateError) -> Int {
        let end = source[brace...].firstIndex(of: UInt8(ascii: "}")) ?? source.count - 1
        let name = String(decoding: source[(brace + 1)..<end], as: UTF8.self)
        let isKnown =
            if options.knowsToken, try appendToken(name, at: brace) {
                true
            } else if keepsUnknown {
                appendShared(name)
            } else if options.client == .leaflet {
                try appendLeaflet(name, at: brace)
            } else {
                try appendStandard(name, at: brace)
            }
        if !isKnown { program.append(literal: source[brace...end]) }
        return end + 1
    }

    func error(_ message: String, at offset: Int, hint: String? = nil) -> TemplateError {
        TemplateError(message: message, offset: offset, hint: hint)
    }

    private static func isBrace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}")
    }
}
