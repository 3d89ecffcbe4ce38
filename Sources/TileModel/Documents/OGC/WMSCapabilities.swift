/// The capabilities of a WMS 1.1.1 or 1.3.0, as far as they tell how a map of a tile is asked for.
struct WMSCapabilities: Sendable {
    let url: String
    let title: String?
    /// Whether `CRS`, axes in the system's own order and the words of 1.3.0 are used.
    let isVersion13: Bool
    let formats: [String]
    /// Where GetMap is; as written.
    let address: XMLElement
    let layers: [Layer]

    /// A layer that has a name, with what it inherits.
    struct Layer: Sendable {
        var name: String
        var title: String?
        var element: XMLElement
        /// Names of coordinate systems, as written, each once.
        var systems: [String]
        var styles: [String]
        var bounds: GeoBounds?
        /// Scale denominators between which the layer is drawn.
        var scaleMin: Double?
        var scaleMax: Double?
    }

    private static let names: Set<String> = [
        "Service", "Title", "Capability", "Request", "GetMap", "Format", "DCPType", "HTTP", "Get",
        "OnlineResource", "Layer", "Name", "CRS", "SRS", "Style", "EX_GeographicBoundingBox",
        "westBoundLongitude", "eastBoundLongitude", "southBoundLatitude", "northBoundLatitude",
        "LatLonBoundingBox", "MinScaleDenominator", "MaxScaleDenominator",
    ]

    init(_ bytes: [UInt8], url: String) throws(DocumentRemark) {
        let root = try XMLReader.parse(bytes, keeping: WMSCapabilities.names)
        self.url = url
        let version = root.attribute("version") ?? ""
        guard ["1.1.0", "1.1.1", "1.3.0"].contains(version) else {
            throw root.remark(
                "version \"\(quoted(version))\" of WMS is not supported; 1.1.1 and 1.3.0 are")
        }
        isVersion13 = version == "1.3.0"
        title = root.first("Service")?.text(of: "Title")
        let capability = try root.required("Capability")
        let request = try capability.required("Request").required("GetMap")
        formats = request.all("Format").map(\.text)
        guard
            let address = request.all(path: "DCPType", "HTTP", "Get", "OnlineResource").first
        else { throw request.remark("there is no <OnlineResource> for Get") }
        self.address = address
        var layers: [Layer] = []
        for layer in capability.all("Layer") {
            WMSCapabilities.collect(layer, Inherited(), into: &layers)
        }
        guard !layers.isEmpty else { throw capability.remark("there is no <Layer> with a <Name>") }
        self.layers = layers
    }

    /// What a layer has of those around it.
    private struct Inherited {
        var systems: [String] = []
        var styles: [String] = []
        var bounds: GeoBounds?
        var scaleMin: Double?
        var scaleMax: Double?
    }

    /// Depth first, as they are written. The depth of elements is bounded by the reader.
    private static func collect(
        _ element: XMLElement, _ outer: Inherited, into layers: inout [Layer]
    ) {
        var own = outer
        // 1.1.0 allowed several names in one element.
        let systems = element.children.filter { $0.name == "CRS" || $0.name == "SRS" }
            .flatMap { $0.text.split(whereSeparator: \.isWhitespace).map(String.init) }
        for system in systems where !own.systems.contains(system) {
            // Some services list all of EPSG in every layer; none but the first few are of use.
            if CoordinateSystem(name: system) != nil || own.systems.count < systemsMax {
                own.systems.append(system)
            }
        }
        own.styles += element.all("Style").compactMap { $0.text(of: "Name") }
        own.bounds = bounds(element) ?? own.bounds
        own.scaleMin = scale(element, "MinScaleDenominator") ?? own.scaleMin
        own.scaleMax = scale(element, "MaxScaleDenominator") ?? own.scaleMax
        if let name = element.text(of: "Name"), !name.isEmpty {
            layers.append(
                Layer(
                    name: name, title: element.text(of: "Title"), element: element.withoutLayers,
                    systems: own.systems, styles: own.styles, bounds: own.bounds,
                    scaleMin: own.scaleMin, scaleMax: own.scaleMax))
        }
        for child in element.all("Layer") { collect(child, own, into: &layers) }
    }

    /// Names of coordinate systems kept for a list, besides those that are supported.
    private static let systemsMax = 50

    private static func scale(_ element: XMLElement, _ name: String) -> Double? {
        guard let text = element.text(of: name), let scale = Double(text), scale.isFinite,
            scale > 0
        else { return nil }
        return scale
    }

    /// The layer's box in degrees; nil when there is none or it is not valid.
    private static func bounds(_ element: XMLElement) -> GeoBounds? {
        let texts: [String?]
        if let box = element.first("EX_GeographicBoundingBox") {
            texts = [
                box.text(of: "westBoundLongitude"), box.text(of: "southBoundLatitude"),
                box.text(of: "eastBoundLongitude"), box.text(of: "northBoundLatitude"),
            ]
        } else if let box = element.first("LatLonBoundingBox") {
            texts = ["minx", "miny", "maxx", "maxy"].map(box.attribute)
        } else {
            return nil
        }
        let numbers = texts.compactMap { $0.flatMap { Double($0) } }
        return numbers.count == 4 ? try? GeoBounds(tolerant: numbers) : nil
    }

    var summaries: [SourceLayer] {
        layers.map { layer in
            SourceLayer(
                name: layer.name, title: layer.title, styles: layer.styles, formats: formats,
                grids: layer.systems, dimensions: [], bounds: layer.bounds)
        }
    }
}

extension XMLElement {
    /// The element for messages about it, without what is in it.
    fileprivate var withoutLayers: XMLElement {
        XMLElement(name: name, place: place, attributes: attributes)
    }
}
