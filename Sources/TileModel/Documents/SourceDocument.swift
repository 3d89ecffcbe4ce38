/// A document that describes tiles, read.
package struct SourceDocument: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case tilejson, style, wmts, wms, arcgis
    }

    /// What a text is.
    package enum Recognition: Sendable, Hashable {
        case document(Kind)
        /// What it is instead, as a sentence without its full stop.
        case other(String)
    }

    private enum Content: Sendable {
        case source(TileSource)
        case style(StyleSources)
        case wmts(WMTSCapabilities)
        case wms(WMSCapabilities)
    }

    package let kind: Kind
    private let content: Content

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - contentType: what the server calls it, for the sentence about what it is instead.
    ///   - url: where it comes from, after redirects, for relative URLs; a path of a file for one
    ///     that comes from none.
    /// - Throws: what is wrong with it, with its place.
    package static func read(
        _ bytes: [UInt8], contentType: String? = nil, url: String
    ) throws(DocumentRemark) -> SourceDocument {
        switch try classify(bytes, contentType: contentType, url: url) {
        case .other(let sentence): throw DocumentRemark(sentence)
        case .json(.style, let node):
            return SourceDocument(
                kind: .style, content: .style(try StyleReader.read(node, url: url)))
        case .json(.arcgis, let node):
            return SourceDocument(
                kind: .arcgis, content: .source(try ArcGISReader.read(node, url: url)))
        case .json(_, let node):
            return SourceDocument(
                kind: .tilejson, content: .source(try TileJSONReader.read(node, url: url)))
        case .xml(.wms):
            return SourceDocument(
                kind: .wms, content: .wms(try WMSCapabilities(bytes, url: url)))
        case .xml:
            return SourceDocument(
                kind: .wmts, content: .wmts(try WMTSCapabilities(bytes, url: url)))
        }
    }

    package var title: String? {
        switch content {
        case .source(let source): source.name
        case .style(let style): style.title
        case .wmts(let capabilities): capabilities.title.map { quoted($0) }
        case .wms(let capabilities): capabilities.title.map { quoted($0) }
        }
    }

    /// What can be chosen from; empty for documents that describe all they hold.
    package var layers: [SourceLayer] {
        switch content {
        case .source, .style: []
        case .wmts(let capabilities): capabilities.summaries
        case .wms(let capabilities): capabilities.summaries
        }
    }

    /// Sources of a style that name a TileJSON, which is to be fetched.
    package var references: [SourceReference] {
        if case .style(let style) = content { style.references } else { [] }
    }

    /// What was ignored and why; each source has notes of its own.
    package var notes: [DocumentRemark] {
        if case .style(let style) = content { style.notes } else { [] }
    }

    /// The sources of the document: all with tiles of a style, the chosen layer of a WMTS or WMS,
    /// the one of the others.
    ///
    /// - Throws: what cannot be chosen, or must be and is not.
    package func sources(
        _ choice: SourceChoice = SourceChoice()
    ) throws(DocumentRemark) -> [TileSource] {
        switch content {
        case .source(let source): [source]
        case .style(let style): style.sources
        case .wmts(let capabilities): [try capabilities.source(choice)]
        case .wms(let capabilities): [try capabilities.source(choice)]
        }
    }
}

/// What is taken from a document that has more than one of it; nil takes the document's default,
/// and where it has none the only one.
package struct SourceChoice: Sendable, Hashable {
    package enum Encoding: String, Sendable { case kvp, restful }

    /// The identifier of a WMTS's layer; names of a WMS's layers, separated by commas.
    package var layer: String?
    /// A style of a WMTS; styles of a WMS's layers, separated by commas.
    package var style: String?
    package var format: String?
    package var tileMatrixSet: String?
    package var dimensions: [String: String] = [:]
    /// How a WMTS is asked when it takes both.
    package var encoding: Encoding?
    /// The coordinate system of a WMS.
    package var crs: String?
    /// Pixels of a WMS's tile.
    package var tileSize = 256

    package init() {}
}

/// A layer that can be chosen.
package struct SourceLayer: Sendable, Hashable {
    package var name: String
    package var title: String?
    package var styles: [String]
    package var formats: [String]
    /// The matrix sets of a WMTS, the coordinate systems of a WMS.
    package var grids: [String]
    package var dimensions: [String]
    package var bounds: GeoBounds?
}
