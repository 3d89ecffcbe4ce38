/// Whose reading of a template is meant where map clients differ.
package enum ClientRules: String, Sendable, CaseIterable {
    /// All placeholders; TMS flips `{y}` alone; an array is spread by (x + y) mod n.
    case standard
    /// Seven placeholders; TMS flips the row before anything is replaced, so that quadkey, box and
    /// prefix are mirrored too; only the first entry of an array is used.
    case maplibreNative = "maplibre-native"
    /// Seven placeholders; TMS flips `{y}` alone; an array is spread by (x + y) mod n.
    case maplibreGL = "maplibre-gl"
    /// Leaflet 1.9: `{z} {x} {y} {-y} {s} {r}` and the layer's options; any other name is an error.
    case leaflet
}

/// How a template is read.
package struct TemplateOptions: Sendable, Hashable {
    package enum Scheme: String, Sendable { case xyz, tms }
    package enum Unknown: String, Sendable {
        case error
        /// MapLibre Native's rule: its seven placeholders are replaced, every other brace stays.
        case keep
    }

    /// How the server counts rows.
    package var scheme = Scheme.xyz
    /// Device pixels per tile pixel, for `{ratio} {r} {scale}`.
    package var ratio = 1.0
    package var unknown = Unknown.error
    /// What `{s}` stands for.
    package var subdomains = ["a", "b", "c"]
    package var client = ClientRules.standard
    /// `{token}` and `{token.NAME}` have a value whatever the client's rules say of such names: the
    /// token was put into the query.
    package var knowsToken = false
    /// Names that stand for one text for the whole run: WMTS layer, style and dimensions, Leaflet's
    /// layer options. Written as they are.
    package var variables: [String: String] = [:]
    /// What `{TileMatrix}` stands for at zoom 0, 1, ...; the zoom itself when empty. Must reach to
    /// the deepest zoom asked for.
    package var matrixNames: [String] = []

    package init(
        scheme: Scheme = .xyz, ratio: Double = 1, unknown: Unknown = .error,
        subdomains: [String] = ["a", "b", "c"], client: ClientRules = .standard,
        variables: [String: String] = [:], matrixNames: [String] = []
    ) {
        self.scheme = scheme
        self.ratio = ratio
        self.unknown = unknown
        self.subdomains = subdomains
        self.client = client
        self.variables = variables
        self.matrixNames = matrixNames
    }

    /// `{ratio}` and `{r}`: MapLibre and Leaflet know one high resolution only.
    var ratioText: String { ratio > 1 ? "@2x" : "" }

    /// `{scale}`: the number itself, without a fraction of zero.
    var scaleText: String {
        let text = ratio.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

/// What is wrong with a template.
package struct TemplateError: Error, Hashable, CustomStringConvertible {
    package let message: String
    /// Where in the template, in UTF-8 bytes from its start.
    package let offset: Int
    /// The known placeholder most like an unknown one, with braces.
    package let hint: String?

    package var description: String {
        guard let hint else { return message }
        return "\(message); did you mean \(hint)?"
    }
}
