import TileModel

/// Makes capabilities of a WMTS, every part of which a test can replace.
struct WMTSText {
    static let url = "https://w.test/wmts/1.0.0/WMTSCapabilities.xml"

    var operations = ""
    var box = """
        <ows:WGS84BoundingBox><ows:LowerCorner>-180 -85.06</ows:LowerCorner>
        <ows:UpperCorner>180 85.06</ows:UpperCorner></ows:WGS84BoundingBox>
        """
    var layer = """
        <ows:Identifier>topo</ows:Identifier>
        <Style><ows:Identifier>grey</ows:Identifier></Style>
        <Style isDefault="true"><ows:Identifier>default</ows:Identifier></Style>
        <Format>image/png</Format>
        """
    var link = "<TileMatrixSet>web</TileMatrixSet>"
    var resources = """
        <ResourceURL format="image/png" resourceType="tile" template="https://w.test/{Layer}/{style}/{TileMatrixSet}/{TileMatrix}/{TileCol}/{TileRow}.png"/>
        """
    var more = ""
    var sets = web()

    /// An operation that takes key-value pairs at an address.
    static func getTile(_ address: String, encodings: [String] = ["KVP"]) -> String {
        let values = encodings.map { "<ows:Value>\($0)</ows:Value>" }.joined()
        return """
            <ows:OperationsMetadata><ows:Operation name="GetTile"><ows:DCP><ows:HTTP><ows:Get xlink:href="\(address)">
            <ows:Constraint name="GetEncoding"><ows:AllowedValues>\(values)</ows:AllowedValues></ows:Constraint>
            </ows:Get></ows:HTTP></ows:DCP></ows:Operation></ows:OperationsMetadata>
            """
    }

    static func matrix(
        _ identifier: String, scale: Double, corner: String, columns: Int, rows: Int,
        pixels: Int = 256
    ) -> String {
        """
        <TileMatrix><ows:Identifier>\(identifier)</ows:Identifier>
        <ScaleDenominator>\(scale)</ScaleDenominator>
        <TopLeftCorner>\(corner)</TopLeftCorner><TileWidth>\(pixels)</TileWidth>
        <TileHeight>\(pixels)</TileHeight>
        <MatrixWidth>\(columns)</MatrixWidth><MatrixHeight>\(rows)</MatrixHeight></TileMatrix>
        """
    }

    static func set(_ identifier: String, crs: String, _ matrices: [String]) -> String {
        """
        <TileMatrixSet><ows:Identifier>\(identifier)</ows:Identifier>
        <ows:SupportedCRS>\(crs)</ows:SupportedCRS>
        \(matrices.joined(separator: "\n"))</TileMatrixSet>
        """
    }

    /// Web Mercator's zooms under names of two digits, the deepest first.
    static func web(
        _ identifier: String = "web", zooms: ClosedRange<Int> = 0...10,
        crs: String = "urn:ogc:def:crs:EPSG::3857", pixels: Int = 256, prefix: String = ""
    ) -> String {
        set(
            identifier, crs: crs,
            zooms.reversed().map { zoom in
                matrix(
                    prefix + (zoom < 10 ? "0" : "") + "\(zoom)",
                    scale: 559082264.0287178 * 256 / Double(pixels) / Double(1 << zoom),
                    corner: "-20037508.3428 20037508.3428", columns: 1 << zoom, rows: 1 << zoom,
                    pixels: pixels)
            })
    }

    /// Degrees, 2 x 1 tiles at level 0.
    static func degrees(crs: String, corner: String, levels: ClosedRange<Int> = 0...4) -> String {
        set(
            "deg", crs: crs,
            levels.map { level in
                matrix(
                    "L\(level)", scale: 279541132.0143589 / Double(1 << level), corner: corner,
                    columns: 2 << level, rows: 1 << level)
            })
    }

    static func limits(_ name: String, rows: (Int, Int), columns: (Int, Int)) -> String {
        """
        <TileMatrixLimits><TileMatrix>\(name)</TileMatrix><MinTileRow>\(rows.0)</MinTileRow>
        <MaxTileRow>\(rows.1)</MaxTileRow>
        <MinTileCol>\(columns.0)</MinTileCol><MaxTileCol>\(columns.1)</MaxTileCol>
        </TileMatrixLimits>
        """
    }

    var text: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <Capabilities xmlns="http://www.opengis.net/wmts/1.0" xmlns:ows="http://www.opengis.net/ows/1.1" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.0.0">
        <ows:ServiceIdentification><ows:Title>A &amp; B</ows:Title></ows:ServiceIdentification>
        \(operations)
        <Contents>
        <Layer>\(box)\(layer)
        <TileMatrixSetLink>\(link)</TileMatrixSetLink>
        \(resources)</Layer>
        \(more)
        \(sets)
        </Contents></Capabilities>
        """
    }

    func document(url: String = url) throws -> SourceDocument {
        try SourceDocument.read(Array(text.utf8), contentType: "text/xml", url: url)
    }

    func source(_ choice: SourceChoice = SourceChoice(), url: String = url) throws -> TileSource {
        try document(url: url).sources(choice)[0]
    }
}
