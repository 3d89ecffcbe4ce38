import Glibc

extension WMSCapabilities {
    /// Maps of the chosen layers, one per tile of Web Mercator's pyramid.
    ///
    /// - Throws: what the document does not offer, and what must be chosen and is not.
    func source(_ choice: SourceChoice) throws(DocumentRemark) -> TileSource {
        var notes = DocumentNotes()
        let chosen = try chosenLayers(choice)
        let (name, system) = try chosenSystem(chosen, choice)
        let format = try chosenFormat(choice)
        let styles = try chosenStyles(chosen, choice)
        guard (1...16_384).contains(choice.tileSize) else {
            throw DocumentRemark("a tile of \(choice.tileSize) pixels cannot be asked for")
        }
        let template: String
        do throws(SourceTemplate.Trouble) {
            let base = try SourceTemplate.absolute(address.attribute("href") ?? "", url: url)
            template = getMap(
                base, layers: chosen.map(\.name), styles: styles, format: format, systemName: name,
                system, tilePixels: choice.tileSize)
            _ = try SourceTemplate.check(template)
        } catch {
            throw address.remark(error.message)
        }
        var source = TileSource(
            name: chosen.map(\.name).joined(separator: ","),
            kind: SourceTemplate.kind(format: format),
            templates: [template], maxZoom: SourceReference.maxZoomDefault,
            tileSize: choice.tileSize)
        source.coordinateSystem = system
        source.format = format
        source.stated = .tileSize
        if let bounds = WMSCapabilities.union(chosen.map(\.bounds)) {
            source.bounds = bounds
            source.stated.insert(.bounds)
        } else {
            notes.add(chosen[0].element.remark("has no valid box in degrees"))
        }
        if chosen.count == 1 { try limitZooms(&source, chosen[0], &notes) }
        source.notes = notes.list
        return source
    }

    // MARK: - Choosing

    private func chosenLayers(_ choice: SourceChoice) throws(DocumentRemark) -> [Layer] {
        let names = layers.map(\.name)
        guard let wanted = choice.layer else {
            guard layers.count == 1 else {
                throw DocumentRemark(
                    "a layer must be chosen from \(names.count)", hint: "there are \(listed(names))"
                )
            }
            return layers
        }
        var chosen: [Layer] = []
        for name in wanted.split(separator: ",", omittingEmptySubsequences: false) {
            guard let layer = layers.first(where: { $0.name == name }) else {
                throw DocumentRemark(
                    "there is no layer \"\(quoted(name))\"", hint: "there are \(listed(names))")
            }
            chosen.append(layer)
        }
        return chosen
    }

    /// The system that is chosen, else Web Mercator, else degrees; all the layers must have it.
    private func chosenSystem(
        _ chosen: [Layer], _ choice: SourceChoice
    ) throws(DocumentRemark) -> (name: String, system: CoordinateSystem) {
        let offered = chosen[0].systems.filter { name in
            chosen.allSatisfy { $0.systems.contains(name) }
        }
        if let wanted = choice.crs {
            guard let system = CoordinateSystem(name: wanted) else {
                throw DocumentRemark(
                    "coordinate system \"\(quoted(wanted))\" is not supported; Web Mercator,"
                        + " EPSG:4326 and CRS:84 are")
            }
            guard offered.contains(wanted) else {
                throw chosen[0].element.remark(
                    "is not offered in \"\(quoted(wanted))\"", hint: "there are \(listed(offered))")
            }
            return (wanted, system)
        }
        let usable = offered.compactMap { name in CoordinateSystem(name: name).map { (name, $0) } }
        let metres = usable.filter { !$0.1.isGeographic }
        // Older names are taken where there is no other.
        let standard = metres.first { $0.0 == CoordinateSystem.webMercator.rawValue }
        guard let best = standard ?? metres.first ?? usable.first else {
            throw chosen[0].element.remark(
                "is not offered in Web Mercator, EPSG:4326 or CRS:84",
                hint: "there are \(listed(offered))")
        }
        return best
    }

    private func chosenFormat(_ choice: SourceChoice) throws(DocumentRemark) -> String {
        if let wanted = choice.format {
            guard formats.contains(wanted) else {
                throw DocumentRemark(
                    "GetMap has no format \"\(quoted(wanted))\"",
                    hint: "there are \(listed(formats))")
            }
            return wanted
        }
        let common = ["image/png", "image/jpeg", "image/webp"].first(where: formats.contains)
        guard let format = common ?? formats.first else {
            throw DocumentRemark("GetMap has no <Format>")
        }
        return format
    }

    /// One style per layer, or none: the layers' defaults.
    private func chosenStyles(
        _ chosen: [Layer], _ choice: SourceChoice
    ) throws(DocumentRemark) -> [String] {
        guard let wanted = choice.style, !wanted.isEmpty else { return [] }
        let styles = wanted.split(separator: ",", omittingEmptySubsequences: false)
            .map(String.init)
        guard styles.count == chosen.count else {
            throw DocumentRemark(
                "there are \(styles.count) styles for \(chosen.count) layers",
                hint: "write one for each, \"\" for the default")
        }
        for (style, layer) in zip(styles, chosen) where !style.isEmpty {
            guard layer.styles.contains(style) else {
                throw layer.element.remark(
                    "the layer has no style \"\(quoted(style))\"",
                    hint: "there are \(listed(layer.styles))")
            }
        }
        return styles
    }

    // MARK: - The request

    /// GetMap for the box of a tile. Errors are asked for as XML: as an image they would look like
    /// tiles.
    private func getMap(
        _ base: String, layers: [String], styles: [String], format: String, systemName: String,
        _ system: CoordinateSystem, tilePixels: Int
    ) -> String {
        let box =
            switch system {
            case .webMercator: "{bbox-epsg-3857}"
            case .longitudeLatitude: "{bbox-crs-84}"
            // Only 1.3.0 keeps to the order of the system's axes.
            case .latitudeLongitude: isVersion13 ? "{bbox-epsg-4326}" : "{bbox-crs-84}"
            }
        let lists = [("LAYERS", layers), ("STYLES", styles)].map { name, values in
            name + "=" + values.map { percentEncoded($0) }.joined(separator: ",")
        }
        let isOpaque = format.hasPrefix("image/jpeg")
        let start = QueryParameters.adding(
            [
                ("SERVICE", "WMS"), ("VERSION", isVersion13 ? "1.3.0" : "1.1.1"),
                ("REQUEST", "GetMap"), ("FORMAT", format),
                ("TRANSPARENT", isOpaque ? "FALSE" : "TRUE"),
                (isVersion13 ? "CRS" : "SRS", systemName), ("WIDTH", "\(tilePixels)"),
                ("HEIGHT", "\(tilePixels)"),
                ("EXCEPTIONS", isVersion13 ? "XML" : "application/vnd.ogc.se_xml"),
            ], to: base)
        let cleaned = QueryParameters.removing(["layers", "styles", "bbox"], from: start)
        return ([cleaned] + lists + ["BBOX=" + box]).joined(separator: "&")
    }

    // MARK: - Where there are maps

    /// The scale of zoom 0 in tiles of 256 pixels, each 0.28 mm (1.3.0, 7.2.4.6.9).
    private static let scaleOfZoom0 =
        CoordinateSystem.webMercator.worldWidth / 256 / 0.28e-3

    /// A layer is blank beyond its scales.
    private func limitZooms(
        _ source: inout TileSource, _ layer: Layer, _ notes: inout DocumentNotes
    ) throws(DocumentRemark) {
        let scaleOfZoom0 = WMSCapabilities.scaleOfZoom0 * 256 / Double(source.tileSize)
        // Documents round their scales.
        let rounding = 0.01
        let zoomMax = Double(TileID.zoomMax)
        if let scale = layer.scaleMax {
            let zoom = (log2(scaleOfZoom0 / scale) - rounding).rounded(.up)
            source.minZoom = UInt8(min(max(zoom, 0), zoomMax))
            source.stated.insert(.minZoom)
        }
        if let scale = layer.scaleMin {
            let zoom = (log2(scaleOfZoom0 / scale) + rounding).rounded(.down)
            source.maxZoom = UInt8(min(max(zoom, 0), zoomMax))
            source.stated.insert(.maxZoom)
        }
        guard source.minZoom <= source.maxZoom else {
            throw layer.element.remark("is drawn at no zoom's scale")
        }
        if source.stated.contains(.minZoom) || source.stated.contains(.maxZoom) {
            notes.add(
                layer.element.remark(
                    "is drawn at some scales only: zooms \(source.minZoom) to \(source.maxZoom)"))
        }
    }

    /// The least box around all; nil when one has none.
    private static func union(_ boxes: [GeoBounds?]) -> GeoBounds? {
        let known = boxes.compactMap { $0 }
        guard known.count == boxes.count, var union = known.first else { return nil }
        for box in known.dropFirst() {
            // Boxes across the antimeridian are not worth an exact answer.
            let crosses = union.crossesAntimeridian || box.crossesAntimeridian
            union = GeoBounds(
                unchecked: crosses ? -180 : min(union.west, box.west), min(union.south, box.south),
                crosses ? 180 : max(union.east, box.east), max(union.north, box.north))
        }
        return union
    }
}
