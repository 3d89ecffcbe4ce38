import TileModel

/// Makes capabilities of a WMS, every part of which a test can replace.
struct WMSText {
    static let url = "https://w.test/service?SERVICE=WMS&REQUEST=GetCapabilities"

    var version = "1.3.0"
    var address = "https://w.test/service?map=m&amp;"
    var formats = ["image/tiff", "image/jpeg", "image/png"]
    var layers = """
        <Layer><Title>all</Title><CRS>EPSG:3857</CRS><CRS>EPSG:4326</CRS><CRS>CRS:84</CRS>
        <CRS>EPSG:2056</CRS>
        <EX_GeographicBoundingBox><westBoundLongitude>5</westBoundLongitude>
        <eastBoundLongitude>11</eastBoundLongitude>
        <southBoundLatitude>45</southBoundLatitude><northBoundLatitude>48</northBoundLatitude>
        </EX_GeographicBoundingBox>
        <Style><Name>plain</Name></Style>
        <Layer><Name>roads</Name><Title>Roads</Title><Style><Name>night</Name></Style></Layer>
        </Layer>
        """

    var text: String {
        let root = version == "1.3.0" ? "WMS_Capabilities" : "WMT_MS_Capabilities"
        let dtd =
            #"<!DOCTYPE WMT_MS_Capabilities SYSTEM "http://schemas.opengis.net/wms/1.1.1/WMS_MS_Capabilities.dtd" [<!ELEMENT VendorSpecificCapabilities EMPTY>]>"#
        return """
            <?xml version="1.0" encoding="UTF-8"?>\(version == "1.3.0" ? "" : dtd)
            <\(root) version="\(version)" xmlns:xlink="http://www.w3.org/1999/xlink">
            <Service><Name>WMS</Name><Title>Maps</Title></Service>
            <Capability><Request><GetMap>\(formats.map { "<Format>\($0)</Format>" }.joined())
            <DCPType><HTTP><Get><OnlineResource xlink:href="\(address)"/></Get></HTTP></DCPType></GetMap></Request>
            \(version == "1.3.0" ? layers : layers.replacing("CRS>", with: "SRS>"))
            </Capability></\(root)>
            """
    }

    func document() throws -> SourceDocument {
        try SourceDocument.read(Array(text.utf8), url: Self.url)
    }

    func source(_ choice: SourceChoice = SourceChoice()) throws -> TileSource {
        try document().sources(choice)[0]
    }
}
