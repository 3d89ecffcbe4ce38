package import JSONText

/// A source of a style that names a TileJSON instead of its tiles: what is to be fetched, and what
/// the style says besides, which comes before what the TileJSON says.
package struct SourceReference: Sendable {
    package let name: String
    package let kind: TileSource.Kind
    /// Where the TileJSON is; absolute.
    package internal(set) var url: String
    /// Where the reference stands in the style.
    package let place: JSONPlace?
    var minZoom: UInt8?
    var maxZoom: UInt8?
    var bounds: GeoBounds?
    var scheme: TemplateOptions.Scheme?
    var tileSize: Int?
    var encoding: String?

    /// The source, when its TileJSON has been fetched and read.
    ///
    /// - Throws: when the document is no TileJSON, or no zoom is in both ranges.
    package func source(from document: SourceDocument) throws(DocumentRemark) -> TileSource {
        guard document.kind == .tilejson, var source = try document.sources().first else {
            throw DocumentRemark(
                "source \"\(quoted(name))\" is described by a TileJSON, not by a"
                    + " \(document.kind.rawValue) document")
        }
        try complete(&source)
        return source
    }

    /// Puts what the style says over what is there, and MapLibre's defaults over TileJSON's.
    func complete(_ source: inout TileSource) throws(DocumentRemark) {
        source.name = name
        source.kind = kind
        if !source.stated.contains(.maxZoom) { source.maxZoom = SourceReference.maxZoomDefault }
        if let minZoom {
            source.minZoom = minZoom
            source.stated.insert(.minZoom)
        }
        if let maxZoom {
            source.maxZoom = maxZoom
            source.stated.insert(.maxZoom)
        }
        guard source.minZoom <= source.maxZoom else {
            throw DocumentRemark(
                place: place,
                "source \"\(quoted(name))\" has no zoom: minzoom \(source.minZoom) is above"
                    + " maxzoom \(source.maxZoom)")
        }
        if let bounds {
            source.bounds = bounds
            source.stated.insert(.bounds)
        }
        if let scheme { source.scheme = scheme }
        if let encoding { source.encoding = encoding }
        if let tileSize, kind != .vector {
            source.tileSize = tileSize
            source.stated.insert(.tileSize)
        } else if !source.stated.contains(.tileSize) || kind == .vector {
            source.tileSize = SourceReference.tileSizeDefault
        }
    }

    /// The style specification's `maxzoom` and `tileSize`. Vector tiles have no other size.
    static let maxZoomDefault: UInt8 = 22
    static let tileSizeDefault = 512
}
