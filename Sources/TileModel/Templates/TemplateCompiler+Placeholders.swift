extension TemplateCompiler {
    /// The names without parameters that the standard rules know, for hints.
    static let names = [
        "z", "x", "y", "-y", "bbox-epsg-3857", "bbox-epsg-4326", "bbox-crs-84", "quadkey", "ratio",
        "r", "scale", "prefix", "s", "TileMatrix", "TileRow", "TileCol", "token", "run", "random",
    ]

    /// MapLibre's seven. Returns whether the name is one of them.
    mutating func appendShared(_ name: String) -> Bool {
        switch name {
        case "z": program.append(.zoom)
        case "x": program.append(.column)
        case "y": appendRow()
        case "bbox-epsg-3857": program.append(.box)
        case "quadkey": program.append(.quadkey)
        case "prefix": program.append(.prefix)
        case "ratio": program.append(literal: Array(options.ratioText.utf8))
        default: return false
        }
        return true
    }

    /// Everything tilebench knows. An unknown name is an error: a load test that sends `{foo}` a
    /// million times helps nobody.
    mutating func appendStandard(
        _ name: String, at offset: Int
    ) throws(TemplateError) -> Bool {
        if let text = variable(name) {
            program.append(literal: Array(text.utf8))
            return true
        }
        if appendShared(name) { return true }
        switch name {
        case "-y": program.append(.rowFlipped)
        case "bbox-epsg-4326": program.append(.boxLatitudeFirst)
        case "bbox-crs-84": program.append(.boxLongitudeFirst)
        case "r": program.append(literal: Array(options.ratioText.utf8))
        case "scale": program.append(literal: Array(options.scaleText.utf8))
        case "s": try appendSubdomains(at: offset)
        case "run": program.append(.run)
        case "random": program.append(.random)
        default:
            if try appendToken(name, at: offset) || appendMatrix(name) { return true }
            guard try appendParameterised(name, at: offset) else {
                throw unknown(name, at: offset)
            }
        }
        return true
    }

    /// Leaflet 1.9's `template()`: blanks may stand before a name; letters, digits, `_`, blank and
    /// `-` make a placeholder, anything else is text; a name without a value throws.
    mutating func appendLeaflet(
        _ inner: String, at offset: Int
    ) throws(TemplateError) -> Bool {
        let isName = inner.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: " "),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isName, !inner.isEmpty else { return false }
        let name = String(inner.drop { $0 == " " })
        switch name {
        case "z": program.append(.zoom)
        case "x": program.append(.column)
        case "y": appendRow()
        case "-y": program.append(.rowFlipped)
        case "r": program.append(literal: Array(options.ratioText.utf8))
        case "s": try appendSubdomains(at: offset)
        default:
            guard let text = options.variables[name] else {
                throw error("No value provided for variable {\(inner)}", at: offset)
            }
            program.append(literal: Array(text.utf8))
        }
        return true
    }

    /// `{y}`. MapLibre Native has flipped the whole tile already.
    private mutating func appendRow() {
        program.append(options.scheme == .tms && !program.flipsFirst ? .rowFlipped : .row)
    }

    private mutating func appendSubdomains(at offset: Int) throws(TemplateError) {
        guard !options.subdomains.isEmpty else {
            throw error("{s} needs at least one entry in subdomains", at: offset)
        }
        program.append(.choice, texts: options.subdomains)
    }

    /// WMTS's `{TileMatrix} {TileRow} {TileCol}`; services vary the case. Rows of a WMTS always
    /// count from the north. Identifiers of a matrix may need encoding, as `EPSG:3857:5` does.
    private mutating func appendMatrix(_ name: String) -> Bool {
        switch name.lowercased() {
        case "tilematrix" where options.matrixNames.isEmpty: program.append(.zoom)
        case "tilematrix": program.append(.matrix, texts: options.matrixNames.map(percentEncoded))
        case "tilerow": program.append(.row)
        case "tilecol": program.append(.column)
        default: return false
        }
        return true
    }

    /// A variable by its name; WMTS services vary the case of the first three, but not of their
    /// dimensions.
    private func variable(_ name: String) -> String? {
        if let text = options.variables[name] { return text }
        let folded = name.lowercased()
        guard ["layer", "style", "tilematrixset"].contains(folded) else { return nil }
        return options.variables.first { $0.key.lowercased() == folded }?.value
    }

    private func unknown(_ name: String, at offset: Int) -> TemplateError {
        guard !name.isEmpty else { return error("{} has no name", at: offset) }
        let trimmed = name.filter { $0 != " " }.lowercased()
        if let hint = aliasHint(trimmed) {
            return error("unknown placeholder {\(name)}", at: offset, hint: hint)
        }
        let known = TemplateCompiler.names + options.variables.keys.sorted()
        let nearest = known.map { (name: $0, edits: editDistance(trimmed, $0.lowercased())) }
            .min { $0.edits < $1.edits }
        // One slip in a short name, two in a long one; none in a single letter.
        let editsMax = trimmed.count > 4 ? 2 : min(1, trimmed.count - 1)
        let hint = nearest.flatMap { $0.edits <= editsMax ? "{\($0.name)}" : nil }
        return error("unknown placeholder {\(name)}", at: offset, hint: hint)
    }

    /// Names other clients use for what is known here under another one.
    private func aliasHint(_ name: String) -> String? {
        switch name {
        case "zoom", "level": "{z}"
        case "col", "column": "{x}"
        case "row": "{y}"
        case "ty": "{-y}"
        case "q", "u": "{quadkey}"
        case "bbox", "proj": "{bbox-epsg-3857}"
        case "@2x": "{ratio}"
        case "subdomain": "{s}"
        case "access_token", "key", "apikey": "{token}"
        default: nil
        }
    }
}

/// How many single-character edits lead from one text to the other (Levenshtein).
func editDistance(_ one: String, _ other: String) -> Int {
    let other = Array(other)
    var row = Array(0...other.count)
    for (line, character) in one.enumerated() {
        var diagonal = row[0]
        row[0] = line + 1
        for (column, match) in other.enumerated() {
            let replaced = diagonal + (character == match ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(replaced, min(row[column], row[column + 1]) + 1)
        }
    }
    return row[other.count]
}
