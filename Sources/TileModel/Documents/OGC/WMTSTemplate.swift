/// How a tile of a WMTS is asked for: RESTful or by key-value pairs, in which form OpenLayers asks.
package enum WMTSTemplate {
    package struct Dimension: Sendable, Hashable {
        /// As the capabilities spell it.
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What is the same in all tiles.
    package struct Values: Sendable, Hashable {
        package var layer: String
        package var style: String
        package var tileMatrixSet: String
        package var format: String
        package var dimensions: [Dimension]

        package init(
            layer: String, style: String, tileMatrixSet: String, format: String = "image/png",
            dimensions: [Dimension] = []
        ) {
            self.layer = layer
            self.style = style
            self.tileMatrixSet = tileMatrixSet
            self.format = format
            self.dimensions = dimensions
        }
    }

    /// A `ResourceURL` with its layer, style, matrix set and dimensions filled in; what is left is
    /// `{TileMatrix}`, `{TileRow}` and `{TileCol}`. Services vary the case of all names.
    ///
    /// Layer, style and set are written as they are but for what cannot stand in a URL; dimensions
    /// are percent-encoded.
    static func restful(
        _ text: String, _ values: Values
    ) throws(SourceTemplate.Trouble) -> String {
        var result = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            result += rest[..<open]
            guard let close = rest[open...].firstIndex(of: "}") else {
                throw .broken("the template has a { without a } that closes it")
            }
            let name = rest[rest.index(after: open)..<close]
            result += try value(String(name), values)
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }

    private static func value(
        _ name: String, _ values: Values
    ) throws(SourceTemplate.Trouble) -> String {
        switch name.lowercased() {
        case "layer": return encodedAsNeeded(values.layer)
        case "style": return encodedAsNeeded(values.style)
        case "tilematrixset": return encodedAsNeeded(values.tileMatrixSet)
        case "tilematrix", "tilerow", "tilecol": return "{\(name)}"
        case "token" where name == "token": return "{token}"
        default: break
        }
        let dimension =
            values.dimensions.first { $0.name == name }
            ?? values.dimensions.first { $0.name.lowercased() == name.lowercased() }
        guard let dimension else {
            throw .broken(
                "the template asks for {\(quoted(name))}, which is no dimension of the layer")
        }
        return percentEncoded(dimension.value)
    }

    /// A GetTile request by key-value pairs. `base` is where the service is; what its query holds
    /// stays, placeholders too, unless it is one of the pairs.
    package static func kvp(_ base: String, _ values: Values) -> String {
        let dimensions = values.dimensions.map { ($0.name, $0.value) }
        let before = QueryParameters.adding(
            [
                ("layer", values.layer), ("style", values.style),
                ("tilematrixset", values.tileMatrixSet), ("Service", "WMTS"),
                ("Request", "GetTile"), ("Version", "1.0.0"), ("Format", values.format),
            ], to: base)
        let perTile = "TileMatrix={TileMatrix}&TileCol={TileCol}&TileRow={TileRow}"
        let names = ["tilematrix", "tilecol", "tilerow"]
        let cleaned = QueryParameters.removing(names, from: before)
        return QueryParameters.adding(dimensions, to: cleaned + "&" + perTile)
    }

    /// Percent-encodes what cannot stand in a path: blanks, controls, letters beyond ASCII, braces,
    /// and the marks that would begin another part of the URL.
    private static func encodedAsNeeded(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            let isPlain =
                scalar.value > 0x20 && scalar.value < 0x7F
                && !"\"<>\\^`{|}?#".unicodeScalars.contains(scalar)
            result += isPlain ? String(scalar) : percentEncoded(String(scalar))
        }
        return result
    }
}

/// The form of a WMTS without capabilities: a template, and a pattern for the matrices' names.
extension WMTSTemplate {
    /// The identifier of every zoom 0...30 by a pattern: `{z}` stands for the zoom, `{z:02}` for
    /// the zoom in at least two digits; everything else stands for itself.
    package static func matrixNames(pattern: String) throws(TemplateError) -> [String] {
        var pieces: [(literal: String, digits: Int?)] = []
        var rest = pattern[...]
        while let open = rest.firstIndex(of: "{") {
            let offset = pattern.utf8.distance(from: pattern.startIndex, to: open)
            guard let close = rest[open...].firstIndex(of: "}") else {
                throw TemplateError(
                    message: "{ without a } that closes it", offset: offset, hint: nil)
            }
            let inner = rest[rest.index(after: open)..<close]
            guard let digits = digits(inner) else {
                throw TemplateError(
                    message: "unknown placeholder {\(quoted(inner))} in the matrix pattern",
                    offset: offset, hint: "{z:02}")
            }
            pieces.append((String(rest[..<open]), digits))
            rest = rest[rest.index(after: close)...]
        }
        guard !pieces.isEmpty else {
            throw TemplateError(
                message: "the matrix pattern has no {z}, so all zooms would have one name",
                offset: 0, hint: nil)
        }
        pieces.append((String(rest), nil))
        return (0...Int(TileID.zoomMax)).map { zoom in
            pieces.reduce("") { text, piece in
                guard let digits = piece.digits else { return text + piece.literal }
                let number = String(zoom)
                let zeros = String(repeating: "0", count: max(0, digits - number.utf8.count))
                return text + piece.literal + zeros + number
            }
        }
    }

    /// The least digits of `z` or `z:0N`, N within 1...9; nil when it is neither.
    private static func digits(_ inner: Substring) -> Int? {
        if inner == "z" { return 1 }
        guard inner.hasPrefix("z:0"), inner.utf8.count == 4, let digit = inner.utf8.last,
            (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(digit)
        else { return nil }
        return Int(digit - UInt8(ascii: "0"))
    }
}

extension TileSource {
    /// A WMTS without capabilities: Web Mercator's pyramid under other names.
    ///
    /// - Parameters:
    ///   - template: with `{TileMatrix}`, `{TileRow}` and `{TileCol}`.
    ///   - matrix: the pattern of a matrix's identifier; nil when it is the zoom.
    package init(
        wmtsTemplate template: String, matrix: String?
    ) throws(TemplateError) {
        self.init(
            name: "tiles", kind: SourceTemplate.kind(template), templates: [template],
            maxZoom: SourceReference.maxZoomDefault, tileSize: 256)
        if let matrix { matrixNames = try WMTSTemplate.matrixNames(pattern: matrix) }
    }
}
