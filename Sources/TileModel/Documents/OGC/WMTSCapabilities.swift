/// The capabilities of a WMTS 1.0.0 (OGC 07-057r7), as far as they tell how tiles are asked for.
struct WMTSCapabilities: Sendable {
    let url: String
    let title: String?
    let layers: [XMLElement]
    let matrixSets: [XMLElement]
    /// Where GetTile is asked by key-value pairs; as written.
    let kvpAddresses: [XMLElement]

    private static let names: Set<String> = [
        // Who it is and where it is asked.
        "ServiceIdentification", "OperationsMetadata", "Operation", "DCP", "HTTP", "Get",
        "Constraint", "AllowedValues", "Value", "Title", "Identifier",
        // Layers.
        "Contents", "Layer", "Style", "Format", "Dimension", "Default", "ResourceURL",
        "WGS84BoundingBox", "LowerCorner", "UpperCorner", "TileMatrixSetLink",
        "TileMatrixSetLimits", "TileMatrixLimits", "MinTileRow", "MaxTileRow", "MinTileCol",
        "MaxTileCol",
        // Matrices.
        "TileMatrixSet", "TileMatrix", "SupportedCRS", "ScaleDenominator", "TopLeftCorner",
        "TileWidth", "TileHeight", "MatrixWidth", "MatrixHeight",
    ]

    init(_ bytes: [UInt8], url: String) throws(DocumentRemark) {
        let root = try XMLReader.parse(bytes, keeping: WMTSCapabilities.names)
        self.url = url
        title = root.first("ServiceIdentification")?.text(of: "Title")
        let contents = try root.required("Contents")
        layers = Array(contents.all("Layer"))
        guard !layers.isEmpty else { throw contents.remark("there is no <Layer>") }
        matrixSets = Array(contents.all("TileMatrixSet"))
        kvpAddresses = WMTSCapabilities.kvpAddresses(root)
    }

    /// The addresses of GetTile that take key-value pairs; one that does not say takes them.
    private static func kvpAddresses(_ root: XMLElement) -> [XMLElement] {
        let operations = root.all(path: "OperationsMetadata", "Operation")
        return operations.filter { $0.attribute("name") == "GetTile" }
            .flatMap { $0.all(path: "DCP", "HTTP", "Get") }
            .filter { get in
                let constraints = get.all("Constraint").filter {
                    $0.attribute("name") == "GetEncoding"
                }
                return constraints.isEmpty
                    || constraints.contains { constraint in
                        constraint.all(path: "AllowedValues", "Value").contains {
                            $0.text.uppercased() == "KVP"
                        }
                    }
            }
    }

    /// The layers for a list; what is missing in one is said when it is chosen.
    var summaries: [SourceLayer] {
        layers.map { layer in
            SourceLayer(
                name: layer.text(of: "Identifier") ?? "", title: layer.text(of: "Title"),
                styles: layer.all("Style").map { $0.text(of: "Identifier") ?? "" },
                formats: layer.all("Format").map(\.text),
                grids: layer.all(path: "TileMatrixSetLink", "TileMatrixSet").map(\.text),
                dimensions: layer.all("Dimension").compactMap { $0.text(of: "Identifier") },
                bounds: try? WMTSCapabilities.bounds(layer))
        }
    }

    /// `ows:WGS84BoundingBox`, longitude before latitude; it may cross the antimeridian.
    static func bounds(_ layer: XMLElement) throws(DocumentRemark) -> GeoBounds? {
        guard let box = layer.first("WGS84BoundingBox") else { return nil }
        let lower = try box.required("LowerCorner").pair()
        let upper = try box.required("UpperCorner").pair()
        do throws(GeoBoundsError) {
            return try GeoBounds(
                tolerant: [lower.first, lower.second, upper.first, upper.second])
        } catch {
            throw box.remark(error.description)
        }
    }
}
