import JSONText

extension SourceDocument {
    /// Tells what a text is by its beginning, its root and its keys; neither media type nor URL is
    /// believed, both are mentioned when it is nothing that is known.
    package static func recognise(
        _ bytes: [UInt8], contentType: String? = nil, url: String
    ) -> Recognition {
        do throws(DocumentRemark) {
            switch try classify(bytes, contentType: contentType, url: url) {
            case .json(let kind, _), .xml(let kind): return .document(kind)
            case .other(let sentence): return .other(sentence)
            }
        } catch {
            return .other(error.description)
        }
    }

    enum Classified {
        case json(Kind, JSONNode)
        case xml(Kind)
        case other(String)
    }

    static func classify(
        _ bytes: [UInt8], contentType: String?, url: String
    ) throws(DocumentRemark) -> Classified {
        guard bytes.count <= DocumentLimits.bytesMax else {
            throw DocumentRemark(
                "the document has \(bytes.count) bytes; at most \(DocumentLimits.bytesMax) are"
                    + " read")
        }
        let served = contentType.map { ", served as \(quoted($0))" } ?? ""
        if let binary = binaryName(bytes) { return .other(binary + served) }
        let isUTF16 = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let first = bytes[start...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        switch first {
        case nil: return .other("the document is empty" + served)
        case UInt8(ascii: "<"),
            _ where isUTF16:
            return try xml(bytes, served: served, url: url)
        case UInt8(ascii: "{"): return try json(bytes, url: url)
        case UInt8(ascii: "["): return .other("a JSON array, which describes no tiles" + served)
        default: return .other("neither JSON nor XML" + served)
        }
    }

    private static func binaryName(_ bytes: [UInt8]) -> String? {
        let marks: [([UInt8], String)] = [
            ([0x1F, 0x8B], "gzip data that was not decompressed"),
            ([0x89, 0x50, 0x4E, 0x47], "a PNG image, perhaps a tile"),
            ([0xFF, 0xD8, 0xFF], "a JPEG image, perhaps a tile"),
            (Array("RIFF".utf8), "a WebP image, perhaps a tile"),
            (Array("GIF8".utf8), "a GIF image, perhaps a tile"),
            (Array("PMTiles".utf8), "a PMTiles archive, which is read by ranges"),
            (Array("SQLite format 3".utf8), "an SQLite file, as MBTiles are"),
            (Array("%PDF".utf8), "a PDF"), ([0x50, 0x4B, 0x03, 0x04], "a ZIP archive"),
        ]
        return marks.first { bytes.starts(with: $0.0) }?.1
    }

    // MARK: - JSON

    private static func json(_ bytes: [UInt8], url: String) throws(DocumentRemark) -> Classified {
        guard bytes.count <= DocumentLimits.jsonBytesMax else {
            throw DocumentRemark(
                "the JSON has \(bytes.count) bytes; at most \(DocumentLimits.jsonBytesMax) are read"
            )
        }
        let (node, problems) = JSONReader.parse(
            bytes, comments: false, depthLimit: DocumentLimits.depthMax)
        if let problem = problems.first { throw DocumentRemark(problem) }
        guard let node, node.members != nil else {
            throw DocumentRemark("the JSON holds no object")
        }
        if let kind = kind(node) { return .json(kind, node) }
        return .other(otherJSON(node))
    }

    private static func kind(_ node: JSONNode) -> Kind? {
        if node["tilejson"] != nil { return .tilejson }
        if node["sources"] != nil, node["layers"] != nil || node["version"]?.int != nil {
            return .style
        }
        let isService =
            node["currentVersion"] != nil
            && ["mapName", "layers", "singleFusedMapCache", "capabilities", "tiles"]
                .contains { node[$0] != nil }
        if node["tileInfo"] != nil || isService { return .arcgis }
        if node["tiles"]?.array != nil { return .tilejson }
        return nil
    }

    private static func otherJSON(_ node: JSONNode) -> String {
        if let error = node["error"], error.members != nil {
            let code = error["code"]?.int.map { " \($0)" } ?? ""
            let text = error["message"]?.string.map { ": " + quoted($0) } ?? ""
            return "an error in JSON\(code)\(text)"
        }
        if node["currentVersion"] != nil, node["services"] != nil {
            return "a list of ArcGIS services; name one of them, as …/NAME/MapServer"
        }
        if node["type"]?.string == "FeatureCollection" { return "GeoJSON, which has no tiles" }
        if node["resourceSets"] != nil { return "Bing Maps metadata, which are not supported" }
        if node["tileMatrices"] != nil { return "a tile matrix set, which names no tiles" }
        if node["tilesets"] != nil || node["links"] != nil {
            return "a document of OGC API, which is not supported; give its tile template instead"
        }
        if let message = (node["message"] ?? node["error"] ?? node["detail"])?.string {
            return "JSON with a message: " + quoted(message)
        }
        let names = (node.members ?? []).map(\.name)
        return names.isEmpty ? "an empty JSON object" : "JSON with the keys \(listed(names))"
    }

    // MARK: - XML

    private static func xml(
        _ bytes: [UInt8], served: String, url: String
    ) throws(DocumentRemark) -> Classified {
        let isArcGIS = url.lowercased().contains("/rest/services/")
        let html = "a page of HTML" + served + (isArcGIS ? "; an ArcGIS service needs ?f=json" : "")
        if isHTML(bytes) { return .other(html) }
        let root = try XMLReader.root(bytes)
        switch root.name {
        case "WMS_Capabilities", "WMT_MS_Capabilities": return .xml(.wms)
        case "Capabilities" where root.attribute("xmlns")?.lowercased().contains("wmts") ?? true:
            return .xml(.wmts)
        case "ExceptionReport", "ServiceExceptionReport":
            return .other(try ServiceException.read(bytes).description)
        case "Capabilities", "WFS_Capabilities", "WCS_Capabilities":
            return .other("capabilities of another service than WMTS and WMS")
        case "TileMapService", "TileMap":
            return .other(
                "a description of a TMS, which is not supported; give its tile template, with"
                    + " \"scheme\": \"tms\"")
        case "html", "head", "body", "script", "HTML": return .other(html)
        default:
            return .other("XML with the root <\(quoted(root.name))>\(served)")
        }
    }

    /// HTML need not be XML, so it is told by its beginning.
    private static func isHTML(_ bytes: [UInt8]) -> Bool {
        let text = bytes.drop { $0 <= 0x20 || $0 >= 0x80 }.prefix(20)
        let head = String(decoding: text, as: UTF8.self).lowercased()
        return head.hasPrefix("<!doctype html") || head.hasPrefix("<html")
    }
}
