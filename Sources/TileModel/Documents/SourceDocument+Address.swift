extension SourceDocument {
    /// Where the document of a service is, for the service's address as people write it: what asks
    /// for the document is added unless it is there. The path of a file, and what needs nothing
    /// more, comes back as it is.
    ///
    /// - Parameter version: of a WMS; replaces the one in the address.
    package static func address(_ url: String, kind: Kind, version: String? = nil) -> String {
        guard URLReference.isWeb(url) else { return url }
        // Capabilities in a file of their own are not asked for by parameters.
        let path = url.prefix { $0 != "?" && $0 != "#" }.lowercased()
        let isFile = path.hasSuffix(".xml")
        let parameters: [(name: String, value: String)]
        switch kind {
        case .tilejson, .style: return url
        case .arcgis: parameters = [("f", "json")]
        case .wmts:
            parameters = [
                ("SERVICE", "WMTS"), ("REQUEST", "GetCapabilities"), ("VERSION", "1.0.0"),
            ]
        case .wms:
            parameters = [
                ("SERVICE", "WMS"), ("REQUEST", "GetCapabilities"),
                ("VERSION", version ?? "1.3.0"),
            ]
        }
        guard !isFile else { return url }
        let added = parameters.filter { name, _ in
            QueryParameters.value(of: name, in: url) == nil
                || name == "VERSION" && kind == .wms && version != nil
        }
        return added.isEmpty ? url : QueryParameters.adding(added, to: url)
    }
}
