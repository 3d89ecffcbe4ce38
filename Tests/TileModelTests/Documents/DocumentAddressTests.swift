import Testing

@testable import TileModel

@Suite struct DocumentAddressTests {
    @Test(arguments: [
        (SourceDocument.Kind.arcgis, "https://t/x/MapServer", "https://t/x/MapServer?f=json"),
        (.arcgis, "https://t/x/MapServer?F=pjson#a", "https://t/x/MapServer?F=pjson#a"),
        (
            .arcgis, "https://t/x/MapServer?token={token}",
            "https://t/x/MapServer?token={token}&f=json"
        ),
        (
            .wmts, "https://t/1.0.0/WMTSCapabilities.xml?k=1",
            "https://t/1.0.0/WMTSCapabilities.xml?k=1"
        ),
        (
            .wmts, "https://t/wmts",
            "https://t/wmts?SERVICE=WMTS&REQUEST=GetCapabilities&VERSION=1.0.0"
        ),
        (
            .wmts, "https://t/wmts?service=WMTS&request=GetCapabilities",
            "https://t/wmts?service=WMTS&request=GetCapabilities&VERSION=1.0.0"
        ),
        (
            .wms, "https://t?map=x",
            "https://t?map=x&SERVICE=WMS&REQUEST=GetCapabilities&VERSION=1.3.0"
        ),
        (.wms, "caps", "caps"), (.tilejson, "https://t/a", "https://t/a"),
        (.style, "https://t/a?x", "https://t/a?x"),
    ])
    func addresses(kind: SourceDocument.Kind, url: String, expected: String) {
        #expect(SourceDocument.address(url, kind: kind) == expected)
    }

    /// Servers answer with the version that is asked for.
    @Test func versionOfAWMS() {
        let url = "https://t?SERVICE=WMS&REQUEST=GetCapabilities&version=1.3.0"
        #expect(SourceDocument.address(url, kind: .wms) == url)
        #expect(
            SourceDocument.address(url, kind: .wms, version: "1.1.1")
                == "https://t?SERVICE=WMS&REQUEST=GetCapabilities&VERSION=1.1.1")
    }
}
