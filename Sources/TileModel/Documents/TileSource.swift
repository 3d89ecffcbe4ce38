package import JSONText

/// One set of tiles, as a document describes it or a template gives it.
package struct TileSource: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case vector, raster
        case rasterDEM = "raster-dem"
    }

    /// What the document says itself; the rest are defaults.
    package struct Stated: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let minZoom = Stated(rawValue: 1)
        package static let maxZoom = Stated(rawValue: 2)
        package static let bounds = Stated(rawValue: 4)
        package static let tileSize = Stated(rawValue: 8)
    }

    /// A layer of vector tiles.
    package struct VectorLayer: Sendable, Hashable {
        package var id: String
        package var minZoom: UInt8?
        package var maxZoom: UInt8?
    }

    /// Where a map starts.
    package struct Center: Sendable, Hashable {
        package var longitude: Double
        package var latitude: Double
        package var zoom: UInt8
    }

    package var name: String
    /// Nil when neither the document nor the end of its URLs says.
    package var kind: Kind?
    /// Absolute; relative ones are resolved against the document's URL. The tiles of all are alike.
    package var templates: [String]
    package var scheme = TemplateOptions.Scheme.xyz
    package var minZoom: UInt8 = 0
    package var maxZoom: UInt8
    package var bounds = GeoBounds.world
    /// Pixels on a side.
    package var tileSize: Int
    package var stated: Stated = []
    /// The media type, or what the document calls the format.
    package var format: String?
    /// How heights or vectors are written: `terrarium`, `mapbox`, `custom`; `mvt`, `mlt`.
    package var encoding: String?
    package var vectorLayers: [VectorLayer] = []
    /// TileJSON 3: the zoom whose tiles fill in for missing ones.
    package var fillZoom: UInt8?
    package var center: Center?
    /// Keys of a TileJSON that the specification does not know, in their order.
    package var otherKeys: [JSONMember] = []

    package var coordinateSystem = CoordinateSystem.webMercator
    /// The matrices of a WMTS, by ascending zoom; empty for tiles of the Web Mercator pyramid.
    package var matrices: [TileMatrix] = []
    /// Whether the tile z/x/y is the one of the Web Mercator pyramid. If not, z/x/y are the numbers
    /// of the source's own matrices: `ranges` and `tile(longitude:latitude:zoom:)` know them.
    package var followsWebMercator = true
    /// What `{TileMatrix}` stands for at zoom 0, 1, …; empty when it is the zoom.
    package var matrixNames: [String] = []
    /// What was ignored and why.
    package var notes: [DocumentRemark] = []

    package init(
        name: String, kind: Kind? = nil, templates: [String], maxZoom: UInt8, tileSize: Int
    ) {
        self.name = name
        self.kind = kind
        self.templates = templates
        self.maxZoom = maxZoom
        self.tileSize = tileSize
    }

    /// The options for compiling the templates: those given, with what the source says itself.
    package func templateOptions(_ options: TemplateOptions = TemplateOptions()) -> TemplateOptions
    {
        var options = options
        options.scheme = scheme
        options.matrixNames = matrixNames
        return options
    }

    /// The templates compiled.
    package func templateSet(
        _ options: TemplateOptions = TemplateOptions()
    ) throws(TemplateSetError) -> TileTemplateSet {
        try TileTemplateSet(templates, options: templateOptions(options))
    }

    /// Every `scheme://host[:port]` that the source's tiles are asked from.
    package func hosts(
        _ options: TemplateOptions = TemplateOptions()
    ) throws(TemplateSetError) -> [String] {
        try templateSet(options).hosts()
    }
}
